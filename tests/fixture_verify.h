/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `iotracer verify` is asked about: a directory that the real writer made,
 * the damage that a test does to it, and what is said of it then.
 */
#ifndef IO_TESTS_FIXTURE_VERIFY_H
#define IO_TESTS_FIXTURE_VERIFY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema.h"
#include "write.h"

/* The times of row 0, by both clocks */
#define T0 1790000000123456789ull
#define MONO0 5000000000000ull

extern char scratch[256]; /* what a test may write to */
extern char dir[300];     /* in there: the directory, which nobody made yet */
extern char *said;        /* all messages of the last run */

/* Checked fixture */
void fixture_verify_setup(void);
void fixture_verify_teardown(void);

size_t make_row(char *row, enum stream_id stream, uint64_t real_ns, uint64_t mono_ns, unsigned i);
void put_rows(struct writer *w, enum stream_id stream, unsigned first, unsigned n);
/* What record tells of the session besides. */
void add_members(struct writer *w, int64_t lost);
struct writer *begin_session(enum write_compress compress);
/* fs: 25 rows in 3 segments, exec: 10 in 1, lost: 4 rows that tell of 8 events; ds: none */
void make_session(enum write_compress compress);
/* Killed as by SIGKILL, with two rows of fs in a file that is still open. */
void make_killed_session(void);
/* The path below the directory of the stream's file with this number (1 the first), by its ending. */
const char *file_of(const char *stream, unsigned number, const char *ending);

/* What is printed in between is kept in said. */
void said_begin(void);
void said_end(void);
int run_verify(bool repair);
/* message NULL: any */
void expect_verify(bool repair, int result, const char *message);
/* Of verify alone: one line that begins with the program's name */
void expect_one(int result, const char *message);

/* Files are named as below the directory. */
json_t *manifest(void);
void write_json(const char *name, json_t *json); /* takes it over */
void flip(const char *name, long at);            /* one bit; at < 0: from the end */
void shorten(const char *name, long by);
void rename_in(const char *from, const char *to);
void remove_in(const char *name);

#endif
