/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "row/rows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "row/anon.h"
#include "row/sockopt.h"

#include "probes/schema/cache.def"
#include "probes/schema/ds.def"
#include "probes/schema/exec.def"
#include "probes/schema/filesystem_snapshot.def"
#include "probes/schema/fs.def"
#include "probes/schema/iouring.def"
#include "probes/schema/lost.def"
#include "probes/schema/nw.def"
#include "probes/schema/nw_conn.def"
#include "probes/schema/nw_drop.def"
#include "probes/schema/nw_epoll.def"
#include "probes/schema/nw_sockopt.def"
#include "probes/schema/pagefault.def"
#include "probes/schema/process.def"

static char *put_addresses(char *p, const struct fs_row *r)
{
	if (r->address == FORMAT_UNKNOWN)
		return put_u_nz(p, r->ino2);
	p = put_hex(p, r->address);
	if (r->new_address == FORMAT_UNKNOWN)
		return p;
	return put_hex(put_word(p, " -> "), r->new_address);
}

/* Bits without a name stand behind the names, as put_flags does with its own. */
static char *put_req_flags(char *p, const struct iot_ds *rec)
{
	if (!rec->op)
		return p;
	if (rec->cmd_flags || !rec->cmd_rest)
		p = put_flags(p, (struct flags){ &flags_req, rec->cmd_flags });
	if (rec->cmd_flags && rec->cmd_rest)
		*p++ = '|';
	return rec->cmd_rest ? put_hex(p, rec->cmd_rest) : p;
}

static char *put_req_op(char *p, const struct iot_ds *rec)
{
	return rec->op ? put_flags(p, (struct flags){ &flags_req_op, rec->op }) : p;
}

static char *put_end(char *p, struct end end)
{
	return end.addr ? put_ip(p, end.family, end.addr) : put_path(p, end.name);
}

/* ns as ms: whole ones mostly, for ever as -1 */
static char *put_timeout(char *p, s64 ns)
{
	if (ns == IOT_POLL_NO_TIMEOUT)
		return p;
	if (ns < 0)
		return put_word(p, "-1");
	return ns % 1000000 ? put_ms_opt(p, ns) : put_u(p, ns / 1000000);
}

static char *put_hex_nz(char *p, u64 v)
{
	return v ? put_hex(p, v) : p;
}

static char *put_option(char *p, const struct iot_opt *rec)
{
	return sockopt_text(p, rec->level, rec->name, rec->value, rec->known);
}

/* The name of a process or of a container */
static char *put_name(char *p, const char *name)
{
	size_t len = strlen(name);
	bool escaped;

	if (len && anon_on()) {
		anon_token(p, name, len);
		return p + ANON_TOKEN;
	}
	return p + format_quote(p, name, len, &escaped);
}

/* Hundredths of a per cent; negative: not known */
static char *put_percent(char *p, s32 v)
{
	if (v < 0)
		return p;
	p = put_u(p, v / 100);
	*p++ = '.';
	return put_bytes(p, format_digits + v % 100 * 2, 2);
}

static char *put_mode(char *p, u32 mode)
{
	for (int shift = 9; shift >= 0; shift -= 3)
		*p++ = '0' + (mode >> shift & 7);
	return p;
}

/* One field and its comma; the last comma becomes the line end. */
#define PUT(name, code, value, type, unit, doc)                                                    \
	p = put_##code(p, value);                                                                  \
	*p++ = ',';

#define ROW_FUNCTION(stream)                                                                       \
	size_t row_##stream(char *out, const struct stream##_row *r)                               \
	{                                                                                          \
		char *p = out;                                                                     \
                                                                                                   \
		stream##_COLUMNS(PUT) p[-1] = '\n';                                                \
		return p - out;                                                                    \
	}

