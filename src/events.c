/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "events.h"

#include <stdlib.h>
#include <string.h>

#include "order.h"
#include "rows.h"

struct events {
	bool wanted[N_STREAMS];
	bool follow;             /* descriptors are followed here (CLOSE from system calls) */
	bool names_missing;
	struct names *names;
	struct procs *procs;
	struct ledger *ledger;
	struct outlet {
		struct events *events;
		enum stream_id stream;
		struct order *order;
	} outlets[N_STREAMS];
	events_row_fn *row;
	void *arg;
	struct io_head cause;    /* of the record that is being handled */
	uint32_t cause_mntns;
	struct events_totals totals;
	char text[ROW_MAX];
};

static const char *const op_names[IO_N_OPS] = {
	[IO_READ] = "READ", [IO_WRITE] = "WRITE", [IO_OPEN] = "OPEN",
	[IO_CLOSE] = "CLOSE", [IO_FSYNC] = "FSYNC", [IO_FDATASYNC] = "FDATASYNC",
};

/* ---- rows ---- */

static void ordered_row(void *arg, const char *row, size_t len, uint64_t key)
{
	struct outlet *outlet = arg;

	outlet->events->row(outlet->events->arg, outlet->stream, row, len, key);
}

static void push(struct events *ev, enum stream_id stream, uint64_t key, size_t len)
{
	ev->totals.rows[stream]++;
	order_push(ev->outlets[stream].order, key, ev->text, len);
}

static struct format_text csv_text(const struct path *path)
{
	return path ? (struct format_text){ path->csv, path->csv_len } : (struct format_text){ "", 0 };
}

static void lost_row(void *arg, unsigned class, enum lost_reason reason, int cpu, uint64_t count,
		     uint64_t ts)
{
	struct events *ev = arg;
	struct lost_row row = {
		.when = ts, .stream = ledger_class_name(class), .reason = ledger_reason_name(reason),
		.count = count, .cpu = cpu,
	};

	/* a lost name record leaves names that the kernel believes are known here */
	if (class == IO_SEQ_STATE)
		ev->names_missing = true;
	if (reason == LOST_RING && (class == IO_SEQ_STATE || class == IO_SEQ_FS || class == IO_SEQ_EXEC))
		procs_lost(ev->procs);
	push(ev, STREAM_lost, ts, row_lost(ev->text, &row));
}

/* ---- fs ---- */

/* What an operation was about, from the record or from the followed descriptor. */
struct subject {
	const struct path *path;
	uint64_t ino;
	uint32_t dev;
	uint32_t flags;
	uint32_t path_flags;
	enum scope scope;
	int64_t offset;
};

static void fs_row(struct events *ev, const struct io_fs *rec, const struct subject *s)
{
	uint32_t letters = s->path ? s->path->flags | s->path_flags : PATH_NONE;
	struct fs_row row = {
		.start = rec->head.ts - (rec->latency == FORMAT_UNKNOWN ? 0 : rec->latency),
		.operation = op_names[rec->op],
		.pid = rec->head.tgid,
		.tid = rec->head.tid,
		.comm = rec->head.comm,
		.path = csv_text(s->path),
		.size = rec->size,
		.ino = s->ino,
		.flags = s->flags,
		.offset = s->offset,
		.latency = rec->latency,
		.ret = rec->ret,
		.dev = s->dev,
		.fd = rec->fd,
		.mntns = rec->mntns,
		.path_status = path_letters(letters),
	};

	if (!ev->wanted[STREAM_fs])
		return;
	if (s->scope == SCOPE_OUT) {
		ev->totals.out_of_scope++;
		return;
	}
	push(ev, STREAM_fs, row.start, row_fs(ev->text, &row));
}

static struct path *known_name(struct events *ev, uint64_t id)
{
	struct path *path = id ? names_find(ev->names, id) : NULL;

	if (id && !path)
		ev->names_missing = true;
	return path;
}

