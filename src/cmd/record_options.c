/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the options of record: one row each, and what is checked when all are parsed. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cmd/options.h"

#include <getopt.h>
#include <string.h>

#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/option_groups.h"

static bool parse_events(const struct option_row *row, const char *arg, void *target)
{
	struct recording_options *o = target;

	(void)row;
	o->streams_named = arg[0] != '!';
	return options_streams(arg, o->streams);
}

static bool parse_summary(const struct option_row *row, const char *arg, void *target)
{
	struct summaries_options *summary = target;
	const char *list = arg && arg[0] ? arg : "files";
	char word[OPTION_WORD];
	int i;

	while (next_word(&list, word)) {
		for (i = 0; i < N_SUMMARY_KINDS && strcmp(word, summary_kinds[i]->name); i++)
			;
		if (i == N_SUMMARY_KINDS) {
			log_error("--%s: unknown summary '%s' (files)", row->name, word);
			return false;
		}
		summary->wanted[i] = true;
	}
	return true;
}

/* clang-format off */

#define TO(kind, member) OPTION_TO(kind, struct recording_options, member)

static const struct option_row rows[] = {
	{ .name = "output", .letter = 'o', .argument = "DIR", .common = true, .section = OPTIONS_MAIN,
	  TO(session_dir, dir), .help = "session directory",
	  .more = "It must be empty or not exist. Default: iotracer_<host>_<YYYYmmdd_HHMMSS> in the "
		  "current directory." },
	{ .name = "duration", .letter = 'd', .argument = "TIME", .common = true, .section = OPTIONS_MAIN,
	  TO(duration, duration_s), .help = "stop after this time: 90, 90s, 5m, 2h",
	  .more = "All options that take a time know the units ms, s, m, h and d." },

	{ .name = "pid", .letter = 'p', .argument = "PID|NAME", .common = true, .section = OPTIONS_PROCESSES,
	  TO(pids, trace), .help = "only these processes and their children (list)",
	  .more = "Comma-separated. A name (as ps -o comm shows it) means all processes that have it at the "
		  "start. Recording ends with the last of them and of the children that they start from now on." },
	{ .name = "comm", .letter = 'c', .argument = "NAME", .common = true, .section = OPTIONS_PROCESSES,
	  TO(comms, trace), .help = "only threads with these names (list)",
	  .more = "The first 15 bytes are compared, as the kernel keeps them." },
	{ .name = "not-comm", .argument = "NAME", .section = OPTIONS_PROCESSES,
	  TO(not_comms, trace), .help = "no threads with these names (list)" },
	{ .name = "uid", .letter = 'u', .argument = "USER", .common = true, .section = OPTIONS_PROCESSES,
	  TO(user, trace), .help = "only processes of this user (name or number)",
	  .more = "The real user id counts. Combined with a command, `-p` or `--cgroup`: those of its "
		  "processes that run as this user, from the moment when they do." },
	{ .name = "cgroup", .argument = "PATH", .common = true, .section = OPTIONS_PROCESSES,
	  TO(cgroup, trace.cgroup), .help = "only processes in this control group or below",
	  .more = "A container or a service is one: a directory below /sys/fs/cgroup, or what "
		  "/proc/PID/cgroup shows after the colons. With version 2 the kernel decides who is in it. "
		  "With version 1 it is the processes found there at the start and their children; "
		  "others that enter are found within a second, and those that leave are still traced." },

	{ OPTIONS_EVENTS_TEXT, .parse = parse_events },
	{ .name = "path", .argument = "GLOB", .common = true, .section = OPTIONS_ROWS,
	  TO(glob, trace.rows), .help = "only files such as '/var/log/*', '*.db', /srv",
	  .more = "Matched as find -path does: a star matches any text, slashes included. A pattern without a "
		  "slash is compared with the last component; a name without wildcards means the directory and "
		  "everything below. Either name of RENAME and LINK may match; rows without a name do not. May "
		  "be given several times." },
	{ .name = "operation", .argument = "LIST", .common = true, .section = OPTIONS_ROWS,
	  TO(operations, trace.rows), .help = "only operations such as OPEN,FSYNC,CONNECT",
	  .more = "The words of the columns `operation` and `event_type` in any stream, in upper or lower case; "
		  "SEND and RECEIVE for `nw`, MINOR and MAJOR for `pagefault`. May be given several times." },
	{ .name = "errors", .common = true, .section = OPTIONS_ROWS,
	  TO(flag, trace.rows.errors), .help = "only failed operations" },
	{ .name = "min-latency", .argument = "TIME", .common = true, .section = OPTIONS_ROWS,
	  TO(min_latency, trace.rows.min_latency), .help = "only operations that took at least 500us, 10ms",
	  .more = "Of `ds`: `latency_ms`, from issue to completion. Rows whose latency is unknown are left out." },
	{ .name = "all-fs", .section = OPTIONS_ROWS,
	  TO(flag, trace.all_fs), .help = "include pseudo file systems (proc, sysfs, ...)" },
	{ .name = "fs-type", .argument = "TYPE", .section = OPTIONS_ROWS,
	  TO(fs_types, trace.fs_types), .help = "only file systems of these types (list)",
	  .more = "Pseudo file systems that are named are included. Types are those of /proc/filesystems: all FUSE "
		  "file systems without a block device are `fuse`, and block devices are files of `devtmpfs`. "
		  "In tier c, a file of a process that ended before /proc could be read is judged by its path, and "
		  "one without a path is a row." },
	{ .name = "exclude-fs-type", .argument = "TYPE", .section = OPTIONS_ROWS,
	  TO(not_fs_types, trace.fs_types), .help = "no file systems of these types (list)",
	  .more = "Wins over `--fs-type`." },
	{ .name = "dev", .argument = "disk|partition", .section = OPTIONS_ROWS,
	  TO(dev, partitions), .help = "what column dev of stream ds names (disk)",
	  .more = "The kernel reports the whole disk. A partition is found by the first sector, which stays that "
		  "of the whole disk; a request without a sector is the disk's. Names, numbers and extents of all "
		  "devices are in the manifest, as `devices`." },
	{ .name = "cache-sample-rate", .argument = "N", .section = OPTIONS_ROWS,
	  TO(sample_rate, trace.cache_sample_rate), .help = "keep about one of N events of stream cache",
	  .more = "Chosen at random before anything else is checked. INVALIDATE, READAHEAD and RECLAIM are always "
		  "kept, and WRITEBACK_END whenever its WRITEBACK_START is. The manifest (`sampling`) has the rate "
		  "and how many events were left out, and so do rows of stream `lost` with the reason `sampled`; "
		  "they do not count as losses." },
	{ .name = "sockopt-levels", .argument = "LEVEL", .section = OPTIONS_ROWS,
	  TO(levels, trace), .help = "socket options to record, by level (list)",
	  .more = "At most 8 names as in the rows of `nw_sockopt` (SOL_SOCKET, IPPROTO_TCP, IPPROTO_IP, "
		  "IPPROTO_IPV6, IPPROTO_UDP, SOL_TLS, SOL_MPTCP) or numbers, or all. Default: "
		  "SOL_SOCKET,IPPROTO_TCP." },
	{ .name = "extra-ops", .section = OPTIONS_ROWS,
	  TO(flag, extra_ops), .help = "include rarely needed operations of fs",
	  .more = "copy_file_range, tee, sync_file_range, posix_fadvise and readahead." },
	{ .name = "drops", .section = OPTIONS_ROWS,
	  TO(flag, drops), .help = "include dropped IP packets (nw_drop)",
	  .more = "Rows PACKET_DROP. An image needs `build --drops` for it." },
	{ .name = "all-drops", .section = OPTIONS_ROWS,
	  TO(flag, trace.all_drops), .help = "the same, and packets that are not IP",
	  .more = "They have no addresses." },

	{ .name = "rotate-size", .argument = "SIZE", .section = OPTIONS_DIRECTORY,
	  TO(size, write.rotate_size), .help = "new segment after this many bytes (100M)",
	  .more = "The first limit that is reached counts; 0 switches it off, as for the next two. Sizes take the "
		  "suffixes K, M, G and T (powers of 1024)." },
	{ .name = "rotate-time", .argument = "TIME", .section = OPTIONS_DIRECTORY,
	  TO(seconds, write.rotate_time_s), .help = "new segment after this time (300)" },
	{ .name = "rotate-rows", .argument = "N", .section = OPTIONS_DIRECTORY,
	  TO(count, write.rotate_rows), .help = "new segment after this many rows (0: never)" },
	{ .name = "compress", .argument = "none|gz", .common = true, .section = OPTIONS_DIRECTORY,
	  TO(compress, write.compress), .help = "compress closed segments (none)" },
	{ .name = "max-disk", .argument = "SIZE", .common = true, .section = OPTIONS_DIRECTORY,
	  TO(size, write.max_disk), .help = "remove the oldest segments above this size",
	  .more = "The manifest lists what was removed." },
	{ .name = "min-free", .argument = "SIZE", .section = OPTIONS_DIRECTORY,
	  TO(size, write.min_free), .help = "pause writing when less space is free" },

	{ .name = "summary", .argument = "[=LIST]", .common = true, .section = OPTIONS_DIRECTORY,
	  .parse = parse_summary, .target = offsetof(struct recording_options, summary),
	  .help = "keep answers up to date in summary/ (files)",
	  .more = "`files`: summary/files.csv, summary/file_histograms.csv and summary/file_errors.csv are what "
		  "`iotracer files` tells of the rows with `--csv`, `--histograms --csv` and `--errors --csv`. Each is "
		  "written whole and takes the place of the one before; runs of calls that are still going on count as "
		  "if they had ended. Memory grows with the number of different files, by about 1.2 KB each." },
	{ .name = "summary-interval", .argument = "TIME", .section = OPTIONS_DIRECTORY,
	  TO(seconds, summary.interval_s), .help = "between them (60; 0: only at the end)" },
	{ .name = "no-rows", .section = OPTIONS_DIRECTORY,
	  TO(flag, no_rows), .help = "keep the summary alone, no rows of events",
	  .more = "Needs `--summary`. Streams `lost`, `process` and `filesystem_snapshot` are kept; the manifest "
		  "(`not_kept`) counts the rows of all others." },

	{ .name = "no-snapshots", .common = true, .section = OPTIONS_SNAPSHOTS,
	  TO(flag, snapshots.off), .help = "no snapshots of files, processes, system" },
	OPTIONS_SNAPSHOT_ROWS(struct recording_options),
	{ .name = "snapshot-interval", .argument = "TIME", .section = OPTIONS_SNAPSHOTS,
	  TO(seconds, snapshots.fs_interval_s), .help = "between file snapshots (3600; 0: only one)" },
	{ .name = "process-interval", .argument = "TIME", .section = OPTIONS_SNAPSHOTS,
	  TO(seconds, snapshots.process_interval_s), .help = "between process snapshots (300; 0: two)",
	  .more = "With 0 there is one at the start and one at the end." },
	OPTIONS_ANON_ROWS(struct recording_options),

	OPTIONS_HOST_ROWS(struct recording_options),
	{ .name = "image", .argument = "FILE", .section = OPTIONS_KERNEL,
	  TO(text, trace.image), .help = "run an image made by `iotracer build`",
	  .more = "It needs neither headers nor LLVM. The image carries its plan, which is followed: tier and streams "
		  "are those that it was built for, less what `-e` leaves out. A stream or an option that it was "
		  "built without is an error." },
	{ .name = "no-cache", .section = OPTIONS_KERNEL,
	  TO(flag, trace.no_cache), .help = "compile even if a cached image fits" },
	{ .name = "no-self-test", .section = OPTIONS_KERNEL,
	  TO(flag, no_self_test), .help = "do not test the chosen probes first",
	  .more = "The self-test performs each operation once on a file in memory. A probe that does not fire, like "
		  "one that does not attach (also with this option), is replaced by the next candidate; an image has no "
		  "other, so that a warning lists what will be missing. When no probe fires, nothing is recorded." },
	{ .name = "page-cnt", .letter = 'm', .argument = "N", .section = OPTIONS_KERNEL,
	  TO(pages, trace.pages), .help = "ring pages per CPU, a power of two",
	  .more = "Default: 8 MiB per CPU, at most 256 MiB in total." },

	OPTIONS_LOG_ROWS,
	{ .name = "help", .letter = 'h', .argument = "[=all]", .common = true, .section = OPTIONS_MESSAGES,
	  .help = "this text; --help=all lists every option" },
	{ 0 },
};

