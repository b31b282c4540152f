/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the chain of blocks of each part. What a record holds, it does not know. */
#include "base/parts_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/temporary.h"

/* ---- out ---- */

void parts_open(struct parts_file *file)
{
	memset(file, 0, sizeof(*file));
	file->fd = temporary_open();
	file->open = file->fd >= 0;
	file->err = file->open ? 0 : file->fd;
}

void parts_close(struct parts_file *file)
{
	for (unsigned i = 0; i < PARTS_N; i++) {
		free(file->parts[i].block);
		free(file->parts[i].blocks);
	}
	if (file->open)
		close(file->fd);
	memset(file, 0, sizeof(*file));
}

static off_t place_of(uint32_t block)
{
	return (off_t)block * PARTS_BLOCK;
}

/* The block is full. */
static int write_block(struct parts_file *file, struct parts_one *part)
{
	uint32_t max = part->max_blocks ? 2 * part->max_blocks : 16;
	ssize_t n;

	if (part->n_blocks == part->max_blocks) {
		uint32_t *more = realloc(part->blocks, max * sizeof(*more));

		if (!more)
			return -ENOMEM;
		part->blocks = more;
		part->max_blocks = max;
	}
	n = pwrite(file->fd, part->block, PARTS_BLOCK, place_of(file->n_blocks));
	if (n != PARTS_BLOCK)
		return n < 0 ? -errno : -ENOSPC;
	part->blocks[part->n_blocks++] = file->n_blocks++;
	part->used = 0;
	return 0;
}

void parts_put(struct parts_file *file, unsigned number, const void *bytes, size_t len)
{
	struct parts_one *part = &file->parts[number];
	const char *at = bytes;

	if (!part->block && !file->err)
		part->block = malloc(PARTS_BLOCK);
	if (!part->block && !file->err)
		file->err = -ENOMEM;
	while (len && !file->err) {
		size_t room = PARTS_BLOCK - part->used, n = len < room ? len : room;

		memcpy(part->block + part->used, at, n);
		part->used += (uint32_t)n;
		at += n;
		len -= n;
		if (part->used == PARTS_BLOCK)
			file->err = write_block(file, part);
	}
}

/* ---- and back ---- */

static int next_block(struct parts_reader *in)
{
	const struct parts_one *part = in->part;
	ssize_t n;

	in->at = 0;
	in->end = PARTS_BLOCK;
	if (in->next == part->n_blocks) {
		in->end = part->used;
		memcpy(in->block, part->block, part->used);
		in->next++;
		return 0;
	}
	n = pread(in->file->fd, in->block, PARTS_BLOCK, place_of(part->blocks[in->next++]));
	return n == PARTS_BLOCK ? 0 : n < 0 ? -errno : -EIO;
}

bool parts_end(const struct parts_reader *in)
{
	return in->next > in->part->n_blocks && in->at == in->end;
}

int parts_take(struct parts_reader *in, void *to, size_t len)
{
	char *at = to;

	while (len) {
		size_t n = in->end - in->at < len ? in->end - in->at : len;
		int err;

		memcpy(at, in->block + in->at, n);
		in->at += (uint32_t)n;
		at += n;
		len -= n;
		/*
		 * An empty block is exchanged at once rather than when more is wanted: only
		 * so can parts_end() see the end without reading.
		 */
		if (in->at < in->end || in->next > in->part->n_blocks) {
			if (len)
				return -EIO;
			break;
		}
		err = next_block(in);
		if (err)
			return err;
	}
	return 0;
}

int parts_begin(struct parts_reader *in, const struct parts_file *file, unsigned part)
{
	in->file = file;
	in->part = &file->parts[part];
	in->next = in->at = in->end = 0;
	if (file->err)
		return file->err;
	if (parts_has(file, part))
		return next_block(in);
	in->next = 1; /* there is nothing */
	return 0;
}
