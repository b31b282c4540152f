/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The conformance program: cases that perform operations and tell, for each,
 * the row of stream fs that must come of it. What is told depends on the tier
 * only where the tier is known to differ, and then the case says why.
 */
#ifndef CONFORM_H
#define CONFORM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NO_OFFSET (-1)
#define ANY_OFFSET (-2)
#define SIZE_ANY UINT64_MAX

/* tiers a row exists in */
enum { TIER_A = 1, TIER_B = 2, TIER_C = 4, TIERS = 7 };

/* An open file as the rows name it. */
struct file {
	int fd;
	char path[20000];    /* what the rows must say; empty: no name; a star: anything */
	char flags[128];     /* of the open file */
	const char *status;  /* path_status without m; NULL: any */
};

struct conform_case {
	const char *name;
	void (*run)(void);
};
/* One list per file, ended by an empty entry. */
extern const struct conform_case rw_cases[], open_cases[], close_cases[], name_cases[], async_cases[];

extern int tier;                /* one of the TIER_ */
extern const char *work;        /* absolute, without symbolic links */
extern const char *program;     /* this program */

/* DIR/case/name, in storage that the eighth call after this one takes again */
const char *at(const char *name);

/* Like openat; expects the row under the real path that is told (NULL: the one given). */
int open_at(struct file *file, int dirfd, const char *given, const char *real, int flags);
int open_file(struct file *file, const char *name, int flags);
/* The row of an open that was made, whatever call did it. */
void expect_open(struct file *file, const char *real, int flags, long rc);
/* The same, of a file whose name cannot be foretold; status is all that is asked of it. */
void expect_nameless(struct file *file, const char *status, int flags, long rc);
void expect_open_failed(const char *shown, const char *status, int flags);

/* A row of an operation on a file, rc being -1 (errno tells) or the result. */
void expect(const char *op, const struct file *file, uint64_t size, int64_t offset, long rc);
/* The same in some tiers only. */
void expect_in(int tiers, const char *op, const struct file *file, uint64_t size, int64_t offset,
	       long rc);
/* CLOSE that no call of the process asked for: dup2, exec, exit. */
void expect_silent_close(const struct file *file);
/* An operation on a number that is no descriptor: reads and writes of tier a never get to a file. */
void expect_bad_fd(const char *op, int fd, uint64_t size);

/* close(2) with its row */
void close_file(struct file *file);

/* Rows that follow are of this process (0: of this one). */
void expect_as(pid_t pid, pid_t tid);

/* Runs the function in a child; returns its pid after it ended. Its rows are told by the parent. */
pid_t in_child(void (*fn)(void *arg), void *arg);
/* Waits and fails unless the child ended well. */
void await(pid_t pid);

/* Lets a tracer that looks at /proc catch up before names change. */
void settle(void);
/* Reason for not running the rest of the case. */
void skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Ends the program when a preparation does not work. */
void must(bool ok, const char *what);

/* bytes to write and to read into */
extern char buf[1 << 20];

#endif
