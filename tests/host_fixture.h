/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Host directories for tests: made up below a temporary one, or the saved ones. */
#ifndef IO_TESTS_HOST_FIXTURE_H
#define IO_TESTS_HOST_FIXTURE_H

#include "kernel.h"

/* The saved hosts, NULL-terminated. */
extern const char *const saved_hosts[];

/* A new temporary directory (to be freed), and away with it. */
char *fixture_make(void);
void fixture_remove(char *dir);

/* Writes dir/path, making directories on the way. */
void fixture_write(const char *dir, const char *path, const char *text);
void fixture_write_bytes(const char *dir, const char *path, const void *data, size_t size);
void fixture_link(const char *dir, const char *path, const char *target);

/* "$srcdir/tests/hosts/NAME"; valid until the next call. */
const char *fixture_saved(const char *name);

/*
 * A header tree for a saved host in dir/headers: its identity, and of the text
 * what cut-host kept. Enough for facts and plans; nothing compiles with it.
 */
void fixture_headers(const char *dir, const char *name);

struct host *fixture_open(const char *root);
struct host *fixture_open_with(const char *root, const char *headers);

#endif
