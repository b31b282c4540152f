/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of /proc/PID/mountinfo as a table of mounts, whoever's it is and
 * whatever is asked for.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "resolve/fs_types.h"

struct mount_point {
	const char *path;        /* as seen from our root */
	const char *root;        /* which directory of its file system is there */
	char type[FS_TYPE_SIZE]; /* as the kernel registers it: "fuse" of fuse.sshfs */
	uint32_t id;
	uint32_t dev;        /* kernel form: major << 20 | minor */
	const char *options; /* of the file system; names in them are escaped */
	bool pseudo;
	bool waits; /* whoever looks there may wait for another machine, or for a program */
};

/* Sorted by path; of the same path in the kernel's order. Paths and options point into the text. */
struct mountinfo {
	char *text;
	struct mount_point *points;
	size_t n;
	size_t n_waits;
};

/* Takes the text over. Returns 0 or -ENOMEM. */
int mountinfo_make(struct mountinfo *t, char *text);
/* The same of an open file, from its beginning: 0 or -errno. */
int mountinfo_read(struct mountinfo *t, int fd);
void mountinfo_free(struct mountinfo *t);

/* The mount that an absolute path lies on, by names; NULL: none. */
const struct mount_point *mountinfo_of_path(const struct mountinfo *t, const char *path);
/* The (last) mount of a device */
const struct mount_point *mountinfo_of_dev(const struct mountinfo *t, uint32_t dev);
const struct mount_point *mountinfo_of_id(const struct mountinfo *t, uint32_t id);

/* Whether the path lies on, or is reached through, a mount that waits. */
bool mountinfo_waits(const struct mountinfo *t, const char *path);

/*
 * In place: blanks, tabs, line ends and backslashes of a path are written as \ooo, here and in
 * "mounts".
 */
void mountinfo_undo_escapes(char *path);

/* Whether file systems of this type hold no files: see pseudo_fs.def. */
bool mountinfo_is_pseudo(const char *type);
