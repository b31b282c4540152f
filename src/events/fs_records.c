/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of stream fs: from each to the file it is about, as the kernel says or by what is
 * followed. Calls on open files: fs_files.c; by path: fs_names.c; on memory: fs_memory.c.
 */
#include "events/fs_files.h"
#include "events/fs_given.h"
#include "events/fs_memory.h"
#include "events/fs_names.h"
#include "events/fs_private.h"
#include "events/nw.h"
#include "resolve/fd_calls.h"
#include "row/fs_ops.h"

/* ---- open, close, read, write, fsync ---- */

static void open_file(struct events *ev, struct iot_fs *rec)
{
	struct fs_subject s = fs_no_subject;
	const struct desc *desc;
	struct path *path;

	if (rec->status & IOT_ST_FILE) {
		s = fs_subject_of_record(ev, rec);
		if (ev->follow)
			fd_calls_open(ev->procs, rec, (struct path *)s.path);
		fs_names_made(ev, rec, s.path);
		fs_emit(ev, rec, NULL, &s);
		return;
	}
	path = fs_names_opened(ev, rec);
	if (ev->follow)
		rec->mntns = procs_mntns(ev->procs,
					 rec->head.tgid); /* looked at anew for the path */
	if (rec->ret < 0) {
		s.path = path;
		s.scope = mounts_scope_of_name(&ev->resolve->mounts, path ? path->raw : "");
	} else {
		desc = fd_calls_open(ev->procs, rec, path);
		s = desc ? fs_subject_of_desc(desc) : fs_no_subject;
		s.remembered = false;
		if (!desc)
			s.path = path;
		fs_names_made(ev, rec, s.path);
	}
	s.flags = rec->flags;
	fs_emit(ev, rec, NULL, &s);
	path_put(path);
}

static void close_file(struct events *ev, const struct iot_fs *rec)
{
	struct fs_subject s = fs_no_subject;
	struct desc desc = { .path = NULL };
	bool last;

	if (rec->status & IOT_ST_FILE)
		s = fs_subject_of_record(ev, rec);
	if (ev->follow && rec->ret != -9) { /* all but EBADF close the descriptor */
		last = fd_calls_close(ev->procs, rec, &desc);
		if (!last && rec->ret == 0) {
			ev->totals.not_last++;
			path_put(desc.path);
			return;
		}
		if (!(rec->status & IOT_ST_FILE))
			s = fs_subject_of_desc(&desc);
	}
	s.offset = -1;
	fs_emit(ev, rec, NULL, &s);
	path_put(desc.path);
}

/* dup2, exec or exit closed the last descriptor of a file: a CLOSE without a call of its own. */
static void handle_close(struct events *ev, const struct desc_close *closed)
{
	struct fs_subject s = fs_subject_of_desc(closed->desc);
	struct iot_fs rec = {
		.head = ev->cause,
		.op = IOT_CLOSE,
		.fd = closed->fd,
		.latency = FORMAT_UNKNOWN,
		.mntns = ev->cause_mntns,
		.call = ev->cause_call,
	};

	/* what /proc showed only later was opened later */
	if (closed->desc->known_since <= ev->cause.ts)
		fs_emit(ev, &rec, NULL, &s);
}

static void move_data(struct events *ev, struct iot_fs *rec)
{
	bool data = fs_ops[rec->op].traits & FS_DATA;
	struct fs_subject s = fs_no_subject;
	struct desc *desc;

	if (rec->status & IOT_ST_FILE) {
		s = fs_subject_of_record(ev, rec);
	} else {
		desc = procs_desc(ev->procs, rec->head.tgid, rec->fd, rec->head.ts);
		if (desc && desc->scope != SCOPE_IN && data && nw_data(ev, rec))
			return;
		if (desc) {
			s = fs_subject_of_desc(desc);
			if (!(rec->status & IOT_ST_OFFSET))
				s.offset = data ? desc_move(desc, rec) : -1;
			else if (!desc_appends(desc, rec))
				s.offset = rec->offset;
		}
	}
	fs_emit_data(ev, rec, &s);
}

/* The flags of its row are not those of the open file. */
static void lock_file(struct events *ev, struct iot_fs *rec)
{
	rec->flags = rec->lock;
	move_data(ev, rec);
}

/* Whether this operation comes in such a record; more: FS_MORE or 0. */
static bool has_record(unsigned op, unsigned more)
{
	return op && op < IOT_N_OPS && (fs_ops[op].traits & (FS_MORE | FS_SYNTHETIC)) == more;
}

static void handle_fs(struct events *ev, void *record, size_t len)
{
	struct iot_fs *rec = record;

	(void)len;
	if (rec->head.class == IOT_SEQ_STATE &&
	    !(rec->head.via & IOT_VIA_QUIET && rec->op < IOT_N_OPS)) {
		ev->cause_call = rec->call;
		fd_calls_state(ev->procs, rec, NULL);
		return;
	}
	if (!has_record(rec->op, 0)) {
		ev->totals.bad++;
		return;
	}
	fs_given_begin(ev, rec->head.tid, rec->head.ts - rec->latency);
	/* the programs add up 32 segments of a vectored call; what was moved was asked for */
	if ((fs_ops[rec->op].traits & FS_DATA) && rec->ret > 0 && (uint64_t)rec->ret > rec->size)
		rec->size = rec->ret;
	if (rec->status & IOT_ST_UNBEGUN)
		rec->latency = FORMAT_UNKNOWN;
	if (rec->op == IOT_OPEN)
		open_file(ev, rec);
	else if (rec->op == IOT_CLOSE)
		close_file(ev, rec);
	else if (rec->op == IOT_LOCK)
		lock_file(ev, rec);
	else
		move_data(ev, rec);
}

/* ---- all others ---- */

static void handle_more(struct events *ev, void *record, size_t len)
{
	struct iot_more *more = record;
	struct iot_fs *rec = &more->fs;
	unsigned traits;

	(void)len;
	if (!has_record(rec->op, FS_MORE)) {
		ev->totals.bad++;
		return;
	}
	fs_given_begin(ev, rec->head.tid, more->start);
	if (rec->status & IOT_ST_UNBEGUN)
		rec->latency = FORMAT_UNKNOWN;
	traits = fs_ops[rec->op].traits;
	if (rec->op == IOT_MMAP)
		fs_memory_map(ev, more);
	else if (traits & FS_MEMORY)
		fs_memory_call(ev, more);
	else if ((traits & FS_NO_FILE) || (rec->op == IOT_SYNC && rec->fd < 0))
		fs_emit(ev, rec, more, &fs_no_subject);
	else if (rec->status & IOT_ST_PATH)
		fs_names_call(ev, more);
	else
		fs_files_call(ev, more);
}

const struct stream_ops stream_fs = {
	.records = {
		{ .type = IOT_REC_FS, .least = sizeof(struct iot_fs), .handle = handle_fs, .closes = true },
		{ .type = IOT_REC_MORE, .least = sizeof(struct iot_more), .handle = handle_more, .closes = true },
	},
	.is_followed = true,
	.open = fs_given_open,
	.close = fs_given_close,
	.closed = handle_close,
};
