/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The conformance program: cases that perform operations and tell, for each,
 * the row of stream fs that must come of it. What is told depends on the tier
 * only where the tier is known to differ, and then the case says why.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define NO_OFFSET (-1)
#define ANY_OFFSET (-2)
/* what a tier may not know, but must not say wrong: empty, or this */
#define MAYBE_OFFSET(offset) (-3 - (int64_t)(offset))
#define SIZE_ANY UINT64_MAX

/* tiers a row exists in */
enum { TIER_A = 1, TIER_B = 2, TIER_C = 4, TIERS = 7 };

/* An open file as the rows name it, or the name alone. */
struct file {
	int fd;
	char path[20000];   /* what the rows must say; empty: no name; a star: anything */
	char flags[128];    /* of the open file */
	const char *status; /* path_status without m; NULL: any */
	uint64_t ino;       /* 0: any */
};

/* A row that has more to say than most; texts may be NULL: empty, or a star: anything. */
struct row {
	const char *op;
	const struct file *file; /* name, status and descriptor */
	uint64_t size;
	int64_t offset;
	const char *flags;
	const char *prot, *map_flags, *address;
	long rc;
	bool any_fd;
};

struct conform_case {
	const char *name;
	void (*run)(void);
};
/* One list per file, ended by an empty entry. */
extern const struct conform_case rw_cases[], open_cases[], close_cases[], name_cases[],
	async_cases[];
extern const struct conform_case way_cases[], path_cases[], attribute_cases[], fd_cases[],
	map_cases[], mount_cases[], thread_cases[], lock_cases[], metadata_cases[];

extern int tier;              /* one of the TIER_ */
extern const char *work;      /* absolute, without symbolic links */
extern const char *program;   /* this program */
extern const char *case_name; /* of the case that runs */
extern FILE *out;             /* what is told; in memory: a write to stdout could be a row itself */

/* DIR/case/name, in storage that the eighth call after this one takes again */
const char *at(const char *name);

/* ---- rows: rc is -1 (errno tells) or the result ---- */

void expect_row(const struct row *row);
/* A row of an operation on an open file, with the file's flags. */
void expect(const char *op, const struct file *file, uint64_t size, int64_t offset, long rc);
/* The same in some tiers only. */
void expect_in(int tiers, const char *op, const struct file *file, uint64_t size, int64_t offset,
	       long rc);
/* CLOSE that no call of the process asked for: dup2, exec, exit. */
void expect_silent_close(const struct file *file);
/* An operation on a number that is no descriptor: reads and writes of tier a get to no file. */
void expect_bad_fd(const char *op, int fd, uint64_t size);
/* The row of an open that was made, whatever call did it. */
void expect_open(struct file *file, const char *real, int flags, long rc);
/* The same, of a file whose name cannot be foretold; status is all that is asked of it. */
void expect_nameless(struct file *file, const char *status, int flags, long rc);
void expect_open_failed(const char *shown, const char *status, int flags);
/* An operation on a path; names of directories get their last slash here. */
void expect_path(const char *op, const char *shown, const char *flags, long rc);
void expect_named(const char *op, const char *shown, const char *status, const char *flags,
		  long rc);
void expect_two(const char *op, const char *from, const char *to, const char *flags, long rc);
/* from -> to */
void name_two(struct file *file, const char *from, const char *to);
/* An operation on a descriptor, with flags of its own. */
void expect_fd(const char *op, const struct file *file, uint64_t size, int64_t offset,
	       const char *flags, long rc);
/* The same on an open directory, whose name gets its last slash. */
void expect_directory(const char *op, const struct file *file, int64_t offset, const char *flags,
		      long rc);
/* Rows that follow are of this process (0: of this one). */
void expect_as(pid_t pid, pid_t tid);
/* S_* names, in storage that the next call takes again */
const char *mode_names(mode_t mode);

/* ---- operations with their rows ---- */

/* Like openat; expects the row under the real path that is told (NULL: the one given). */
int open_at(struct file *file, int dirfd, const char *given, const char *real, int flags);
int open_file(struct file *file, const char *name, int flags);
void close_file(struct file *file);
/* A file of that many bytes, made and closed. */
void make_file(const char *name, size_t size);
void make_dir(const char *given, const char *real);
void enter(const char *given, const char *real);
void make_symlink(const char *target, const char *path);
void move(const char *from, const char *to);
void remove_file(const char *path);
/* ftruncate */
void set_size(const struct file *file, uint64_t size);

/* ---- the rest ---- */

/* Runs the function in a child; returns its pid after it ended. Its rows are told by the parent. */
pid_t in_child(void (*fn)(void *arg), void *arg);
/* Waits and fails unless the child ended well. */
void await(pid_t pid);

/* Lets a tracer that looks at /proc catch up before names change. */
void settle(void);
/* The same, for names that it looks at in tier b, too. */
void settle_names(void);
void stay_to_be_seen(void);
/* The name that rows of an open file show once it changed: tier c keeps the one of the open. */
void now_called(struct file *file, const char *name, const char *status);
/* Reason for not running the rest of the case. */
void skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Ends the program when a preparation does not work. */
void must(bool ok, const char *what);

/* What `conform --uring` does in the working directory; 77 where the kernel cannot. */
int uring_names(void);

/* bytes to write and to read into */
extern char buf[1 << 20];
