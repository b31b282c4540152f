/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the finding of commas. Rows without quotes, which are nearly all, go by
 * 64 bytes at a time: eight words are compared with what matters, eight bytes
 * in each at once, and their results become one mask with a bit for each byte.
 */
#include "read/split.h"

#include <stdbool.h>
#include <string.h>

/* ---- rows without quotes ---- */

#define EACH_BYTE(c) (0x0101010101010101ULL * (c))
#define HIGH_BITS EACH_BYTE(0x80)

/* The high bits of eight bytes, side by side: bit 8i + 7 moves to 56 + i, and none meets another. */
static inline uint64_t gather(uint64_t high_bits)
{
	return high_bits * 0x0002040810204081ULL >> 56;
}

struct block {
	uint64_t commas;
	uint64_t special; /* quotes and control bytes, line ends among them */
};

static inline struct block look_at_block(const char *text)
{
	struct block block = { 0, 0 };

	for (unsigned i = 0; i < 8; i++) {
		uint64_t word, low, comma, special;

		memcpy(&word, text + 8 * i, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		word = __builtin_bswap64(word);
#endif
		/* sums of seven bits each: they never carry into the next byte */
		low = word & ~HIGH_BITS;
		comma = ~((low ^ EACH_BYTE(',')) + EACH_BYTE(0x7f));
		special = ~((low ^ EACH_BYTE('"')) + EACH_BYTE(0x7f)); /* a quote */
		special |= ~(low + EACH_BYTE(0x80 - ' '));             /* below a blank */
		special |= low + EACH_BYTE(1);                         /* DEL */
		block.commas |= gather(comma & ~word & HIGH_BITS) << 8 * i;
		block.special |= gather(special & ~word & HIGH_BITS) << 8 * i;
	}
	return block;
}

/* Up to the first special byte: its offset, which may lie behind the text. */
static size_t split_plain(const char *text, size_t left, struct split *split)
{
	uint32_t n = 0;
	size_t at = 0;

	for (; at < left; at += 64) {
		struct block block = look_at_block(text + at);
		uint64_t commas = block.commas;

		if (block.special)
			commas &= (block.special & -block.special) - 1;
		for (; commas; commas &= commas - 1)
			split->end[n++] = (uint32_t)at + (uint32_t)__builtin_ctzll(commas);
		if (block.special || n > SPLIT_MAX_FIELDS) {
			split->n = n;
			return block.special ? at + (size_t)__builtin_ctzll(block.special) :
					       at + 64;
		}
	}
	split->n = n;
	return at;
}

/* ---- all others ---- */

static bool is_control(unsigned char c)
{
	return (c < ' ' && c != '\t') || c == 0x7f;
}

static void end_field(struct split *split, size_t at)
{
	if (split->n < SPLIT_MAX_FIELDS)
		split->end[split->n] = (uint32_t)at;
	split->n++;
}

static const char *split_quoted(const char *row, size_t len, struct split *split)
{
	bool quoted = false, begins = true;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)row[i];

		if (is_control(c))
			return "control character";
		if (c == '"' && quoted && i + 1 < len && row[i + 1] == '"') {
			i++;
		} else if (c == '"' && quoted) {
			quoted = false;
			if (i + 1 < len && row[i + 1] != ',')
				return "text after a closing quote";
		} else if (c == '"' && begins) {
			quoted = true;
		} else if (c == '"') {
			return "quote in an unquoted field";
		} else if (c == ',' && !quoted) {
			end_field(split, i);
			begins = true;
			continue;
		}
		begins = false;
	}
	end_field(split, len);
	return quoted ? "unterminated quoted field" : NULL;
}

long split_row(const char *text, size_t left, struct split *split)
{
	size_t at = split_plain(text, left, split);
	const char *lf;

	split->why = NULL;
	/* the bytes behind the text look special by chance only */
	if (at >= left)
		return -1;
	/* a quote, a control byte or too many fields: the slow way also knows what is wrong */
	if (text[at] == '\n' && split->n < SPLIT_MAX_FIELDS) {
		split->end[split->n++] = (uint32_t)at;
		return (long)at;
	}
	lf = memchr(text + at, '\n', left - at);
	if (!lf)
		return -1;
	split->n = 0;
	split->why = split_quoted(text, (size_t)(lf - text), split);
	return (long)(lf - text);
}
