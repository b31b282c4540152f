/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a process looks from: its mount namespace, its root and its working
 * directory, and so the files and paths that its strings mean.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "resolve/links.h"
#include "resolve/procfs.h"
#include "row/path.h"

/* Ours, to compare with. */
struct own_view {
	uint32_t mntns; /* 0: not known */
	uint64_t root_ino;
	uint32_t root_dev;
};
void own_view_read(struct own_view *own, const struct procfs *proc);

/*
 * Zero-filled except the numbers: nothing is known. Shared by processes and threads made with
 * CLONE_FS.
 */
struct proc_view {
	uint32_t refs;
	uint32_t tgid; /* whose /proc/NUMBER is read: a process's, or that of one of its threads */
	uint32_t mntns;
	bool foreign;    /* another mount namespace than ours */
	bool other_root; /* its root is another directory there, since pivot_root or chroot */
	uint32_t other_root_in; /* the mount namespace in which that was read; 0: never */
	uint64_t read_at;       /* mntns and root; CLOCK_MONOTONIC ns */
	struct path *root;      /* of a process that changed it, as seen from here; NULL: ours */
	struct path *cwd;
	uint64_t cwd_ino; /* 0: not known */
	uint32_t cwd_dev;
	uint32_t cwd_renames; /* how many renames there had been when its name was read */
	uint64_t cwd_read_at; /* CLOCK_MONOTONIC ns */
};

void proc_view_close(struct proc_view *view);
/* A copy that nobody shares, or an empty one (from is NULL). NULL without memory. */
struct proc_view *proc_view_new(const struct proc_view *from);
struct proc_view *proc_view_get(struct proc_view *view);
void proc_view_put(struct proc_view *view);

/*
 * Reads mntns and root; chroot is not followed, so this is done every 10 ms at most. False when it
 * was to be read, and there is nothing of that number.
 */
bool proc_view_refresh(struct proc_view *view, const struct procfs *proc,
		       const struct own_view *own);

/* Takes over the reference to the path. */
void proc_view_set_cwd(struct proc_view *view, struct path *path, uint64_t ino, uint32_t dev);
void proc_view_read_cwd(struct proc_view *view, const struct procfs *proc);
void proc_view_forget_cwd(struct proc_view *view);
/* It joined a namespace: if that was one of mounts, the working directory is its root now. */
void proc_view_joined(struct proc_view *view, const struct procfs *proc);

/* The working directory by its name of today; renames: how many there have been. */
const struct path *proc_view_cwd(struct proc_view *view, const struct procfs *proc,
				 uint32_t renames);

/* The file at an absolute path as rows have it, as the process would find it. */
bool proc_view_file(const struct proc_view *view, const struct procfs *proc, const char *path,
		    struct procfs_file *file);

/*
 * The descriptor that a path names in a directory of /proc, or -1: "/proc/self/fd/3", "/dev/stdin".
 */
int proc_view_fd_of(const struct proc_view *view, const char *path);
/* Whether a path is another one for each process, and another one for us. */
bool proc_view_is_own(const char *path);

/*
 * The path of a text with a ".." behind what links_path() cannot look at, from a directory or
 * absolute: the kernel is asked, and when it does not know any more, the text is no more than the
 * last part of a name. A new reference.
 */
struct path *proc_view_dots(const struct proc_view *view, const struct procfs *proc,
			    const struct path *base, const char *text, unsigned how);

/*
 * The path of what a text leads to, which the process gives: its root may be another. A new
 * reference.
 */
struct path *proc_view_path(const struct proc_view *view, const struct procfs *proc,
			    struct links *links, struct links_from *from, const char *text,
			    unsigned how);
