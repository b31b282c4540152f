/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files below a directory that stays the same one, whatever becomes of its name: each step of a
 * path is opened from the one above it and never through a symbolic link. Prints nothing.
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * Why nothing should be written into a directory; NULL: it is ours, and others cannot write there.
 */
const char *below_not_ours(int dir_fd);

/*
 * The same of a file or directory by its name, and of the directory it is in. NULL as well
 * where nothing has that name. Links are followed: what they lead to is judged.
 */
const char *below_name_not_ours(const char *path);

/*
 * Lets the group read what is below the directory: from then on what is made there has its rights
 * from the one above it, 02750 and 0640, and else 0700 and 0600. Returns 0 or -errno.
 */
int below_share(int dir_fd, gid_t group);

/*
 * Opens the folder, creating it when it is missing; one that below_not_ours rejects is an error.
 * Returns its descriptor or -errno: -ENOTDIR (something else, or a link), -EPERM (not ours).
 */
int below_folder(int dir_fd, const char *name);

/*
 * What is there already; returns a descriptor or -errno. flags: of open(2), without O_CREAT;
 * O_NOFOLLOW and O_CLOEXEC are added.
 */
int below_open(int dir_fd, const char *path, int flags);

/*
 * A new file, O_EXCL: what is left there of one who was killed goes first. flags: O_WRONLY or
 * O_RDWR. Returns a descriptor or -errno.
 */
int below_create(int dir_fd, const char *path, int flags);

/*
 * Returns 0 or -errno. Replaces what has the new name, at once; makes neither name durable
 * (file_sync_dir).
 */
int below_rename(int dir_fd, const char *from, const char *to);
int below_unlink(int dir_fd, const char *path);
/* Of the name itself, a link's as well. Returns 0 or -errno. */
int below_stat(int dir_fd, const char *path, struct stat *st);
