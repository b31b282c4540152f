/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream fs: calls of struct iot_more on open files: which file a followed descriptor stands for. */
#include "events/fs_files.h"

#include "events/fs_names.h"
#include "events/texts.h"
#include "resolve/fd_calls.h"
#include "row/fs_ops.h"

/* The followed file of the second descriptor; NULL where the kernel told it, or nobody follows. */
static struct desc *second_file(struct events *ev, const struct iot_more *more)
{
	if (!ev->follow || (more->status2 & IOT_ST_FILE))
		return NULL;
	return procs_desc(ev->procs, more->fs.head.tgid, more->fd2, more->fs.head.ts);
}

/* A transfer that moved bytes, to a file without an offset of its own, which the kernel did not tell. */
static bool moves_second(const struct iot_more *more)
{
	return (fs_ops[more->fs.op].traits & FS_TWO_FILES) && !(more->fs.status & IOT_ST_FILE) &&
	       more->offset2 < 0 && more->fs.ret > 0;
}

/* What the other side of a transfer does to its own position. */
static void move_second(struct desc *desc, const struct iot_more *more)
{
	struct iot_fs out = more->fs;

	out.op = IOT_WRITE;
	out.size = out.ret;
	desc_move(desc, &out);
}

struct fs_subject fs_files_followed(struct events *ev, struct iot_more *more)
{
	struct iot_fs *rec = &more->fs, move = *rec;
	unsigned traits = fs_ops[rec->op].traits;
	struct desc *desc = procs_desc(ev->procs, rec->head.tgid, rec->fd, rec->head.ts);
	struct fs_subject s;

	/* splice from a pipe: the file is the other one */
	if (rec->op == IOT_SPLICE && desc && desc->scope == SCOPE_OUT) {
		desc = procs_desc(ev->procs, rec->head.tgid, more->fd2, rec->head.ts);
		rec->fd = more->fd2;
		rec->flags |= IOT_SPLICE_TO_FILE;
		rec->offset = more->offset2;
		move.op = IOT_WRITE;
		move.offset = rec->offset;
		more->offset2 = 0;
	} else {
		move.op = IOT_READ;
	}
	if (!desc)
		return fs_no_subject;
	s = fs_subject_of_desc(desc);
	s.offset = rec->offset;
	if ((traits & FS_TWO_FILES) && move.offset < 0)
		s.offset = desc_move(desc, &move);
	return s;
}

/* Whether the row has two names: a transfer may end in a socket, which has none. */
static bool has_two(const struct iot_more *more, const struct path *first,
		    const struct desc *second)
{
	unsigned traits = fs_ops[more->fs.op].traits;

	return (traits & FS_TWO) ||
	       ((traits & FS_WRITES_SECOND) && first &&
		(second ? second->scope == SCOPE_IN : (more->status2 & IOT_ST_FILE) != 0));
}

/* The name of the second file beside that of the first: both are new references. */
static void add_second(struct events *ev, struct iot_more *more, const struct desc *desc,
		       struct fs_subject *s)
{
	const struct path *second = NULL;

	if (desc)
		more->ino2 = desc->ino;
	if (desc)
		second = desc->path;
	else if (more->status2 & IOT_ST_FILE)
		second = texts_known(ev, more->name2);
	s->two = true;
	s->pair[0] = s->path;
	s->pair[1] = path_get((struct path *)second);
	s->path = path_pair(s->pair[0], second, false);
}

void fs_files_call(struct events *ev, struct iot_more *more)
{
	struct iot_fs *rec = &more->fs;
	unsigned traits = fs_ops[rec->op].traits;
	struct desc *desc = NULL;
	struct fs_subject s;

	if (rec->status & IOT_ST_FILE) {
		s = fs_subject_of_record(ev, rec);
		s.offset = rec->offset;
	} else {
		s = fs_files_followed(ev, more);
	}
	if ((traits & (FS_TWO | FS_WRITES_SECOND)) || moves_second(more))
		desc = second_file(ev, more);
	if (desc && moves_second(more))
		move_second(desc, more);
	if (has_two(more, s.path, desc))
		add_second(ev, more, desc, &s);
	else
		more->ino2 = 0;
	if (rec->op == IOT_CHDIR)
		fs_names_change_directory(ev, rec, NULL);
	fs_emit(ev, rec, more, &s);
	if (s.two) {
		path_put((struct path *)s.path);
		path_put((struct path *)s.pair[1]);
	}
}
