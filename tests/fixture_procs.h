/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes followed by hand through a made-up /proc: what they do with their
 * descriptors, and what is known of those by then.
 */
#ifndef IO_TESTS_FIXTURE_PROCS_H
#define IO_TESTS_FIXTURE_PROCS_H

#include <stdbool.h>
#include <stdint.h>

#include "procs.h"

/* beyond what a kernel gives out, so that no real process is asked about */
enum { P = 5000001, CHILD = 5000002, OTHER = 5000003, GONE = 5000099, MAX_CLOSED = 64 };

extern struct procs *procs;
extern struct desc out; /* what close_fd closed */
/* Descriptors that exec, exit or another call closed */
extern struct closed {
	char path[4200];
	int fd;
} closed[MAX_CLOSED];
extern unsigned n_closed;

/* Checked fixtures: P is there, and descriptors are followed, or not. */
void fixture_procs_setup(void);
void fixture_procs_setup_unfollowed(void);
void fixture_procs_teardown(void);

const struct desc *open_path(uint32_t tgid, int fd, const char *name, uint32_t flags);
/* A process that is known already opens a file of the fixture, and /proc knows it. */
const struct desc *open_file(uint32_t tgid, int fd, const char *name, uint32_t flags);
void state(uint32_t tgid, uint16_t op, int fd, int64_t ret, uint32_t flags);
bool close_fd(uint32_t tgid, int fd);
struct desc *desc_of(uint32_t tgid, int fd);
int64_t move(uint32_t tgid, uint16_t op, int fd, int64_t ret);

/* name: a file of the fixture */
void expect_path(const struct desc *desc, const char *name);
void expect_closed(unsigned i, int fd, const char *name);

#endif
