/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the command lines: which options a command has, their help, and where
 * each value goes. What an argument may look like is options_values.c's
 * business.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cmd/options_private.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "row/records.h"

enum {
	OPT_ROTATE_SIZE = 256,
	OPT_ROTATE_TIME,
	OPT_ROTATE_ROWS,
	OPT_COMPRESS,
	OPT_MAX_DISK,
	OPT_MIN_FREE,
	OPT_HEADERS,
	OPT_NO_KPROBES,
	OPT_NO_SYSCALL_EVENTS,
	OPT_NO_HEADERS,
	OPT_IMAGE,
	OPT_NO_CACHE,
	OPT_ALL_FS,
	OPT_DEV,
	OPT_FS_TYPE,
	OPT_EXCLUDE_FS_TYPE,
	OPT_CACHE_SAMPLE_RATE,
	OPT_SOCKOPT_LEVELS,
	OPT_EXTRA_OPS,
	OPT_DROPS,
	OPT_ALL_DROPS,
	OPT_NO_SELF_TEST,
	OPT_ROOT,
	OPT_JSON,
	OPT_SELF_TEST,
	OPT_COLLECT
};

static const struct option_row record_rows[] = {
	{ 'o', "output", "DIR", "session directory (default iotracer_<host>_<time>)" },
	{ 'e', "events", "LIST", "streams to record, comma-separated; '!NAME' leaves one out" },
	{ 'd', "duration", "TIME", "stop after this time: seconds, or 90s, 5m, 2h" },
	{ 'p', "pid", "PID|NAME[,...]", "only these processes and their children, until they end" },
	{ 'c', "comm", "NAME[,NAME]", "only threads of these names" },
	{ 'u', "uid", "USER", "only processes of this user (name or number)" },
	{ OPT_NOT_COMM, "not-comm", "NAME[,NAME]", "no threads of these names" },
	{ OPT_CGROUP, "cgroup", "PATH",
	  "only processes in this control group (of a container, say) or below" },
	{ OPT_PATH, "path", "GLOB", "only rows of such files: '/var/log/*', '*.db', a directory" },
	{ OPT_OPERATION, "operation", "LIST", "only rows of these operations: OPEN,FSYNC,CONNECT" },
	{ OPT_ERRORS, "errors", NULL, "only rows of operations that failed" },
	{ OPT_MIN_LATENCY, "min-latency", "TIME",
	  "only rows of operations that took as long: 500us, 10ms, 1s" },
	{ 'm', "page-cnt", "N", "ring pages per CPU, a power of two" },
	{ OPT_ROTATE_SIZE, "rotate-size", "SIZE",
	  "new segment after this many bytes (100M; 0: never)" },
	{ OPT_ROTATE_TIME, "rotate-time", "TIME", "new segment after this time (300; 0: never)" },
	{ OPT_ROTATE_ROWS, "rotate-rows", "N", "new segment after this many rows (0: never)" },
	{ OPT_COMPRESS, "compress", "none|gz", "compress closed segments (none)" },
	{ OPT_MAX_DISK, "max-disk", "SIZE", "remove the oldest segments above this size" },
	{ OPT_MIN_FREE, "min-free", "SIZE", "pause writing while less is free on the file system" },
	{ OPT_ALL_FS, "all-fs", NULL, "pseudo file systems (proc, sysfs …), too" },
	{ OPT_FS_TYPE, "fs-type", "TYPE[,TYPE]",
	  "only file systems of these types, pseudo ones, too" },
	{ OPT_EXCLUDE_FS_TYPE, "exclude-fs-type", "TYPE[,TYPE]", "no file systems of these types" },
	{ OPT_DEV, "dev", "disk|partition", "what dev of stream ds names (disk)" },
	{ OPT_CACHE_SAMPLE_RATE, "cache-sample-rate", "N",
	  "keep about one of N events of stream cache" },
	{ OPT_SOCKOPT_LEVELS, "sockopt-levels", "LEVEL[,LEVEL]|all",
	  "of stream nw_sockopt (SOL_SOCKET,IPPROTO_TCP)" },
	{ OPT_EXTRA_OPS, "extra-ops", NULL,
	  "copy_file_range, tee, sync_file_range, fadvise, readahead, too" },
	{ OPT_NO_SNAPSHOTS, "no-snapshots", NULL, "no snapshots of files, processes and system" },
	OPTIONS_SNAPSHOT_ROWS,
	OPTIONS_ANON_ROWS,
	{ OPT_SNAPSHOT_INTERVAL, "snapshot-interval", "TIME",
	  "between snapshots of files (3600; 0: one)" },
	{ OPT_PROCESS_INTERVAL, "process-interval", "TIME",
	  "between snapshots of processes (300; 0: two)" },
	{ OPT_DROPS, "drops", NULL, "dropped IP packets, too (stream nw_drop)" },
	{ OPT_ALL_DROPS, "all-drops", NULL, "dropped packets that are not IP, too" },
	{ OPT_HEADERS, "headers", "DIR", "kernel headers to compile with" },
	{ OPT_NO_KPROBES, "no-kprobes", NULL, "tracepoints only (tier b)" },
	{ OPT_NO_SYSCALL_EVENTS, "no-syscall-events", NULL,
	  "as if system calls had no tracepoints" },
	{ OPT_NO_HEADERS, "no-headers", NULL, "do without kernel headers (tier c)" },
	{ OPT_IMAGE, "image", "FILE", "run what `iotracer build` made for this host" },
	{ OPT_NO_CACHE, "no-cache", NULL, "compile even when a compiled image is kept" },
	{ OPT_NO_SELF_TEST, "no-self-test", NULL, "trust the chosen probes without trying them" },
	{ 'q', "quiet", NULL, "errors only" },
	{ 'v', "verbose", NULL, "details" },
	{ 'h', "help", NULL, "this text" },
	{ 0 },
};

