/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values to text, and text to a CSV field. Every put_X appends at p and
 * returns the new end; the caller gives room (FORMAT_FIELD_MAX a field, and
 * what format_quote says for texts). The names behind put_ are the codes that
 * the column lists in probes/ use.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Any field but a text. */
#define FORMAT_FIELD_MAX 512
#define FORMAT_UNKNOWN UINT64_MAX
#define FORMAT_NO_VALUE INT64_MIN
#define FORMAT_NO_FLAGS UINT32_MAX /* of an open file: not known */

/* A text ready for the file, quoted once. */
struct format_text {
	const char *text;
	uint32_t len;
	bool directory; /* a slash ends it */
};

extern const char format_digits[201]; /* "00" … "99" */

extern const uint64_t format_powers[20]; /* 1, 10 … 10^19 */

/*
 * Decimal digits of v: 1233/4096 is a little above log10(2), the table corrects
 * it. The last bit makes 0 one digit wide and changes no other width.
 */
static inline unsigned format_width(uint64_t v)
{
	unsigned guess = (64 - __builtin_clzll(v | 1)) * 1233 >> 12;

	return guess + ((v | 1) >= format_powers[guess]);
}

/* From the last digit on, in place: a copy of unknown length would be a call. */
static inline char *put_u(char *p, uint64_t v)
{
	char *end = p + format_width(v), *t = end;

	while (v >= 100) {
		t -= 2;
		memcpy(t, format_digits + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10)
		memcpy(t - 2, format_digits + v * 2, 2);
	else
		t[-1] = '0' + v;
	return end;
}

/* 0 means not known */
static inline char *put_u_nz(char *p, uint64_t v)
{
	return v ? put_u(p, v) : p;
}

/* FORMAT_UNKNOWN means not known; so does FORMAT_NO_VALUE of signed ones. */
static inline char *put_u_opt(char *p, uint64_t v)
{
	return v != FORMAT_UNKNOWN ? put_u(p, v) : p;
}

static inline char *put_s(char *p, int64_t v)
{
	if (v >= 0)
		return put_u(p, v);
	*p++ = '-';
	return put_u(p, -(uint64_t)v);
}

/* negative means not known */
static inline char *put_s_nn(char *p, int64_t v)
{
	return v >= 0 ? put_u(p, v) : p;
}

static inline char *put_s_opt(char *p, int64_t v)
{
	return v != FORMAT_NO_VALUE ? put_s(p, v) : p;
}

static inline char *put_bytes(char *p, const char *text, size_t len)
{
	memcpy(p, text, len);
	return p + len;
}

/* A short constant that needs no quoting */
static inline char *put_word(char *p, const char *word)
{
	return put_bytes(p, word, strlen(word));
}

#define put_letters put_word
#define put_time_text put_word /* a time that is a text already */

/* Ends a path, quoted or not, by a slash unless it has one. */
static inline char *put_slash(char *p, bool quoted)
{
	p -= quoted;
	if (p[-1] != '/')
		*p++ = '/';
	if (quoted)
		*p++ = '"';
	return p;
}

static inline char *put_path(char *p, struct format_text t)
{
	if (!t.len)
		return p;
	p = put_bytes(p, t.text, t.len);
	/* only a quoted text begins with a quote: format_quote() quotes all that hold one */
	return t.directory ? put_slash(p, t.text[0] == '"') : p;
}

/* Another text than that of path_status, which does not say whether it is escaped */
#define put_shown put_path

/* dev in the kernel's form, major << 20 | minor; 0 means not known */
static inline char *put_dev(char *p, uint32_t dev)
{
	if (!dev)
		return p;
	p = put_u(p, dev >> 20);
	*p++ = ':';
	return put_u(p, dev & 0xfffff);
}

static inline char *put_hex(char *p, uint64_t v)
{
	static const char digits[] = "0123456789abcdef";
	/* digits: a quarter of the bits in use, rounded up */
	unsigned n = v ? (67 - __builtin_clzll(v)) / 4 : 1;

	*p++ = '0';
	*p++ = 'x';
	for (unsigned i = n; i-- > 0; v >>= 4)
		p[i] = digits[v & 15];
	return p + n;
}

static inline char *put_hex_nz(char *p, uint64_t v)
{
	return v ? put_hex(p, v) : p;
}

/* A request without a sector completes at -1 */
static inline char *put_sector(char *p, uint64_t sector)
{
	return sector != UINT64_MAX ? put_u(p, sector) : p;
}

/* nanoseconds as milliseconds with six decimals */
char *put_ms_opt(char *p, uint64_t ns);

/* CLOCK_MONOTONIC ns as local time YYYY-MM-DD HH:MM:SS.ffffff */
char *put_time(char *p, uint64_t mono_ns);

/* up to 16 bytes, NUL-terminated unless full; quoted if need be */
char *put_comm(char *p, const char comm[16]);

/* errno name of a negative errno, ERRNO(n) for one without; 0 is empty */
char *put_err(char *p, int error);

/*
 * An address in network byte order as inet_ntop of glibc writes it, below 48
 * bytes; nothing for families but AF_INET (4 bytes) and AF_INET6 (16).
 */
char *put_ip(char *p, int family, const unsigned char *addr);

/*
 * A text as a CSV field into out (len * 4 + 2 bytes suffice): control and
 * invalid UTF-8 bytes escaped, then quoted if it holds a comma or a quote.
 * Returns the length; *escaped: whether any byte was.
 */
size_t format_quote(char *out, const char *text, size_t len, bool *escaped);

/* The wall clock that belongs to CLOCK_MONOTONIC mono_ns, CLOCK_REALTIME ns. */
uint64_t format_real_ns(uint64_t mono_ns);

struct format_clock {
	uint64_t mono_ns;
	uint64_t real_ns;
};

/*
 * Measures the distance of the two clocks again. Returns true when it moved by
 * more than a millisecond since the last time (clock set, suspend). The pair
 * is given back for the manifest.
 */
bool format_clock_update(struct format_clock *pair);

/* Bytes that any row fits in: its texts as tokens at their longest (those of fs), and the other fields */
#define ROW_MAX (192 * 1024)

/* One field and its comma; the last comma becomes the line end. */
#define FORMAT_FIELD(name, code, value, type, unit, doc)                                           \
	p = put_##code(p, value);                                                                  \
	*p++ = ',';

#define FORMAT_FIELD_SOME(name, code, value, type, unit, doc)                                      \
	if (!(omitted >> i++ & 1)) {                                                               \
		FORMAT_FIELD(name, code, value, type, unit, doc)                                   \
	}

/*
 * The row function of a stream: size_t STREAM_row(char *out, const struct STREAM_row *r),
 * expanded from its columns, with a put_CODE for each code that they have.
 */
#define FORMAT_ROW(stream)                                                                         \
	size_t stream##_row(char *out, const struct stream##_row *r)                               \
	{                                                                                          \
		char *p = out;                                                                     \
                                                                                                   \
		stream##_COLUMNS(FORMAT_FIELD) p[-1] = '\n';                                       \
		return p - out;                                                                    \
	}

/* The same without the omitted columns, of which bit i is column i: STREAM_row_some(). */
#define FORMAT_ROW_SOME(stream)                                                                    \
	static size_t stream##_row_some(char *out, const struct stream##_row *r, uint64_t omitted) \
	{                                                                                          \
		unsigned i = 0;                                                                    \
		char *p = out;                                                                     \
                                                                                                   \
		stream##_COLUMNS(FORMAT_FIELD_SOME) p[-1] = '\n';                                  \
		return p - out;                                                                    \
	}
