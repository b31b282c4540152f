/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream fs: see fs.h. From a record to the file it is about, as the kernel says or by
 * what is followed. Calls on open files: fs_files.c; by path: fs_names.c; on memory: fs_memory.c.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "events/fs.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "events/fs_private.h"
#include "events/nw.h"
#include "events/texts.h"
#include "probes/schema/fs.def"
#include "resolve/fd_calls.h"
#include "row/effects.h"
#include "row/format.h"
#include "row/fs_ops.h"

const struct fs_subject fs_no_subject = { .flags = FORMAT_NO_FLAGS, .offset = -1 };

/* ---- the row ---- */

static char *put_addresses(char *p, const struct fs_row *r)
{
	if (r->address == FORMAT_UNKNOWN)
		return put_u_nz(p, r->ino2);
	p = put_hex(p, r->address);
	if (r->new_address == FORMAT_UNKNOWN)
		return p;
	return put_hex(put_word(p, " -> "), r->new_address);
}

EVENTS_ROW(fs)

static struct flags row_flags(const struct iot_fs *rec, const struct fs_subject *s)
{
	const struct fs_op *op = &fs_ops[rec->op];

	if (!(op->traits & FS_OPEN_FLAGS))
		return (struct flags){ op->flags, rec->flags };
	return (struct flags){ s->flags == FORMAT_NO_FLAGS ? NULL : op->flags, s->flags };
}

static void memory_cells(struct fs_row *row, const struct iot_more *more)
{
	bool failed = more->fs.ret < 0;

	if (!(fs_ops[more->fs.op].traits & FS_MEMORY))
		return;
	row->address = more->address;
	if (more->fs.op == IOT_MMAP) {
		row->mmap_prot = (struct flags){ &flags_mmap_prot, more->prot };
		row->mmap_flags = (struct flags){ &flags_mmap_map, more->fs.flags };
		row->address = failed ? FORMAT_UNKNOWN : (u64)more->fs.ret;
	} else if (more->fs.op == IOT_MREMAP && !failed) {
		row->new_address = more->fs.ret;
	}
}

/* A rename that came since has told of the name that it is called by now. */
static void learn_name(struct events *ev, const struct fs_subject *s)
{
	if (s->two)
		return;
	if (s->remembered)
		texts_learn_old(ev, s->ino, s->dev, s->path);
	else
		texts_learn(ev, s->ino, s->dev, s->path);
}

/* Whose data will go to the disk, some time later, from a thread of the kernel */
static void note_writer(struct events *ev, const struct iot_fs *rec, const struct iot_more *more,
			const struct fs_subject *s)
{
	unsigned effects = fs_effects(rec->op, rec->flags);
	bool second = (effects & WRITES_SECOND) && s->two;
	bool writes = second || (effects & WRITES) || rec->op == IOT_FALLOCATE ||
		      rec->op == IOT_TRUNCATE ||
		      (rec->op == IOT_MMAP && (rec->flags & MAP_SHARED) &&
		       (more->prot & PROT_WRITE));

	if (writes && rec->ret >= 0)
		writers_note(ev->writers, second ? more->ino2 : s->ino,
			     mounts_host_dev(&ev->resolve->mounts, s->dev), rec->head.tgid,
			     rec->head.comm);
}

/* Files of mappings are closed after a process has left its namespaces: it had the last that it was seen with. */
static uint32_t mntns_of(struct events *ev, const struct iot_fs *rec)
{
	uint32_t tgid = rec->head.tgid, mntns = rec->mntns ? rec->mntns : ev->cause_mntns;
	uint32_t at = tgid * 2654435761u >> (32 - EVENTS_MNTNS_BITS);

	if (mntns) {
		ev->last_mntns[at].tgid = tgid;
		ev->last_mntns[at].mntns = mntns;
	} else if (ev->last_mntns[at].tgid == tgid) {
		mntns = ev->last_mntns[at].mntns;
	}
	return mntns;
}

static void note_time(struct events *ev, const struct fs_row *row, const struct path *path)
{
	struct slowest *s = &ev->slowest[STREAM_fs];
	struct slowest operation = { .latency_ns = row->latency,
				     .mono_ns = row->start,
				     .pid = row->pid,
				     .operation = row->operation };

	if (!path || !slowest_is(s, row->latency, row->start) ||
	    !is_file_or_disk(path->raw, strlen(path->raw)))
		return;
	memcpy(operation.comm, row->comm, sizeof(operation.comm));
	events_note_time(ev, STREAM_fs, &operation, &row->path);
}

static void note_busy(struct events *ev, const struct path *path, uint32_t mntns, bool write,
		      int64_t bytes)
{
	if (path)
		busiest_add(ev->busiest, (struct path *)path, mntns, write, (uint64_t)bytes);
}

/* Which files had the bytes of an operation */
static void note_moved(struct events *ev, const struct iot_fs *rec, const struct fs_subject *s,
		       uint32_t mntns)
{
	unsigned effects = fs_effects(rec->op, rec->flags);

	if (effects & (READS | WRITES))
		note_busy(ev, s->two ? s->pair[0] : s->path, mntns, effects & WRITES, rec->ret);
	if ((effects & WRITES_SECOND) && s->two)
		note_busy(ev, s->pair[1], mntns, true, rec->ret);
}

