/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What verify.c (the directory as a whole), verify_segments.c (streams),
 * verify_files.c (what lies there, and the data package), verify_newest.c,
 * verify_name.c and verify_repair.c share, and nobody else sees.
 */
#ifndef IOT_VERIFY_PRIVATE_H
#define IOT_VERIFY_PRIVATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "read/scan.h"
#include "read/verify.h"

#define VERIFY_NAME_MAX 256

struct verify {
	const char *dir;
	int dir_fd;
	json_t *manifest; /* NULL: there is none that can be read */
	bool ended;       /* the manifest says that recording has ended */
	bool counted; /* and its account goes up to the end: that of a killed run is some seconds old */
	bool recording;    /* a tracer holds the directory at this moment */
	json_t *listed;    /* every segment of the manifest by its file; an object */
	json_t *lost;      /* counts of stream lost by "stream reason" */
	uint64_t slack_us; /* how far a row's time may be from the manifest's */
	unsigned n_damages;
	unsigned n_unfinished;
	uint64_t n_segments;
	uint64_t n_rows;
	uint64_t n_bytes;
};

/* ---- verify.c ---- */

/* One line each: what is wrong, and what is merely not closed. */
void verify_damage(struct verify *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void verify_open_end(struct verify *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A line of the result, on stdout. */
void verify_say(const struct verify *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Members that may be anything: false when it is no integer from 0 on; NULL when it is no text. */
bool verify_number(const json_t *object, const char *name, uint64_t *value);
const char *verify_text(const json_t *object, const char *name);

/* Without a manifest it may still be one of ours: files of streams say so. */
bool verify_has_segments(const struct verify *v);

/* The manifest's entry for a stream, or NULL. Borrowed. */
json_t *verify_stream(const struct verify *v, const char *name);

/* ---- verify_name.c ---- */

struct verify_name {
	uint64_t number;  /* "fs/fs_…_0012.csv.gz" is 12; 0: it is a part */
	unsigned part;    /* of a snapshot, from 1 on */
	unsigned n_parts; /* 0: not the last one */
};
/* False for names that no segment has. */
bool verify_segment_name(const char *file, struct verify_name *name);

/* ---- verify_segments.c ---- */

void verify_streams(struct verify *v);
/* Names a file below the directory, and no hidden part of a path, which ".." is as well. */
bool verify_is_below(const char *file);
/* A regular file below the directory, never through a link; or -errno. */
const char *verify_why(int err);
int verify_open_file(const struct verify *v, const char *file);
bool verify_is_gz(const char *file);
/* "fs/x.csv" is of fs; -1 for streams of a newer version and for other files */
int verify_stream_of(const char *file);
/* Its rows can be read. */
void verify_count(struct verify *v, const struct scan *scan);
/* Reads a file of rows of the stream that its directory names. Returns 0 or -errno. */
int verify_scan(const struct verify *v, const char *file, struct scan_options *options,
		struct scan *scan);

/* ---- verify_files.c ---- */

/* Files in the directories of streams that the manifest does not list. */
void verify_unlisted(struct verify *v);
void verify_package(struct verify *v);
/* What the data package lists, as far as it can be read; nothing is said. */
void verify_each_in_package(const struct verify *v, void (*file)(void *arg, const char *path),
			    void *arg);

enum verify_kind {
	VERIFY_OTHER,   /* not ours */
	VERIFY_SEGMENT, /* closed */
	VERIFY_PART,    /* .X.csv.part */
	VERIFY_PART_GZ, /* .X.csv.gz.part: a copy of it under way */
};
struct verify_file {
	char path[VERIFY_NAME_MAX];  /* below the directory */
	char final[VERIFY_NAME_MAX]; /* under which it belongs there */
	enum verify_kind kind;
	int stream;
	struct verify_name name;
};
/* All files in the stream's directory by their number; free it. NULL without memory; none: *n 0. */
struct verify_file *verify_list(const struct verify *v, int stream, size_t *n);

/* ---- verify_newest.c ---- */

/* process_snap.csv and filesystem_snap.csv.gz */
void verify_newest(struct verify *v);

/* ---- verify_repair.c ---- */

/* Closes what is open and writes a manifest that says so. */
void verify_repair(struct verify *v);

#endif
