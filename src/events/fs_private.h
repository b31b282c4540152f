/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of stream fs share, and nobody else sees. */
#ifndef IOT_FS_PRIVATE_H
#define IOT_FS_PRIVATE_H

#include "events/events_private.h"
#include "events/fs.h"

/* What an operation was about. */
struct fs_subject {
	const struct path *path;
	uint64_t ino;
	uint32_t dev;
	uint32_t flags;      /* O_* of the open file; FORMAT_NO_FLAGS */
	uint32_t path_flags; /* beside those of the path */
	enum scope scope;
	int64_t offset;
	uint32_t ofd;    /* 0: no open file */
	bool remembered; /* the path is that of a descriptor or mapping when it was made */
	const struct path
		*pair[2]; /* the two that the path is made of; NULL: it is one, or not known */
	bool two;         /* the path is made of two */
};

extern const struct fs_subject fs_no_subject;
/* A followed descriptor; the file of a record with IOT_ST_FILE. Paths are borrowed. */
struct fs_subject fs_subject_of_desc(const struct desc *desc);
struct fs_subject fs_subject_of_record(struct events *ev, const struct iot_fs *rec);

/* The row, if it is wanted and in scope. more: the record that rec is part of, or NULL. */
void fs_emit(struct events *ev, const struct iot_fs *rec, const struct iot_more *more,
	     const struct fs_subject *s);

/* The rows of a read or write: a direct one is a row of its own beside it, so that sums over either kind are right. */
void fs_emit_data(struct events *ev, struct iot_fs *rec, const struct fs_subject *s);

/* ---- fs_names.c ---- */

/* The path of what a string given to a call leads to; how: as in links.h. The text is taken; a new reference. */
struct path *fs_names_given(struct events *ev, const struct iot_fs *rec, uint64_t name,
			    uint64_t dir, int dirfd, unsigned how);
/* The same of an OPEN. */
struct path *fs_names_opened(struct events *ev, const struct iot_fs *rec);
/* An OPEN may have made the file, which is no link. */
void fs_names_made(struct events *ev, const struct iot_fs *rec, const struct path *path);
/* A call that names one path, or two. */
void fs_names_call(struct events *ev, struct iot_more *more);
/* CHDIR, to the path or (NULL) to the descriptor of the record. */
void fs_names_change_directory(struct events *ev, const struct iot_fs *rec,
			       const struct path *path);

/* ---- fs_files.c ---- */

/* A call on one open file, or two. */
void fs_files_call(struct events *ev, struct iot_more *more);
/* The followed file of the record's descriptor. */
struct fs_subject fs_files_followed(struct events *ev, struct iot_more *more);

/* ---- fs_memory.c ---- */

void fs_memory_map(struct events *ev, struct iot_more *more);
/* A call on a range of memory: the first mapping of a file in it, if there is one. */
void fs_memory_call(struct events *ev, struct iot_more *more);

#endif
