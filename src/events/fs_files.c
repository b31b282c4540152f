/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream fs: calls of struct iot_more on open files: which file a followed descriptor stands for. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "events/fs_private.h"

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

void fs_files_call(struct events *ev, struct iot_more *more)
{
	struct iot_fs *rec = &more->fs;
	bool two = fs_ops[rec->op].traits & FS_TWO;
	struct path *second = NULL, *both = NULL;
	struct desc *desc = NULL;
	struct fs_subject s;

	if (rec->status & IOT_ST_FILE) {
		s = fs_subject_of_record(ev, rec);
		s.offset = rec->offset;
	} else {
		s = fs_files_followed(ev, more);
	}
	if (two || moves_second(more))
		desc = second_file(ev, more);
	if (desc && moves_second(more))
		move_second(desc, more);
	if (two) {
		if (desc)
			more->ino2 = desc->ino;
		second = desc                        ? path_get(desc->path) :
			 more->status2 & IOT_ST_FILE ? path_get(texts_known(ev, more->name2)) :
						       NULL;
		both = path_pair(s.path, second, false);
		s.path = both;
	}
	if (rec->op == IOT_CHDIR)
		fs_names_change_directory(ev, rec, NULL);
	fs_emit(ev, rec, more, &s);
	path_put(second);
	path_put(both);
}
