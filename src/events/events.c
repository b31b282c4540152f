/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "events/events_private.h"

#include "resolve/disks.h"
#include "resolve/drop_reasons.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "events/order.h"

/* ---- rows ---- */

static void ordered_row(void *arg, const char *row, size_t len, uint64_t key)
{
	struct outlet *outlet = arg;

	outlet->events->row(outlet->events->arg, outlet->stream, row, len, key);
}

void events_push(struct events *ev, enum stream_id stream, uint64_t key, size_t len)
{
	if (ev->quiet && !schema_has(stream, ALWAYS_RECORDED))
		return;
	ev->totals.rows[stream]++;
	order_push(ev->outlets[stream].order, key, ev->text, len);
}

bool events_keeps(struct events *ev, const struct filter_row *row)
{
	if (!ev->wanted[row->stream] || ev->quiet)
		return false;
	if (!ev->filter || filter_row(ev->filter, row))
		return true;
	ev->totals.filtered++;
	return false;
}

struct format_text events_text(const struct path *path)
{
	return path ? (struct format_text){ .text = path->csv, .len = path->csv_len } :
		      (struct format_text){ .text = "" };
}

const struct path *events_whole(const struct path *path)
{
	return path && (path->flags & PATH_FULL) && !(path->flags & PATH_CUT) ? path : NULL;
}

void events_learn(struct events *ev, uint64_t ino, uint32_t dev, const struct path *path)
{
	if (ev->files && ino && dev && events_whole(path))
		names_learn(ev->files, ino, dev, (struct path *)path);
}

void events_learn_old(struct events *ev, uint64_t ino, uint32_t dev, const struct path *path)
{
	if (ev->files && !names_of_file(ev->files, ino, dev))
		events_learn(ev, ino, dev, path);
}

void events_offer_name(struct events *ev, uint64_t ino, uint32_t dev, const char *text, size_t len)
{
	struct path *path = ev->files && ino && dev ? path_new(text, len, PATH_FULL) : NULL;

	if (path)
		names_offer(ev->files, ino, dev, path);
	path_put(path);
}

bool events_wants_names(const struct events *ev)
{
	return ev->files;
}

static void lost_row(void *arg, unsigned class, enum lost_reason reason, int cpu, uint64_t count,
		     uint64_t ts)
{
	struct events *ev = arg;
	struct lost_row row = {
		.when = ts,
		.stream = ledger_class_name(class),
		.reason = ledger_reason_name(reason),
		.count = count,
		.cpu = cpu,
	};

	events_push(ev, STREAM_lost, ts, row_lost(ev->text, &row));
}

/* Whether these never came to the reader: others it has followed, though they are no rows. */
static bool loss_was_unseen(enum lost_reason reason)
{
	return reason != LOST_UNRESOLVED && reason != LOST_SAMPLED && reason != LOST_DISK_FULL;
}

static void on_loss(void *arg, unsigned class, enum lost_reason reason, int cpu, uint64_t count,
		    uint64_t ts)
{
	struct events *ev = arg;

	/* a lost name record leaves names that the kernel believes are known here */
	if (class == IOT_SEQ_STATE)
		ev->names_missing = true;
	/* a chdir, dup, close or exec may be among them, which makes untrue what is followed */
	if (loss_was_unseen(reason) &&
	    (class == IOT_SEQ_STATE || class == IOT_SEQ_fs || class == IOT_SEQ_exec)) {
		procs_lost(ev->procs);
		mapped_lost(ev->mapped);
	}
	losses_add(ev->losses, class, reason, cpu, count, ts);
}

struct path *events_known_name(struct events *ev, uint64_t id)
{
	struct path *path = id ? names_find(ev->names, id) : NULL;

	if (id && !path)
		ev->names_missing = true;
	return path;
}

/* ---- ds ---- */

static void on_ds(struct events *ev, const struct iot_ds *rec)
{
	struct ds_row row = {
		.rec = rec,
		.operation = rows_ds_operation(rec->rwbs, rec->op),
		.flags = rows_ds_flags(rec->rwbs),
		.issue_ns = rec->flags & IOT_DS_ISSUED ? rec->issue_ns : FORMAT_UNKNOWN,
		.queue_ns = rec->flags & IOT_DS_QUEUED ? rec->queue_ns : FORMAT_UNKNOWN,
		.ppid = procs_ppid(ev->procs, rec->head.tgid),
		.error = rows_ds_error(rec->error),
		.dev = ev->partitions ? disks_partition(rec->dev, rec->sector) : rec->dev,
	};

	row.sector = rows_ds_sector(rec, row.operation);
	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_ds,
						   .operation = row.operation,
						   .failed = rec->error != 0,
						   .latency = row.issue_ns }))
		events_push(ev, STREAM_ds, rec->head.ts, row_ds(ev->text, &row));
}

/* ---- exec ---- */