/* clang-format on */

const struct command command_record = {
	.name = "record",
	.summary = "traces a command, some processes or the whole machine into a directory",
	.usage = "[OPTION]... [-- COMMAND [ARG]...]",
	.example = "iotracer record -o /tmp/trace -e fs,ds -- tar cf /tmp/etc.tar /etc",
	.options = rows,
	.words_first = true,
	.run = record_command,
};

/* The names of files in these streams come from fs. */
static bool needs_names(const bool chosen[N_STREAMS])
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (chosen[i] && schema_has(i, NEEDS_FILE_NAMES))
			return true;
	return false;
}

bool options_filtered_streams(const struct filter *filter, bool chosen[N_STREAMS], bool named)
{
	bool fs = chosen[STREAM_fs], any = !filter_is_on(filter);

	for (int i = 0; i < N_EVENT_STREAMS; i++)
		any = any || (!schema_has(i, ALWAYS_RECORDED) && chosen[i] &&
			      filter_has_stream(filter, i));
	if (!any)
		log_error(
			"no chosen stream can have rows that pass the filters; choose others with -e");
	for (int i = 0; i < N_EVENT_STREAMS && any; i++) {
		if (!chosen[i] || filter_has_stream(filter, i))
			continue;
		chosen[i] = false;
		if (named)
			log_warn("stream %s is off: none of its rows can pass the filters",
				 streams[i].name);
	}
	chosen[STREAM_fs] = chosen[STREAM_fs] || (fs && needs_names(chosen));
	return any;
}

