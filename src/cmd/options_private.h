/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What options.c (the commands' tables) and options_values.c (arguments) share,
 * and nobody else sees.
 */
#ifndef IOT_OPTIONS_PRIVATE_H
#define IOT_OPTIONS_PRIVATE_H

#include "cmd/options.h"

#define HELP_SHOWN 1
#define WRONG_USAGE 3
#define OPTIONS_MAX 64

struct option_row {
	int letter; /* a letter, or a number above 255 for a long name alone */
	const char *name;
	const char *argument; /* NULL: takes none */
	const char *help;     /* NULL: another spelling, not shown */
};

/* ---- options.c ---- */

struct option;
void options_show_help(const char *usage, const struct option_row *rows);
/* The row table in getopt_long's two forms: OPTIONS_MAX, and twice as many and two. */
void options_getopt_tables(const struct option_row *rows, struct option *longs, char *shorts);
/* The next option of an argument vector, as getopt_long has it; '?' when it was wrong: reported. */
int options_next(int argc, char **argv, const char *shorts, const struct option *longs,
		 const char *command);
/* host: with the name of the host in it */
void options_default_dir(char *out, size_t size, bool host);

/* ---- options_snapshot.c: what record and snapshot have in common ---- */

enum {
	OPT_NO_SNAPSHOTS = 400,
	OPT_SNAPSHOT_ROOT,
	OPT_SNAPSHOT_DEPTH,
	OPT_SNAPSHOT_ALL_MOUNTS,
	OPT_SNAPSHOT_INTERVAL,
	OPT_PROCESS_INTERVAL
};

#define OPTIONS_SNAPSHOT_ROWS                                                                      \
	{ OPT_SNAPSHOT_ROOT, "snapshot-root", "DIR", "where snapshots of files begin (/)" },       \
		{ OPT_SNAPSHOT_DEPTH, "snapshot-depth", "N",                                       \
		  "how deep they go (3; 0: as deep as it goes)" },                                 \
	{                                                                                          \
		OPT_SNAPSHOT_ALL_MOUNTS, "snapshot-all-mounts", NULL,                              \
			"file systems mounted there, too"                                          \
	}

/* One of these; false (reported) for a wrong argument. */
bool options_snap(int letter, const char *arg, struct snap_options *options);

/* ---- options_anon.c: likewise ---- */

enum { OPT_ANON_OTHERWISE = 500, OPT_ANON_KEEP_EXT, OPT_ANON_COMM, OPT_ANON_IP, OPT_ANON_KEY };

#define OPTIONS_ANON_ROWS                                                                          \
	{ 'a', "anonymize", NULL,                                                                  \
	  "tokens in place of the names of files, hosts and sockets, and of arguments" },          \
		{ OPT_ANON_OTHERWISE, "anonimize", NULL, NULL },                                   \
		{ OPT_ANON_KEEP_EXT, "anon-keep-ext", NULL, "-a, but endings like .csv stay" },    \
		{ OPT_ANON_COMM, "anon-comm", NULL, "-a, and the names of threads" },              \
		{ OPT_ANON_IP, "anon-ip", NULL, "-a, and IP addresses, networks preserved" },      \
	{                                                                                          \
		OPT_ANON_KEY, "anon-key", "FILE",                                                  \
			"-a, with the key in FILE, made when it is not there"                      \
	}

/* False: it is none of these. */
bool options_anon(int letter, const char *arg, struct anon_options *options);

/* ---- options_filter.c ---- */

enum { OPT_PATH = 600, OPT_OPERATION, OPT_ERRORS, OPT_MIN_LATENCY, OPT_CGROUP, OPT_NOT_COMM };

/* One of these; false (reported) for a wrong argument. */
bool options_filter(int letter, const char *arg, struct trace_options *trace);
/*
 * Switches off the streams that the filters leave no row of (named: and says so), but for fs
 * where others need its names. False (reported) when none is left.
 */
bool options_filtered_streams(const struct filter *rows, bool chosen[N_STREAMS], bool named);

/* ---- options_values.c; each but the first three reports what it refuses ---- */

/* Decimal, up to max. */
bool options_number(const char *text, uint64_t max, uint64_t *value);
/* "10ms", "5m", "30" (of unit_ns; 0: a unit must be there): ns */
bool options_duration(const char *text, uint64_t unit_ns, uint64_t *ns);
#define OPTIONS_WORD 64
/* The next word of a list with commas; false at its end. A word too long for anything is cut. */
bool options_next_word(const char **list, char word[OPTIONS_WORD]);
/* Seconds, of the named option; up to max */
bool options_seconds(const char *option, const char *text, uint64_t max, uint64_t *seconds);
/* Lists with commas; what earlier ones gave stays. rule: IOT_FS_* */
bool options_pids(const char *text, struct trace_options *trace);
bool options_comms(const char *text, struct trace_options *trace);
bool options_not_comms(const char *text, struct trace_options *trace);
bool options_fs_types(const char *text, struct fs_types *types, uint8_t rule);
/* A name or a number */
bool options_user(const char *text, struct trace_options *trace);
bool options_dev(const char *text, bool *partitions);
/* A power of two */
bool options_pages(const char *text, unsigned *pages);
bool options_sample_rate(const char *text, uint32_t *rate);
/* Levels of socket options, or "all" */
bool options_levels(const char *text, struct trace_options *trace);

#endif
