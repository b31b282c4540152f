/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls on names and attributes: what each says at its entry.
 */
#ifdef IOT_STREAM_fs

#ifdef IOT_USE_SC_UNLINK
int iot_sc_unlink(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	iot_path_call(ctx, IOT_UNLINK, IOT_VIA_FS_UNLINK, IOT_CALL_unlink, AT_FDCWD, IOT_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}
#endif

#if defined(IOT_USE_SC_UNLINK) || defined(IOT_USE_SC_RMDIR)
int iot_sc_unlinkat(struct iot_sys_enter *ctx)
{
	int dir = !!(IOT_SYS_ARG(ctx, 2) & IOT_AT_REMOVEDIR);
	struct iot_args a = IOT_ARGS;

	iot_path_call(ctx, dir ? IOT_RMDIR : IOT_UNLINK, dir ? IOT_VIA_FS_RMDIR : IOT_VIA_FS_UNLINK, IOT_CALL_unlinkat,
		     IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), 0, &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_RMDIR
int iot_sc_rmdir(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	iot_path_call(ctx, IOT_RMDIR, IOT_VIA_FS_RMDIR, IOT_CALL_rmdir, AT_FDCWD, IOT_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_MKDIR
int iot_sc_mkdir(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.flags = IOT_SYS_ARG(ctx, 1) & 07777;
	iot_path_call(ctx, IOT_MKDIR, IOT_VIA_FS_MKDIR, IOT_CALL_mkdir, AT_FDCWD, IOT_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}

int iot_sc_mkdirat(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.flags = IOT_SYS_ARG(ctx, 2) & 07777;
	iot_path_call(ctx, IOT_MKDIR, IOT_VIA_FS_MKDIR, IOT_CALL_mkdirat, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), 0, &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_SYMLINK
int iot_sc_symlink(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.fd2 = AT_FDCWD;
	iot_path_call(ctx, IOT_SYMLINK, IOT_VIA_FS_SYMLINK, IOT_CALL_symlink, AT_FDCWD, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), &a);
	return 0;
}

int iot_sc_symlinkat(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.fd2 = IOT_SYS_ARG(ctx, 1);
	iot_path_call(ctx, IOT_SYMLINK, IOT_VIA_FS_SYMLINK, IOT_CALL_symlinkat, AT_FDCWD, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 2), &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_LINK
int iot_sc_link(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.fd2 = AT_FDCWD;
	iot_path_call(ctx, IOT_LINK, IOT_VIA_FS_LINK, IOT_CALL_link, AT_FDCWD, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), &a);
	return 0;
}

int iot_sc_linkat(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.fd2 = IOT_SYS_ARG(ctx, 2);
	a.status = IOT_SYS_ARG(ctx, 4) & IOT_AT_EMPTY_PATH ? IOT_ST_SELF : 0;
	iot_path_call(ctx, IOT_LINK, IOT_VIA_FS_LINK, IOT_CALL_linkat, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 3), &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_RENAME
int iot_sc_rename(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.fd2 = AT_FDCWD;
	iot_path_call(ctx, IOT_RENAME, IOT_VIA_FS_RENAME, IOT_CALL_rename, AT_FDCWD, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), &a);
	return 0;
}

int iot_sc_renameat(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.fd2 = IOT_SYS_ARG(ctx, 2);
	iot_path_call(ctx, IOT_RENAME, IOT_VIA_FS_RENAME, IOT_CALL_renameat, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 3), &a);
	return 0;
}

int iot_sc_renameat2(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.fd2 = IOT_SYS_ARG(ctx, 2);
	a.flags = IOT_SYS_ARG(ctx, 4);
	iot_path_call(ctx, IOT_RENAME, IOT_VIA_FS_RENAME, IOT_CALL_renameat2, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 3), &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_TRUNCATE
int iot_sc_truncate(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.size = IOT_SYS_ARG(ctx, 1);
	iot_path_call(ctx, IOT_TRUNCATE, IOT_VIA_FS_TRUNCATE, IOT_CALL_truncate, AT_FDCWD, IOT_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}

int iot_sc_ftruncate(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.size = IOT_SYS_ARG(ctx, 1);
	iot_fd_call(ctx, IOT_TRUNCATE, IOT_VIA_FS_TRUNCATE, IOT_CALL_ftruncate, IOT_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_CHDIR
int iot_sc_chdir(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	iot_path_call(ctx, IOT_CHDIR, IOT_VIA_FS_CHDIR, IOT_CALL_chdir, AT_FDCWD, IOT_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}

int iot_sc_fchdir(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	iot_fd_call(ctx, IOT_CHDIR, IOT_VIA_FS_CHDIR, IOT_CALL_fchdir, IOT_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

/* ---- attributes ---- */

#ifdef IOT_USE_SC_GETATTR
int iot_sc_stat(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	iot_path_call(ctx, IOT_GETATTR, IOT_VIA_FS_GETATTR, IOT_CALL_stat, AT_FDCWD, IOT_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}

int iot_sc_lstat(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	iot_path_call(ctx, IOT_GETATTR, IOT_VIA_FS_GETATTR, IOT_CALL_lstat, AT_FDCWD, IOT_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}

int iot_sc_fstat(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	iot_fd_call(ctx, IOT_GETATTR, IOT_VIA_FS_GETATTR, IOT_CALL_fstat, IOT_SYS_ARG(ctx, 0), &a);
	return 0;
}

/* newfstatat(dirfd, path, stat, flags) */
int iot_sc_fstatat(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	iot_at_call(ctx, IOT_GETATTR, IOT_VIA_FS_GETATTR, IOT_CALL_newfstatat, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 3), &a);
	return 0;
}

/* statx(dirfd, path, flags, mask, statx) */
int iot_sc_statx(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.flags = IOT_SYS_ARG(ctx, 3);
	iot_at_call(ctx, IOT_GETATTR, IOT_VIA_FS_GETATTR, IOT_CALL_statx, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 2), &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_SETATTR
/* linux/fs.h, the same from 4.14 to 7.3 */
enum { IOT_ATTR_MODE = 1, IOT_ATTR_UID = 2, IOT_ATTR_GID = 4, IOT_ATTR_ATIME = 16, IOT_ATTR_MTIME = 32 };

static __always_inline u32 iot_attr_owner(u64 uid, u64 gid)
{
	return ((u32)uid != ~0U ? IOT_ATTR_UID : 0) | ((u32)gid != ~0U ? IOT_ATTR_GID : 0);
}

int iot_sc_chmod(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.flags = IOT_ATTR_MODE;
	iot_path_call(ctx, IOT_SETATTR, IOT_VIA_FS_SETATTR, IOT_CALL_chmod, AT_FDCWD, IOT_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}

int iot_sc_fchmod(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.flags = IOT_ATTR_MODE;
	iot_fd_call(ctx, IOT_SETATTR, IOT_VIA_FS_SETATTR, IOT_CALL_fchmod, IOT_SYS_ARG(ctx, 0), &a);
	return 0;
}

int iot_sc_fchmodat(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.flags = IOT_ATTR_MODE;
	iot_path_call(ctx, IOT_SETATTR, IOT_VIA_FS_SETATTR, IOT_CALL_fchmodat, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), 0, &a);
	return 0;
}

/* fchmodat2(dirfd, path, mode, flags) */
int iot_sc_fchmodat2(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.flags = IOT_ATTR_MODE;
	iot_at_call(ctx, IOT_SETATTR, IOT_VIA_FS_SETATTR, IOT_CALL_fchmodat2, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 3), &a);
	return 0;
}

int iot_sc_chown(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.flags = iot_attr_owner(IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 2));
	iot_path_call(ctx, IOT_SETATTR, IOT_VIA_FS_SETATTR, IOT_CALL_chown, AT_FDCWD, IOT_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}

int iot_sc_lchown(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.flags = iot_attr_owner(IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 2));
	iot_path_call(ctx, IOT_SETATTR, IOT_VIA_FS_SETATTR, IOT_CALL_lchown, AT_FDCWD, IOT_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}

int iot_sc_fchown(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.flags = iot_attr_owner(IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 2));
	iot_fd_call(ctx, IOT_SETATTR, IOT_VIA_FS_SETATTR, IOT_CALL_fchown, IOT_SYS_ARG(ctx, 0), &a);
	return 0;
}

/* fchownat(dirfd, path, uid, gid, flags) */
int iot_sc_fchownat(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;
	u32 how = IOT_SYS_ARG(ctx, 4);

	/*
	 * In this order: 5.10.0-46 does not load the other, which its verifier takes (the JIT, it seems:
	 * before 5.12, 93c5aecc35c6, it gives up where jumps change length in every pass).
	 */
	asm volatile("" : "+r"(how));
	a.flags = iot_attr_owner(IOT_SYS_ARG(ctx, 2), IOT_SYS_ARG(ctx, 3));
	iot_at_call(ctx, IOT_SETATTR, IOT_VIA_FS_SETATTR, IOT_CALL_fchownat, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), how, &a);
	return 0;
}

int iot_sc_utime(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.flags = IOT_ATTR_ATIME | IOT_ATTR_MTIME;
	iot_path_call(ctx, IOT_SETATTR, IOT_VIA_FS_SETATTR, IOT_CALL_utime, AT_FDCWD, IOT_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}

int iot_sc_utimes(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.flags = IOT_ATTR_ATIME | IOT_ATTR_MTIME;
	iot_path_call(ctx, IOT_SETATTR, IOT_VIA_FS_SETATTR, IOT_CALL_utimes, AT_FDCWD, IOT_SYS_ARG(ctx, 0), 0, &a);
	return 0;
}

/* Of two times those that are set: in place of nanoseconds, UTIME_OMIT says that one is not. */
static __always_inline u32 iot_attr_times(u64 times)
{
	const s64 omit = (1 << 30) - 2;
	s64 spec[4] = {}; /* seconds and nanoseconds of either */

	if (times)
		IOT_READ_U(spec, sizeof(spec), (void *)times);
	return (spec[1] != omit ? IOT_ATTR_ATIME : 0) | (spec[3] != omit ? IOT_ATTR_MTIME : 0);
}

/* utimensat(dirfd, path or NULL, times, flags), futimesat without flags */
int iot_sc_utimensat(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.flags = iot_attr_times(IOT_SYS_ARG(ctx, 2));
	iot_at_call(ctx, IOT_SETATTR, IOT_VIA_FS_SETATTR, IOT_CALL_utimensat, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 3), &a);
	return 0;
}

int iot_sc_futimesat(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.flags = IOT_ATTR_ATIME | IOT_ATTR_MTIME;
	iot_at_call(ctx, IOT_SETATTR, IOT_VIA_FS_SETATTR, IOT_CALL_futimesat, IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 1), 0, &a);
	return 0;
}
#endif

#endif /* IOT_STREAM_fs */
