/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the options of record: one row each, and what is checked when all are parsed. */
#include "cmd/alert_options.h"
#include "cmd/options.h"

#include <getopt.h>
#include <string.h>

#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/option_groups.h"
#include "cmd/recording_checks.h"
#include "cmd/stream_list.h"
#include "session/sessions.h"
#include "snapshot/snap_frame.h"

static bool parse_summary(const struct option_row *row, const char *arg, void *target)
{
	struct summaries_options *summary = target;
	const char *list = arg && arg[0] ? arg : "files";
	char word[OPTION_WORD];
	int i;

	while (next_word(&list, word)) {
		for (i = 0; i < SUMMARY_METRICS && strcmp(word, summary_kinds[i]->name); i++)
			;
		if (i == SUMMARY_METRICS) {
			log_error("--%s: unknown summary '%s' (files, amp)", row->name, word);
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
	  TO(session_dir, dir), .help = "session directory to write",
	  .more = "The directory must be new, or empty, owned by you and writable by nobody else; a symbolic link "
		  "is refused. Default: iotracer_<host>_<YYYYmmdd_HHMMSS> in the current directory." },
	{ .name = "config", .argument = "FILE", .line_only = true, .section = OPTIONS_MAIN,
	  TO(text, config), .help = "read options from FILE first",
	  .more = "One a line, by its long name: `max-disk = 10G`, `no-kprobes`; lines that begin with # are comments. "
		  "Options of the command line come after those of the file. A service reads it again after SIGHUP: see `SERVICE`." },
	{ .name = "check-config", .line_only = true, .section = OPTIONS_MAIN,
	  TO(flag, check_config), .help = "only say whether the options are right",
	  .more = "All that is wrong is reported with file and line; exit status 0 or 2." },
	{ .name = "duration", .letter = 'd', .argument = "TIME", .common = true, .section = OPTIONS_MAIN,
	  TO(duration, duration_s), .help = "stop after this time: 90, 90s, 5m, 2h",
	  .more = "All options that take a time accept the units ms, s, m, h and d." },

	OPTIONS_PROCESS_ROWS(struct recording_options, ),

	{ OPTIONS_EVENTS_TEXT, .parse = option_events },
	OPTIONS_FILTER_ROWS(struct recording_options, ),
	{ .name = "budget", .argument = "LIMITS", .section = OPTIONS_ROWS,
	  TO(budget, budget), .help = "limit CPU time and writing, such as 5%,50MB/s",
	  .more = "A share of all CPUs for the tracer and its programs, and bytes of rows per second. What takes more is left out: rows of pages, faults "
		  "and scheduling first, then of whole files and requests. Stream `layers` is recorded and counts everything. See Budget below." },
	{ .name = "layers-interval", .argument = "TIME", .section = OPTIONS_ROWS,
	  TO(seconds, layers_interval_s), .help = "time between rows of layers (1s; 0: at the end)",
	  .more = "Stream `layers` counts calls and requests in the kernel; each row has what was added to a count since the row before." },

	{ .name = "sessions", .argument = "DIR", .section = OPTIONS_DIRECTORY,
	  TO(directory, sessions), .help = "a new session directory in DIR",
	  .more = "Its name is the time. Traces there that a killed recording left open are repaired first, and `--max-disk` "
		  "counts all of them: segments of the oldest trace are removed first, and its directory with the last one." },
	{ .name = "rotate-size", .argument = "SIZE", .section = OPTIONS_DIRECTORY,
	  TO(size, write.rotate_size), .help = "new segment after this many bytes (100M)",
	  .more = "The first of the three limits that is reached counts; 0 switches a limit off. Sizes take the "
		  "suffixes K, M, G and T (powers of 1024)." },
	{ .name = "rotate-time", .argument = "TIME", .section = OPTIONS_DIRECTORY,
	  TO(seconds, write.rotate_time_s), .help = "new segment after this time (5m)" },
	{ .name = "rotate-rows", .argument = "N", .section = OPTIONS_DIRECTORY,
	  TO(count, write.rotate_rows), .help = "new segment after this many rows (0: never)" },
	{ .name = "columns", .argument = "minimal|LIST", .section = OPTIONS_DIRECTORY,
	  TO(columns, write.omitted), .help = "columns to write, instead of all",
	  .more = "Names with commas between, of any streams; a stream that has one of them writes those, the times, and what "
		  "happened. minimal is for sums by file and process: of fs, flags, calls and memory are left out. Streams exec and lost, and snapshots, "
		  "keep theirs; answers say what they miss." },
	{ .name = "compress", .argument = "none|gz|zstd", .common = true, .section = OPTIONS_DIRECTORY,
	  TO(packing, write.packing), .help = "compress closed segments (none)",
	  .more = "zstd makes files as small as gz in a fifth of its CPU time." },
	{ .name = "max-disk", .argument = "SIZE", .common = true, .section = OPTIONS_DIRECTORY,
	  TO(size, write.max_disk), .help = "remove the oldest segments above this size",
	  .more = "The manifest lists the removed segments." },
	{ .name = "min-free", .argument = "SIZE", .section = OPTIONS_DIRECTORY,
	  TO(size, write.min_free), .help = "pause writing when less space is free" },
	OPTIONS_GROUP_ROW(struct recording_options),

	{ .name = "summary", .argument = "[=LIST]", .common = true, .section = OPTIONS_DIRECTORY,
	  .parse = parse_summary, .target = offsetof(struct recording_options, summary),
	  .help = "keep answers up to date in summary/ (files, amp)",
	  .more = "`amp`: summary/amp.csv is the output of `iotracer amp --csv`. `files`: summary/files.csv, summary/file_histograms.csv and summary/file_errors.csv are the output of "
		  "`iotracer files` with `--csv`, `--histograms --csv` and `--errors --csv`. Each file is "
		  "written completely and replaces the one before; runs of calls that are still going on count as "
		  "if they had ended." },
	{ .name = "alert", .argument = "CONDITION", .section = OPTIONS_DIRECTORY,
	  .parse = option_alert, .target = offsetof(struct recording_options, summary.alerts),
	  .help = "print a message when a storage system meets this",
	  .more = "For example 'write_byte_amp>10 for 10s'. Needs `--summary=amp`. A column of `iotracer amp --csv`, computed for each second, >, >=, < or <=, a number "
		  "(2.5, 64M, 10ms) and optionally for how many seconds in a row. It is reported once, and again after it was "
		  "over; up to eight conditions." },
	{ .name = "exec", .argument = "COMMAND", .section = OPTIONS_DIRECTORY,
	  TO(text, summary.alerts.command), .help = "run COMMAND at each alert",
	  .more = "The shell runs it, and nothing waits for it, with IOTRACER_ALERT, IOTRACER_SYSTEM and IOTRACER_VALUE in its "
		  "environment." },
	{ .name = "summary-interval", .argument = "TIME", .section = OPTIONS_DIRECTORY,
	  TO(seconds, summary.interval_s), .help = "time between summaries (1m; 0: only at the end)" },
	{ .name = "summary-files", .argument = "N", .section = OPTIONS_DIRECTORY,
	  TO(count, summary.max_files), .help = "keep at most N files in memory (65536; 0: all)",
	  .more = "A file takes about 1.2 KB. When there are more, the least recently used move to the "
		  "disk, in summary/ (`--max-disk` counts them), and come back when they are used again; the tables are the "
		  "same. The manifest has how many left and came back: when most do, a larger N saves time." },
	{ .name = "metrics", .argument = "FILE", .section = OPTIONS_DIRECTORY,
	  TO(text, summary.metrics), .help = "counters for Prometheus, every 15 s",
	  .more = "For the textfile collector of node_exporter, which reads files named *.prom of one directory: see "
		  "`METRICS`. The file is replaced as a whole." },
	{ .name = "no-rows", .section = OPTIONS_DIRECTORY,
	  TO(flag, no_rows), .help = "write the summary alone, no rows of events",
	  .more = "Needs `--summary` or `--metrics`. Streams `lost`, `process` and `filesystem_snapshot` are kept; the manifest "
		  "(`not_kept`) counts the rows of all others. `iotracer files` then shows the summary: by file, "
		  "without a choice of processes or times." },

	{ .name = "no-snapshots", .common = true, .section = OPTIONS_SNAPSHOTS,
	  TO(flag, snapshots.off), .help = "no snapshots of files, processes, system" },
	OPTIONS_SNAPSHOT_ROWS(struct recording_options),
	{ .name = "snapshot-interval", .argument = "TIME", .section = OPTIONS_SNAPSHOTS,
	  TO(seconds, snapshots.fs_interval_s), .help = "time between file snapshots (1h; 0: only one)" },
	{ .name = "process-interval", .argument = "TIME", .section = OPTIONS_SNAPSHOTS,
	  TO(seconds, snapshots.process_interval_s), .help = "time between process snapshots (5m; 0: two)",
	  .more = "With 0 there is one at the start and one at the end." },
	OPTIONS_ANON_ROWS(struct recording_options, ),

	OPTIONS_HOST_ROWS(struct recording_options, ),
	OPTIONS_TRACE_ROWS(struct recording_options, ),

	OPTIONS_LOG_ROWS,
	OPTIONS_HELP_ROW,
	{ 0 },
};

/* clang-format on */

_Static_assert(sizeof(rows) / sizeof(rows[0]) <= OPTIONS_MAX, "option.c has room for all of them");

static int record_command(int argc, char **argv);

const struct command command_record = {
	.name = "record",
	.summary = "traces a command, some processes or the whole machine into a directory",
	.usage = "[OPTION]... [-- COMMAND [ARG]...]",
	.example = "iotracer record -o ~/trace -e fs,ds -- tar cf /tmp/etc.tar /etc",
	.options = rows,
	.words_first = true,
	.run = record_command,
};

int options_record(struct recording_options *o, int argc, char **argv)
{
	const char *config = NULL, *argument;
	bool helps;
	int err;

	memset(o, 0, sizeof(*o));
	o->write.rotate_size = 100ULL << 20;
	o->write.rotate_time_s = 300;
	o->snapshots = snap_defaults;
	o->summary.interval_s = 60;
	o->summary.max_files = 65536;
	o->layers_interval_s = 1;
	options_default_streams(o->streams);
	options_given(&command_record, argc, argv, "config", &config);
	helps = options_given(&command_record, argc, argv, "help", &argument);
	err = config && !helps ? options_read(&command_record, config, &o->texts, o) : OPTIONS_OK;
	if (err)
		return err;
	err = options_parse(&command_record, argc, argv, o);
	if (err)
		return err;
	o->argv = argv;
	if (optind < argc)
		o->command = argv + optind;
	err = options_check_recording(o);
	if (err)
		return err;
	if (o->check_config) {
		log_note("%s: no errors", config ? config : "options");
		return OPTIONS_HELP;
	}
	if (!o->dir[0])
		options_default_dir(o->dir, sizeof(o->dir), &o->anon);
	if (o->sessions && sessions_name(o->sessions, o->dir, sizeof(o->dir)))
		return OPTIONS_WRONG;
	o->write.dir = o->dir;
	return OPTIONS_OK;
}

static int record_command(int argc, char **argv)
{
	struct recording_options options = { 0 };
	int err = options_record(&options, argc, argv);

	err = err ? err - 1 : recording_run(&options);
	pool_free(&options.texts);
	return err;
}
