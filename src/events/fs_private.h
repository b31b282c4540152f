/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of stream fs share, and nobody else sees. */
#pragma once

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

/*
 * The rows of a read or write: a direct one is a row of its own beside it, so that sums over either
 * kind are right.
 */
void fs_emit_data(struct events *ev, struct iot_fs *rec, const struct fs_subject *s);
