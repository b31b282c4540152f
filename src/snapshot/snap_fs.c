/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the rows of a snapshot of files: what the walk finds, as text, and as a
 * name for records that know no more of a file than its inode.
 */
#include "snapshot/snap_fs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "row/path.h"
#include "snapshot/snap.h"
#include "snapshot/snap_fail.h"
#include "snapshot/snap_out.h"
#include "snapshot/snap_rows.h"
#include "snapshot/snap_walk.h"

enum { TIME_TEXTS = 4, ASK_EVERY = 64 };

struct fs_snapshot {
	struct snap_job *job;
	struct snap_out out;
	struct filesystem_snapshot_row row;
	char when[ZONE_TEXT_SIZE];
	char times[TIME_TEXTS][ZONE_TEXT_SIZE];
	unsigned asked;
	char text[ROW_MAX];
};

static const char *type_letter(unsigned mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "f";
	case S_IFDIR:
		return "d";
	case S_IFLNK:
		return "l";
	case S_IFCHR:
		return "c";
	case S_IFBLK:
		return "b";
	case S_IFIFO:
		return "p";
	case S_IFSOCK:
		return "s";
	default:
		return "";
	}
}

static const char *time_text(struct fs_snapshot *d, unsigned i, struct iot_statx_time t)
{
	zone_text(d->job->zone, t.s, d->times[i]);
	return d->times[i];
}

static void fill_row(struct fs_snapshot *d, const struct iot_statx *st, const struct path *path)
{
	struct filesystem_snapshot_row *row = &d->row;

	row->path = (struct format_text){ .text = path->csv, .len = path->csv_len };
	row->path_status = path->flags & PATH_ESCAPED ? "fe" : "f";
	row->size = st->size;
	/* file systems of images that were made without it have 0 there */
	row->birth = st->mask & IOT_STATX_BTIME && st->btime.s ? time_text(d, 0, st->btime) : "";
	row->modified = time_text(d, 1, st->mtime);
	row->accessed = time_text(d, 2, st->atime);
	row->changed = time_text(d, 3, st->ctime);
	row->ino = st->ino;
	row->dev = st->dev_major << 20 | st->dev_minor;
	row->type = type_letter(st->mode);
	row->mode = st->mode;
	row->nlink = st->nlink;
	row->uid = st->uid;
	row->gid = st->gid;
}

static void send_name(struct fs_snapshot *d, const struct walk_entry *entry)
{
	struct snap_job *job = d->job;
	struct snap_name name = { .ino = entry->st->ino, .dev = d->row.dev };

	if (job->names && S_ISREG(entry->st->mode))
		job->send(job->arg, SNAP_MESSAGE_NAME, &name, sizeof(name), entry->path,
			  entry->len);
}

static int write_entry(void *arg, const struct walk_entry *entry)
{
	struct fs_snapshot *d = arg;
	struct path *path;
	int err;

	/* the question also takes other snapshots that are due, and costs more than a row */
	if (++d->asked % ASK_EVERY == 0 && !d->job->may_continue(d->job->arg))
		return snap_fail(d->job, -ECANCELED, "the trace ended");
	path = path_new(entry->path, entry->len, PATH_FULL);
	if (!path)
		return snap_fail(d->job, -ENOMEM, "no memory");
	fill_row(d, entry->st, path);
	err = snap_out_row(&d->out, d->text, filesystem_snapshot_row(d->text, &d->row));
	send_name(d, entry);
	path_put(path);
	return err;
}

static int write_snapshot(struct fs_snapshot *d, const struct snap_options *options)
{
	struct snap_job *job = d->job;
	int err = snap_out_open(&d->out, job, STREAM_filesystem_snapshot, job->done.started_ns);

	if (!err)
		err = walk_tree(options, write_entry, d, &job->done);
	if (!err)
		err = snap_out_finish(&d->out);
	else if (err == -EMEDIUMTYPE)
		snap_fail(job, err, "%s is a pseudo file system", options->root);
	else if (!job->done.why[0])
		snap_fail(job, err, "%s: %s", options->root, strerror(-err));
	snap_out_close(&d->out);
	return err;
}

int snap_fs(struct snap_job *job)
{
	struct snap_options options = job->options;
	struct fs_snapshot *d = calloc(1, sizeof(*d));
	char *root = d ? realpath(options.root, NULL) : NULL;
	int err;

	if (!root) {
		err = d ? -errno : -ENOMEM;
		free(d);
		return snap_fail(job, err, "%s: %s", options.root, strerror(-err));
	}
	options.root = root;
	d->job = job;
	zone_text(job->zone, (int64_t)(job->done.started_ns / 1000000000u), d->when);
	d->row.when = d->when;
	d->row.mono_ns = job->done.started_mono_ns;
	err = write_snapshot(d, &options);
	free(root);
	free(d);
	return err;
}
