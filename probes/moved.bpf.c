/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What changes the names of files without touching them: directories and
 * mounts above them move.
 */
#ifdef IO_STREAM_fs

#ifdef IO_USE_D_MOVE
/* d_move(dentry, target) and d_exchange: a moved directory changes every name below */
int io_d_move(struct pt_regs *ctx)
{
	struct dentry *d = (struct dentry *)PT_REGS_PARM1(ctx);
	struct inode *inode = 0;
	umode_t mode = 0;
	u64 key = io_slot_key(IO_N_SLOTS);
	struct io_slot mark = {};

	IO_READ_K(&inode, sizeof(inode), &d->d_inode);
	IO_GET(mode, inode, i_mode);
	if (S_ISDIR(mode))
		io_slots.update(&key, &mark);
	return 0;
}

int io_d_move_ret(struct pt_regs *ctx)
{
	u64 key = io_slot_key(IO_N_SLOTS);
	u32 zero = 0;
	u64 *epoch = io_epoch.lookup(&zero);

	if (io_slots.lookup(&key)) {
		io_slots.delete(&key);
		if (epoch)
			__sync_fetch_and_add(epoch, 1);
	}
	return 0;
}
#endif

#ifdef IO_USE_SC_MOUNT
/* A mount succeeded; which names it changed is not known here. */
int io_names_moved(struct io_sys_exit *ctx)
{
	u32 zero = 0;
	u64 *epoch = io_epoch.lookup(&zero);

	if (epoch && IO_SYS_RET(ctx) == 0)
		__sync_fetch_and_add(epoch, 1);
	return 0;
}
#endif

#endif /* IO_STREAM_fs */