static void exec_row(struct events *ev, const struct iot_task *rec, const char *event, uint32_t pid,
		     uint32_t ppid, int64_t ret)
{
	struct path *name = rec->event == IOT_EXEC && rec->name ? names_take(ev->names, rec->name) :
								  NULL;
	struct path *args = rec->event == IOT_EXEC && rec->args ? names_take(ev->names, rec->args) :
								  NULL;
	struct path *line = args ? path_of_args(args->raw, args->raw_len) : NULL;
	struct exec_row row = {
		.rec = rec,
		.event = event,
		.pid = pid,
		.ppid = ppid,
		.ret = ret,
		.path = events_text(name),
		.cmdline = events_text(line),
	};

	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_exec, .operation = event }))
		events_push(ev, STREAM_exec, rec->head.ts, row_exec(ev->text, &row));
	path_put(name);
	path_put(args);
	path_put(line);
}

/* The program of an EXEC by its path as seen from here: a new reference, or NULL. */
static struct path *program_of(struct events *ev, const struct iot_task *rec)
{
	const struct path *name = rec->name ? names_find(ev->names, rec->name) : NULL;

	if (!ev->follow || !ev->wanted[STREAM_pagefault] || !name ||
	    !procs_sees_our_paths(ev->procs, rec->head.tgid))
		return NULL;
	return procs_resolve(ev->procs, rec->head.tgid, AT_FDCWD, name);
}

static void on_task(struct events *ev, const struct iot_task *rec)
{
	struct path *program = rec->event == IOT_EXEC && rec->ret == 0 ? program_of(ev, rec) : NULL;
	uint32_t pid = rec->head.tgid;

	switch (rec->event) {
	case IOT_FORK:
		procs_fork(ev->procs, pid, rec->ret, rec->flags);
		mapped_fork(ev->mapped, pid, rec->ret, rec->flags, rec->head.ts);
		exec_row(ev, rec, "FORK", rec->ret, pid, rec->ret);
		break;
	case IOT_EXEC:
		exec_row(ev, rec, "EXEC", pid, procs_ppid(ev->procs, pid), rec->ret);
		if (rec->ret == 0) {
			procs_exec(ev->procs, pid, rec->head.ts);
			mapped_exec(ev->mapped, pid, program);
		}
		break;
	case IOT_EXIT:
		exec_row(ev, rec, "EXIT", pid, procs_ppid(ev->procs, pid),
			 rec->flags & IOT_TASK_STATUS ? rec->ret : FORMAT_NO_VALUE);
		procs_exit(ev->procs, pid);
		mapped_exit(ev->mapped, pid);
		break;
	default:
		ev->totals.bad++;
	}
	path_put(program);
}

/* ---- texts ---- */

static void on_text(struct events *ev, const void *record, size_t len)
{
	const struct iot_text *rec = record;
	bool cut = rec->flags & IOT_TEXT_CUT;
	struct path *path;

	if (rec->len > IOT_TEXT_SLOTS || rec->len > len - IOT_TEXT_HEAD) {
		ev->totals.bad++;
		return;
	}
	if (rec->kind == IOT_TEXT_WALK)
		path = path_from_walk(rec->data, rec->len, cut);
	else
		path = path_new(rec->data, rec->len, cut ? PATH_CUT : 0);
	if (path)
		names_add(ev->names, rec->id, path);
	else
		ev->totals.bad++;
}

/* ---- all records ---- */

#define HANDLER(record, function)                                                                  \
	static void handle_##record(struct events *ev, const void *rec, size_t len)                \
	{                                                                                          \
		(void)len;                                                                         \
		function(ev, (struct record *)rec);                                                \
	}
HANDLER(iot_fs, events_fs)
HANDLER(iot_more, events_fs_more)
HANDLER(iot_ds, on_ds)
HANDLER(iot_task, on_task)
HANDLER(iot_cache, events_cache)
HANDLER(iot_fault, events_fault)
HANDLER(iot_net, events_nw_call)
HANDLER(iot_conn, events_conn)
HANDLER(iot_poll, events_poll)
HANDLER(iot_opt, events_opt)
HANDLER(iot_drop, events_drop)
HANDLER(iot_ring, events_ring)

/* What a type of record is, at least, and who makes something of it. */
static const struct record_kind {
	size_t least;
	void (*handle)(struct events *ev, const void *record, size_t len);
} kinds[IOT_N_RECS] = {
#define KIND(type, record) [type] = { sizeof(struct record), handle_##record }
	KIND(IOT_REC_FS, iot_fs),
	KIND(IOT_REC_MORE, iot_more),
	KIND(IOT_REC_DS, iot_ds),
	KIND(IOT_REC_TASK, iot_task),
	KIND(IOT_REC_CACHE, iot_cache),
	KIND(IOT_REC_FAULT, iot_fault),
	KIND(IOT_REC_NET, iot_net),
	KIND(IOT_REC_CONN, iot_conn),
	KIND(IOT_REC_POLL, iot_poll),
	KIND(IOT_REC_OPT, iot_opt),
	KIND(IOT_REC_DROP, iot_drop),
	KIND(IOT_REC_RING, iot_ring),
	[IOT_REC_TEXT] = { IOT_TEXT_HEAD, on_text },
};

