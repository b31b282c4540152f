/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records that do not fit in memory, in a temporary file: each belongs to a part, and the parts are
 * read one after the other, their records in the order in which they came. One thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PARTS_N = 32, PARTS_BLOCK = 16384 };

/*
 * Blocks of the file, and one that is being filled. The block that is being filled stays in
 * memory also while the part is read: it is the last one.
 */
struct parts_one {
	uint32_t *blocks;
	uint32_t n_blocks, max_blocks;
	uint32_t used;
	char *block; /* NULL: there is nothing */
};

/* Zeroed it is closed. */
struct parts_file {
	bool open;
	int fd;
	uint32_t n_blocks;
	struct parts_one parts[PARTS_N];
	int err; /* -errno: what is there is not all */
};

/*
 * Sets err when there is no such file. What goes wrong later is in err, too, and parts_begin
 * returns it: parts_put need not be checked.
 */
void parts_open(struct parts_file *file);
void parts_close(struct parts_file *file);
void parts_put(struct parts_file *file, unsigned part, const void *bytes, size_t len);

static inline bool parts_has(const struct parts_file *file, unsigned part)
{
	return file->parts[part].block;
}

struct parts_reader {
	const struct parts_file *file;
	const struct parts_one *part;
	uint32_t next; /* block */
	uint32_t at, end;
	char block[PARTS_BLOCK];
};

/*
 * Both return 0 or -errno. The bytes of a part, from its first one on. Nothing may be put
 * there meanwhile. -EIO: it ends within the record that is taken.
 */
int parts_begin(struct parts_reader *reader, const struct parts_file *file, unsigned part);
int parts_take(struct parts_reader *reader, void *to, size_t len);
/* All was taken; true at once where the part is empty. */
bool parts_end(const struct parts_reader *reader);