static bool check_summary(const struct recording_options *o)
{
	bool any = false;

	for (int i = 0; i < N_SUMMARY_KINDS; i++) {
		enum stream_id stream = summary_kinds[i]->stream;

		any = any || o->summary.wanted[i];
		if (o->summary.wanted[i] && !o->streams[stream]) {
			log_error("--summary=%s needs stream %s, which --events leaves out",
				  summary_kinds[i]->name, streams[stream].name);
			return false;
		}
	}
	if (o->no_rows && !any)
		log_error("--no-rows needs --summary: otherwise nothing would be kept");
	return any || !o->no_rows;
}

static int check(struct recording_options *o)
{
	if (o->trace.n_pids && o->command) {
		log_error("--pid and a command cannot be combined");
		return OPTIONS_WRONG;
	}
	if (!options_filtered_streams(&o->trace.rows, o->streams, o->streams_named))
		return OPTIONS_WRONG;
	if (!check_summary(o))
		return OPTIONS_WRONG;
	if (o->drops && !o->streams[STREAM_nw_drop]) {
		log_error("--drops and --all-drops need stream nw_drop, which --events leaves out");
		return OPTIONS_WRONG;
	}
	if (!fs_types_any(&o->trace.fs_types)) {
		log_error("--exclude-fs-type excludes every type of --fs-type");
		return OPTIONS_WRONG;
	}
	return OPTIONS_OK;
}

int options_record(struct recording_options *o, int argc, char **argv)
{
	int err;

	memset(o, 0, sizeof(*o));
	o->write.rotate_size = 100ULL << 20;
	o->write.rotate_time_s = 300;
	o->snapshots = snap_defaults;
	o->summary.interval_s = 60;
	options_default_streams(o->streams);
	err = options_parse(&command_record, argc, argv, o);
	if (err)
		return err;
	if (optind < argc)
		o->command = argv + optind;
	o->drops = o->drops || o->trace.all_drops;
	options_complete_anon(&o->anon);
	err = check(o);
	if (err)
		return err;
	if (!o->dir[0])
		options_default_dir(o->dir, sizeof(o->dir), &o->anon);
	o->write.dir = o->dir;
	return OPTIONS_OK;
}
