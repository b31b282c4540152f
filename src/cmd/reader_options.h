/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that several readers have: rows that fill their struct reader. */
#pragma once

#include "cmd/filter_options.h"
#include "cmd/option_groups.h"
#include "cmd/reader.h"

/* clang-format off */

#define READER_FORMAT_ROWS \
	{ .name = "csv", .common = true, .section = OPTIONS_MAIN, OPTION_TO(flag, struct reader, csv), \
	  .help = "all numbers as CSV, exact", \
	  .more = "Gaps of the trace go to standard error." }, \
	READER_JSON_ROW

#define READER_JSON_ROW \
	{ .name = "json", .letter = 'j', .common = true, .section = OPTIONS_MAIN, \
	  OPTION_TO(flag, struct reader, json), .help = "the same as JSON, with gaps of the trace" }

/* which: "rows", and how many there are without it */
#define READER_TOP_ROW(which) \
	{ .name = "top", .argument = "N", .letter = 'n', .common = true, .section = OPTIONS_MAIN, \
	  .parse = option_top, .help = "at most N " which }

#define READER_OUTPUT_ROW \
	{ .name = "output", .letter = 'o', .argument = "FILE", .common = true, .section = OPTIONS_MAIN, \
	  OPTION_TO(text, struct reader, output), .help = "write to FILE" }

#define READER_PID_ROW \
	{ .name = "pid", .letter = 'p', .argument = "LIST", .common = true, .section = OPTIONS_PROCESSES, \
	  .parse = option_filter_pids, .target = offsetof(struct reader, filter), \
	  .help = "only these processes" }

#define READER_CONTAINER_ROW \
	{ .name = "container", .argument = "LIST", .common = true, .section = OPTIONS_PROCESSES, \
	  .parse = option_filter_containers, .target = offsetof(struct reader, filter), \
	  .help = "only processes in these containers", \
	  .more = "As column `container` has them, of Kubernetes also `namespace/pod` or the last part alone; `(host)`: " \
		  "those in none. From rows of exec and snapshots of processes." }

#define READER_PROCESS_ROWS \
	READER_PID_ROW, \
	READER_CONTAINER_ROW, \
	{ .name = "comm", .letter = 'c', .argument = "LIST", .common = true, .section = OPTIONS_PROCESSES, \
	  .parse = option_filter_commands, .target = offsetof(struct reader, filter), \
	  .help = "only threads with these names" }

/* what: "these files"; more: what the manual adds, behind a blank */
#define READER_PATH_ROW(what, adds) \
	{ .name = "path", .argument = "GLOB", .common = true, .section = OPTIONS_ROWS, \
	  OPTION_TO(text, struct reader, filter.path), .help = "only " what, \
	  .more = "A pattern without a slash is compared with the last part of the path." adds }

/* what: "rows" */
#define READER_TIME_ROWS(what) \
	{ .name = "from", .argument = "TIME", .common = true, .section = OPTIONS_ROWS, \
	  OPTION_TO(text, struct reader, filter.from), .help = what " from this time on", \
	  .more = "`+10s` after the start, `-10s` before the end, `23:59` or `23:59:59` of the first day or " \
		  "`2026-11-20 23:59:59`, in the time zone of the trace." }, \
	{ .name = "to", .argument = "TIME", .common = true, .section = OPTIONS_ROWS, \
	  OPTION_TO(text, struct reader, filter.to), .help = what " before this time" }

/* Where answers may be larger than the memory. */
#define READER_MEMORY_ROW \
	{ .name = "memory", .argument = "SIZE", .section = OPTIONS_MAIN, OPTION_TO(size, struct reader, memory), \
	  .help = "memory for files (256M); more goes to $TMPDIR", \
	  .more = "What does not fit goes to an unnamed file in `$TMPDIR` or `/var/tmp`, with a message. The answer is the same." }

#define READER_LAST_ROWS \
	OPTIONS_QUIET_ROW, \
	OPTIONS_HELP_ROW, \
	{ 0 }

/* clang-format on */