static const struct option_row doctor_rows[] = {
	{ OPT_JSON, "json", NULL, "the same as JSON" },
	{ OPT_ROOT, "root", "DIR", "look at a saved host: a directory or a file of --collect" },
	{ OPT_SELF_TEST, "self-test", NULL,
	  "perform each operation once and see which probes fire" },
	{ OPT_COLLECT, "collect", "FILE",
	  "save this host's facts, for --root and `iotracer build`" },
	{ OPT_HEADERS, "headers", "DIR", "kernel headers to plan with" },
	{ OPT_NO_KPROBES, "no-kprobes", NULL, "as if there were no kprobes" },
	{ OPT_NO_SYSCALL_EVENTS, "no-syscall-events", NULL,
	  "as if system calls had no tracepoints" },
	{ OPT_NO_HEADERS, "no-headers", NULL, "as if there were no kernel headers" },
	{ 'v', "verbose", NULL, "internal probes, too" },
	{ 'h', "help", NULL, "this text" },
	{ 0 },
};

static const struct option_row build_rows[] = {
	{ OPT_ROOT, "root", "DIR", "the saved host: a directory or a file of doctor --collect" },
	{ OPT_HEADERS, "headers", "DIR", "its kernel headers (none: --no-headers)" },
	{ 'o', "output", "FILE", "where the image goes" },
	{ 'e', "events", "LIST", "streams, as for record" },
	{ OPT_DROPS, "drops", NULL, "so that record can have --drops or --all-drops" },
	{ OPT_NO_KPROBES, "no-kprobes", NULL, "tracepoints only (tier b)" },
	{ OPT_NO_SYSCALL_EVENTS, "no-syscall-events", NULL,
	  "as if system calls had no tracepoints" },
	{ OPT_NO_HEADERS, "no-headers", NULL, "do without kernel headers (tier c)" },
	{ 'q', "quiet", NULL, "errors only" },
	{ 'v', "verbose", NULL, "details" },
	{ 'h', "help", NULL, "this text" },
	{ 0 },
};