ROW_FUNCTION(fs)
ROW_FUNCTION(ds)
ROW_FUNCTION(exec)
ROW_FUNCTION(lost)
ROW_FUNCTION(cache)
ROW_FUNCTION(pagefault)
ROW_FUNCTION(nw)
ROW_FUNCTION(nw_conn)
ROW_FUNCTION(nw_epoll)
ROW_FUNCTION(nw_sockopt)
ROW_FUNCTION(nw_drop)
ROW_FUNCTION(iouring)
ROW_FUNCTION(process)
ROW_FUNCTION(filesystem_snapshot)

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

/*
 * Where the operation itself is known it says more: up to 6.14 those on zones
 * and write_zeroes are N. Commands of drivers (SCSI_IN … DRV_OUT) are N for ever.
 */
static const char *const op_words[IOT_REQ_OP_END] = {
	[IOT_REQ_OP_READ] = "read",
	[IOT_REQ_OP_WRITE] = "write",
	[IOT_REQ_OP_FLUSH] = "flush",
	[IOT_REQ_OP_DISCARD] = "discard",
	[IOT_REQ_OP_SECURE_ERASE] = "secure_erase",
	[IOT_REQ_OP_WRITE_SAME] = "write_same",
	[IOT_REQ_OP_WRITE_ZEROES] = "write_zeroes",
	[IOT_REQ_OP_ZONE_REPORT] = "zone_report",
	[IOT_REQ_OP_ZONE_OPEN] = "zone_open",
	[IOT_REQ_OP_ZONE_CLOSE] = "zone_close",
	[IOT_REQ_OP_ZONE_FINISH] = "zone_finish",
	[IOT_REQ_OP_ZONE_RESET] = "zone_reset",
	[IOT_REQ_OP_ZONE_RESET_ALL] = "zone_reset_all",
	[IOT_REQ_OP_ZONE_APPEND] = "zone_append",
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
static const struct rwbs_op *parse(const char rwbs[IOT_RWBS], char text[IOT_RWBS + 1],
				   const char **rest, bool *preflush)
{
	memcpy(text, rwbs, IOT_RWBS);
	text[IOT_RWBS] = '\0';
	*rest = text;
	*preflush = text[0] == 'F' && text[1] && strchr("RWDFNZ", text[1]);
	if (*preflush)
		*rest = text + 1;
	return find_op(rest);
}

const char *rows_ds_operation(const char rwbs[IOT_RWBS], unsigned known_op)
{
	char text[IOT_RWBS + 1];
	const char *rest;
	bool preflush;
	const struct rwbs_op *op = parse(rwbs, text, &rest, &preflush);

	if (known_op < IOT_REQ_OP_END && op_words[known_op])
		return op_words[known_op];
	return op ? op->word : "unknown";
}

const char *rows_ds_flags(const char rwbs[IOT_RWBS])
{
	static const char *const words[] = { "preflush", "fua", "ahead", "sync", "meta", "atomic" };
	static char table[64][48];
	char text[IOT_RWBS + 1], *p;
	const char *rest;
	bool preflush;
	unsigned set;

	parse(rwbs, text, &rest, &preflush);
	set = preflush | (strchr(rest, 'F') ? 2 : 0) | (strchr(rest, 'A') ? 4 : 0) |
	      (strchr(rest, 'S') ? 8 : 0) | (strchr(rest, 'M') ? 16 : 0) |
	      (strchr(rest, 'U') ? 32 : 0);
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

u64 rows_ds_sector(const struct iot_ds *rec, const char *operation)
{
	bool zone = !strncmp(operation, "zone_", 5) && strcmp(operation, "zone_reset_all");

	return rec->sector == UINT64_MAX && zone ? 0 : rec->sector;
}

/* block/blk-core.c, blk_errors[]; numbers of include/linux/blk_types.h, equal in 5.16–7.3 up to 13 */
static const short status_errno[] = { 0,         EOPNOTSUPP, ETIMEDOUT, ENOSPC, ENOLINK,
				      EREMOTEIO, EBADE,      ENODATA,   EILSEQ, ENOMEM,
				      EIO,       EREMCHG,    EAGAIN,    EBUSY };

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
