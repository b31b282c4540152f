/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the options of snapshots, and the command line of `iotracer snapshot`. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cmd/options_private.h"

#include <getopt.h>
#include <limits.h>
#include <string.h>

#include "base/log.h"

enum { OPT_COMPRESS = 300, OPT_MIN_FREE, OPT_ROOT };

static const struct option_row rows[] = {
	{ 'o', "output", "DIR", "session directory (default iotracer_<host>_<time>)" },
	OPTIONS_SNAPSHOT_ROWS,
	OPTIONS_ANON_ROWS,
	{ OPT_ROOT, "root", "DIR", "the system of a saved host: a directory laid out like /" },
	{ OPT_COMPRESS, "compress", "none|gz",
	  "compress segments (none; those of files always are)" },
	{ OPT_MIN_FREE, "min-free", "SIZE", "give up when less is free on the file system" },
	{ 'q', "quiet", NULL, "errors only" },
	{ 'v', "verbose", NULL, "details" },
	{ 'h', "help", NULL, "this text" },
	{ 0 },
};

static bool seconds(const char *option, const char *arg, unsigned *value)
{
	uint64_t number;

	/* the clock counts ns in 64 bits */
	if (!options_seconds(option, arg, INT_MAX, &number))
		return false;
	*value = (unsigned)number;
	return true;
}

static bool depth(const char *arg, unsigned *value)
{
	uint64_t number;

	if (!options_number(arg, SNAP_MAX_DEPTH, &number)) {
		log_error("--snapshot-depth wants a number up to %d, not '%s'", SNAP_MAX_DEPTH,
			  arg);
		return false;
	}
	*value = (unsigned)number;
	return true;
}

static bool root(const char *arg, const char **value)
{
	*value = arg;
	if (arg[0])
		return true;
	log_error("--snapshot-root needs the name of a directory");
	return false;
}

bool options_snap(int letter, const char *arg, struct snap_options *o)
{
	switch (letter) {
	case OPT_NO_SNAPSHOTS:
		o->off = true;
		return true;
	case OPT_SNAPSHOT_ROOT:
		return root(arg, &o->root);
	case OPT_SNAPSHOT_DEPTH:
		return depth(arg, &o->depth);
	case OPT_SNAPSHOT_ALL_MOUNTS:
		o->all_mounts = true;
		return true;
	case OPT_SNAPSHOT_INTERVAL:
		return seconds("--snapshot-interval", arg, &o->fs_interval_s);
	case OPT_PROCESS_INTERVAL:
		return seconds("--process-interval", arg, &o->process_interval_s);
	}
	return false;
}

static bool set_compress(const char *arg, struct write_options *write)
{
	write->compress = strcmp(arg, "gz") ? WRITE_PLAIN : WRITE_GZ;
	if (!strcmp(arg, "gz") || !strcmp(arg, "none"))
		return true;
	log_error("--compress knows none and gz, not '%s'", arg);
	return false;
}

static bool set_option(struct snapshot_command *o, int letter, const char *arg)
{
	if (options_anon(letter, arg, &o->anon))
		return true;
	switch (letter) {
	case 'o':
		if (!arg[0]) {
			log_error("-o needs the name of a directory");
			return false;
		}
		if (snprintf(o->dir, sizeof(o->dir), "%s", arg) < (int)sizeof(o->dir))
			return true;
		log_error("-o: the name of the directory is too long");
		return false;
	case 'q':
		log_set_level(LOG_QUIET);
		return true;
	case 'v':
		log_set_level(LOG_VERBOSE);
		return true;
	case OPT_ROOT:
		o->root = arg;
		return true;
	case OPT_COMPRESS:
		return set_compress(arg, &o->write);
	case OPT_MIN_FREE:
		if (options_size(arg, &o->write.min_free))
			return true;
		log_error("--min-free: invalid size '%s' (e.g. 100M, 1G)", arg);
		return false;
	default:
		return options_snap(letter, arg, &o->snapshots);
	}
}

static bool set_kind(struct snapshot_command *o, const char *word)
{
	for (int i = 0; i < N_SNAP_KINDS; i++)
		if (!strcmp(word, snap_kind_names[i])) {
			o->kinds[i] = true;
			return true;
		}
	log_error("there is no snapshot of '%s'; there are fs, process and system", word);
	return false;
}

static int check(const struct snapshot_command *o, int n_kinds, const char *usage)
{
	if (!n_kinds) {
		log_error("usage: iotracer %s", usage);
		return WRONG_USAGE;
	}
	if (o->root[0] && (o->kinds[SNAP_PROCESS] || o->kinds[SNAP_FS])) {
		log_error("--root is for snapshots of the system alone");
		return WRONG_USAGE;
	}
	return 0;
}

int options_snapshot(struct snapshot_command *o, int argc, char **argv)
{
	static const char usage[] = "snapshot fs|process|system... [options]";
	struct option longs[OPTIONS_MAX];
	char shorts[2 * OPTIONS_MAX + 3];
	int letter, n_kinds = 0;

	memset(o, 0, sizeof(*o));
	o->snapshots = snap_defaults;
	o->root = "";
	options_getopt_tables(rows, longs, shorts);
	/* words and options in any order: the leading '+' would end them at the first word */
	while ((letter = options_next(argc, argv, shorts + 1, longs, "snapshot")) != -1) {
		if (letter == 'h') {
			options_show_help(usage, rows);
			return HELP_SHOWN;
		}
		if (letter == '?' || !set_option(o, letter, optarg))
			return WRONG_USAGE;
	}
	for (; optind < argc; optind++, n_kinds++)
		if (!set_kind(o, argv[optind]))
			return WRONG_USAGE;
	if (!strcmp(o->root, "/"))
		o->root = "";
	if (!o->dir[0])
		options_default_dir(o->dir, sizeof(o->dir), !o->anon.on);
	o->write.dir = o->dir;
	return check(o, n_kinds, usage);
}
