/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands: name, options and what runs them. argv[0] of a run is the command's name, its
 * result the exit status.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "cmd/option.h"

extern const struct command command_amp, command_record, command_doctor, command_build,
	command_snapshot, command_verify, command_files, command_fio, command_report,
	command_schema, command_timeline, command_top, command_uring, command_watch, command_why;

/* In the order of `iotracer --help`, up to NULL. */
extern const struct command *const commands[];

/* The list of them. */
void commands_usage(FILE *out);

struct help_options {
	bool csv, markdown;
};

/* What `iotracer help` has something on beside the commands. The result is an exit status. */
struct help_topic {
	const char *name;
	int (*show)(const struct help_options *options, char *const *words, int n_words);
};

/* Up to one without a name. */
extern const struct help_topic help_topics[];

int build_command(int argc, char **argv);
int doctor_command(int argc, char **argv);
int snapshot_command(int argc, char **argv);
int verify_command(int argc, char **argv);
int files_command(int argc, char **argv);
int fio_command(int argc, char **argv);
int top_command(int argc, char **argv);
int watch_command(int argc, char **argv);
int report_command(int argc, char **argv);
int amp_command(int argc, char **argv);
int timeline_command(int argc, char **argv);
int uring_command(int argc, char **argv);
int why_command(int argc, char **argv);
int schema_command(int argc, char **argv);
