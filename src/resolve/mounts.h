/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mounts as our namespace sees them, and which of them are traced: the reader's
 * side of what iot_fs_wanted() decides in the BPF programs. The table is read
 * again when the kernel reports a change, which is asked at most every 10 ms.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "resolve/fs_types.h"
#include "resolve/mountinfo.h"

struct other_mounts;

enum { MOUNTS_HOSTS = 64 };

/* Zero-filled except the first three: closed, without a table. */
struct mounts {
	const char *proc; /* "/proc"; borrowed */
	bool all_fs;      /* pseudo file systems count where no rule names them */
	struct fs_types types;

	struct mountinfo table;
	struct other_mounts *others; /* of other namespaces */
	int watched;                 /* its file; only while there is a table */
	uint64_t checked_ns;
	uint32_t changes; /* how often it was read again */
	struct {
		bool valid;
		uint32_t dev;
		enum scope scope;
	} last; /* answer for a device: pages of one file come in a row */
	struct {
		uint32_t dev; /* 0: none */
		uint32_t host;
	} hosts[MOUNTS_HOSTS]; /* answers of mounts_host_dev */
};

/*
 * Reads the table. Returns 0 or -errno, reported; without a table only scopes of descriptors are
 * known.
 */
int mounts_open(struct mounts *mounts);
void mounts_close(struct mounts *mounts);

/* Reads it again if it changed; pointers that were returned are void then. */
void mounts_refresh(struct mounts *mounts);

/*
 * The mount that an absolute path of our namespace lies on, NULL when there is
 * no table. It goes by names: a path through a symbolic link, or below a mount
 * that another one covers, is taken for what it looks like.
 */
const struct mount_point *mounts_of_path(const struct mounts *mounts, const char *path);

/* The (last) mount of a device, NULL when our namespace has none. */
const struct mount_point *mounts_of_dev(const struct mounts *mounts, uint32_t dev);

/*
 * Scope of what an operation does at a path, whatever is there, and the device
 * (0: not known). SCOPE_UNKNOWN when the path is not absolute or there is no table.
 */
enum scope mounts_scope(const struct mounts *mounts, const char *path, uint32_t *dev);

/* By the path alone: of a failed open, or of a file that is gone. */
enum scope mounts_scope_of_name(const struct mounts *mounts, const char *path);

/* The same of a device; SCOPE_UNKNOWN when our namespace has no mount of it. */
enum scope mounts_scope_of_dev(struct mounts *mounts, uint32_t dev);

/*
 * The device of the pages and requests of files there: of an overlay whose layers are on one file
 * system, that of these, where the inode is the same. Of a file system on a disk, its own.
 */
uint32_t mounts_host_dev(struct mounts *mounts, uint32_t dev);

/* A file, as stat, statfs and the descriptor of a process describe it. */
struct mounts_file {
	uint32_t dev;
	uint32_t magic;
	uint32_t tgid;      /* whose mount namespace it is in */
	const char *fdinfo; /* names its mount; read only if the device is of no mount. Or NULL */
};

/*
 * Whether a file is on a mount of no namespace, neither ours nor the process's: one that fsmount or
 * open_tree made, or that was unmounted lazily. fdinfo names its mount.
 */
bool mounts_is_nowhere(const struct mounts *mounts, uint32_t tgid, const char *fdinfo);

/*
 * Whether whoever looks at the file may wait: for another machine, or for the program that serves its file
 * system. What is not known may; fdinfo is needed.
 */
bool mounts_may_wait(const struct mounts *mounts, const struct mounts_file *file);

/* The same of a path, on the way, too. tgid: whose path it is, 0: ours */
bool mounts_path_waits(const struct mounts *mounts, uint32_t tgid, const char *path);

/* Whether its file system is traced. */
bool mounts_wants(const struct mounts *mounts, const struct mounts_file *file);
