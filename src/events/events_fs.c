/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream fs: from a record to the file it is about, as the kernel says or by the
 * path that was given, and to its row. Files of descriptors: events_files.c.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "events/events_private.h"

#include <fcntl.h>

#include "resolve/mounts.h"
#include "row/fs_ops.h"

/* linux/fs.h */
#define RENAME_EXCHANGE_FLAG 2

const struct subject subject_nothing = { .flags = FORMAT_NO_FLAGS, .offset = -1 };

/* ---- the row ---- */

static struct flags row_flags(const struct iot_fs *rec, const struct subject *s)
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
static void learn_name(struct events *ev, const struct iot_fs *rec, const struct subject *s)
{
	if (fs_ops[rec->op].traits & FS_TWO)
		return;
	if (s->remembered)
		events_learn_old(ev, s->ino, s->dev, s->path);
	else
		events_learn(ev, s->ino, s->dev, s->path);
}

void events_put_row(struct events *ev, const struct iot_fs *rec, const struct iot_more *more,
		    const struct subject *s)
{
	uint32_t letters = s->path ? s->path->flags | s->path_flags : PATH_NONE;
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
		.mntns = rec->mntns ? rec->mntns : ev->cause_mntns,
	};

	if ((letters & PATH_FULL) && procs_looks_elsewhere(ev->procs, rec->head.tgid, row.mntns))
		letters |= PATH_OTHER;
	row.path_status = path_letters(letters);
	learn_name(ev, rec, s);
	/* positions and mappings are followed all the same */
	if (!ev->wanted[STREAM_fs] || ((fs_ops[rec->op].traits & FS_EXTRA) && !ev->extra_ops))
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
						    .two_paths = fs_ops[rec->op].traits & FS_TWO }))
		return;
	if (s->path)
		row.path = (struct format_text){ s->path->csv, s->path->csv_len,
						 fs_ops[rec->op].traits & FS_DIRECTORY };
	if (more) {
		row.start = more->start;
		row.ino2 = more->ino2;
		memory_cells(&row, more);
	}
	events_push(ev, STREAM_fs, row.start, row_fs(ev->text, &row));
}

/* ---- subjects ---- */

struct subject subject_of_desc(const struct desc *desc)
{
	return (struct subject){
		.path = desc->path,
		.ino = desc->ino,
		.dev = desc->dev,
		.flags = desc->flags,
		.path_flags = desc->deleted ? PATH_DELETED : 0,
		.scope = desc->scope,
		.offset = -1,
		.remembered = true,
	};
}

struct subject subject_of_record(struct events *ev, const struct iot_fs *rec)
{
	return (struct subject){
		.path = events_known_name(ev, rec->name),
		.ino = rec->ino,
		.dev = rec->dev,
		.flags = rec->flags,
		.path_flags = rec->status & IOT_ST_DELETED ? PATH_DELETED : 0,
		.scope = rec->status & IOT_ST_PSEUDO ? SCOPE_OUT : SCOPE_IN,
		.offset = rec->status & (IOT_ST_OFFSET | IOT_ST_APPEND) ? rec->offset : -1,
	};
}

/* The path that a string given to a call means. The text is taken; a new reference. */
static struct path *given_path(struct events *ev, const struct iot_fs *rec, uint64_t name,
			       uint64_t dir, int dirfd)
{
	struct path *text = name ? names_take(ev->names, name) : NULL;
	struct path *path = NULL;
	size_t skip = 0;

	if (text && !text->raw_len && (rec->status & IOT_ST_SELF)) {
		path_put(text);
		text = path_new(".", 1, 0);
	}
	/* of an absolute path the directory is the root that the process has */
	while (text && dir && text->raw[skip] == '/')
		skip++;
	if (text && dir && skip == text->raw_len && skip)
		path = path_get(events_known_name(ev, dir));
	else if (text && dir)
		path = path_join(events_known_name(ev, dir), text->raw + skip, text->raw_len - skip,
				 text->flags & PATH_CUT);
	else if (text)
		path = procs_resolve(ev->procs, rec->head.tgid, dirfd, text);
	path_put(text);
	return path;
}

