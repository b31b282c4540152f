/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of rows in a session directory: what their names say (stream,
 * number, or place in a snapshot of several parts, and whether they are closed),
 * which there are, and how one is opened.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SEGMENT_NAME_MAX = 256 };

struct segment_name {
	uint64_t number;  /* "fs/fs_…_0012.csv.gz" is 12; 0: it is a part of a snapshot */
	unsigned part;    /* of a snapshot, from 1 on */
	unsigned n_parts; /* 0: not the last one */
	char when[20];    /* "20261120_235959_123" */
};

/* "fs/fs_….csv"; false for names that no segment has. */
bool segment_name_parse(const char *file, struct segment_name *name);

enum segment_kind {
	SEGMENT_OTHER,       /* not ours */
	SEGMENT_CLOSED,      /* under its final name */
	SEGMENT_PART,        /* .X.csv.part: being written */
	SEGMENT_PART_PACKED, /* .X.csv.gz.part: a copy of one under way */
	SEGMENT_WAITING,     /* rows that waited for their order: write/spool.h */
};

struct segment_file {
	char path[SEGMENT_NAME_MAX];  /* below the directory */
	char final[SEGMENT_NAME_MAX]; /* under which it belongs there */
	enum segment_kind kind;
	int stream;
	struct segment_name name;
};

/* A file of this name in the stream's directory. */
void segment_file_of(struct segment_file *file, int stream, const char *name);

/* All files in the stream's directory in the order of their rows; free it. NULL: none, *n is 0. */
struct segment_file *segment_files(int dir_fd, int stream, unsigned *n);

/*
 * Whether this build can unpack them: 0, or -ENOTSUP, which has been said of dir.
 */
int segments_check(const char *dir, const struct segment_file *files, unsigned n);
/* Names a file below the directory, and no hidden part of a path, which ".." is as well. */
bool segment_is_below(const char *file);
/*
 * A regular file below the directory, never through a link; or -errno, which segment_why explains.
 */
int segment_open(int dir_fd, const char *file);
/* err: -errno. In words for a message, valid until the next call. */
const char *segment_why(int err);
/* "fs/x.csv" is of fs; -1 for streams of a newer version and for other files. */
int segment_stream(const char *file);