void options_show_help(const char *usage, const struct option_row *rows)
{
	printf("usage: iotracer %s\n\n", usage);
	for (; rows->name; rows++) {
		char left[64];

		if (!rows->help)
			continue;
		snprintf(left, sizeof(left), "%s%c%s--%s%s%s", rows->letter < 256 ? "-" : " ",
			 rows->letter < 256 ? rows->letter : ' ', rows->letter < 256 ? ", " : "  ",
			 rows->name, rows->argument ? " " : "",
			 rows->argument ? rows->argument : "");
		printf("  %-32s %s\n", left, rows->help);
	}
}

/* The row table in getopt_long's two forms. */
void options_getopt_tables(const struct option_row *rows, struct option *longs, char *shorts)
{
	*shorts++ = '+'; /* the first word that is no option begins the command */
	*shorts++ = ':'; /* what is missing is told apart from what is unknown */
	for (; rows->name; rows++, longs++) {
		*longs = (struct option){ .name = rows->name,
					  .val = rows->letter,
					  .has_arg = rows->argument ? required_argument :
								      no_argument };
		if (rows->letter < 256) {
			*shorts++ = rows->letter;
			if (rows->argument)
				*shorts++ = ':';
		}
	}
	*longs = (struct option){ 0 };
	*shorts = '\0';
}

int options_next(int argc, char **argv, const char *shorts, const struct option *longs,
		 const char *command)
{
	int letter;

	opterr = 0;
	letter = getopt_long(argc, argv, shorts, longs, NULL);
	if (letter != '?' && letter != ':')
		return letter;
	if (letter == ':')
		log_error("option '%s' needs an argument", argv[optind - 1]);
	else if (optopt > 0 && optopt < 256)
		log_error("unknown option '-%c'; `iotracer %s --help` lists them", optopt, command);
	else if (optopt)
		log_error("option '%s' takes no argument", argv[optind - 1]);
	else
		log_error("unknown or ambiguous option '%s'; `iotracer %s --help` lists them",
			  argv[optind - 1], command);
	return '?';
}

static bool parse_dir(const char *text, struct recording_options *o)
{
	if (!text[0]) {
		log_error("-o needs the name of a directory");
		return false;
	}
	if (snprintf(o->dir, sizeof(o->dir), "%s", text) < (int)sizeof(o->dir))
		return true;
	log_error("-o: the name of the directory is too long");
	return false;
}

static bool parse_size(const char *option, const char *text, uint64_t *bytes)
{
	if (options_size(text, bytes))
		return true;
	log_error("%s: invalid size '%s' (e.g. 100M, 1G)", option, text);
	return false;
}

