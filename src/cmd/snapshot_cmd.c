/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `iotracer snapshot`: the same snapshots as those of a trace, once, into a
 * session directory, without BPF and as whoever calls it.
 */
#include <getopt.h>
#include <signal.h>
#include <string.h>

#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/option_groups.h"
#include "cmd/options.h"
#include "cmd/recording_checks.h"
#include "row/anon.h"
#include "session/session_snapshots.h"
#include "snapshot/snap_frame.h"
#include "write/write.h"
#include "write/write_session.h"

#define TO(kind, member) OPTION_TO(kind, struct snapshot_command, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ .name = "output", .letter = 'o', .argument = "DIR", .section = OPTIONS_MAIN,
	  TO(session_dir, dir), .help = "session directory",
	  .more = "Default: iotracer_<host>_<YYYYmmdd_HHMMSS> in the current directory." },
	OPTIONS_SNAPSHOT_ROWS(struct snapshot_command),
	OPTIONS_ANON_ROWS(struct snapshot_command, ),
	{ .name = "root", .argument = "DIR", .section = OPTIONS_MAIN, TO(text, root),
	  .help = "system of a saved host, laid out like /" },
	{ .name = "compress", .argument = "none|gz|zstd", .section = OPTIONS_DIRECTORY,
	  TO(packing, write.packing), .help = "compress segments (none; files: always gz)" },
	{ .name = "min-free", .argument = "SIZE", .section = OPTIONS_DIRECTORY,
	  TO(size, write.min_free), .help = "give up when less space is free" },
	OPTIONS_GROUP_ROW(struct snapshot_command),
	OPTIONS_LOG_ROWS,
	OPTIONS_HELP_ROW,
	{ 0 },
};
/* clang-format on */

const struct command command_snapshot = {
	.name = "snapshot",
	.summary = "records files, processes and system as they are now, without tracing",
	.usage = "fs|process|system... [OPTION]...",
	.example = "iotracer snapshot process system -o /tmp/now",
	.next = "iotracer report DIR, or read it: iotracer schema process",
	.options = rows,
	.run = snapshot_command,
};

static bool set_kind(struct snapshot_command *o, const char *word)
{
	for (int i = 0; i < N_SNAP_KINDS; i++)
		if (!strcmp(word, snap_kind_names[i])) {
			o->kinds[i] = true;
			return true;
		}
	log_error("unknown snapshot '%s' (fs, process, system)", word);
	return false;
}

int options_snapshot(struct snapshot_command *o, int argc, char **argv)
{
	int err;

	memset(o, 0, sizeof(*o));
	o->snapshots = snap_defaults;
	o->root = "";
	err = options_parse(&command_snapshot, argc, argv, o);
	if (err)
		return err;
	if (optind == argc)
		return options_wrong_usage(&command_snapshot);
	for (; optind < argc; optind++)
		if (!set_kind(o, argv[optind]))
			return OPTIONS_WRONG;
	if (!strcmp(o->root, "/"))
		o->root = "";
	if (o->root[0] && (o->kinds[SNAP_PROCESS] || o->kinds[SNAP_FS])) {
		log_error("--root works for snapshots of the system only");
		return OPTIONS_WRONG;
	}
	options_complete_anon(&o->anon);
	if (!o->dir[0])
		options_default_dir(o->dir, sizeof(o->dir), &o->anon);
	o->write.dir = o->dir;
	return OPTIONS_OK;
}

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	stopped = sig;
}

static bool not_stopped(void *arg)
{
	(void)arg;
	return !stopped;
}

static void take_message(void *arg, uint32_t kind, const void *head, size_t head_len,
			 const void *body, size_t body_len)
{
	(void)head_len;
	(void)body;
	(void)body_len;
	if (kind == SNAP_MESSAGE_SEGMENT)
		snaps_segment(arg, head);
	else if (kind == SNAP_MESSAGE_DONE)
		snaps_done(arg, head);
}

/* Ends in order when it is told to. */
static void watch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static int take_all(const struct snapshot_command *o, struct snap_job *job)
{
	int err = 0;

	for (int i = 0; i < N_SNAP_KINDS && !err; i++)
		if (o->kinds[i])
			err = snap_one(job, i);
	return err;
}

static void write_members(struct snaps *snaps)
{
	json_t *members = json_object();

	if (members) {
		snaps_add_news(snaps, members);
		if (anon_on())
			json_object_set_new(members, "anonymized", anon_json());
		write_manifest_members(snaps->writer, members);
	}
	json_decref(members);
}

static int take(const struct snapshot_command *o, struct writer *writer)
{
	struct zone zone = { 0 };
	struct snaps snaps = { .writer = writer, .report.options = o->snapshots };
	struct snap_job job = {
		.options = o->snapshots,
		.host_root = o->root,
		.proc = "/proc",
		.dir_fd = write_dir_fd(writer),
		.dir = o->dir,
		.packing = o->write.packing,
		.min_free = o->write.min_free,
		.zone = &zone,
		.may_continue = not_stopped,
		.send = take_message,
		.arg = &snaps,
	};
	int err;

	zone_make(&zone);
	err = take_all(o, &job);
	write_members(&snaps);
	return err;
}

int snapshot_command(int argc, char **argv)
{
	struct snapshot_command options = { 0 };
	struct write_totals totals;
	struct writer *writer;
	int err = options_snapshot(&options, argc, argv), write_err;

	if (err)
		return err - 1;
	writer = write_open(&options.write, &err);
	if (!writer)
		return STATUS_FAILED;
	if (anon_open(&options.anon)) {
		write_abandon(writer);
		return STATUS_FAILED;
	}
	watch_signals();
	err = take(&options, writer);
	write_err = write_end(writer, &totals);
	anon_close();
	if (err || write_err)
		return stopped ? 128 + stopped : STATUS_FAILED;
	for (int i = N_EVENT_STREAMS; i < N_STREAMS; i++)
		if (totals.rows[i])
			log_note("%s: %llu rows", streams[i].name,
				 (unsigned long long)totals.rows[i]);
	log_note("%.1f MB in %s", (double)totals.disk_bytes / 1e6, options.dir);
	return STATUS_OK;
}