static struct subject from_desc(const struct desc *desc)
{
	return (struct subject){
		.path = desc->path, .ino = desc->ino, .dev = desc->dev, .flags = desc->flags,
		.path_flags = desc->deleted ? PATH_DELETED : 0, .scope = desc->scope, .offset = -1,
	};
}

static struct subject from_record(struct events *ev, const struct io_fs *rec)
{
	return (struct subject){
		.path = known_name(ev, rec->name), .ino = rec->ino, .dev = rec->dev, .flags = rec->flags,
		.path_flags = rec->status & IO_ST_DELETED ? PATH_DELETED : 0, .scope = SCOPE_IN,
		.offset = rec->status & (IO_ST_OFFSET | IO_ST_APPEND) ? rec->offset : -1,
	};
}

static const struct subject nothing = { .flags = FORMAT_NO_FLAGS, .offset = -1 };

/* The path that a failed open, or any open without kernel headers, was given. */
static struct path *given_path(struct events *ev, const struct io_fs *rec)
{
	struct path *text = rec->name ? names_take(ev->names, rec->name) : NULL;
	struct path *path = NULL;

	if (text && rec->dir)
		path = path_join(known_name(ev, rec->dir), text->raw, text->raw_len, text->flags & PATH_CUT);
	else if (text)
		path = procs_resolve(ev->procs, rec->head.tgid, rec->dirfd, text);
	path_put(text);
	return path;
}

static void fs_open(struct events *ev, struct io_fs *rec)
{
	struct subject s = nothing;
	const struct desc *desc;
	struct path *path;

	if (rec->status & IO_ST_FILE) {
		s = from_record(ev, rec);
		if (ev->follow)
			procs_opened(ev->procs, rec, (struct path *)s.path);
		fs_row(ev, rec, &s);
		return;
	}
	path = given_path(ev, rec);
	if (ev->follow)
		rec->mntns = procs_mntns(ev->procs, rec->head.tgid); /* looked at anew for the path */
	if (rec->ret < 0) {
		s.path = path;
		s.scope = procfs_scope_of(path ? path->raw : "");
	} else {
		desc = procs_opened(ev->procs, rec, path);
		s = desc ? from_desc(desc) : nothing;
		if (!desc)
			s.path = path;
	}
	s.flags = rec->flags;
	fs_row(ev, rec, &s);
	path_put(path);
}

static void fs_close(struct events *ev, const struct io_fs *rec)
{
	struct subject s = nothing;
	struct desc desc;
	bool last;

	if (rec->status & IO_ST_FILE)
		s = from_record(ev, rec);
	if (ev->follow && rec->ret != -9) { /* all but EBADF close the descriptor */
		last = procs_closed(ev->procs, rec, &desc);
		if (!last && rec->ret == 0) {
			ev->totals.not_last++;
			return;
		}
		if (!(rec->status & IO_ST_FILE))
			s = from_desc(&desc);
	}
	s.offset = -1;
	fs_row(ev, rec, &s);
}

static bool is_data(const struct io_fs *rec)
{
	return rec->op == IO_READ || rec->op == IO_WRITE;
}

static void fs_data(struct events *ev, const struct io_fs *rec)
{
	struct subject s = nothing;
	struct desc *desc;

	if (rec->status & IO_ST_FILE) {
		s = from_record(ev, rec);
	} else {
		desc = procs_desc(ev->procs, rec->head.tgid, rec->fd, rec->head.ts);
		if (desc) {
			s = from_desc(desc);
			if (!(rec->status & IO_ST_OFFSET))
				s.offset = is_data(rec) ? procs_move(desc, rec) : -1;
			else if (!procs_appends(desc, rec))
				s.offset = rec->offset;
		}
	}
	fs_row(ev, rec, &s);
}