static bool record_option(struct recording_options *o, int letter, const char *arg)
{
	uint64_t number;

	if (options_anon(letter, arg, &o->anon))
		return true;
	switch (letter) {
	case 'o':
		return parse_dir(arg, o);
	case 'e':
		o->streams_named = arg[0] != '!';
		return options_streams(arg, o->streams);
	case 'p':
		return options_pids(arg, &o->trace);
	case 'c':
		return options_comms(arg, &o->trace);
	case 'u':
		return options_user(arg, &o->trace);
	case 'm':
		return options_pages(arg, &o->trace.pages);
	case 'q':
		log_set_level(LOG_QUIET);
		return true;
	case 'v':
		log_set_level(LOG_VERBOSE);
		return true;
	case OPT_ALL_FS:
		o->trace.all_fs = true;
		return true;
	case OPT_DEV:
		return options_dev(arg, &o->partitions);
	case OPT_CACHE_SAMPLE_RATE:
		return options_sample_rate(arg, &o->trace.cache_sample_rate);
	case OPT_SOCKOPT_LEVELS:
		return options_levels(arg, &o->trace);
	case OPT_FS_TYPE:
		return options_fs_types(arg, &o->trace.fs_types, IOT_FS_INCLUDE);
	case OPT_EXCLUDE_FS_TYPE:
		return options_fs_types(arg, &o->trace.fs_types, IOT_FS_EXCLUDE);
	case OPT_EXTRA_OPS:
		o->extra_ops = true;
		return true;
	case OPT_DROPS:
		o->drops = true;
		return true;
	case OPT_ALL_DROPS:
		o->drops = o->trace.all_drops = true;
		return true;
	case OPT_HEADERS:
		o->host.headers = arg;
		return true;
	case OPT_NO_KPROBES:
		o->host.no_kprobes = true;
		return true;
	case OPT_NO_SYSCALL_EVENTS:
		o->host.no_syscall_events = true;
		return true;
	case OPT_NO_HEADERS:
		o->host.no_headers = true;
		return true;
	case OPT_IMAGE:
		o->trace.image = arg;
		return true;
	case OPT_NO_CACHE:
		o->trace.no_cache = true;
		return true;
	case OPT_NO_SELF_TEST:
		o->no_self_test = true;
		return true;
	case OPT_NO_SNAPSHOTS:
	case OPT_SNAPSHOT_ROOT:
	case OPT_SNAPSHOT_DEPTH:
	case OPT_SNAPSHOT_ALL_MOUNTS:
	case OPT_SNAPSHOT_INTERVAL:
	case OPT_PROCESS_INTERVAL:
		return options_snap(letter, arg, &o->snapshots);
	case OPT_COMPRESS:
		o->write.compress = strcmp(arg, "gz") ? WRITE_PLAIN : WRITE_GZ;
		if (!strcmp(arg, "gz") || !strcmp(arg, "none"))
			return true;
		log_error("--compress knows none and gz, not '%s'", arg);
		return false;
	case 'd':
		if (!options_seconds("-d", arg, UINT_MAX, &number))
			return false;
		if (!number)
			log_error("-d: the time must be longer than 0");
		o->duration_s = number;
		return number > 0;
	case OPT_ROTATE_TIME:
		if (!options_seconds("--rotate-time", arg, UINT_MAX, &number))
			return false;
		o->write.rotate_time_s = number;
		return true;
	case OPT_ROTATE_ROWS:
		if (options_number(arg, UINT64_MAX, &o->write.rotate_rows))
			return true;
		log_error("--rotate-rows: invalid number '%s'", arg);
		return false;
	case OPT_ROTATE_SIZE:
		return parse_size("--rotate-size", arg, &o->write.rotate_size);
	case OPT_MAX_DISK:
		return parse_size("--max-disk", arg, &o->write.max_disk);
	case OPT_MIN_FREE:
		return parse_size("--min-free", arg, &o->write.min_free);
	}
	return options_filter(letter, arg, &o->trace);
}

void options_default_dir(char *out, size_t size, bool with_host)
{
	char host[65] = "host", when[32];
	time_t now = time(NULL);
	struct tm tm;

	gethostname(host, sizeof(host) - 1);
	localtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y%m%d_%H%M%S", &tm);
	snprintf(out, size, "iotracer_%s%s%s", with_host ? host : "", with_host ? "_" : "", when);
}

int options_record(struct recording_options *o, int argc, char **argv)
{
	static const char usage[] = "record [options] [-- COMMAND [ARG...]]";
	struct option longs[OPTIONS_MAX];
	char shorts[2 * OPTIONS_MAX + 3];
	int letter;

	memset(o, 0, sizeof(*o));
	o->write.rotate_size = 100ULL << 20;
	o->write.rotate_time_s = 300;
	o->snapshots = snap_defaults;
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		o->streams[i] = true;
	options_getopt_tables(record_rows, longs, shorts);
	while ((letter = options_next(argc, argv, shorts, longs, "record")) != -1) {
		if (letter == 'h') {
			options_show_help(usage, record_rows);
			return HELP_SHOWN;
		}
		if (letter == '?' || !record_option(o, letter, optarg))
			return WRONG_USAGE;
	}
	if (optind < argc)
		o->command = argv + optind;
	if (o->trace.n_pids && o->command) {
		log_error("-p and a command exclude each other");
		return WRONG_USAGE;
	}
	if (!options_filtered_streams(&o->trace.rows, o->streams, o->streams_named))
		return WRONG_USAGE;
	if (o->drops && !o->streams[STREAM_nw_drop]) {
		log_error("--drops and --all-drops are about stream nw_drop, which -e leaves out");
		return WRONG_USAGE;
	}
	if (!fs_types_any(&o->trace.fs_types)) {
		log_error("--exclude-fs-type leaves nothing of --fs-type");
		return WRONG_USAGE;
	}
	if (!o->dir[0])
		options_default_dir(o->dir, sizeof(o->dir), !o->anon.on);
	o->write.dir = o->dir;
	return 0;
}

