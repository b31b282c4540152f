/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the use of zlib and libzstd, and the endings of their files. */
#include "base/packing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#ifdef HAVE_ZSTD
enum { ZSTD_IS_BUILT_IN = true };
#else
enum { ZSTD_IS_BUILT_IN = false };
#endif

const struct packing_words packings[N_PACKINGS] = {
	[PACKING_NONE] = { "none", "", true },
	[PACKING_GZ] = { "gz", ".gz", true },
	[PACKING_ZSTD] = { "zstd", ".zst", ZSTD_IS_BUILT_IN },
};

enum packing packing_of(const char *file)
{
	size_t len = strlen(file);

	for (int i = PACKING_NONE + 1; i < N_PACKINGS; i++) {
		size_t n = strlen(packings[i].ending);

		if (len > n && !strcmp(file + len - n, packings[i].ending))
			return (enum packing)i;
	}
	return PACKING_NONE;
}

size_t packing_plain_length(const char *file)
{
	return strlen(file) - strlen(packings[packing_of(file)].ending);
}

/* ---- zlib ---- */

/*
 * Of rows, level 5 is 3 % larger than 6 for three quarters of the time. Without
 * deflateSetHeader the time stamp is 0: the same input always gives the same bytes. A window
 * of 32 KiB; 16 more asks zlib for gzip's header and checksum instead of its own.
 */
enum { GZ_LEVEL = 5, GZ_WINDOW = 15 + 16, GZ_MEMORY = 8 };

static int gz_open(struct packer *packer, bool packs)
{
	z_stream *z = calloc(1, sizeof(*z));
	int result;

	if (!z)
		return -ENOMEM;
	result = packs ? deflateInit2(z, GZ_LEVEL, Z_DEFLATED, GZ_WINDOW, GZ_MEMORY,
				      Z_DEFAULT_STRATEGY) :
			 inflateInit2(z, GZ_WINDOW);
	if (result != Z_OK) {
		free(z);
		return -ENOMEM;
	}
	packer->state = z;
	return 0;
}

/* One call of zlib, which counts in 32 bits; pieces are smaller. */
static int gz_call(z_stream *z, struct packing_piece *piece, int (*call)(z_stream *z, int flush),
		   int flush)
{
	int result;

	z->next_in = (Bytef *)piece->in;
	z->avail_in = (uInt)piece->n_in;
	z->next_out = piece->out;
	z->avail_out = (uInt)piece->n_out;
	result = call(z, flush);
	piece->in = z->next_in;
	piece->n_in = z->avail_in;
	piece->out = z->next_out;
	piece->n_out = z->avail_out;
	return result;
}

static int gz_unpack(z_stream *z, struct packing_piece *piece)
{
	switch (gz_call(z, piece, inflate, Z_NO_FLUSH)) {
	case Z_STREAM_END:
		return PACKING_ENDED;
	case Z_OK:
	/* there was nothing to take, or no room to give: the caller brings more */
	case Z_BUF_ERROR:
		return PACKING_GOING;
	case Z_MEM_ERROR:
		return -ENOMEM;
	default:
		return PACKING_DAMAGED;
	}
}

/* ---- libzstd ---- */

#ifdef HAVE_ZSTD
/* Of rows, as small as gzip's level 5, for a fifth of its time; 2 to 4 are larger. */
enum { ZSTD_LEVEL = 1 };

static int zstd_open(struct packer *packer)
{
	ZSTD_CStream *stream = ZSTD_createCStream();

	if (!stream)
		return -ENOMEM;
	packer->state = stream;
	if (ZSTD_isError(ZSTD_initCStream(stream, ZSTD_LEVEL)))
		return -ENOMEM;
/* gzip always has a checksum; zstd's is off by default, and no stable call set it before 1.4 */
#if ZSTD_VERSION_NUMBER >= 10400
	ZSTD_CCtx_setParameter(stream, ZSTD_c_checksumFlag, 1);
#endif
	return 0;
}

