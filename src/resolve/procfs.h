/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What /proc tells of processes and their descriptors, and the file system of
 * paths. Called once per process, descriptor or opened file, never per event.
 */
#ifndef IOT_PROCFS_H
#define IOT_PROCFS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum scope {
	SCOPE_UNKNOWN,
	SCOPE_IN,  /* regular file, directory or block device on a file system asked for */
	SCOPE_OUT, /* socket, pipe, device, pseudo or other file system */
};

struct procfs_file {
	char path[4200]; /* as the link says; empty when none */
	bool deleted;
	enum scope scope;
	uint64_t ino;
	uint32_t dev;   /* kernel form: major << 20 | minor */
	uint32_t flags; /* O_*, from fdinfo */
	int64_t pos;    /* from fdinfo; -1 when not known */
	bool cloexec;
	bool layered; /* overlayfs: the device of a directory need not be that of its files */
};

/* All read below this folder; "/proc" unless a test says otherwise. Static storage is borrowed. */
void procfs_set_root(const char *proc);
/* Pseudo file systems count as SCOPE_IN, too. */
void procfs_all_fs(bool all);

/* What the path alone tells: of a failed open, or of a file that is gone. */
enum scope procfs_scope_of(const char *path);

/* Parent, or 0 when the process is gone. */
uint32_t procfs_ppid(uint32_t tgid);

/* Path and identity of the directory behind "cwd" or "root". */
bool procfs_directory(uint32_t tgid, const char *which, struct procfs_file *file);

/* Inode number of the mount namespace, 0 when not readable. */
uint32_t procfs_mntns(uint32_t tgid);

/* The open file behind a descriptor. False when there is none. */
bool procfs_fd(uint32_t tgid, int fd, bool with_info, struct procfs_file *file);

/* Whether the process has this descriptor now, whatever it is of. */
bool procfs_has_fd(uint32_t tgid, int fd);

/* Calls fn for each open descriptor. False when the process is gone. */
bool procfs_each_fd(uint32_t tgid, void (*fn)(void *arg, int fd), void *arg);

/* A mapping of a file, or of a part of it; the text is the callback's for the call. */
struct procfs_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset; /* in the file, of start */
	uint64_t ino;
	uint32_t dev;     /* kernel form */
	enum scope scope; /* SCOPE_UNKNOWN: map_files cannot be read, and the path does not tell */
	bool deleted;
	const char *path; /* as many bytes as it has; no path for what does not start with "/" */
};

/*
 * Calls fn for each mapping of a file, by rising address. Memory that only looks like a
 * file (shared anonymous, System V) is none. False when the process is gone.
 */
bool procfs_each_mapping(uint32_t tgid, void (*fn)(void *arg, const struct procfs_mapping *mapping),
			 void *arg);

/* The file at an absolute path as process tgid sees it (foreign: it has another root or namespace). */
bool procfs_path(uint32_t tgid, bool foreign, const char *path, struct procfs_file *file);

/* The same below the root of the process, but with its path as seen from here. */
bool procfs_in_root(uint32_t tgid, const char *path, struct procfs_file *file);

#endif
