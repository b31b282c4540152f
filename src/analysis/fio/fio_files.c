/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns names in the scratch directory, and which bytes are read there before they are written. */
#include "analysis/fio/fio_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"
#include "analysis/common/hash.h"
#include "analysis/fio/fio_opens.h"

enum { FIRST_ROOM = 64, BASE_LENGTH = 40 };

struct path {
	const char *text;
	uint32_t len;
};

static bool is_file(const void *owner, uint32_t item, const void *key)
{
	const struct fio_file *file = &((const struct fio_files *)owner)->list[item];
	const struct path *path = key;

	return file->path_len == path->len && !memcmp(file->path, path->text, path->len);
}

/* A number tells names apart; behind it what can be read of the last part, for people. */
static void name_it(struct fio_file *file, uint64_t number)
{
	const char *slash = memrchr(file->path, '/', file->path_len);
	const char *base = slash ? slash + 1 : file->path;
	size_t len = (size_t)(file->path + file->path_len - base);
	char *p = file->name + sprintf(file->name, "%06" PRIu64, number);

	if (len)
		*p++ = '-';
	for (size_t i = 0; i < len && i < BASE_LENGTH; i++) {
		char c = base[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || c == '.' || c == '-';

		*p++ = plain ? c : '_';
	}
	*p = '\0';
}

int64_t fio_file_at(struct fio_files *files, const char *text, uint32_t len)
{
	const struct path path = { text, len };
	uint64_t hash = hash_text(0, text, len);
	int64_t found = hash_index_find(&files->by_path, hash, is_file, files, &path);
	struct fio_file *file;

	if (found >= 0)
		return found;
	if (!grow(&files->list, &files->max, files->n + 1, FIRST_ROOM, sizeof(*files->list)) ||
	    !hash_index_room(&files->by_path))
		return -1;
	file = &files->list[files->n];
	*file = (struct fio_file){ .path = pool_text(&files->pool, text, len),
				   .path_len = len,
				   .job = FIO_NOBODY,
				   .writer = FIO_NOBODY };
	if (!file->path)
		return -1;
	name_it(file, files->n + 1);
	hash_index_add(&files->by_path, hash, files->n);
	return (int64_t)files->n++;
}

/* Those that touch it become one with it; i: the first that does not end before it. */
static void join(struct fio_file *file, uint32_t i, struct fio_extent *extent)
{
	uint32_t n = i;

	while (n < file->n_extents && file->extents[n].start <= extent->end) {
		if (file->extents[n].start < extent->start)
			extent->start = file->extents[n].start;
		if (file->extents[n].end > extent->end)
			extent->end = file->extents[n].end;
		n++;
	}
	memmove(&file->extents[i + 1], &file->extents[n],
		(file->n_extents - n) * sizeof(*file->extents));
	file->extents[i] = *extent;
	file->n_extents = file->n_extents + 1 - (n - i);
}

/* The two that are closest become one. */
static void join_closest(struct fio_file *file)
{
	uint64_t least = UINT64_MAX;
	uint32_t best = 0;

	for (uint32_t i = 0; i + 1 < file->n_extents; i++) {
		uint64_t hole = file->extents[i + 1].start - file->extents[i].end;

		if (hole < least) {
			least = hole;
			best = i;
		}
	}
	file->extents[best].end = file->extents[best + 1].end;
	memmove(&file->extents[best + 1], &file->extents[best + 2],
		(file->n_extents - best - 2) * sizeof(*file->extents));
	file->n_extents--;
}

bool fio_file_read(struct fio_files *files, struct fio_file *file, uint32_t job, uint64_t offset,
		   uint64_t bytes)
{
	struct fio_extent extent = { offset, offset + bytes };
	uint32_t i = 0;

	/* in a hole of what it wrote there are zeros to read, as many */
	if (file->writer == job && extent.end <= file->written_end)
		return true;
	if (!file->extents)
		/* one more, until two of them are joined */
		file->extents = pool_take(&files->pool,
					  (FIO_MAX_EXTENTS + 1) * sizeof(*file->extents));
	if (!file->extents)
		return false;
	while (i < file->n_extents && file->extents[i].end < offset)
		i++;
	join(file, i, &extent);
	if (file->n_extents > FIO_MAX_EXTENTS)
		join_closest(file);
	return true;
}

void fio_file_written(struct fio_file *file, uint32_t job, uint64_t offset, uint64_t bytes)
{
	if (file->writer != job) {
		/* what it wrote may come later than another job's read of it */
		file->writer = job;
		file->written_end = 0;
	}
	if (offset + bytes > file->written_end)
		file->written_end = offset + bytes;
}

void fio_files_free(struct fio_files *files)
{
	free(files->list);
	hash_index_close(&files->by_path);
	pool_free(&files->pool);
	*files = (struct fio_files){ .n = 0 };
}