void events_record(void *arg, const void *record, size_t len, int cpu)
{
	struct events *ev = arg;
	const struct iot_head *head = record;

	if (len < sizeof(*head) || head->type >= IOT_N_RECS || !kinds[head->type].handle ||
	    len < kinds[head->type].least) {
		ev->totals.bad++;
		return;
	}
	ev->cause = *head;
	/* asked before the record may end the process */
	ev->cause_mntns = ev->follow && (head->type == IOT_REC_FS || head->type == IOT_REC_MORE ||
					 head->type == IOT_REC_TASK) ?
				  procs_mntns(ev->procs, head->tgid) :
				  0;
	ledger_record(ev->ledger, head, cpu);
	ev->quiet = head->via & IOT_VIA_QUIET;
	if ((head->via & ~IOT_VIA_QUIET) < PLAN_MAX_CHOICES + 1)
		ev->totals.via[head->via & ~IOT_VIA_QUIET]++;
	kinds[head->type].handle(ev, record, len);
	ev->quiet = false;
}

struct events *events_open(const struct events_options *options)
{
	struct events *ev = calloc(1, sizeof(*ev));
	bool ok = true;

	if (!ev)
		return NULL;
	ev->row = options->row;
	ev->arg = options->arg;
	procfs_all_fs(options->all_fs);
	memcpy(ev->wanted, options->wanted, sizeof(ev->wanted));
	ev->follow = plan_uses(options->plan, "SC_CLOSE");
	ev->names = names_open(options->names);
	if (ev->wanted[STREAM_cache] || ev->wanted[STREAM_pagefault] ||
	    ev->wanted[STREAM_iouring]) {
		ev->files = names_open(options->names);
		ok = ev->files;
	}
	if (ev->wanted[STREAM_nw_drop] && plan_uses(options->plan, "DROP_RAW DROP_TP")) {
		ev->drops = drops_open(options->plan->host);
		ok = ok && ev->drops;
	}
	ev->filter = options->filter;
	ev->extra_ops = options->extra_ops;
	ev->partitions = options->partitions;
	ev->procs = procs_open(ev->follow, events_silent_close, ev);
	if (ev->procs)
		procs_sockets(ev->procs, options->made, options->arg);
	ev->mapped = mapped_open(0, 0);
	ev->ledger = ledger_open(options->n_cpus, on_loss, ev);
	ev->losses = losses_open(options->n_cpus, lost_row, ev);
	for (int i = 0; i < N_EVENT_STREAMS; i++) {
		ev->outlets[i] = (struct outlet){ .events = ev, .stream = i };
		ev->outlets[i].order = order_open(ordered_row, &ev->outlets[i]);
		ok = ok && ev->outlets[i].order;
	}
	if (!ok || !ev->names || !ev->procs || !ev->mapped || !ev->ledger || !ev->losses) {
		events_close(ev);
		return NULL;
	}
	return ev;
}

void events_seed(struct events *ev, uint32_t tgid, bool stopped)
{
	procs_seed(ev->procs, tgid, stopped);
	if (ev->follow && ev->wanted[STREAM_pagefault])
		mapped_of(ev->mapped, tgid);
}

void events_close(struct events *ev)
{
	if (!ev)
		return;
	procs_shut(ev->procs);
	mapped_close(ev->mapped);
	drops_close(ev->drops);
	names_close(ev->names);
	names_close(ev->files);
	ledger_close(ev->ledger);
	losses_close(ev->losses);
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		order_close(ev->outlets[i].order);
	free(ev);
}

void events_flush(struct events *ev, uint64_t now)
{
	losses_flush(ev->losses, now);
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		order_flush(ev->outlets[i].order, now);
}

bool events_names_missing(struct events *ev)
{
	bool missing = ev->names_missing;

	ev->names_missing = false;
	return missing;
}

struct procs *events_procs(struct events *ev)
{
	return ev->procs;
}

struct ledger *events_ledger(struct events *ev)
{
	return ev->ledger;
}

const struct names_totals *events_names(const struct events *ev)
{
	return names_totals(ev->names);
}

unsigned events_live(struct events *ev)
{
	unsigned n = 0;

	for (int i = 1; i <= PLAN_MAX_CHOICES; i++)
		n += ev->totals.via[i] != 0;
	return n;
}

const struct events_totals *events_totals(struct events *ev)
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		ev->totals.late[i] = order_late(ev->outlets[i].order);
	return &ev->totals;
}
