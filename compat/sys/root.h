/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files below a root directory: the running system ("") or a saved copy of
 * another. Symbolic links are followed as if the root were "/", so that a saved
 * host never shows a file of the machine it is looked at on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * The real path of root/path into out (PATH_MAX). Returns 0 or -errno (-ENOENT, -ELOOP, …).
 * All of it must be there.
 */
int root_resolve(const char *root, const char *path, char *out);
/* A regular file for reading. Returns its descriptor or -errno; -EINVAL: it is of another kind. */
int root_open(const char *root, const char *path);

/* Printf-like tests: does the path exist, is it a directory, can it be read now? */
bool root_exists(const char *root, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool root_is_dir(const char *root, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The whole file, NUL-terminated, to be freed; gzip is unpacked. NULL with errno set. */
char *root_read(const char *root, const char *path, size_t *size);

/* The first line without its end; empty when there is none. Returns 0 or -errno. */
int root_read_line(const char *root, const char *path, char *out, size_t size);

/*
 * Calls fn for each complete line (a cut-off last one is nobody's fact). Lines
 * longer than 1 kB are skipped. Returns the number of lines or -errno.
 */
typedef void root_line_fn(void *arg, char *line);
long root_each_line(const char *root, const char *path, root_line_fn *fn, void *arg);
