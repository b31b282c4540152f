/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the files of a snapshot that is being taken. Processes go into one
 * segment; files into parts of a bounded size, each compressed as soon as it is
 * full, of which the last one's name tells how many there are.
 */
#include "snapshot/snap_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/below.h"
#include "base/clock.h"
#include "base/file.h"
#include "snapshot/snap_fail.h"
#include "snapshot/snap_newest.h"
#include "write/publish.h"

#define PART_SIZE (64ULL << 20)
#define MIB (1 << 20)

static bool is_files(const struct snap_out *out)
{
	return out->stream == STREAM_filesystem_snapshot;
}

/* ---- names ---- */

static bool is_taken(const struct snap_out *out)
{
	static const char *const endings[] = { ".csv", "_complete_parts1.csv" };
	const char *name = streams[out->stream].name;
	char path[SEGMENT_PATH_SIZE];

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		for (int p = 0; p < N_PACKINGS; p++) {
			snprintf(path, sizeof(path), "%s/%s_part0001_%s%s%s", name, name, out->when,
				 endings[i], packings[p].ending);
			if (!faccessat(out->job->dir_fd, path, F_OK, AT_SYMLINK_NOFOLLOW))
				return true;
		}
	}
	return false;
}

/* A clock that was set back, or a summer that ends, gives the same time twice. */
static void name_time(struct snap_out *out)
{
	uint64_t ms = out->real_ns / 1000000;
	char text[ZONE_TEXT_SIZE];

	do {
		zone_text(out->job->zone, (int64_t)(ms / 1000), text);
		snprintf(out->when, sizeof(out->when), "%.4s%.2s%.2s_%.2s%.2s%.2s_%03u", text,
			 text + 5, text + 8, text + 11, text + 14, text + 17,
			 (unsigned)(ms % 1000));
		ms++;
	} while (is_taken(out));
}

static void part_name(const struct snap_out *out, bool last, char path[SEGMENT_PATH_SIZE])
{
	const char *name = streams[out->stream].name;
	char end[32] = "";

	if (!is_files(out)) {
		snprintf(path, SEGMENT_PATH_SIZE, "%s/%s_%s_%04llu.csv", name, name, out->when,
			 (unsigned long long)out->job->n_process);
		return;
	}
	if (last)
		snprintf(end, sizeof(end), "_complete_parts%u", out->n_parts + 1);
	snprintf(path, SEGMENT_PATH_SIZE, "%s/%s_part%04u_%s%s.csv", name, name, out->n_parts + 1,
		 out->when, end);
}

/* ---- limits ---- */

static int check_free(struct snap_out *out)
{
	struct snap_job *job = out->job;
	uint64_t least = job->min_free + (is_files(out) ? job->spare : 0), left;
	struct statvfs vfs;

	if (!least || fstatvfs(job->dir_fd, &vfs))
		return 0;
	left = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	if (left >= least)
		return 0;
	return snap_fail(
		job, -ENOSPC,
		"%.1f MiB of disk space are left, of which %.1f MiB are reserved for the trace",
		(double)left / MIB, (double)least / MIB);
}

/* A quarter of the directory at most, or it would drive the trace out of it. */
static int check_share(struct snap_out *out)
{
	uint64_t share = out->job->max_disk / 4;

	if (!share || out->bytes + out->segment.n_bytes <= share)
		return 0;
	return snap_fail(out->job, -EFBIG, "larger than a quarter of --max-disk");
}

static uint64_t part_size(const struct snap_out *out)
{
	uint64_t size = out->job->part_size ? out->job->part_size : PART_SIZE;

	if (out->job->max_disk && out->job->max_disk / 8 < size)
		size = out->job->max_disk / 8;
	return is_files(out) ? size : 0;
}

/* ---- rows ---- */

int snap_out_open(struct snap_out *out, struct snap_job *job, enum stream_id stream,
		  uint64_t real_ns)
{
	*out = (struct snap_out){ .job = job, .stream = stream, .real_ns = real_ns };
	segment_init(&out->segment, stream, 0);
	name_time(out);
	return 0;
}

static int start(struct snap_out *out)
{
	struct segment_limits limits = { .size = part_size(out) };
	char path[SEGMENT_PATH_SIZE];
	int err;

	part_name(out, false, path);
	err = segment_start_as(&out->segment, path, &limits, mono_ns());
	return err ? snap_fail(out->job, err, "%s", strerror(-err)) : 0;
}

static int flush(struct snap_out *out)
{
	int err = check_free(out);

	if (err)
		return err;
	err = segment_flush(&out->segment, out->job->dir_fd);
	if (err)
		return snap_fail(out->job, err, "%s", strerror(-err));
	return check_share(out);
}