void fs_emit(struct events *ev, const struct iot_fs *rec, const struct iot_more *more,
	     const struct fs_subject *s)
{
	uint32_t letters = s->path ? s->path->flags | s->path_flags : PATH_NONE;
	bool left_out = (fs_ops[rec->op].traits & FS_EXTRA) && !ev->extra_ops;
	char number[CALL_WORD_MAX];
	struct fs_row row = {
		.start = rec->head.ts - (rec->latency == FORMAT_UNKNOWN ? 0 : rec->latency),
		.operation = fs_ops[rec->op].name,
		.pid = rec->head.tgid,
		.tid = rec->head.tid,
		.comm = rec->head.comm,
		.size = rec->size,
		.ino = s->ino,
		.flags = row_flags(rec, s),
		.offset = s->offset,
		.address = FORMAT_UNKNOWN,
		.new_address = FORMAT_UNKNOWN,
		.latency = rec->latency,
		.ret = rec->ret,
		.dev = s->dev,
		.fd = rec->fd,
		.mntns = mntns_of(ev, rec),
		.ofd = s->ofd,
		.call = calls_word(&ev->calls, rec->call, number),
	};

	if ((letters & PATH_FULL) && procs_has_other_root(ev->procs, rec->head.tgid, row.mntns))
		letters |= PATH_OTHER;
	row.path_status = path_letters(letters);
	learn_name(ev, s);
	if (ev->writers)
		note_writer(ev, rec, more, s);
	/* positions and mappings are followed all the same */
	if (!ev->wanted[STREAM_fs] || left_out)
		return;
	if (s->scope == SCOPE_OUT) {
		ev->totals.out_of_scope++;
		return;
	}
	if (!events_keeps(ev, &(struct filter_row){ .stream = STREAM_fs,
						    .operation = row.operation,
						    .failed = rec->ret < 0,
						    .latency = rec->latency,
						    .path = s->path,
						    .two_paths = s->two }))
		return;
	if (s->path)
		row.path = (struct format_text){ s->path->csv, s->path->csv_len,
						 fs_ops[rec->op].traits & FS_DIRECTORY };
	if (more) {
		row.start = more->start;
		row.ino2 = more->ino2;
		memory_cells(&row, more);
	}
	/* of what is not kept no closing line tells */
	if (!ev->wanted_values && rec->ret > 0)
		note_moved(ev, rec, s, row.mntns);
	note_time(ev, &row, s->path);
	fs_push(ev, row.start, &row);
}

/* ---- subjects ---- */

struct fs_subject fs_subject_of_desc(const struct desc *desc)
{
	return (struct fs_subject){
		.path = desc->path,
		.ino = desc->ino,
		.dev = desc->dev,
		.flags = desc->flags,
		.path_flags = desc->deleted ? PATH_DELETED : 0,
		.scope = desc->scope,
		.offset = -1,
		.ofd = desc->ofd,
		.remembered = true,
	};
}

struct fs_subject fs_subject_of_record(struct events *ev, const struct iot_fs *rec)
{
	return (struct fs_subject){
		.path = texts_known(ev, rec->name),
		.ino = rec->ino,
		.dev = rec->dev,
		.flags = rec->flags,
		.path_flags = rec->status & IOT_ST_DELETED ? PATH_DELETED : 0,
		.scope = rec->status & IOT_ST_PSEUDO ? SCOPE_OUT : SCOPE_IN,
		.offset = rec->status & (IOT_ST_OFFSET | IOT_ST_APPEND) ? rec->offset : -1,
		.ofd = rec->ofd,
	};
}

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
		fs_emit(ev, rec, NULL, &s);
		return;
	}
	path = fs_names_given(ev, rec, rec->name, rec->dir, rec->dirfd);
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
	if (closed->desc->as_of <= ev->cause.ts)
		fs_emit(ev, &rec, NULL, &s);
}

void fs_emit_data(struct events *ev, struct iot_fs *rec, const struct fs_subject *s)
{
	fs_emit(ev, rec, NULL, s);
	if (!(fs_ops[rec->op].traits & FS_DATA) || s->flags == FORMAT_NO_FLAGS ||
	    !(s->flags & O_DIRECT))
		return;
	rec->op = rec->op == IOT_READ ? IOT_DIO_READ : IOT_DIO_WRITE;
	fs_emit(ev, rec, NULL, s);
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

/* Whether this operation comes in such a record; more: FS_MORE or 0. */
static bool has_record(unsigned op, unsigned more)
{
	return op && op < IOT_N_OPS && (fs_ops[op].traits & (FS_MORE | FS_MADE)) == more;
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
	/* the programs add up 32 segments of a vectored call; what was moved was asked for */
	if ((fs_ops[rec->op].traits & FS_DATA) && rec->ret > 0 && (uint64_t)rec->ret > rec->size)
		rec->size = rec->ret;
	if (rec->op == IOT_OPEN)
		open_file(ev, rec);
	else if (rec->op == IOT_CLOSE)
		close_file(ev, rec);
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
	.closed = handle_close,
};
