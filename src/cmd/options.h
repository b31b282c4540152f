/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the command lines become; the tables of options stand with the commands. */
#ifndef IOT_OPTIONS_H
#define IOT_OPTIONS_H

#include <stdbool.h>

#include "cmd/option.h"
#include "row/anon.h"
#include "row/schema.h"
#include "session/recording.h"
#include "snapshot/snap.h"
#include "write/write.h"

/* Each returns OPTIONS_OK, _HELP or _WRONG: then the exit status plus one. */

int options_record(struct recording_options *options, int argc, char **argv);

/* What all that trace have in common: completes it, or reports what does not go together. */
int options_check_recording(struct recording_options *options);

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

/* ---- what they share ---- */

/* Those that are recorded when -e is not given. */
void options_default_streams(bool streams[N_STREAMS]);
/* "fs,ds", "!exec" or "+sched": sets the streams; false (reported) for an unknown one. */
bool options_streams(const char *text, bool streams[N_STREAMS]);
/* The same for a command with another default. */
bool options_streams_of(const char *text, void (*set_default)(bool streams[N_STREAMS]),
			bool streams[N_STREAMS]);

/* Those that watch and top show when -e is not given. */
void options_streams_shown(bool streams[N_STREAMS]);

/* Where the trace goes when nobody said it; an anonymised one has no host in its name. */
void options_default_dir(char *out, size_t size, const struct anon_options *anon);

/* Any option of anonymised mode switches it on. */
void options_complete_anon(struct anon_options *anon);

/*
 * Switches off the streams that the filters leave no row of (named: with a warning), except
 * fs where others need its names. False (reported) when none is left.
 */
bool options_filtered_streams(const struct filter *rows, bool chosen[N_STREAMS], bool named);

#endif
