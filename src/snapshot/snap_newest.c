/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the two files with fixed names. That of files is compressed again when it
 * has more than one part, so that it has one header row and any reader takes it.
 */
#include "snapshot/snap_newest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/below.h"
#include "base/file.h"
#include "snapshot/snap_fail.h"

#define PIECE 65536

static const char *final_name(enum stream_id stream)
{
	return stream == STREAM_process ? "process_snap.csv" : "filesystem_snap.csv.gz";
}

static const char *hidden_name(enum stream_id stream)
{
	return stream == STREAM_process ? ".process_snap.csv.part" : ".filesystem_snap.csv.gz.part";
}

static int make_hidden(struct snap_job *job, enum stream_id stream)
{
	return below_create(job->dir_fd, hidden_name(stream), O_WRONLY);
}

static int finish_hidden(int fd, int err)
{
	if (!err && fdatasync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

static int copy_bytes(struct snap_job *job, int in, int out)
{
	char *piece = malloc(PIECE);
	off_t at = 0;
	ssize_t n;
	int err = piece ? 0 : -ENOMEM;

	while (!err && (n = pread(in, piece, PIECE, at))) {
		if (n < 0)
			err = -errno;
		else
			err = file_write_all(out, piece, (size_t)n, NULL);
		at += n;
		if (!err && !job->may_continue(job->arg))
			err = -ECANCELED;
	}
	free(piece);
	return err;
}

static int copy_hidden(struct snap_job *job, enum stream_id stream, int in)
{
	int fd = make_hidden(job, stream);
	int err = fd < 0 ? fd : finish_hidden(fd, copy_bytes(job, in, fd));

	return err ? snap_fail(job, err, "%s: %s", final_name(stream), strerror(-err)) : 0;
}

int snap_newest_copy(struct snap_job *job, int fd)
{
	return copy_hidden(job, STREAM_process, fd);
}

/* All of a part, without as much of its beginning. */
static int append(struct snap_job *job, gzFile out, int fd, size_t skip)
{
	gzFile in = gzdopen(fd, "rb"); /* takes fd over; plain text passes through */
	char *piece = malloc(PIECE);
	int n = 0, err = in && piece ? 0 : -ENOMEM;

	while (!err && (n = gzread(in, piece, PIECE)) > 0) {
		size_t from = skip < (size_t)n ? skip : (size_t)n;

		skip -= from;
		if (n > (int)from && gzwrite(out, piece + from, (unsigned)(n - (int)from)) <= 0)
			err = -ENOSPC;
		if (!err && !job->may_continue(job->arg))
			err = -ECANCELED;
	}
	if (!err && n < 0)
		err = -EIO;
	free(piece);
	if (in)
		gzclose(in);
	else
		close(fd);
	return err;
}

static int open_part(struct snap_job *job, const struct manifest_segment *part)
{
	return below_open(job->dir_fd, part->file, O_RDONLY);
}

static int append_all(struct snap_job *job, gzFile out, const struct manifest_segment *parts,
		      unsigned n)
{
	size_t header = schema_header(STREAM_filesystem_snapshot, 0, NULL, 0);
	int err = 0;

	for (unsigned i = 0; i < n && !err; i++) {
		int fd = open_part(job, &parts[i]);

		/* one header row, the first part's */
		err = fd < 0 ? fd : append(job, out, fd, i ? header : 0);
	}
	return err;
}

/* gzclose() closes its descriptor; by the other one what it wrote is synced. */
static int join(struct snap_job *job, const struct manifest_segment *parts, unsigned n)
{
	int fd = make_hidden(job, STREAM_filesystem_snapshot), kept = fd < 0 ? -1 : dup(fd), err;
	gzFile out = kept < 0 ? NULL : gzdopen(fd, "wb6");

	err = fd < 0 ? fd : out ? append_all(job, out, parts, n) : -ENOMEM;
	if (out && gzclose(out) != Z_OK && !err)
		err = -ENOSPC;
	else if (!out && fd >= 0)
		close(fd);
	return kept < 0 ? err : finish_hidden(kept, err);
}

int snap_newest_join(struct snap_job *job, const struct manifest_segment *parts, unsigned n)
{
	int fd, err;

	if (n == 1 && parts->compressed) {
		fd = open_part(job, parts);
		err = fd < 0 ? snap_fail(job, fd, "%s: %s", parts->file, strerror(-fd)) :
			       copy_hidden(job, STREAM_filesystem_snapshot, fd);
		if (fd >= 0)
			close(fd);
		return err;
	}
	err = join(job, parts, n);
	return err ? snap_fail(job, err, "filesystem_snap.csv.gz: %s", strerror(-err)) : 0;
}

int snap_newest_publish(struct snap_job *job, enum stream_id stream)
{
	struct stat st;

	if (fstatat(job->dir_fd, hidden_name(stream), &st, AT_SYMLINK_NOFOLLOW) ||
	    renameat(job->dir_fd, hidden_name(stream), job->dir_fd, final_name(stream)))
		return snap_fail(job, -errno, "%s: %s", final_name(stream), strerror(errno));
	job->done.newest_bytes = (uint64_t)st.st_size;
	file_sync_dir(job->dir_fd, ".");
	return 0;
}

void snap_newest_forget(struct snap_job *job, enum stream_id stream)
{
	unlinkat(job->dir_fd, hidden_name(stream), 0);
}