static void on_fs(struct events *ev, struct io_fs *rec)
{
	struct path *text;

	if (rec->head.class == IO_SEQ_STATE) {
		text = rec->op == IO_CHDIR && rec->name ? names_take(ev->names, rec->name) : NULL;
		procs_state(ev->procs, rec, text);
		path_put(text);
		return;
	}
	if (rec->op == 0 || rec->op >= IO_N_OPS) {
		ev->totals.bad++;
		return;
	}
	if (!rec->mntns)
		rec->mntns = ev->cause_mntns;
	/* the programs add up 16 segments of a vectored call; what was moved was asked for */
	if (is_data(rec) && rec->ret > 0 && (uint64_t)rec->ret > rec->size)
		rec->size = rec->ret;
	if (rec->op == IO_OPEN)
		fs_open(ev, rec);
	else if (rec->op == IO_CLOSE)
		fs_close(ev, rec);
	else
		fs_data(ev, rec);
}

/* dup2, exec or exit closed the last descriptor of a file: a CLOSE without a call of its own. */
static void on_silent_close(void *arg, const struct procs_close *closed)
{
	struct events *ev = arg;
	struct subject s = from_desc(closed->desc);
	struct io_fs rec = {
		.head = ev->cause, .op = IO_CLOSE, .fd = closed->fd, .latency = FORMAT_UNKNOWN,
		.mntns = ev->cause_mntns,
	};

	fs_row(ev, &rec, &s);
}

/* ---- ds ---- */

static void on_ds(struct events *ev, const struct io_ds *rec)
{
	struct ds_row row = {
		.rec = rec,
		.operation = rows_ds_operation(rec->rwbs),
		.flags = rows_ds_flags(rec->rwbs),
		.issue_ns = rec->flags & IO_DS_ISSUED ? rec->issue_ns : FORMAT_UNKNOWN,
		.queue_ns = rec->flags & IO_DS_QUEUED ? rec->queue_ns : FORMAT_UNKNOWN,
		.ppid = procs_ppid(ev->procs, rec->head.tgid),
		.error = rows_ds_error(rec->error),
	};

	if (ev->wanted[STREAM_ds])
		push(ev, STREAM_ds, rec->head.ts, row_ds(ev->text, &row));
}

/* ---- exec ---- */

/* Arguments as one line: joined by blanks, one that is empty or holds a blank in single quotes. */
static struct path *join_args(const struct path *args)
{
	char line[IO_TEXT_MAX * 3 + 8];
	size_t n = 0;

	for (size_t at = 0; at < args->raw_len && n < sizeof(line) - IO_TEXT_MAX;) {
		const char *arg = args->raw + at;
		size_t len = strnlen(arg, args->raw_len - at);
		bool quote = !len || memchr(arg, ' ', len);

		if (at)
			line[n++] = ' ';
		if (quote)
			line[n++] = '\'';
		memcpy(line + n, arg, len);
		n += len;
		if (quote)
			line[n++] = '\'';
		at += len + 1;
	}
	return path_new(line, n, 0);
}

static void exec_row(struct events *ev, const struct io_task *rec, const char *event, uint32_t pid,
		     uint32_t ppid, int64_t ret)
{
	struct path *name = rec->event == IO_EXEC && rec->name ? names_take(ev->names, rec->name) : NULL;
	struct path *args = rec->event == IO_EXEC && rec->args ? names_take(ev->names, rec->args) : NULL;
	struct path *line = args ? join_args(args) : NULL;
	struct exec_row row = {
		.rec = rec, .event = event, .pid = pid, .ppid = ppid, .ret = ret,
		.path = csv_text(name), .cmdline = csv_text(line),
	};

	if (ev->wanted[STREAM_exec])
		push(ev, STREAM_exec, rec->head.ts, row_exec(ev->text, &row));
	path_put(name);
	path_put(args);
	path_put(line);
}

static void on_task(struct events *ev, const struct io_task *rec)
{
	uint32_t pid = rec->head.tgid;

	switch (rec->event) {
	case IO_FORK:
		procs_fork(ev->procs, pid, rec->ret, rec->flags);
		exec_row(ev, rec, "FORK", rec->ret, pid, rec->ret);
		break;
	case IO_EXEC:
		exec_row(ev, rec, "EXEC", pid, procs_ppid(ev->procs, pid), rec->ret);
		if (rec->ret == 0)
			procs_exec(ev->procs, pid, rec->head.ts);
		break;
	case IO_EXIT:
		exec_row(ev, rec, "EXIT", pid, procs_ppid(ev->procs, pid),
			 rec->flags & IO_TASK_STATUS ? rec->ret : FORMAT_NO_VALUE);
		procs_exit(ev->procs, pid);
		break;
	default:
		ev->totals.bad++;
	}
}

