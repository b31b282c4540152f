/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a candidate asks for of the system calls in fs_calls.def and net_calls.def: whole groups. */
#pragma once

/* Calls that come to the same: GROUP(name, the capability whose rows they are, or NONE). */
#define CALL_GROUPS(GROUP)                                                                         \
	GROUP(READ, FS_READ)                                                                       \
	GROUP(WRITE, FS_WRITE)                                                                     \
	GROUP(READV, FS_READ_VECTORED)                                                             \
	GROUP(WRITEV, FS_WRITE_VECTORED)                                                           \
	GROUP(OPEN_HANDLE, FS_OPEN_HANDLE)                                                         \
	GROUP(OPEN, FS_OPEN)                                                                       \
	GROUP(CLOSE, FS_CLOSE)                                                                     \
	GROUP(FSYNC, FS_FSYNC)                                                                     \
	GROUP(FDATASYNC, FS_FDATASYNC)                                                             \
	GROUP(MMAP, FS_MMAP)                                                                       \
	GROUP(MUNMAP, FS_MUNMAP)                                                                   \
	GROUP(MREMAP, FS_MREMAP)                                                                   \
	GROUP(MSYNC, FS_MSYNC)                                                                     \
	GROUP(MADVISE, FS_MADVISE)                                                                 \
	GROUP(GETATTR, FS_GETATTR)                                                                 \
	GROUP(SETATTR, FS_SETATTR)                                                                 \
	GROUP(CHDIR, FS_CHDIR)                                                                     \
	GROUP(READDIR, FS_READDIR)                                                                 \
	GROUP(UNLINK, FS_UNLINK)                                                                   \
	GROUP(UNLINKAT, FS_UNLINK) /* or, with AT_REMOVEDIR, FS_RMDIR */                           \
	GROUP(RMDIR, FS_RMDIR)                                                                     \
	GROUP(TRUNCATE, FS_TRUNCATE)                                                               \
	GROUP(SYNC, FS_SYNC)                                                                       \
	GROUP(RENAME, FS_RENAME)                                                                   \
	GROUP(MKDIR, FS_MKDIR)                                                                     \
	GROUP(LINK, FS_LINK)                                                                       \
	GROUP(SYMLINK, FS_SYMLINK)                                                                 \
	GROUP(FALLOCATE, FS_FALLOCATE)                                                             \
	GROUP(SENDFILE, FS_SENDFILE)                                                               \
	GROUP(SPLICE, FS_SPLICE)                                                                   \
	GROUP(VMSPLICE, FS_VMSPLICE)                                                               \
	GROUP(COPY_FILE_RANGE, FS_COPY_FILE_RANGE)                                                 \
	GROUP(CLONE, FS_CLONE)                                                                     \
	GROUP(TEE, FS_TEE)                                                                         \
	GROUP(SYNC_FILE_RANGE, FS_SYNC_FILE_RANGE)                                                 \
	GROUP(FADVISE, FS_FADVISE)                                                                 \
	GROUP(READAHEAD, FS_READAHEAD)                                                             \
	GROUP(LOCK, FS_LOCK)                                                                       \
	GROUP(ACCESS, FS_ACCESS)                                                                   \
	GROUP(READLINK, FS_READLINK)                                                               \
	GROUP(STATFS, FS_STATFS)                                                                   \
	GROUP(MKNOD, FS_MKNOD)                                                                     \
	GROUP(GETXATTR, FS_GETXATTR)                                                               \
	GROUP(SETXATTR, FS_SETXATTR)                                                               \
	GROUP(LISTXATTR, FS_LISTXATTR)                                                             \
	GROUP(REMOVEXATTR, FS_REMOVEXATTR)                                                         \
	GROUP(WATCH, FS_WATCH)                                                                     \
	GROUP(MOUNT, FS_MOUNT)                                                                     \
	GROUP(UMOUNT, FS_UMOUNT)                                                                   \
	GROUP(CHROOT, FS_CHROOT)                                                                   \
	GROUP(FCNTL, NONE) /* FS_LOCK, or followed */                                              \
	GROUP(FOLLOW, NONE)                                                                        \
	GROUP(NEWFD, NONE)                                                                         \
	GROUP(THREADS, NONE)                                                                       \
	GROUP(MOUNTS, NONE)                                                                        \
	GROUP(SEND, NW_SEND)                                                                       \
	GROUP(RECEIVE, NW_RECEIVE)                                                                 \
	GROUP(SOCKET, NW_CONN_SOCKET_CREATE)                                                       \
	GROUP(BIND, NW_CONN_BIND)                                                                  \
	GROUP(LISTEN, NW_CONN_LISTEN)                                                              \
	GROUP(ACCEPT, NW_CONN_ACCEPT)                                                              \
	GROUP(CONNECT, NW_CONN_CONNECT)                                                            \
	GROUP(SHUTDOWN, NW_CONN_SHUTDOWN)                                                          \
	GROUP(EPOLL_CREATE, NW_EPOLL_EPOLL_CREATE)                                                 \
	GROUP(EPOLL_CTL, NW_EPOLL_EPOLL_CTL)                                                       \
	GROUP(EPOLL_WAIT, NW_EPOLL_EPOLL_WAIT)                                                     \
	GROUP(POLL, NW_EPOLL_POLL)                                                                 \
	GROUP(SELECT, NW_EPOLL_SELECT)                                                             \
	GROUP(SETSOCKOPT, NW_SOCKOPT_SET)                                                          \
	GROUP(GETSOCKOPT, NW_SOCKOPT_GET)

enum call_group {
#define CALL_GROUP_ENUM(name, capability) CALLS_##name,
	CALL_GROUPS(CALL_GROUP_ENUM) N_CALL_GROUPS
#undef CALL_GROUP_ENUM
};

/* In struct candidate: calls, follows */
#define CALLS(name) ((call_set)1 << CALLS_##name)
