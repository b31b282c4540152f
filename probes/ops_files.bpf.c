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

	io_fd_call(ctx, IO_READDIR, IO_VIA_READDIR, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_FALLOCATE
/* fallocate(fd, mode, offset, len) */
int io_sc_fallocate(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.flags = ctx->args[1];
	a.offset = ctx->args[2];
	a.size = ctx->args[3];
	io_fd_call(ctx, IO_FALLOCATE, IO_VIA_FALLOCATE, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_SYNC
int io_sc_sync(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_bare_call(IO_SYNC, IO_VIA_SYNC, -1, &a);
	return 0;
}

int io_sc_syncfs(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	io_fd_call(ctx, IO_SYNC, IO_VIA_SYNC, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_SENDFILE
/* sendfile(out, in, offset, count) */
int io_sc_sendfile(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.offp = ctx->args[2];
	a.size = ctx->args[3];
	a.fd2 = ctx->args[0];
	a.length = ~0ULL;
	io_fd_call(ctx, IO_SENDFILE, IO_VIA_SENDFILE, ctx->args[1], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_SPLICE
/* splice(in, off_in, out, off_out, len, flags) */
int io_sc_splice(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.offp = ctx->args[1];
	a.fd2 = ctx->args[2];
	a.offp2 = ctx->args[3];
	a.length = ~0ULL;
	a.size = ctx->args[4];
	a.flags = ctx->args[5];
	io_fd_call(ctx, IO_SPLICE, IO_VIA_SPLICE, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_COPY_FILE_RANGE
/* copy_file_range(in, off_in, out, off_out, len, flags) */
int io_sc_copy_file_range(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.offp = ctx->args[1];
	a.fd2 = ctx->args[2];
	a.offp2 = ctx->args[3];
	a.length = ~0ULL;
	a.size = ctx->args[4];
	io_fd_call(ctx, IO_COPY_FILE_RANGE, IO_VIA_COPY_FILE_RANGE, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_TEE
/* tee(in, out, len, flags): between pipes */
int io_sc_tee(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.fd2 = ctx->args[1];
	a.size = ctx->args[2];
	a.flags = ctx->args[3];
	io_bare_call(IO_TEE, IO_VIA_TEE, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_VMSPLICE
/* vmsplice(pipe, iov, n, flags) */
int io_sc_vmsplice(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.size = io_iov_bytes(ctx->args[1], ctx->args[2]);
	a.flags = ctx->args[3];
	io_bare_call(IO_VMSPLICE, IO_VIA_VMSPLICE, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_SYNC_FILE_RANGE
/* sync_file_range(fd, offset, nbytes, flags) */
int io_sc_sync_file_range(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.offset = ctx->args[1];
	a.size = ctx->args[2];
	a.flags = ctx->args[3];
	io_fd_call(ctx, IO_SYNC_FILE_RANGE, IO_VIA_SYNC_FILE_RANGE, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_FADVISE
/* fadvise64(fd, offset, len, advice) */
int io_sc_fadvise(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.offset = ctx->args[1];
	a.size = ctx->args[2];
	a.flags = ctx->args[3];
	io_fd_call(ctx, IO_FADVISE, IO_VIA_FADVISE, ctx->args[0], &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_READAHEAD
int io_sc_readahead(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.offset = ctx->args[1];
	a.size = ctx->args[2];
	io_fd_call(ctx, IO_READAHEAD, IO_VIA_READAHEAD, ctx->args[0], &a);
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

	a.address = ctx->args[0];
	a.size = ctx->args[1];
	a.prot = ctx->args[2];
	a.flags = ctx->args[3];
	if (!(a.flags & 0x20 /* MAP_ANONYMOUS */)) {
		a.offset = ctx->args[5];
		io_fd_call(ctx, IO_MMAP, IO_VIA_MMAP, ctx->args[4], &a);
	} else if (a.flags & 0x10 /* MAP_FIXED */) {
		io_bare_call(IO_MMAP, IO_VIA_MMAP, -1, &a);
	}
	return 0;
}
#endif

#ifdef IO_USE_SC_MUNMAP
int io_sc_munmap(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.address = ctx->args[0];
	a.size = ctx->args[1];
	io_bare_call(IO_MUNMAP, IO_VIA_MUNMAP, -1, &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_MREMAP
/* mremap(old, old_len, new_len, flags, new) */
int io_sc_mremap(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.address = ctx->args[0];
	a.length = ctx->args[1];
	a.size = ctx->args[2];
	a.flags = ctx->args[3];
	io_bare_call(IO_MREMAP, IO_VIA_MREMAP, -1, &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_MSYNC
int io_sc_msync(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.address = ctx->args[0];
	a.size = ctx->args[1];
	a.flags = ctx->args[2];
	io_bare_call(IO_MSYNC, IO_VIA_MSYNC, -1, &a);
	return 0;
}
#endif

#ifdef IO_USE_SC_MADVISE
int io_sc_madvise(struct io_sys_enter *ctx)
{
	struct io_args a = IO_ARGS;

	a.address = ctx->args[0];
	a.size = ctx->args[1];
	a.flags = ctx->args[2];
	io_bare_call(IO_MADVISE, IO_VIA_MADVISE, -1, &a);
	return 0;
}
#endif

#endif /* IO_STREAM_fs */