/* ---- open, close, read, write, fsync ---- */

static void fs_open(struct events *ev, struct iot_fs *rec)
{
	struct subject s = subject_nothing;
	const struct desc *desc;
	struct path *path;

	if (rec->status & IOT_ST_FILE) {
		s = subject_of_record(ev, rec);
		if (ev->follow)
			procs_opened(ev->procs, rec, (struct path *)s.path);
		events_put_row(ev, rec, NULL, &s);
		return;
	}
	path = given_path(ev, rec, rec->name, rec->dir, rec->dirfd);
	if (ev->follow)
		rec->mntns = procs_mntns(ev->procs,
					 rec->head.tgid); /* looked at anew for the path */
	if (rec->ret < 0) {
		s.path = path;
		s.scope = procfs_scope_of(path ? path->raw : "");
	} else {
		desc = procs_opened(ev->procs, rec, path);
		s = desc ? subject_of_desc(desc) : subject_nothing;
		s.remembered = false;
		if (!desc)
			s.path = path;
	}
	s.flags = rec->flags;
	events_put_row(ev, rec, NULL, &s);
	path_put(path);
}

static void fs_close(struct events *ev, const struct iot_fs *rec)
{
	struct subject s = subject_nothing;
	struct desc desc;
	bool last;

	if (rec->status & IOT_ST_FILE)
		s = subject_of_record(ev, rec);
	if (ev->follow && rec->ret != -9) { /* all but EBADF close the descriptor */
		last = procs_closed(ev->procs, rec, &desc);
		if (!last && rec->ret == 0) {
			ev->totals.not_last++;
			return;
		}
		if (!(rec->status & IOT_ST_FILE))
			s = subject_of_desc(&desc);
	}
	s.offset = -1;
	events_put_row(ev, rec, NULL, &s);
}

void events_silent_close(void *arg, const struct procs_close *closed)
{
	struct events *ev = arg;
	struct subject s = subject_of_desc(closed->desc);
	struct iot_fs rec = {
		.head = ev->cause,
		.op = IOT_CLOSE,
		.fd = closed->fd,
		.latency = FORMAT_UNKNOWN,
		.mntns = ev->cause_mntns,
	};

	events_put_row(ev, &rec, NULL, &s);
}

static void fs_data(struct events *ev, struct iot_fs *rec)
{
	bool data = fs_ops[rec->op].traits & FS_DATA;
	struct subject s = subject_nothing;
	struct desc *desc;

	if (rec->status & IOT_ST_FILE) {
		s = subject_of_record(ev, rec);
	} else {
		desc = procs_desc(ev->procs, rec->head.tgid, rec->fd, rec->head.ts);
		if (desc && desc->scope != SCOPE_IN && data && events_nw_data(ev, rec))
			return;
		if (desc) {
			s = subject_of_desc(desc);
			if (!(rec->status & IOT_ST_OFFSET))
				s.offset = data ? procs_move(desc, rec) : -1;
			else if (!procs_appends(desc, rec))
				s.offset = rec->offset;
		}
	}
	events_put_row(ev, rec, NULL, &s);
	/* a direct one is a row of its own beside it: sums over either kind are right */
	if (data && s.flags != FORMAT_NO_FLAGS && (s.flags & O_DIRECT)) {
		rec->op = rec->op == IOT_READ ? IOT_DIO_READ : IOT_DIO_WRITE;
		events_put_row(ev, rec, NULL, &s);
	}
}

/* Whether this operation comes in such a record; more: FS_MORE or 0. */
static bool has_record(unsigned op, unsigned more)
{
	return op && op < IOT_N_OPS && (fs_ops[op].traits & (FS_MORE | FS_MADE)) == more;
}