/* ---- texts ---- */

static void on_text(struct events *ev, const struct io_text *rec, size_t len)
{
	bool cut = rec->flags & IO_TEXT_CUT;
	struct path *path;

	if (rec->len > IO_TEXT_SLOTS || rec->len > len - IO_TEXT_HEAD) {
		ev->totals.bad++;
		return;
	}
	if (rec->kind == IO_TEXT_WALK)
		path = path_from_walk(rec->data, rec->len, cut);
	else
		path = path_new(rec->data, rec->len, cut ? PATH_CUT : 0);
	if (path)
		names_add(ev->names, rec->id, path);
	else
		ev->totals.bad++;
}

/* ---- the rest ---- */

void events_record(void *arg, const void *record, size_t len, int cpu)
{
	static const size_t least[] = {
		[IO_REC_FS] = sizeof(struct io_fs), [IO_REC_TEXT] = IO_TEXT_HEAD,
		[IO_REC_DS] = sizeof(struct io_ds), [IO_REC_TASK] = sizeof(struct io_task),
	};
	struct events *ev = arg;
	const struct io_head *head = record;

	if (len < sizeof(*head) || head->type == 0 || head->type > IO_REC_TASK || len < least[head->type]) {
		ev->totals.bad++;
		return;
	}
	ev->cause = *head;
	/* asked before the record may end the process */
	ev->cause_mntns = ev->follow && head->type != IO_REC_DS ? procs_mntns(ev->procs, head->tgid) : 0;
	ledger_record(ev->ledger, head, cpu);
	if (head->via < PLAN_MAX_CHOICES + 1)
		ev->totals.via[head->via]++;
	if (head->type == IO_REC_FS)
		on_fs(ev, (struct io_fs *)record);
	else if (head->type == IO_REC_TEXT)
		on_text(ev, record, len);
	else if (head->type == IO_REC_DS)
		on_ds(ev, record);
	else
		on_task(ev, record);
}

struct events *events_open(const struct events_options *options)
{
	struct events *ev = calloc(1, sizeof(*ev));
	const struct plan_choice *close_choice = plan_find(options->plan, "fs", "CLOSE", "");
	bool ok = true;

	if (!ev)
		return NULL;
	ev->row = options->row;
	ev->arg = options->arg;
	procfs_all_fs(options->all_fs);
	memcpy(ev->wanted, options->wanted, sizeof(ev->wanted));
	ev->follow = close_choice && close_choice->chosen &&
		     !strcmp(close_choice->chosen->name, "SC_CLOSE");
	ev->names = names_open(options->names);
	ev->procs = procs_open(ev->follow, on_silent_close, ev);
	ev->ledger = ledger_open(options->n_cpus, lost_row, ev);
	for (int i = 0; i < N_STREAMS; i++) {
		ev->outlets[i] = (struct outlet){ .events = ev, .stream = i };
		ev->outlets[i].order = order_open(ordered_row, &ev->outlets[i]);
		ok = ok && ev->outlets[i].order;
	}
	if (!ok || !ev->names || !ev->procs || !ev->ledger) {
		events_close(ev);
		return NULL;
	}
	return ev;
}

void events_close(struct events *ev)
{
	if (!ev)
		return;
	procs_shut(ev->procs);
	names_close(ev->names);
	ledger_close(ev->ledger);
	for (int i = 0; i < N_STREAMS; i++)
		order_close(ev->outlets[i].order);
	free(ev);
}

void events_flush(struct events *ev, uint64_t now)
{
	for (int i = 0; i < N_STREAMS; i++)
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

const struct events_totals *events_totals(struct events *ev)
{
	for (int i = 0; i < N_STREAMS; i++)
		ev->totals.late[i] = order_late(ev->outlets[i].order);
	return &ev->totals;
}
