/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream ds: see ds.h. The words of rwbs, sectors and errors of requests. */
#include "events/ds.h"

#include <errno.h>
#include <linux/major.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "events/events_private.h"
#include "events/events_rows.h"
#include "events/texts.h"
#include "probes/schema/ds.def"
#include "resolve/cgroup.h"
#include "row/flags.h"
#include "row/format.h"

/* ---- the row ---- */

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

EVENTS_ROW(ds)

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

const char *ds_operation(const char rwbs[IOT_RWBS], unsigned known_op)
{
	char text[IOT_RWBS + 1];
	const char *rest;
	bool preflush;
	const struct rwbs_op *op = parse(rwbs, text, &rest, &preflush);

	if (known_op < IOT_REQ_OP_END && op_words[known_op])
		return op_words[known_op];
	return op ? op->word : "unknown";
}

const char *ds_flags(const char rwbs[IOT_RWBS])
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

u64 ds_sector(const struct iot_ds *rec, const char *operation)
{
	bool zone = !strncmp(operation, "zone_", 5) && strcmp(operation, "zone_reset_all");

	return rec->sector == UINT64_MAX && zone ? 0 : rec->sector;
}

/* block/blk-core.c, blk_errors[]; numbers of include/linux/blk_types.h, equal in 5.16–7.3 up to 13 */
static const short status_errno[] = { 0,         EOPNOTSUPP, ETIMEDOUT, ENOSPC, ENOLINK,
				      EREMOTEIO, EBADE,      ENODATA,   EILSEQ, ENOMEM,
				      EIO,       EREMCHG,    EAGAIN,    EBUSY };

const char *ds_error(int error)
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

/* ---- the record ---- */

#define LOOPS_AGE_NS 10000000ull /* one that nobody finds is looked for so often */

static void note_time(struct events *ev, enum stream_id stream, const struct ds_row *row)
{
	struct slowest operation = { .latency_ns = row->issue_ns,
				     .mono_ns = row->rec->head.ts,
				     .pid = row->rec->head.tgid,
				     .operation = row->operation };

	memcpy(operation.comm, row->rec->head.comm, sizeof(operation.comm));
	events_note_time(ev, stream, &operation, NULL);
}

bool ds_row_of(struct events *ev, enum stream_id stream, const struct iot_ds *rec,
	       struct ds_row *row)
{
	*row = (struct ds_row){
		.rec = rec,
		.operation = ds_operation(rec->rwbs, rec->op),
		.flags = ds_flags(rec->rwbs),
		.issue_ns = rec->flags & IOT_DS_ISSUED ? rec->issue_ns : FORMAT_UNKNOWN,
		.queue_ns = rec->flags & IOT_DS_QUEUED ? rec->queue_ns : FORMAT_UNKNOWN,
		.ppid = procs_ppid(ev->procs, rec->head.tgid),
		.error = ds_error(rec->error),
		.dev = ev->partitions ?
			       disks_partition(&ev->resolve->disks, rec->dev, rec->sector) :
			       rec->dev,
	};

	/* nobody is known to have written */
	if (!ev->writers)
		return false;
	/* an empty bio that flushes has the letters of a write */
	if (stream == STREAM_bio && !rec->nr_sector && strstr(row->flags, "preflush"))
		row->operation = "flush";
	disks_see(&ev->resolve->disks, rec->dev);
	/* a new one is looked for at once: what it does is a request of another disk soon */
	if (rec->dev >> 20 == LOOP_MAJOR && !loops_has(&ev->resolve->loops, rec->dev))
		resolve_refresh_loops(ev->resolve, LOOPS_AGE_NS);
	row->sector = ds_sector(rec, row->operation);
	if (!ds_owner_find(ev,
			   &(struct ds_request){ .rec = rec,
						 .operation = row->operation,
						 .flags = row->flags,
						 .ppid = row->ppid,
						 .is_bio = stream == STREAM_bio },
			   &row->owner))
		return false;
	row->path = texts_cell(row->owner.file);
	row->uring_req = rec->owner.found & IOT_OWNER_COMMIT ? 0 : rec->owner.req;
	row->cgroup = ev->state[stream] ? rec->owner.cgroup : 0;
	if (!events_keeps(ev, &(struct filter_row){ .stream = stream,
						    .operation = row->operation,
						    .path = row->owner.file,
						    .failed = rec->error != 0,
						    .latency = row->issue_ns }))
		return false;
	if (slowest_is(&ev->slowest[stream], row->issue_ns, rec->head.ts))
		note_time(ev, stream, row);
	return true;
}

static void handle_request(struct events *ev, void *record, size_t len)
{
	const struct iot_ds *rec = record;
	struct ds_row row;

	(void)len;
	if (ds_row_of(ev, STREAM_ds, rec, &row))
		ds_push(ev, rec->head.ts, &row);
}

void events_request_unseen(struct events *ev, const struct iot_rq *rq)
{
	struct iot_ds rec = { .head = { .ts = mono_ns() } };

	iot_ds_of(&rec, rq);
	handle_request(ev, &rec, sizeof(rec));
}

/* The ones that the kernel's programs tell */
int ds_look_at_groups(void **state, const struct plan *plan)
{
	static const bool unified = true;

	(void)plan;
	*state = cgroup_is_unified("/sys/fs/cgroup") ? (void *)&unified : NULL;
	return 0;
}

const struct stream_ops stream_ds = {
	.open = ds_look_at_groups,
	.records = {
		{ .type = IOT_REC_DS, .least = sizeof(struct iot_ds), .handle = handle_request },
	},
};