void events_fs(struct events *ev, struct iot_fs *rec)
{
	if (rec->head.class == IOT_SEQ_STATE &&
	    !(rec->head.via & IOT_VIA_QUIET && rec->op < IOT_N_OPS)) {
		procs_state(ev->procs, rec, NULL);
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
		fs_open(ev, rec);
	else if (rec->op == IOT_CLOSE)
		fs_close(ev, rec);
	else
		fs_data(ev, rec);
}

/* ---- names ---- */

void events_change_directory(struct events *ev, const struct iot_fs *rec, const struct path *path)
{
	/* where headers are, the kernel says where relative names start */
	if (ev->follow && rec->ret == 0 && !(rec->status & IOT_ST_FILE))
		procs_state(ev->procs, rec, path);
}

/* The second name: found by the kernel, or given to the call. A new reference. */
static struct path *second_path(struct events *ev, const struct iot_more *more)
{
	if (more->status2 & IOT_ST_FILE)
		return path_get(events_known_name(ev, more->name2));
	return given_path(ev, &more->fs, more->name2, more->dir2, more->fd2);
}

/* By the mount that the path lies on; of two paths one is enough (a link to /proc/self/fd/3, say). */
static enum scope named_scope(const struct iot_fs *rec, const struct path *path,
			      const struct path *second, uint32_t *dev)
{
	enum scope scope;

	if (rec->status & IOT_ST_PSEUDO)
		return SCOPE_OUT;
	if (rec->op == IOT_SYMLINK)
		return mounts_scope(second ? second->raw : "", dev);
	scope = mounts_scope(path ? path->raw : "", dev);
	if (scope == SCOPE_OUT && second)
		scope = mounts_scope(second->raw, dev);
	return scope;
}

static void fs_named(struct events *ev, struct iot_more *more)
{
	struct iot_fs *rec = &more->fs;
	struct path *path, *second = NULL, *both = NULL;
	struct subject s = subject_nothing;
	uint32_t dev = 0;

	if (rec->status & IOT_ST_FILE) {
		s = subject_of_record(ev, rec);
		path = path_get((struct path *)s.path);
	} else if (rec->op == IOT_SYMLINK) {
		path = rec->name ? names_take(ev->names, rec->name) :
				   NULL; /* as given: a link may lead anywhere */
	} else {
		path = given_path(ev, rec, rec->name, rec->dir, rec->dirfd);
	}
	if (fs_ops[rec->op].traits & FS_TWO) {
		second = second_path(ev, more);
		both = path_pair(path, second, rec->op == IOT_SYMLINK);
	}
	s.path = both ? both : path;
	if (!(rec->status & IOT_ST_FILE)) {
		s.scope = named_scope(rec, path, second, &dev);
		s.ino = rec->ino;
		s.dev = rec->dev ? rec->dev : dev;
	}
	if (rec->op == IOT_CHDIR) {
		events_change_directory(ev, rec, path);
	} else if (rec->op == IOT_RENAME && rec->ret == 0) {
		procs_renamed(ev->procs);
		events_learn(ev, s.ino, s.dev, second);
		if (rec->flags & RENAME_EXCHANGE_FLAG)
			events_learn(ev, more->ino2, s.dev, path);
	}
	events_put_row(ev, rec, more, &s);
	path_put(path);
	path_put(second);
	path_put(both);
}

/* ---- all others ---- */

void events_fs_more(struct events *ev, struct iot_more *more)
{
	struct iot_fs *rec = &more->fs;
	unsigned traits;

	if (!has_record(rec->op, FS_MORE)) {
		ev->totals.bad++;
		return;
	}
	traits = fs_ops[rec->op].traits;
	if (rec->op == IOT_MMAP)
		events_fs_mmap(ev, more);
	else if (traits & FS_MEMORY)
		events_fs_memory(ev, more);
	else if ((traits & FS_NO_FILE) || (rec->op == IOT_SYNC && rec->fd < 0))
		events_put_row(ev, rec, more, &subject_nothing);
	else if (rec->status & IOT_ST_PATH)
		fs_named(ev, more);
	else
		events_fs_descriptor(ev, more);
}
