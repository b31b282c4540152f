/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "fs_ops.h"

#include <stddef.h>

const struct fs_op fs_ops[IO_N_OPS] = {
	[IO_READ] = { "READ", &flags_open, FS_DATA | FS_OPEN_FLAGS },
	[IO_WRITE] = { "WRITE", &flags_open, FS_DATA | FS_OPEN_FLAGS },
	[IO_OPEN] = { "OPEN", &flags_open, FS_OPEN_FLAGS },
	[IO_CLOSE] = { "CLOSE", &flags_open, FS_OPEN_FLAGS },
	[IO_FSYNC] = { "FSYNC", &flags_open, FS_OPEN_FLAGS },
	[IO_FDATASYNC] = { "FDATASYNC", &flags_open, FS_OPEN_FLAGS },
	[IO_MMAP] = { "MMAP", NULL, FS_MEMORY },
	[IO_MUNMAP] = { "MUNMAP", NULL, FS_MEMORY },
	[IO_MREMAP] = { "MREMAP", &flags_mremap, FS_MEMORY },
	[IO_MSYNC] = { "MSYNC", &flags_msync, FS_MEMORY },
	[IO_MADVISE] = { "MADVISE", &flags_madvise, FS_MEMORY },
	[IO_GETATTR] = { "GETATTR", &flags_statx, 0 },
	[IO_SETATTR] = { "SETATTR", &flags_attr, 0 },
	[IO_CHDIR] = { "CHDIR", NULL, FS_DIRECTORY },
	[IO_UNLINK] = { "UNLINK", NULL, 0 },
	[IO_TRUNCATE] = { "TRUNCATE", NULL, 0 },
	[IO_RENAME] = { "RENAME", &flags_rename, FS_TWO },
	[IO_MKDIR] = { "MKDIR", &flags_mode, FS_DIRECTORY },
	[IO_RMDIR] = { "RMDIR", NULL, FS_DIRECTORY },
	[IO_LINK] = { "LINK", NULL, FS_TWO },
	[IO_SYMLINK] = { "SYMLINK", NULL, FS_TWO },
	[IO_READDIR] = { "READDIR", &flags_open, FS_DIRECTORY | FS_OPEN_FLAGS },
	[IO_SYNC] = { "SYNC", NULL, 0 },
	[IO_FALLOCATE] = { "FALLOCATE", &flags_fallocate, 0 },
	[IO_SENDFILE] = { "SENDFILE", NULL, FS_TWO_FILES },
	[IO_SPLICE] = { "SPLICE", &flags_splice, FS_TWO_FILES },
	[IO_VMSPLICE] = { "VMSPLICE", &flags_splice, FS_NO_FILE },
	[IO_COPY_FILE_RANGE] = { "COPY_FILE_RANGE", NULL, FS_TWO_FILES | FS_TWO | FS_EXTRA },
	[IO_TEE] = { "TEE", &flags_splice, FS_NO_FILE | FS_EXTRA },
	[IO_SYNC_FILE_RANGE] = { "SYNC_FILE_RANGE", &flags_sync_range, FS_EXTRA },
	[IO_FADVISE] = { "FADVISE", &flags_fadvise, FS_EXTRA },
	[IO_READAHEAD] = { "READAHEAD", NULL, FS_EXTRA },
	[IO_DIO_READ] = { "DIO_READ", &flags_open, FS_DATA | FS_OPEN_FLAGS },
	[IO_DIO_WRITE] = { "DIO_WRITE", &flags_open, FS_DATA | FS_OPEN_FLAGS },
};
