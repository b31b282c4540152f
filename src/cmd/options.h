/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the command lines become; the tables of options stand with the commands. */
#pragma once

#include <stdbool.h>

#include "cmd/option.h"
#include "row/anon.h"
#include "row/schema.h"
#include "session/recording.h"
#include "snapshot/snap.h"
#include "write/write.h"

/* Each returns OPTIONS_OK, _HELP or _WRONG: then the exit status plus one. */

int options_record(struct recording_options *options, int argc, char **argv);

struct doctor_command {
	struct host_options host;
	const char *collect;
	bool json;
	bool self_test;
};
int options_doctor(struct doctor_command *options, int argc, char **argv);

struct build_command {
	struct host_options host;
	const char *out;
	bool streams[N_STREAMS];
	bool streams_named;
	bool drops;
	bool given;
};
int options_build(struct build_command *options, int argc, char **argv);

struct snapshot_command {
	bool kinds[N_SNAP_KINDS];
	struct snap_options snapshots;
	struct write_options write;
	struct anon_options anon;
	const char *root; /* of a saved host, for the system; "": this one */
	char dir[4096];
};
int options_snapshot(struct snapshot_command *options, int argc, char **argv);
