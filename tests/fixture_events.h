/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader of records with a made-up /proc below it: records go in by hand, and
 * rows are looked at by the names of their columns.
 */
#ifndef IO_TESTS_FIXTURE_EVENTS_H
#define IO_TESTS_FIXTURE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events.h"
#include "fixture_csv.h"

#define ARRAY_SIZE(array) (int)(sizeof(array) / sizeof((array)[0]))
#define DEV(major, minor) ((uint32_t)(major) << 20 | (minor))

/* P is there with the directory /usr; nobody has CHILD and GONE yet. */
enum { P = 5000001, CHILD = 5000002, GONE = 5000099, MAX_SEEN = 256 };
/* The file that the kernel found, unless a test says otherwise: 12 on 8:2 */
enum { INO = 12, DISK = DEV(8, 2) };

extern struct events *ev;
extern struct plan fed_plan; /* of one choice: who sends CLOSE */
extern struct seen_row {
	enum stream_id stream;
	uint64_t key;
	struct csv_row csv;
} seen[MAX_SEEN];
extern unsigned n_seen;
extern uint64_t page; /* its size */

struct feed_options {
	bool kernel;      /* CLOSE comes from the kernel, so descriptors are not followed */
	bool all_fs;
	bool extra_ops;
	const char *only; /* stream; NULL: all */
	const struct host *drops; /* dropped packets are traced, on this host */
};

/* In place of the reader before it, if there is one; /proc stays. */
void feed_anew(const struct feed_options *options);

/* Checked fixtures: a reader that follows descriptors, and one that does not. */
void feed_setup(void);
void feed_setup_kernel(void);
void feed_teardown(void);

void feed(const void *rec, size_t len);
void feed_fs(const struct io_fs *rec);
void feed_more(const struct io_more *rec);
void feed_cache(const struct io_cache *rec);
void feed_fault(const struct io_fault *rec);
void feed_task(uint16_t event, uint32_t tgid, int64_t ret, uint64_t flags);
void feed_text(uint64_t id, uint16_t kind, const char *bytes, size_t len);
/* A path string of a caller, under a number that it alone has. */
uint64_t feed_string(const char *string);
/* openat of a path string */
void feed_open(uint32_t tgid, const char *path, int fd, uint32_t flags);
/* The same of a file of the fixture, which /proc knows as well. */
void feed_open_file(uint32_t tgid, const char *name, int fd, uint32_t flags);
void feed_call(uint32_t tgid, uint16_t op, int fd, int64_t ret, uint64_t size);
/* What the kernel found, called /a/bb/c; status: beside IO_ST_FILE. */
void feed_kernel_file(struct io_more *rec, uint16_t status);
/* The same, called so at the root: name is the id that it is sent under. */
void kernel_file(struct io_fs *rec, uint64_t id, const char *name);
/* A read of it */
void feed_read(const char *name);
/* All rows leave. */
void feed_end(void);

/* Records that gave no row so far: of what is not traced, and those that cannot be. */
uint64_t out_of_scope(void);
uint64_t bad(void);

/* One field of a row; both have to be there. */
const char *seen_field(unsigned row, const char *column);
void expect(unsigned row, const char *column, const char *value);
void expect_number(unsigned row, const char *column, uint64_t value);
void expect_operation(unsigned row, const char *operation, const char *path);

#endif