/* The last part gets its name only when it is known to be the last. */
static int rename_last(struct snap_out *out, struct manifest_segment *part)
{
	char old[SEGMENT_PATH_SIZE], new[SEGMENT_PATH_SIZE];

	segment_part_path(part->file, old);
	part_name(out, true, part->file);
	segment_part_path(part->file, new);
	return below_rename(out->job->dir_fd, old, new);
}

static bool may_continue(void *arg)
{
	struct snap_job *job = arg;

	return job->may_continue(job->arg);
}

static int publish(struct snap_out *out, struct manifest_segment *part, int fd)
{
	struct snap_job *job = out->job;
	struct publish_options options = {
		.dir = job->dir,
		.dir_fd = job->dir_fd,
		.packing = is_files(out) ? PACKING_GZ : job->packing,
		.sync = true,
		.may_compress = may_continue,
		.arg = job,
	};
	int sync_err;

	return publish_segment(&options, part, fd, &sync_err);
}

static int keep(struct snap_out *out, const struct manifest_segment *part)
{
	struct manifest_segment *parts = realloc(out->parts, (out->n_parts + 1) * sizeof(*parts));

	if (!parts) {
		below_unlink(out->job->dir_fd, part->file);
		return -ENOMEM;
	}
	parts[out->n_parts++] = *part;
	out->parts = parts;
	out->bytes += part->bytes;
	return 0;
}

static int close_part(struct snap_out *out, bool last)
{
	struct segment *seg = &out->segment;
	struct manifest_segment part = { .stream = out->stream };
	char hidden[SEGMENT_PATH_SIZE];
	int fd, err = flush(out);

	if (err || seg->fd < 0)
		return err ? err : snap_fail(out->job, -ENODATA, "nothing was found");
	memcpy(part.file, seg->path, sizeof(part.file));
	part.rows = seg->n_rows;
	part.csv_bytes = seg->n_bytes;
	part.first_ns = part.last_ns = out->real_ns;
	fd = segment_release(seg);
	err = last && is_files(out) ? rename_last(out, &part) : 0;
	/* before it is published: the plain text goes when it is compressed */
	if (!err && !is_files(out))
		err = snap_newest_copy(out->job, fd);
	if (!err)
		err = publish(out, &part, fd);
	close(fd);
	if (err) {
		segment_part_path(part.file, hidden);
		below_unlink(out->job->dir_fd, hidden);
	} else {
		err = keep(out, &part);
	}
	if (!err)
		err = check_share(out);
	return err && !out->job->done.why[0] ? snap_fail(out->job, err, "%s", strerror(-err)) : err;
}

static int make_room(struct snap_out *out, size_t len)
{
	struct segment *seg = &out->segment;
	int err = 0;

	if (segment_is_started(seg))
		err = segment_is_full(seg, len) ? close_part(out, false) : flush(out);
	if (!err && !segment_is_started(seg))
		err = start(out);
	if (!err)
		err = segment_reserve(seg, len);
	return err;
}

int snap_out_row(struct snap_out *out, const char *row, size_t len)
{
	int err = 0;

	if (!segment_add(&out->segment, row, len, out->real_ns)) {
		err = make_room(out, len);
		if (!err)
			segment_put(&out->segment, row, len, out->real_ns);
	}
	out->job->done.rows += !err;
	return err;
}

/* ---- the end ---- */

int snap_out_finish(struct snap_out *out)
{
	struct snap_job *job = out->job;
	int err = close_part(out, true);

	if (!err && is_files(out))
		err = snap_newest_join(job, out->parts, out->n_parts);
	if (!err)
		err = snap_newest_publish(job, out->stream);
	if (err)
		return err;
	for (unsigned i = 0; i < out->n_parts; i++)
		job->send(job->arg, SNAP_MESSAGE_SEGMENT, &out->parts[i], sizeof(out->parts[i]),
			  NULL, 0);
	job->done.parts = out->n_parts;
	out->n_parts = 0; /* they are the receiver's now */
	return 0;
}

void snap_out_close(struct snap_out *out)
{
	char hidden[SEGMENT_PATH_SIZE];

	if (!out->job)
		return;
	if (segment_is_started(&out->segment)) {
		segment_part_path(out->segment.path, hidden);
		below_unlink(out->job->dir_fd, hidden);
	}
	for (unsigned i = 0; i < out->n_parts; i++)
		below_unlink(out->job->dir_fd, out->parts[i].file);
	snap_newest_forget(out->job, out->stream);
	/* no directory for nothing: fails where there is something */
	unlinkat(out->job->dir_fd, streams[out->stream].name, AT_REMOVEDIR);
	segment_free(&out->segment);
	free(out->parts);
	*out = (struct snap_out){ 0 };
}
