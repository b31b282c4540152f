/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts of a CSV field back to values: for every code of the column lists in
 * probes/schema/ that format.h prints, how its text reads. A code without a
 * parser does not compile (row/schema.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum parse_kind {
	PARSE_TEXT,
	PARSE_PATH,      /* a text; escaped when the row's path_status has an e */
	PARSE_UINT,      /* u */
	PARSE_INT,       /* s */
	PARSE_HEX,       /* u, of 0x… */
	PARSE_ADDRESSES, /* u: 0xA, or a number; second: B of 0xA -> 0xB, else 0 */
	PARSE_DEV,       /* u: major << 20 | minor */
	PARSE_OCTAL,     /* u */
	PARSE_TIME,      /* s: microseconds since 1970 by the clock on the tracer's wall */
	PARSE_MS,        /* u: nanoseconds, of milliseconds with six decimals */
	PARSE_TIMEOUT, /* s: nanoseconds, of milliseconds with or without decimals; -1: for ever */
	PARSE_PERCENT, /* u: hundredths of a per cent */

	/* which of them a code has */
	PARSE_OF_time = PARSE_TIME,
	PARSE_OF_time_text = PARSE_TIME,
	PARSE_OF_word = PARSE_TEXT,
	PARSE_OF_letters = PARSE_TEXT,
	PARSE_OF_comm = PARSE_TEXT,
	PARSE_OF_name = PARSE_TEXT,
	PARSE_OF_flags = PARSE_TEXT,
	PARSE_OF_words = PARSE_TEXT,
	PARSE_OF_req_flags = PARSE_TEXT,
	PARSE_OF_req_op = PARSE_TEXT,
	PARSE_OF_err = PARSE_TEXT,
	PARSE_OF_end = PARSE_TEXT,
	PARSE_OF_option = PARSE_TEXT,
	PARSE_OF_path = PARSE_PATH,
	PARSE_OF_shown = PARSE_TEXT,
	PARSE_OF_u = PARSE_UINT,
	PARSE_OF_u_nz = PARSE_UINT,
	PARSE_OF_u_opt = PARSE_UINT,
	PARSE_OF_sector = PARSE_UINT,
	PARSE_OF_s_nn = PARSE_UINT,
	PARSE_OF_s = PARSE_INT,
	PARSE_OF_s_opt = PARSE_INT,
	PARSE_OF_hex = PARSE_HEX,
	PARSE_OF_hex_nz = PARSE_HEX,
	PARSE_OF_addresses = PARSE_ADDRESSES,
	PARSE_OF_dev = PARSE_DEV,
	PARSE_OF_mode = PARSE_OCTAL,
	PARSE_OF_ms_opt = PARSE_MS,
	PARSE_OF_timeout = PARSE_TIMEOUT,
	PARSE_OF_percent = PARSE_PERCENT,
};

/* A field of a row. Empty is not known, and its number is 0 then. */
struct field {
	union {
		uint64_t u;
		int64_t s;
	};
	uint64_t second;
	const char *text; /* without quotes; not NUL-terminated */
	uint32_t len;
	bool known;
};

static inline bool field_is(const struct field *field, const char *word)
{
	return field->len == strlen(word) && !memcmp(field->text, word, field->len);
}

static inline bool field_begins(const struct field *field, const char *text)
{
	return field->len >= strlen(text) && !memcmp(field->text, text, strlen(text));
}

/* Of a list of words with '|' between them; no word is a part of another. */
bool field_has(const struct field *field, const char *word);

/* The second that was last read as text: rows come in time order. */
struct parse_clock {
	char text[19];
	int64_t seconds;
};

/* 1 to 16 digits of 0 to 9 and a to f; else false, and *value is as it was. */
bool parse_hex_digits(const char *text, size_t len, uint64_t *value);
/* Digits only, at least one; false: something else, or more than 64 bits. */
static inline bool parse_uint(const char *text, size_t len, uint64_t *value)
{
	uint64_t v = 0;

	if (!len || len > 20)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned digit = (unsigned char)text[i] - '0';

		if (digit > 9)
			return false;
		/* only the twentieth digit can be too much for 64 bits */
		if (i == 19 && (v > UINT64_MAX / 10 || v * 10 > UINT64_MAX - digit))
			return false;
		v = v * 10 + digit;
	}
	*value = v;
	return true;
}

/*
 * The field's number from its text, which is not empty, by its kind; nothing to
 * do for texts. False when the text is not one that the kind prints.
 */
bool parse_field(enum parse_kind kind, struct parse_clock *clock, struct field *field);

/* What the text of a kind should have been, for a message: "is not X". */
const char *parse_expected(enum parse_kind kind);

/*
 * A quoted field without its quotes, into out (len bytes are enough); false
 * when it is not one. out may be the text itself.
 */
bool parse_unquote(const char *text, size_t len, char *out, uint32_t *out_len);

/* format_quote's escapes back to bytes; out as above. False: no escape of ours. */
bool parse_unescape(const char *text, size_t len, char *out, uint32_t *out_len);
