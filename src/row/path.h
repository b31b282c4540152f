/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A path as it goes into rows: the raw bytes, and quoted once for CSV. Shared
 * by counting references; made when a file is named, not per event.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "row/format.h"

/* Two names of IOT_TEXT_MAX and a component each, and the arrow: longer ones are cut */
#define PATH_TEXT_MAX 12288

enum path_flag {
	PATH_FULL = 1,     /* f: absolute, from the root of the mount tree */
	PATH_REST = 2,     /* r: only the last part is known */
	PATH_CUT = 4,      /* t */
	PATH_PROC = 8,     /* m: learned from /proc */
	PATH_DELETED = 16, /* d: unlinked */
	PATH_ESCAPED = 32, /* e */
	PATH_NONE = 64,    /* n */
	PATH_OTHER = 128,  /* o, in place of f: whole, but from a root that is not the host's */
};

/* Whether --path asks for it; 0: not looked at yet */
enum path_matched { PATH_MATCHES = 1, PATH_DIFFERS };

struct path {
	uint32_t refs;
	uint32_t flags;
	uint32_t raw_len;
	uint32_t csv_len;
	uint32_t matched; /* enum path_matched of filter.c */
	char *csv;        /* quoted form; the raw one when they are equal */
	char raw[];       /* NUL-terminated */
};

/* A new path with one reference; NULL without memory. */
struct path *path_new(const char *raw, size_t len, uint32_t flags);
/*
 * One more reference, or one less; both take NULL. References are the reader's thread's: no
 * locks.
 */
struct path *path_get(struct path *path);
void path_put(struct path *path);

/*
 * The components of a kernel walk ("c\0b\0a\0", deepest first) as "/a/b/c". A
 * component "/" is a directory that the kernel has no name of, or the root of a mount that is
 * nowhere: what is below it has no first slash. Returns NULL without memory or when they are
 * malformed.
 */
struct path *path_from_walk(const char *parts, size_t len, bool cut);

/*
 * text as seen from base (NULL: not known): "." and ".." are resolved by text, symbolic links
 * are not. An absolute text ignores base. cut: the text was longer than what there is of it.
 * NULL without memory; so path_pair and path_of_args.
 */
struct path *path_join(const struct path *base, const char *text, size_t len, bool cut);

/*
 * "first -> second", either of which may be NULL (not known). given: the first
 * is a text as it was given, of no weight for the flags.
 */
struct path *path_pair(const struct path *first, const struct path *second, bool given);

/*
 * The arguments of a program, each ended by NUL, as one line: joined by blanks,
 * one that is empty or holds a blank in single quotes. Of the first
 * PATH_ARGS_MAX bytes, as many as the kernel sends with an EXEC.
 */
#define PATH_ARGS_MAX 4096
struct path *path_of_args(const char *args, size_t len);

/* The letters of path_status in their order, for flags; a constant string. */
const char *path_letters(uint32_t flags);

/* Where the mark begins that the kernel appends to the name of an unlinked file, or NULL. */
char *path_deleted_mark(char *path);
