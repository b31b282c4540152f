/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which file is a copy of which, as names.csv has it, which anybody may have written. */
#include "analysis/common/replayed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/common/grow.h"
#include "analysis/common/hash.h"
#include "base/file.h"
#include "base/log.h"
#include "read/rows_file.h"
#include "row/effects.h"
#include "row/fs_ops.h"

enum { FIRST_ROOM = 64 };

struct name {
	const char *text;
	size_t len;
	enum replayed_side side;
};

static bool is_file(const void *owner, uint32_t item, const void *key)
{
	const struct replayed_file *file = &((const struct replayed *)owner)->list[item];
	const struct name *name = key;

	return file->len[name->side] == name->len &&
	       !memcmp(file->names[name->side], name->text, name->len);
}

int64_t replayed_find(const struct replayed *r, enum replayed_side side, const char *text,
		      size_t len)
{
	const struct name name = { text, len, side };

	return hash_index_find(&r->by_name[side], hash_text(0, text, len), is_file, r, &name);
}

/* A second file of the same name is passed over. */
static int add(struct replayed *r, const struct field fields[N_REPLAYED_SIDES])
{
	struct replayed_file *file;

	for (unsigned side = 0; side < N_REPLAYED_SIDES; side++)
		if (!fields[side].len || replayed_find(r, (enum replayed_side)side,
						       fields[side].text, fields[side].len) >= 0)
			return 0;
	if (!grow(&r->list, &r->max, r->n + 1, FIRST_ROOM, sizeof(*r->list)))
		return -ENOMEM;
	file = &r->list[r->n];
	for (unsigned side = 0; side < N_REPLAYED_SIDES; side++) {
		const struct field *f = &fields[side];

		file->names[side] = pool_text(&r->pool, f->text, f->len);
		file->len[side] = f->len;
		if (!file->names[side] || !hash_index_room(&r->by_name[side]))
			return -ENOMEM;
	}
	for (unsigned side = 0; side < N_REPLAYED_SIDES; side++)
		hash_index_add(&r->by_name[side], hash_text(0, fields[side].text, fields[side].len),
			       r->n);
	r->n++;
	return 0;
}

/* Whether fio's jobs are there is known by their names alone. */
static int read_names(struct replayed *r, struct rows_file *file, const char *path)
{
	int result = rows_file_header(file), err = 0;

	if (result == ROWS_ROW && !(rows_file_has(file, 0) && rows_file_has(file, 1)))
		result = ROWS_BAD;
	else if (result == ROWS_ROW)
		while (!err && (result = rows_file_next(file)) == ROWS_ROW)
			err = add(r, file->fields);
	if (!err && result < 0)
		err = result;
	if (!err && (result == ROWS_BAD || file->state != ROWS_WHOLE || !r->n)) {
		log_error("%s: is not what `iotracer fio` writes: name the directory of its jobs",
			  path);
		return -EINVAL;
	}
	if (err)
		log_error("%s: %s", path, strerror(-err));
	return err;
}

int replayed_read(struct replayed *r, const char *jobs)
{
	static const struct read_column columns[N_REPLAYED_SIDES] = {
		[REPLAYED_TRACE] = { .name = "filename", .kind = PARSE_PATH },
		[REPLAYED_COPY] = { .name = "name", .kind = PARSE_TEXT },
	};
	struct rows_file file = { .n = 0 };
	char path[PATH_MAX];
	int fd, err;

	snprintf(path, sizeof(path), "%s/names.csv", jobs);
	fd = file_open_regular(path);
	if (fd < 0) {
		log_error(
			"%s: %s: name the directory of the jobs of the replay (-o of `iotracer fio`)",
			path, strerror(-fd));
		return fd;
	}
	err = rows_file_open(&file, fd, PACKING_NONE, columns, N_REPLAYED_SIDES, NULL);
	if (err)
		log_error("%s: %s", path, strerror(-err));
	else
		err = read_names(r, &file, path);
	rows_file_close(&file);
	close(fd);
	return err;
}

bool replayed_call(unsigned op, unsigned effects, int64_t result)
{
	switch (op) {
	case IOT_OPEN:
	case IOT_CLOSE:
	case IOT_FSYNC:
	case IOT_FDATASYNC:
		return result >= 0;
	default:
		/* fio ends with an error where it reads nothing */
		return effects & (READS | WRITES) && result > 0;
	}
}

void replayed_free(struct replayed *r)
{
	free(r->list);
	for (unsigned side = 0; side < N_REPLAYED_SIDES; side++)
		hash_index_close(&r->by_name[side]);
	pool_free(&r->pool);
	*r = (struct replayed){ .n = 0 };
}
