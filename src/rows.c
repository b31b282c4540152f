/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "rows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "cache.def"
#include "ds.def"
#include "exec.def"
#include "fs.def"
#include "lost.def"
#include "pagefault.def"

static char *put_addresses(char *p, const struct fs_row *r)
{
	if (r->address == FORMAT_UNKNOWN)
		return put_u_nz(p, r->ino2);
	p = put_hex(p, r->address);
	if (r->new_address == FORMAT_UNKNOWN)
		return p;
	return put_hex(put_word(p, " -> "), r->new_address);
}

/* One field and its comma; the last comma becomes the line end. */
#define PUT(name, code, value, type, unit, doc) \
	p = put_##code(p, value); \
	*p++ = ',';

#define ROW_FUNCTION(stream) \
	size_t row_##stream(char *out, const struct stream##_row *r) \
	{ \
		char *p = out; \
\
		stream##_COLUMNS(PUT) \
		p[-1] = '\n'; \
		return p - out; \
	}

ROW_FUNCTION(fs)
ROW_FUNCTION(ds)
ROW_FUNCTION(exec)
ROW_FUNCTION(lost)
ROW_FUNCTION(cache)
ROW_FUNCTION(pagefault)

/* ---- rwbs (block/blk-core.c, kernel/trace/blktrace.c: blk_fill_rwbs) ---- */

struct rwbs_op {
	const char *letters;
	const char *word;
};

/* Longer ones first. N is everything the kernel has no letter for. */
static const struct rwbs_op ops[] = {
	{ "ZRA", "zone_reset_all" },
	{ "DE", "secure_erase" },
	{ "WZ", "write_zeroes" },
	{ "ZA", "zone_append" },
	{ "ZO", "zone_open" },
	{ "ZC", "zone_close" },
	{ "ZF", "zone_finish" },
	{ "ZR", "zone_reset" },
	{ "R", "read" },
	{ "W", "write" },
	{ "D", "discard" },
	{ "F", "flush" },
	{ "N", "none" },
};

/* WRITE_SAME prints N, so "WS" is a synchronous write. */
static const struct rwbs_op *find_op(const char **text)
{
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		size_t n = strlen(ops[i].letters);

		if (!strncmp(*text, ops[i].letters, n)) {
			*text += n;
			return &ops[i];
		}
	}
	return NULL;
}

/* An F in front of another operation letter is a preflush: "FWFS" is a write, "FF" a flush. */
static const struct rwbs_op *parse(const char rwbs[IO_RWBS], char text[IO_RWBS + 1], const char **rest,
				   bool *preflush)
{
	memcpy(text, rwbs, IO_RWBS);
	text[IO_RWBS] = '\0';
	*rest = text;
	*preflush = text[0] == 'F' && text[1] && strchr("RWDFNZ", text[1]);
	if (*preflush)
		*rest = text + 1;
	return find_op(rest);
}

const char *rows_ds_operation(const char rwbs[IO_RWBS])
{
	char text[IO_RWBS + 1];
	const char *rest;
	bool preflush;
	const struct rwbs_op *op = parse(rwbs, text, &rest, &preflush);

	return op ? op->word : "unknown";
}

const char *rows_ds_flags(const char rwbs[IO_RWBS])
{
	static const char *const words[] = { "preflush", "fua", "ahead", "sync", "meta", "atomic" };
	static char table[64][48];
	char text[IO_RWBS + 1], *p;
	const char *rest;
	bool preflush;
	unsigned set;

	parse(rwbs, text, &rest, &preflush);
	set = preflush | (strchr(rest, 'F') ? 2 : 0) | (strchr(rest, 'A') ? 4 : 0) |
	      (strchr(rest, 'S') ? 8 : 0) | (strchr(rest, 'M') ? 16 : 0) | (strchr(rest, 'U') ? 32 : 0);
	p = table[set];
	if (*p || !set)
		return p;
	for (int i = 0; i < 6; i++) {
		if (!(set & 1 << i))
			continue;
		if (p != table[set])
			*p++ = '|';
		p = put_word(p, words[i]);
	}
	return table[set];
}

/* block/blk-core.c, blk_errors[]; numbers of include/linux/blk_types.h, equal in 5.16–7.3 up to 13 */
static const short status_errno[] = {
	0, EOPNOTSUPP, ETIMEDOUT, ENOSPC, ENOLINK, EREMOTEIO, EBADE, ENODATA, EILSEQ, ENOMEM, EIO, EREMCHG,
	EAGAIN, EBUSY,
};

const char *rows_ds_error(int error)
{
	static char text[32];

	if (error > 0 && (size_t)error < sizeof(status_errno) / sizeof(status_errno[0]))
		error = -status_errno[error];
	if (error > 0)
		sprintf(text, "BLK_STS(%d)", error);
	else
		*put_err(text, error) = '\0';
	return text;
}
