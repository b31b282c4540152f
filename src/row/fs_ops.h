/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The operations of stream fs, expanded from probes/schema/fs_ops.def: what a row of each says.
 */
#pragma once

#include "row/flags.h"
#include "row/flags_calls.h"
#include "row/records.h"

enum fs_trait {
	FS_DATA = 1,        /* moves bytes between memory and a file, from its position on */
	FS_DIRECTORY = 2,   /* the name is a directory's and ends in a slash */
	FS_TWO = 4,         /* "first -> second" */
	FS_OPEN_FLAGS = 8,  /* flags are those of the open file, not of the call */
	FS_MEMORY = 16,     /* on mappings of files */
	FS_NO_FILE = 32,    /* between pipes and memory, or on everything */
	FS_TWO_FILES = 64,  /* between two descriptors, of which one may be no file */
	FS_EXTRA = 128,     /* only with --extra-ops */
	FS_MORE = 256,      /* its record is struct iot_more; without it, struct iot_fs */
	FS_SYNTHETIC = 512, /* has no record: the reader makes its rows from another one's */
	FS_MAPS = 1024,     /* changes what is mapped: sent whenever a call on memory is */
	FS_FOLLOWED = 2048, /* sent whenever the tracer follows descriptors */
	/* what it does to its files, as effects.h counts a row: the result is how many bytes */
	FS_READS = 4096,
	FS_WRITES = 8192,         /* with FS_READS: either, as the flags say */
	FS_WRITES_SECOND = 16384, /* as much, if the second is a file */
	FS_SYNCS = 32768,
	FS_LAST_LINK =
		65536, /* of a link at the end of its name, what that leads to; of two, the second */
	FS_GIVEN = 1 << 17,     /* its first name is a text that leads nowhere, or anywhere */
	FS_MOUNTS = 1 << 18,    /* names below its own may be others from then on */
	FS_METADATA = 1 << 19,  /* gets or sets attributes of a file */
	FS_ATTRIBUTE = 1 << 20, /* its second text is the name of one: a word of the column flags */
};

struct fs_op {
	const char *name;
	const struct flag_set *flags; /* NULL: the column is empty */
	unsigned traits;
};

/* By enum iot_op. */
extern const struct fs_op fs_ops[IOT_N_OPS];

/* Operations that are asked for together: GROUP(word of --operation, what it stands for) */
#define FS_GROUPS(GROUP)                                                                           \
	GROUP("@data",                                                                             \
	      "READ, WRITE, DIO_READ, DIO_WRITE, SENDFILE, SPLICE, COPY_FILE_RANGE, CLONE")        \
	GROUP("@sync", "FSYNC, FDATASYNC, SYNC, MSYNC, SYNC_FILE_RANGE")                           \
	GROUP("@names", "UNLINK, RENAME, MKDIR, RMDIR, LINK, SYMLINK, MKNOD")                      \
	GROUP("@metadata", "GETATTR, SETATTR, ACCESS, READLINK, STATFS, GETXATTR, SETXATTR, "      \
			   "LISTXATTR, REMOVEXATTR")                                               \
	GROUP("@xattr", "GETXATTR, SETXATTR, LISTXATTR, REMOVEXATTR")                              \
	GROUP("@lock", "LOCK")                                                                     \
	GROUP("@memory", "MMAP, MUNMAP, MREMAP, MSYNC, MADVISE")                                   \
	GROUP("@mount", "MOUNT, UMOUNT, CHROOT")

struct fs_group {
	const char *word;
	const char *operations;
};
/* Ended by one without a word. */
extern const struct fs_group fs_groups[];
