/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "row/fs_ops.h"

#include <stddef.h>

const struct fs_op fs_ops[IOT_N_OPS] = {
	[IOT_READ] = { "READ", &flags_open, FS_DATA | FS_OPEN_FLAGS },
	[IOT_WRITE] = { "WRITE", &flags_open, FS_DATA | FS_OPEN_FLAGS },
	[IOT_OPEN] = { "OPEN", &flags_open, FS_OPEN_FLAGS },
	[IOT_CLOSE] = { "CLOSE", &flags_open, FS_OPEN_FLAGS },
	[IOT_FSYNC] = { "FSYNC", &flags_open, FS_OPEN_FLAGS },
	[IOT_FDATASYNC] = { "FDATASYNC", &flags_open, FS_OPEN_FLAGS },
	[IOT_MMAP] = { "MMAP", NULL, FS_MEMORY },
	[IOT_MUNMAP] = { "MUNMAP", NULL, FS_MEMORY },
	[IOT_MREMAP] = { "MREMAP", &flags_mremap, FS_MEMORY },
	[IOT_MSYNC] = { "MSYNC", &flags_msync, FS_MEMORY },
	[IOT_MADVISE] = { "MADVISE", &flags_madvise, FS_MEMORY },
	[IOT_GETATTR] = { "GETATTR", &flags_statx, 0 },
	[IOT_SETATTR] = { "SETATTR", &flags_attr, 0 },
	[IOT_CHDIR] = { "CHDIR", NULL, FS_DIRECTORY },
	[IOT_UNLINK] = { "UNLINK", NULL, 0 },
	[IOT_TRUNCATE] = { "TRUNCATE", NULL, 0 },
	[IOT_RENAME] = { "RENAME", &flags_rename, FS_TWO },
	[IOT_MKDIR] = { "MKDIR", &flags_mode, FS_DIRECTORY },
	[IOT_RMDIR] = { "RMDIR", NULL, FS_DIRECTORY },
	[IOT_LINK] = { "LINK", NULL, FS_TWO },
	[IOT_SYMLINK] = { "SYMLINK", NULL, FS_TWO },
	[IOT_READDIR] = { "READDIR", &flags_open, FS_DIRECTORY | FS_OPEN_FLAGS },
	[IOT_SYNC] = { "SYNC", NULL, 0 },
	[IOT_FALLOCATE] = { "FALLOCATE", &flags_fallocate, 0 },
	[IOT_SENDFILE] = { "SENDFILE", NULL, FS_TWO_FILES },
	[IOT_SPLICE] = { "SPLICE", &flags_splice, FS_TWO_FILES },
	[IOT_VMSPLICE] = { "VMSPLICE", &flags_splice, FS_NO_FILE },
	[IOT_COPY_FILE_RANGE] = { "COPY_FILE_RANGE", NULL, FS_TWO_FILES | FS_TWO | FS_EXTRA },
	[IOT_TEE] = { "TEE", &flags_splice, FS_NO_FILE | FS_EXTRA },
	[IOT_SYNC_FILE_RANGE] = { "SYNC_FILE_RANGE", &flags_sync_range, FS_EXTRA },
	[IOT_FADVISE] = { "FADVISE", &flags_fadvise, FS_EXTRA },
	[IOT_READAHEAD] = { "READAHEAD", NULL, FS_EXTRA },
	[IOT_DIO_READ] = { "DIO_READ", &flags_open, FS_DATA | FS_OPEN_FLAGS },
	[IOT_DIO_WRITE] = { "DIO_WRITE", &flags_open, FS_DATA | FS_OPEN_FLAGS },
};
