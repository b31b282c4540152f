/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the order of steps on disk: plain .part, compressed .part, rename of the
 * latter, removal of the former. A kill at any point leaves a readable file,
 * and compression that fails leaves a plain segment.
 */
#include "write/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/below.h"
#include "base/file.h"
#include "base/log.h"
#include "base/sha256.h"

/* All of the compressed bytes, synced and closed, under the .part name. */
static int write_packed(const struct publish_options *o, struct manifest_segment *packed,
			const char *part, int fd)
{
	int out = below_create(o->dir_fd, part, O_WRONLY);
	struct sha256 *sum;
	int err, sum_err;

	if (out < 0)
		return out;
	sum = sha256_new();
	err = sum ? packing_copy(o->packing, fd, out, sum, &packed->bytes, o->may_compress,
				 o->arg) :
		    -ENOMEM;
	sum_err = sha256_final(sum, packed->sha256);
	if (!err)
		err = sum_err;
	/* in any case: the plain file goes next */
	if (!err && fdatasync(out))
		err = -errno;
	if (close(out) && !err)
		err = -errno;
	return err;
}

/*
 * The plain file goes only after the rename: at every moment one of both is whole. A reader
 * that finds both takes one of them.
 */
static int publish_packed(const struct publish_options *o, struct manifest_segment *segment,
			  const char *plain_part, int fd)
{
	struct manifest_segment packed = *segment;
	char part[SEGMENT_PATH_SIZE];
	int err;

	strcat(packed.file, packings[o->packing].ending); /* segment.c left room */
	packed.compressed = true;
	segment_part_path(packed.file, part);
	err = write_packed(o, &packed, part, fd);
	if (!err)
		err = below_rename(o->dir_fd, part, packed.file);
	if (err) {
		below_unlink(o->dir_fd, part);
		return err;
	}
	below_unlink(o->dir_fd, plain_part);
	*segment = packed;
	return 0;
}

static int publish_plain(const struct publish_options *o, struct manifest_segment *segment,
			 const char *part, int fd)
{
	int err = sha256_file(fd, segment->sha256);

	if (err)
		log_warn("%s/%s: cannot compute its checksum: %s", o->dir, segment->file,
			 strerror(-err));
	segment->bytes = segment->csv_bytes;
	return below_rename(o->dir_fd, part, segment->file);
}

static int sync_part(const struct publish_options *o, const struct manifest_segment *segment,
		     int fd)
{
	int err = fdatasync(fd) ? -errno : 0;

	if (err)
		log_error("%s/%s: %s: the file may be incomplete on disk", o->dir, segment->file,
			  strerror(-err));
	return err;
}

int publish_segment(const struct publish_options *o, struct manifest_segment *segment, int fd,
		    int *sync_err)
{
	char part[SEGMENT_PATH_SIZE];
	int err = -ECANCELED;

	segment_part_path(segment->file, part);
	/* first: from then on a power cut takes nothing, however long compression lasts */
	*sync_err = o->sync ? sync_part(o, segment, fd) : 0;
	if (o->packing && o->may_compress(o->arg))
		err = publish_packed(o, segment, part, fd);
	if (err)
		err = publish_plain(o, segment, part, fd);
	if (!err && o->sync)
		file_sync_dir(o->dir_fd, streams[segment->stream].name);
	/* a tracer of the page cache should not fill it with its own output */
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return err;
}
