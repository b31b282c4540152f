/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What /proc says of processes and their descriptors, and which file a path leads
 * to. Called once per process, descriptor or opened file, never per event.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "resolve/mounts.h"
#include "row/path.h"

/* Where /proc is, and the mounts by which a file is judged. */
struct procfs {
	const char *root; /* "/proc"; borrowed */
	const struct mounts *mounts;
	const char *files; /* where paths of this machine are looked for, "" for /; NULL: nowhere */
};

struct procfs_file {
	char path
		[4200]; /* as the link says; empty when none; without its first slash on a mount that is nowhere */
	bool deleted;
	enum scope scope;
	uint64_t ino;
	uint32_t dev;   /* kernel form: major << 20 | minor */
	uint32_t flags; /* O_*, from fdinfo */
	int64_t pos;    /* from fdinfo; -1 when not known */
	bool cloexec;
	bool layered; /* overlayfs: the device of a directory need not be that of its files */
};

/* Parent, or 0 when the process is gone. */
uint32_t procfs_ppid(const struct procfs *proc, uint32_t tgid);

/* The text of /proc/PID/cgroup; false when the process is gone. */
bool procfs_cgroup(const struct procfs *proc, uint32_t tgid, char *text, size_t size);

/* Path and identity of the directory behind "cwd" or "root". */
bool procfs_directory(const struct procfs *proc, uint32_t tgid, const char *which,
		      struct procfs_file *file);

/* Inode number of the mount namespace, 0 when not readable. */
uint32_t procfs_mntns(const struct procfs *proc, uint32_t tgid);

/*
 * Calls fn for each thread until one returns true, and returns its number; 0: none, or the process
 * is gone.
 */
uint32_t procfs_find_thread(const struct procfs *proc, uint32_t tgid,
			    bool (*fn)(void *arg, uint32_t tid), void *arg);

/* The number of a thread that is alive: the first one may have ended before the others. */
uint32_t procfs_living(const struct procfs *proc, uint32_t tgid);

/* The open file behind a descriptor. False when there is none. */
bool procfs_fd(const struct procfs *proc, uint32_t tgid, int fd, bool with_info,
	       struct procfs_file *file);

/* Whether the process has this descriptor now, whatever it is of. */
bool procfs_has_fd(const struct procfs *proc, uint32_t tgid, int fd);

/* Calls fn for each open descriptor. False when the process is gone. */
bool procfs_each_fd(const struct procfs *proc, uint32_t tgid, void (*fn)(void *arg, int fd),
		    void *arg);

/*
 * The file that a link below /proc (or any path) leads to. Identity and name are surely of one
 * file: between two looks at /proc/PID/fd/3 its owner may have closed it and opened another one
 * there. O_PATH opens nothing of the file: no device, no lease, no access time. tgid: whose mounts
 * it is on.
 */
bool procfs_link(const struct procfs *proc, const char *link, uint32_t tgid,
		 struct procfs_file *file);

/* Its name, with the status of that name; NULL when it has none. flags: PATH_PROC or 0. */
struct path *procfs_name(const struct procfs_file *file, uint32_t flags);

/*
 * The file at an absolute path as process tgid sees it (foreign: it has another root or namespace).
 */
bool procfs_path(const struct procfs *proc, uint32_t tgid, bool foreign, const char *path,
		 struct procfs_file *file);

/* The same below the root of the process, but with its path as seen from here. */
bool procfs_in_root(const struct procfs *proc, uint32_t tgid, const char *path,
		    struct procfs_file *file);