int options_doctor(struct doctor_command *o, int argc, char **argv)
{
	struct option longs[OPTIONS_MAX];
	char shorts[2 * OPTIONS_MAX + 3];
	int letter;

	memset(o, 0, sizeof(*o));
	options_getopt_tables(doctor_rows, longs, shorts);
	while ((letter = options_next(argc, argv, shorts, longs, "doctor")) != -1) {
		switch (letter) {
		case 'h':
			options_show_help("doctor [options]", doctor_rows);
			return HELP_SHOWN;
		case 'v':
			log_set_level(LOG_VERBOSE);
			break;
		case OPT_JSON:
			o->json = true;
			break;
		case OPT_ROOT:
			o->host.root = optarg;
			break;
		case OPT_SELF_TEST:
			o->self_test = true;
			break;
		case OPT_COLLECT:
			o->collect = optarg;
			break;
		case OPT_HEADERS:
			o->host.headers = optarg;
			break;
		case OPT_NO_KPROBES:
			o->host.no_kprobes = true;
			break;
		case OPT_NO_SYSCALL_EVENTS:
			o->host.no_syscall_events = true;
			break;
		case OPT_NO_HEADERS:
			o->host.no_headers = true;
			break;
		default:
			return WRONG_USAGE;
		}
	}
	if (optind < argc) {
		log_error("doctor takes no argument '%s'", argv[optind]);
		return WRONG_USAGE;
	}
	if (o->self_test && o->host.root) {
		log_error("--self-test is for the running host, not for --root");
		return WRONG_USAGE;
	}
	return 0;
}

int options_build(struct build_command *o, int argc, char **argv)
{
	static const char usage[] = "build --root DIR [--headers DIR] -o FILE";
	struct option longs[OPTIONS_MAX];
	char shorts[2 * OPTIONS_MAX + 3];
	int letter;

	memset(o, 0, sizeof(*o));
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		o->streams[i] = true;
	options_getopt_tables(build_rows, longs, shorts);
	while ((letter = options_next(argc, argv, shorts, longs, "build")) != -1) {
		switch (letter) {
		case 'h':
			options_show_help(usage, build_rows);
			return HELP_SHOWN;
		case 'q':
			log_set_level(LOG_QUIET);
			break;
		case 'v':
			log_set_level(LOG_VERBOSE);
			break;
		case 'o':
			o->out = optarg;
			break;
		case 'e':
			o->streams_named = optarg[0] != '!';
			if (!options_streams(optarg, o->streams))
				return WRONG_USAGE;
			break;
		case OPT_ROOT:
			o->host.root = optarg;
			break;
		case OPT_DROPS:
			o->drops = true;
			break;
		case OPT_HEADERS:
			o->host.headers = optarg;
			break;
		case OPT_NO_KPROBES:
			o->host.no_kprobes = true;
			break;
		case OPT_NO_SYSCALL_EVENTS:
			o->host.no_syscall_events = true;
			break;
		case OPT_NO_HEADERS:
			o->host.no_headers = true;
			break;
		default:
			return WRONG_USAGE;
		}
	}
	if (!o->host.root || !o->out || optind < argc) {
		log_error("usage: iotracer %s", usage);
		return WRONG_USAGE;
	}
	return 0;
}
