/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the order in which a trace goes, and that its manifest tells of a segment no longer before that is gone. */
#include "read/trim.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/below.h"
#include "base/log.h"
#include "read/members.h"
#include "read/repair_manifest.h"
#include "read/segments.h"
#include "read/verify_context.h"
#include "write/manifest.h"

enum { MAX_GONE = 256 };

/* ---- the whole directory ---- */

static FTS *walk(const char *dir)
{
	char *const paths[] = { (char *)dir, NULL };

	/* neither through a link nor onto what is mounted there */
	return fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
}

uint64_t trim_bytes_of(const char *dir)
{
	FTS *files = walk(dir);
	uint64_t bytes = 0;
	FTSENT *file;

	while (files && (file = fts_read(files)))
		bytes += file->fts_info == FTS_F ? (uint64_t)file->fts_statp->st_size : 0;
	if (files)
		fts_close(files);
	return bytes;
}

/* The manifest last: what is left when this is interrupted goes with the next call. */
static int remove_all(const char *dir)
{
	FTS *files = walk(dir);
	int err = files ? 0 : -errno;
	FTSENT *file;

	while (!err && (file = fts_read(files))) {
		bool manifest = file->fts_level == 1 && !strcmp(file->fts_name, MANIFEST_NAME);

		if (file->fts_info == FTS_D || manifest)
			continue;
		if (file->fts_info == FTS_DP && !file->fts_level) /* itself */
			break;
		if (file->fts_info == FTS_DP ? rmdir(file->fts_path) : unlink(file->fts_path))
			err = -errno;
	}
	if (files)
		fts_close(files);
	return err;
}

/* ---- segments ---- */

/* The stream whose first segment ended first; NULL: none has any. */
static json_t *oldest(const struct verify *v)
{
	json_t *stream, *found = NULL;
	uint64_t ns, least = UINT64_MAX;
	size_t i;

	json_array_foreach(json_object_get(v->manifest, "streams"), i, stream)
	{
		const json_t *first = json_array_get(json_object_get(stream, "segments"), 0);

		if (first && member_number(first, "last_ns", &ns) && ns < least) {
			least = ns;
			found = stream;
		}
	}
	return found;
}

/* Leaves the manifest; its path is kept, to be removed when that is written. */
static bool take_first(json_t *stream, char path[SEGMENT_NAME_MAX], struct trim *trim)
{
	const json_t *entry = json_array_get(json_object_get(stream, "segments"), 0);
	const char *file = member_text(entry, "file");
	uint64_t bytes, rows;

	if (!file || !segment_is_below(file) || strlen(file) >= SEGMENT_NAME_MAX)
		return false;
	strcpy(path, file);
	member_number(entry, "bytes", &bytes);
	member_number(entry, "rows", &rows);
	repair_evict_first(stream);
	trim->freed += bytes;
	trim->rows += rows;
	return true;
}

static int take_oldest(struct verify *v, uint64_t bytes, struct trim *trim)
{
	char gone[MAX_GONE][SEGMENT_NAME_MAX];
	json_t *stream;
	unsigned n = 0;
	int err;

	while (n < MAX_GONE && trim->freed < bytes && (stream = oldest(v)) &&
	       take_first(stream, gone[n], trim))
		n++;
	trim->all = !oldest(v);
	if (trim->all || !n)
		return 0;
	err = repair_manifest_write(v);
	for (unsigned i = 0; i < n && !err; i++)
		below_unlink(v->dir_fd, gone[i]);
	return err;
}

static int trim_open(struct verify *v, uint64_t bytes, struct trim *trim)
{
	json_error_t error;
	const char *format;
	int err;

	/* who writes there or reads it has a lock */
	if (flock(v->dir_fd, LOCK_EX | LOCK_NB))
		return -EBUSY;
	v->manifest = verify_read_json(v, MANIFEST_NAME, &error, &err);
	format = member_text(v->manifest, "format");
	if (!format || strcmp(format, "iotracer") != 0) {
		log_error(
			"%s: not removed to keep to --max-disk: not a directory of iotracer record",
			v->dir);
		return -EINVAL;
	}
	err = take_oldest(v, bytes, trim);
	if (!err && trim->all) {
		trim->freed = trim_bytes_of(v->dir);
		err = remove_all(v->dir);
		if (!err)
			err = below_unlink(v->dir_fd, MANIFEST_NAME);
		if (!err && rmdir(v->dir))
			err = -errno;
	}
	if (err)
		log_error("%s: cannot remove segments to keep to --max-disk: %s", v->dir,
			  strerror(-err));
	return err;
}

int trim_directory(const char *dir, uint64_t bytes, struct trim *trim)
{
	struct verify v = { .dir = dir };
	int err;

	*trim = (struct trim){ .freed = 0 };
	v.dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (v.dir_fd < 0)
		return -errno;
	err = trim_open(&v, bytes, trim);
	json_decref(v.manifest);
	close(v.dir_fd);
	return err;
}
