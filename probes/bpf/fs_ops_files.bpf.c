/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls on descriptors and on memory: what each says at its entry.
 */
#ifdef IOT_STREAM_fs

/* ---- descriptors ---- */

#ifdef IOT_USE_SC_READDIR
int iot_sc_getdents(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	iot_fd_call(ctx, IOT_READDIR, IOT_VIA_FS_READDIR, IOT_CALL_getdents, IOT_SYS_ARG(ctx, 0), &a);
	return 0;
}

int iot_sc_getdents64(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	iot_fd_call(ctx, IOT_READDIR, IOT_VIA_FS_READDIR, IOT_CALL_getdents64, IOT_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_FALLOCATE
/* fallocate(fd, mode, offset, len) */
int iot_sc_fallocate(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.flags = IOT_SYS_ARG(ctx, 1);
	a.offset = IOT_SYS_ARG(ctx, 2);
	a.size = IOT_SYS_ARG(ctx, 3);
	iot_fd_call(ctx, IOT_FALLOCATE, IOT_VIA_FS_FALLOCATE, IOT_CALL_fallocate, IOT_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_SYNC
int iot_sc_sync(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	iot_bare_call(IOT_SYNC, IOT_VIA_FS_SYNC, IOT_CALL_sync, -1, &a);
	return 0;
}

int iot_sc_syncfs(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	iot_fd_call(ctx, IOT_SYNC, IOT_VIA_FS_SYNC, IOT_CALL_syncfs, IOT_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_SENDFILE
/* sendfile(out, in, offset, count) */
int iot_sc_sendfile(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

#ifdef IOT_USE_SC_SEND
	iot_net_moves(IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 3), IOT_NET_SENDFILE);
#endif
	a.offp = IOT_SYS_ARG(ctx, 2);
	a.size = IOT_SYS_ARG(ctx, 3);
	a.fd2 = IOT_SYS_ARG(ctx, 0);
	a.offset2 = -1;
	iot_fd_call(ctx, IOT_SENDFILE, IOT_VIA_FS_SENDFILE, IOT_CALL_sendfile, IOT_SYS_ARG(ctx, 1), &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_SPLICE
/* splice(in, off_in, out, off_out, len, flags) */
int iot_sc_splice(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

#ifdef IOT_USE_SC_SEND
	iot_net_moves(IOT_SYS_ARG(ctx, 0), IOT_SYS_ARG(ctx, 2), IOT_SYS_ARG(ctx, 4), IOT_NET_SPLICE);
#endif
	a.offp = IOT_SYS_ARG(ctx, 1);
	a.fd2 = IOT_SYS_ARG(ctx, 2);
	a.offp2 = IOT_SYS_ARG(ctx, 3);
	a.offset2 = -1;
	a.size = IOT_SYS_ARG(ctx, 4);
	a.flags = IOT_SYS_ARG(ctx, 5);
	iot_fd_call(ctx, IOT_SPLICE, IOT_VIA_FS_SPLICE, IOT_CALL_splice, IOT_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#if defined(IOT_USE_SC_SENDFILE) || defined(IOT_USE_SC_SPLICE)
int iot_sc_moved_exit(struct iot_sys_exit *ctx)
{
#ifdef IOT_USE_SC_SEND
	iot_net_moved(ctx, IOT_SYS_RET(ctx));
#endif
	iot_op_end(ctx);
	return 0;
}
#endif

#ifdef IOT_USE_SC_COPY_FILE_RANGE
/* copy_file_range(in, off_in, out, off_out, len, flags) */
int iot_sc_copy_file_range(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.offp = IOT_SYS_ARG(ctx, 1);
	a.fd2 = IOT_SYS_ARG(ctx, 2);
	a.offp2 = IOT_SYS_ARG(ctx, 3);
	a.offset2 = -1;
	a.size = IOT_SYS_ARG(ctx, 4);
	iot_fd_call(ctx, IOT_COPY_FILE_RANGE, IOT_VIA_FS_COPY_FILE_RANGE, IOT_CALL_copy_file_range, IOT_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_TEE
/* tee(in, out, len, flags): between pipes */
int iot_sc_tee(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.fd2 = IOT_SYS_ARG(ctx, 1);
	a.size = IOT_SYS_ARG(ctx, 2);
	a.flags = IOT_SYS_ARG(ctx, 3);
	iot_bare_call(IOT_TEE, IOT_VIA_FS_TEE, IOT_CALL_tee, IOT_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_VMSPLICE
/* vmsplice(pipe, iov, n, flags) */
int iot_sc_vmsplice(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.size = iot_iov_bytes(IOT_SYS_ARG(ctx, 1), IOT_SYS_ARG(ctx, 2));
	a.flags = IOT_SYS_ARG(ctx, 3);
	iot_bare_call(IOT_VMSPLICE, IOT_VIA_FS_VMSPLICE, IOT_CALL_vmsplice, IOT_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_SYNC_FILE_RANGE
/* sync_file_range(fd, offset, nbytes, flags) */
int iot_sc_sync_file_range(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.offset = IOT_SYS_ARG(ctx, 1);
	a.size = IOT_SYS_ARG(ctx, 2);
	a.flags = IOT_SYS_ARG(ctx, 3);
	iot_fd_call(ctx, IOT_SYNC_FILE_RANGE, IOT_VIA_FS_SYNC_FILE_RANGE, IOT_CALL_sync_file_range, IOT_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_FADVISE
/* fadvise64(fd, offset, len, advice) */
int iot_sc_fadvise(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.offset = IOT_SYS_ARG(ctx, 1);
	a.size = IOT_SYS_ARG(ctx, 2);
	a.flags = IOT_SYS_ARG(ctx, 3);
	iot_fd_call(ctx, IOT_FADVISE, IOT_VIA_FS_FADVISE, IOT_CALL_fadvise64, IOT_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_READAHEAD
int iot_sc_readahead(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.offset = IOT_SYS_ARG(ctx, 1);
	a.size = IOT_SYS_ARG(ctx, 2);
	iot_fd_call(ctx, IOT_READAHEAD, IOT_VIA_FS_READAHEAD, IOT_CALL_readahead, IOT_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

/* ---- memory ---- */

#ifdef IOT_USE_SC_MMAP
/*
 * mmap(addr, len, prot, flags, fd, offset). Memory without a file is sent only
 * where it may replace a mapping (MAP_FIXED): the reader follows those of files.
 */
int iot_sc_mmap(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.address = IOT_SYS_ARG(ctx, 0);
	a.size = IOT_SYS_ARG(ctx, 1);
	a.prot = IOT_SYS_ARG(ctx, 2);
	a.flags = IOT_SYS_ARG(ctx, 3);
	if (!(a.flags & 0x20 /* MAP_ANONYMOUS */)) {
		a.offset = IOT_SYS_ARG(ctx, 5);
		iot_fd_call(ctx, IOT_MMAP, IOT_VIA_FS_MMAP, IOT_CALL_mmap, IOT_SYS_ARG(ctx, 4), &a);
	} else if (a.flags & 0x10 /* MAP_FIXED */) {
		iot_bare_call(IOT_MMAP, IOT_VIA_FS_MMAP, IOT_CALL_mmap, -1, &a);
	}
	return 0;
}
#endif

#ifdef IOT_USE_SC_MUNMAP
int iot_sc_munmap(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.address = IOT_SYS_ARG(ctx, 0);
	a.size = IOT_SYS_ARG(ctx, 1);
	iot_bare_call(IOT_MUNMAP, IOT_VIA_FS_MUNMAP, IOT_CALL_munmap, -1, &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_MREMAP
/* mremap(old, old_len, new_len, flags, new) */
int iot_sc_mremap(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.address = IOT_SYS_ARG(ctx, 0);
	a.old_size = IOT_SYS_ARG(ctx, 1);
	a.size = IOT_SYS_ARG(ctx, 2);
	a.flags = IOT_SYS_ARG(ctx, 3);
	iot_bare_call(IOT_MREMAP, IOT_VIA_FS_MREMAP, IOT_CALL_mremap, -1, &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_MSYNC
int iot_sc_msync(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.address = IOT_SYS_ARG(ctx, 0);
	a.size = IOT_SYS_ARG(ctx, 1);
	a.flags = IOT_SYS_ARG(ctx, 2);
	iot_bare_call(IOT_MSYNC, IOT_VIA_FS_MSYNC, IOT_CALL_msync, -1, &a);
	return 0;
}
#endif

#ifdef IOT_USE_SC_MADVISE
int iot_sc_madvise(struct iot_sys_enter *ctx)
{
	struct iot_args a = IOT_ARGS;

	a.address = IOT_SYS_ARG(ctx, 0);
	a.size = IOT_SYS_ARG(ctx, 1);
	a.flags = IOT_SYS_ARG(ctx, 2);
	iot_bare_call(IOT_MADVISE, IOT_VIA_FS_MADVISE, IOT_CALL_madvise, -1, &a);
	return 0;
}
#endif

#endif /* IOT_STREAM_fs */
