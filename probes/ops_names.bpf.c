/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls on names and attributes: what each says at its entry.
 */
#ifdef IO_STREAM_fs

#ifdef IO_USE_SC_UNLINK
int io_sc_unlink(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_path_call(ctx, IO_UNLINK, IO_VIA_FS_UNLINK, AT_FDCWD, IO_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}
#endif

#if defined(IO_USE_SC_UNLINK) || defined(IO_USE_SC_RMDIR)
int io_sc_unlinkat(struct io_sys_enter *ctx)
{
	int dir = !!(IO_SYS_ARG(ctx, 2) & IO_AT_REMOVEDIR);
	struct io_args a = IO_ARGS;

	io_path_call(ctx, dir ? IO_RMDIR : IO_UNLINK, dir ? IO_VIA_FS_RMDIR : IO_VIA_FS_UNLINK, IO_SYS_ARG(ctx, 0),
		     IO_SYS_ARG(ctx, 1), 0, &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_RMDIR
int io_sc_rmdir(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_path_call(ctx, IO_RMDIR, IO_VIA_FS_RMDIR, AT_FDCWD, IO_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_MKDIR
int io_sc_mkdir(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = IO_SYS_ARG(ctx, 1) & 07777;
	io_path_call(ctx, IO_MKDIR, IO_VIA_FS_MKDIR, AT_FDCWD, IO_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}

int io_sc_mkdirat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = IO_SYS_ARG(ctx, 2) & 07777;
	io_path_call(ctx, IO_MKDIR, IO_VIA_FS_MKDIR, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1), 0, &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_SYMLINK
int io_sc_symlink(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.fd2 = AT_FDCWD;
	io_path_call(ctx, IO_SYMLINK, IO_VIA_FS_SYMLINK, AT_FDCWD, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1), &a);
	return 0;
}

int io_sc_symlinkat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.fd2 = IO_SYS_ARG(ctx, 1);
	io_path_call(ctx, IO_SYMLINK, IO_VIA_FS_SYMLINK, AT_FDCWD, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 2), &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_LINK
int io_sc_link(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.fd2 = AT_FDCWD;
	io_path_call(ctx, IO_LINK, IO_VIA_FS_LINK, AT_FDCWD, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1), &a);
	return 0;
}

int io_sc_linkat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.fd2 = IO_SYS_ARG(ctx, 2);
	a.status = IO_SYS_ARG(ctx, 4) & IO_AT_EMPTY_PATH ? IO_ST_SELF : 0;
	io_path_call(ctx, IO_LINK, IO_VIA_FS_LINK, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 3), &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_RENAME
int io_sc_rename(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.fd2 = AT_FDCWD;
	io_path_call(ctx, IO_RENAME, IO_VIA_FS_RENAME, AT_FDCWD, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1), &a);
	return 0;
}

int io_sc_renameat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.fd2 = IO_SYS_ARG(ctx, 2);
	io_path_call(ctx, IO_RENAME, IO_VIA_FS_RENAME, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 3), &a);
	return 0;
}

int io_sc_renameat2(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.fd2 = IO_SYS_ARG(ctx, 2);
	a.flags = IO_SYS_ARG(ctx, 4);
	io_path_call(ctx, IO_RENAME, IO_VIA_FS_RENAME, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 3), &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_TRUNCATE
int io_sc_truncate(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.size = IO_SYS_ARG(ctx, 1);
	io_path_call(ctx, IO_TRUNCATE, IO_VIA_FS_TRUNCATE, AT_FDCWD, IO_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}

int io_sc_ftruncate(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.size = IO_SYS_ARG(ctx, 1);
	io_fd_call(ctx, IO_TRUNCATE, IO_VIA_FS_TRUNCATE, IO_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_CHDIR
int io_sc_chdir(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_path_call(ctx, IO_CHDIR, IO_VIA_FS_CHDIR, AT_FDCWD, IO_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}

int io_sc_fchdir(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_fd_call(ctx, IO_CHDIR, IO_VIA_FS_CHDIR, IO_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

/* ---- attributes ---- */

#ifdef IO_USE_SC_GETATTR
/* stat, lstat: the path is the first argument */
int io_sc_stat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_path_call(ctx, IO_GETATTR, IO_VIA_FS_GETATTR, AT_FDCWD, IO_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}

int io_sc_fstat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_fd_call(ctx, IO_GETATTR, IO_VIA_FS_GETATTR, IO_SYS_ARG(ctx, 0), &a);
	return 0;
}

/* newfstatat(dirfd, path, stat, flags) */
int io_sc_fstatat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_at_call(ctx, IO_GETATTR, IO_VIA_FS_GETATTR, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 3), &a);
	return 0;
}

/* statx(dirfd, path, flags, mask, statx) */
int io_sc_statx(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = IO_SYS_ARG(ctx, 3);
	io_at_call(ctx, IO_GETATTR, IO_VIA_FS_GETATTR, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 2), &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_SETATTR
/* linux/fs.h, the same from 4.14 to 7.3 */
enum { IO_ATTR_MODE = 1, IO_ATTR_UID = 2, IO_ATTR_GID = 4, IO_ATTR_ATIME = 16, IO_ATTR_MTIME = 32 };

static __always_inline u32 io_attr_owner(u64 uid, u64 gid)
{
	return ((u32)uid != ~0U ? IO_ATTR_UID : 0) | ((u32)gid != ~0U ? IO_ATTR_GID : 0);
}

int io_sc_chmod(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = IO_ATTR_MODE;
	io_path_call(ctx, IO_SETATTR, IO_VIA_FS_SETATTR, AT_FDCWD, IO_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}

int io_sc_fchmod(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = IO_ATTR_MODE;
	io_fd_call(ctx, IO_SETATTR, IO_VIA_FS_SETATTR, IO_SYS_ARG(ctx, 0), &a);
	return 0;
}

int io_sc_fchmodat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = IO_ATTR_MODE;
	io_path_call(ctx, IO_SETATTR, IO_VIA_FS_SETATTR, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1), 0, &a);
	return 0;
}

/* fchmodat2(dirfd, path, mode, flags) */
int io_sc_fchmodat2(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = IO_ATTR_MODE;
	io_at_call(ctx, IO_SETATTR, IO_VIA_FS_SETATTR, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 3), &a);
	return 0;
}

/* chown and lchown */
int io_sc_chown(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = io_attr_owner(IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 2));
	io_path_call(ctx, IO_SETATTR, IO_VIA_FS_SETATTR, AT_FDCWD, IO_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}

int io_sc_fchown(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = io_attr_owner(IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 2));
	io_fd_call(ctx, IO_SETATTR, IO_VIA_FS_SETATTR, IO_SYS_ARG(ctx, 0), &a);
	return 0;
}

/* fchownat(dirfd, path, uid, gid, flags) */
int io_sc_fchownat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = io_attr_owner(IO_SYS_ARG(ctx, 2), IO_SYS_ARG(ctx, 3));
	io_at_call(ctx, IO_SETATTR, IO_VIA_FS_SETATTR, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 4), &a);
	return 0;
}

/* utime and utimes */
int io_sc_utime(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = IO_ATTR_ATIME | IO_ATTR_MTIME;
	io_path_call(ctx, IO_SETATTR, IO_VIA_FS_SETATTR, AT_FDCWD, IO_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}

/* Of two times those that are set: in place of nanoseconds, UTIME_OMIT says that one is not. */
static __always_inline u32 io_attr_times(u64 times)
{
	const s64 omit = (1 << 30) - 2;
	s64 spec[4] = {}; /* seconds and nanoseconds of either */

	if (times)
		IO_READ_U(spec, sizeof(spec), (void *)times);
	return (spec[1] != omit ? IO_ATTR_ATIME : 0) | (spec[3] != omit ? IO_ATTR_MTIME : 0);
}

/* utimensat(dirfd, path or NULL, times, flags), futimesat without flags */
int io_sc_utimensat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = io_attr_times(IO_SYS_ARG(ctx, 2));
	io_at_call(ctx, IO_SETATTR, IO_VIA_FS_SETATTR, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 3), &a);
	return 0;
}

int io_sc_futimesat(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = IO_ATTR_ATIME | IO_ATTR_MTIME;
	io_at_call(ctx, IO_SETATTR, IO_VIA_FS_SETATTR, IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 1), 0, &a);
	return 0;
}
#endif

#endif /* IO_STREAM_fs */