static enum packing_step zstd_pack(ZSTD_CStream *stream, struct packing_piece *piece, bool end)
{
	ZSTD_inBuffer in = { piece->in, piece->n_in, 0 };
	ZSTD_outBuffer out = { piece->out, piece->n_out, 0 };
	size_t left = ZSTD_compressStream(stream, &out, &in);

	if (!ZSTD_isError(left) && end && in.pos == in.size)
		left = ZSTD_endStream(stream, &out);
	piece->in += in.pos;
	piece->n_in -= in.pos;
	piece->out += out.pos;
	piece->n_out -= out.pos;
	if (ZSTD_isError(left))
		return PACKING_DAMAGED;
	return end && !piece->n_in && !left ? PACKING_ENDED : PACKING_GOING;
}

static int zstd_unpack(ZSTD_DStream *stream, struct packing_piece *piece)
{
	ZSTD_inBuffer in = { piece->in, piece->n_in, 0 };
	ZSTD_outBuffer out = { piece->out, piece->n_out, 0 };
	size_t left = ZSTD_decompressStream(stream, &out, &in);

	piece->in += in.pos;
	piece->n_in -= in.pos;
	piece->out += out.pos;
	piece->n_out -= out.pos;
	if (ZSTD_isError(left))
		return ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation ? -ENOMEM :
										 PACKING_DAMAGED;
	/* a hint how many bytes the next step likes; 0 where a frame is complete (zstd.h) */
	return left ? PACKING_GOING : PACKING_ENDED;
}
#endif

/* ---- either ---- */

int packer_open(struct packer *packer, enum packing packing)
{
	*packer = (struct packer){ .packing = packing };
	if (packing == PACKING_GZ)
		return gz_open(packer, true);
#ifdef HAVE_ZSTD
	if (packing == PACKING_ZSTD)
		return zstd_open(packer);
#endif
	return -ENOTSUP;
}

int unpacker_open(struct packer *packer, enum packing packing)
{
	*packer = (struct packer){ .packing = packing };
	if (packing == PACKING_GZ)
		return gz_open(packer, false);
#ifdef HAVE_ZSTD
	if (packing == PACKING_ZSTD) {
		packer->state = ZSTD_createDStream();
		return packer->state && !ZSTD_isError(ZSTD_initDStream(packer->state)) ? 0 :
											 -ENOMEM;
	}
#endif
	return -ENOTSUP;
}

enum packing_step packer_step(struct packer *packer, struct packing_piece *piece, bool end)
{
#ifdef HAVE_ZSTD
	if (packer->packing == PACKING_ZSTD)
		return zstd_pack(packer->state, piece, end);
#endif
	switch (gz_call(packer->state, piece, deflate, end ? Z_FINISH : Z_NO_FLUSH)) {
	case Z_STREAM_END:
		return PACKING_ENDED;
	case Z_STREAM_ERROR:
		return PACKING_DAMAGED;
	default:
		return PACKING_GOING;
	}
}

int unpacker_step(struct packer *packer, struct packing_piece *piece)
{
#ifdef HAVE_ZSTD
	if (packer->packing == PACKING_ZSTD)
		return zstd_unpack(packer->state, piece);
#endif
	return gz_unpack(packer->state, piece);
}

void packer_close(struct packer *packer)
{
#ifdef HAVE_ZSTD
	if (packer->packing == PACKING_ZSTD)
		ZSTD_freeCStream(packer->state);
#endif
	if (packer->packing == PACKING_GZ && packer->state)
		deflateEnd(packer->state);
	if (packer->packing == PACKING_GZ)
		free(packer->state);
	*packer = (struct packer){ 0 };
}

void unpacker_close(struct packer *packer)
{
#ifdef HAVE_ZSTD
	if (packer->packing == PACKING_ZSTD)
		ZSTD_freeDStream(packer->state);
#endif
	if (packer->packing == PACKING_GZ && packer->state)
		inflateEnd(packer->state);
	if (packer->packing == PACKING_GZ)
		free(packer->state);
	*packer = (struct packer){ 0 };
}
