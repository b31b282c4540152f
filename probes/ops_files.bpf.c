/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls on descriptors and on memory: what each says at its entry.
 */
#ifdef IO_STREAM_fs

/* ---- descriptors ---- */

#ifdef IO_USE_SC_READDIR
int io_sc_getdents(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_fd_call(ctx, IO_READDIR, IO_VIA_FS_READDIR, IO_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_FALLOCATE
/* fallocate(fd, mode, offset, len) */
int io_sc_fallocate(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = IO_SYS_ARG(ctx, 1);
	a.offset = IO_SYS_ARG(ctx, 2);
	a.size = IO_SYS_ARG(ctx, 3);
	io_fd_call(ctx, IO_FALLOCATE, IO_VIA_FS_FALLOCATE, IO_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_SYNC
int io_sc_sync(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_bare_call(IO_SYNC, IO_VIA_FS_SYNC, -1, &a);
	return 0;
}

int io_sc_syncfs(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_fd_call(ctx, IO_SYNC, IO_VIA_FS_SYNC, IO_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_SENDFILE
/* sendfile(out, in, offset, count) */
int io_sc_sendfile(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

#ifdef IO_USE_SC_SEND
	io_net_moves(IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 3), IO_NET_SENDFILE);
#endif
	a.offp = IO_SYS_ARG(ctx, 2);
	a.size = IO_SYS_ARG(ctx, 3);
	a.fd2 = IO_SYS_ARG(ctx, 0);
	a.length = ~0ULL;
	io_fd_call(ctx, IO_SENDFILE, IO_VIA_FS_SENDFILE, IO_SYS_ARG(ctx, 1), &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_SPLICE
/* splice(in, off_in, out, off_out, len, flags) */
int io_sc_splice(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

#ifdef IO_USE_SC_SEND
	io_net_moves(IO_SYS_ARG(ctx, 0), IO_SYS_ARG(ctx, 2), IO_SYS_ARG(ctx, 4), IO_NET_SPLICE);
#endif
	a.offp = IO_SYS_ARG(ctx, 1);
	a.fd2 = IO_SYS_ARG(ctx, 2);
	a.offp2 = IO_SYS_ARG(ctx, 3);
	a.length = ~0ULL;
	a.size = IO_SYS_ARG(ctx, 4);
	a.flags = IO_SYS_ARG(ctx, 5);
	io_fd_call(ctx, IO_SPLICE, IO_VIA_FS_SPLICE, IO_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#if defined(IO_USE_SC_SENDFILE) || defined(IO_USE_SC_SPLICE)
int io_sc_moved_exit(struct io_sys_exit *ctx)
{
#ifdef IO_USE_SC_SEND
	io_net_moved(ctx, IO_SYS_RET(ctx));
#endif
	io_op_end(ctx);
	return 0;
}
#endif

#ifdef IO_USE_SC_COPY_FILE_RANGE
/* copy_file_range(in, off_in, out, off_out, len, flags) */
int io_sc_copy_file_range(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.offp = IO_SYS_ARG(ctx, 1);
	a.fd2 = IO_SYS_ARG(ctx, 2);
	a.offp2 = IO_SYS_ARG(ctx, 3);
	a.length = ~0ULL;
	a.size = IO_SYS_ARG(ctx, 4);
	io_fd_call(ctx, IO_COPY_FILE_RANGE, IO_VIA_FS_COPY_FILE_RANGE, IO_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_TEE
/* tee(in, out, len, flags): between pipes */
int io_sc_tee(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.fd2 = IO_SYS_ARG(ctx, 1);
	a.size = IO_SYS_ARG(ctx, 2);
	a.flags = IO_SYS_ARG(ctx, 3);
	io_bare_call(IO_TEE, IO_VIA_FS_TEE, IO_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_VMSPLICE
/* vmsplice(pipe, iov, n, flags) */
int io_sc_vmsplice(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.size = io_iov_bytes(IO_SYS_ARG(ctx, 1), IO_SYS_ARG(ctx, 2));
	a.flags = IO_SYS_ARG(ctx, 3);
	io_bare_call(IO_VMSPLICE, IO_VIA_FS_VMSPLICE, IO_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_SYNC_FILE_RANGE
/* sync_file_range(fd, offset, nbytes, flags) */
int io_sc_sync_file_range(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.offset = IO_SYS_ARG(ctx, 1);
	a.size = IO_SYS_ARG(ctx, 2);
	a.flags = IO_SYS_ARG(ctx, 3);
	io_fd_call(ctx, IO_SYNC_FILE_RANGE, IO_VIA_FS_SYNC_FILE_RANGE, IO_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_FADVISE
/* fadvise64(fd, offset, len, advice) */
int io_sc_fadvise(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.offset = IO_SYS_ARG(ctx, 1);
	a.size = IO_SYS_ARG(ctx, 2);
	a.flags = IO_SYS_ARG(ctx, 3);
	io_fd_call(ctx, IO_FADVISE, IO_VIA_FS_FADVISE, IO_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_READAHEAD
int io_sc_readahead(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.offset = IO_SYS_ARG(ctx, 1);
	a.size = IO_SYS_ARG(ctx, 2);
	io_fd_call(ctx, IO_READAHEAD, IO_VIA_FS_READAHEAD, IO_SYS_ARG(ctx, 0), &a);
	return 0;
}
#endif

/* ---- memory ---- */

#ifdef IO_USE_SC_MMAP
/*
 * mmap(addr, len, prot, flags, fd, offset). Memory without a file is sent only
 * where it may replace a mapping (MAP_FIXED): the reader follows those of files.
 */
int io_sc_mmap(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.address = IO_SYS_ARG(ctx, 0);
	a.size = IO_SYS_ARG(ctx, 1);
	a.prot = IO_SYS_ARG(ctx, 2);
	a.flags = IO_SYS_ARG(ctx, 3);
	if (!(a.flags & 0x20 /* MAP_ANONYMOUS */)) {
		a.offset = IO_SYS_ARG(ctx, 5);
		io_fd_call(ctx, IO_MMAP, IO_VIA_FS_MMAP, IO_SYS_ARG(ctx, 4), &a);
	} else if (a.flags & 0x10 /* MAP_FIXED */) {
		io_bare_call(IO_MMAP, IO_VIA_FS_MMAP, -1, &a);
	}
	return 0;
}
#endif

#ifdef IO_USE_SC_MUNMAP
int io_sc_munmap(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.address = IO_SYS_ARG(ctx, 0);
	a.size = IO_SYS_ARG(ctx, 1);
	io_bare_call(IO_MUNMAP, IO_VIA_FS_MUNMAP, -1, &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_MREMAP
/* mremap(old, old_len, new_len, flags, new) */
int io_sc_mremap(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.address = IO_SYS_ARG(ctx, 0);
	a.length = IO_SYS_ARG(ctx, 1);
	a.size = IO_SYS_ARG(ctx, 2);
	a.flags = IO_SYS_ARG(ctx, 3);
	io_bare_call(IO_MREMAP, IO_VIA_FS_MREMAP, -1, &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_MSYNC
int io_sc_msync(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.address = IO_SYS_ARG(ctx, 0);
	a.size = IO_SYS_ARG(ctx, 1);
	a.flags = IO_SYS_ARG(ctx, 2);
	io_bare_call(IO_MSYNC, IO_VIA_FS_MSYNC, -1, &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_MADVISE
int io_sc_madvise(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.address = IO_SYS_ARG(ctx, 0);
	a.size = IO_SYS_ARG(ctx, 1);
	a.flags = IO_SYS_ARG(ctx, 2);
	io_bare_call(IO_MADVISE, IO_VIA_FS_MADVISE, -1, &a);
	return 0;
}
#endif

#endif /* IO_STREAM_fs */
