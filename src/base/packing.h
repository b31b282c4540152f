/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a file of rows is compressed, which its name says; and the libraries that do it, one piece
 * of a stream at a time. Prints nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum packing { PACKING_NONE, PACKING_GZ, PACKING_ZSTD, N_PACKINGS };

/* An ending has at most PACKING_ENDING - 1 characters. */
enum { PACKING_ENDING = 8 };

struct packing_words {
	const char *name;   /* as --compress and manifest.json have it */
	const char *ending; /* of the file */
	bool is_built_in;
};

extern const struct packing_words packings[N_PACKINGS];

/* By the ending. */
enum packing packing_of(const char *file);
/* Without it. */
size_t packing_plain_length(const char *file);

/* What a step takes and gives; both are moved on. */
struct packing_piece {
	const unsigned char *in;
	size_t n_in;
	unsigned char *out;
	size_t n_out;
};

enum packing_step {
	PACKING_GOING, /* it took and gave what it could */
	PACKING_ENDED,
	PACKING_DAMAGED, /* these bytes are not what a compressor writes */
};

/* Zeroed it is closed, and may be closed again. */
struct packer {
	enum packing packing;
	void *state;
};

/* Both return 0, -ENOMEM or, when this build does not know the packing, -ENOTSUP. */
int packer_open(struct packer *packer, enum packing packing);
int unpacker_open(struct packer *packer, enum packing packing);
/*
 * `end`: there is no more than piece->in, and it is called until it has PACKING_ENDED. Not of
 * PACKING_NONE: the caller copies plain files itself.
 */
enum packing_step packer_step(struct packer *packer, struct packing_piece *piece, bool end);
/*
 * -ENOMEM, or an enum packing_step. PACKING_ENDED is the end of one stream: others may follow
 * it in the file.
 */
int unpacker_step(struct packer *packer, struct packing_piece *piece);
void packer_close(struct packer *packer);
void unpacker_close(struct packer *packer);
