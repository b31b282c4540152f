/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What changes the names of files without touching them: directories and
 * mounts above them move.
 */
#ifdef IOT_FILE_TEXTS

#ifdef IOT_USE_D_MOVE
/* d_move(dentry, target) and d_exchange: a moved directory changes every name below */
int iot_d_move(struct pt_regs *ctx)
{
	struct dentry *d = (struct dentry *)PT_REGS_PARM1(ctx);
	struct inode *inode = 0;
	umode_t mode = 0;

	IOT_READ_K(&inode, sizeof(inode), &d->d_inode);
	IOT_GET(mode, inode, i_mode);
	if (S_ISDIR(mode) && !iot_pending_active(IOT_KIND_MOVE))
		iot_pending_begin(IOT_KIND_MOVE, IOT_SEQ_fs, IOT_RENAME, 0);
	return 0;
}

int iot_d_move_ret(struct pt_regs *ctx)
{
	struct iot_pending_head *mark = iot_pending_active(IOT_KIND_MOVE);
	u32 zero = 0;
	u64 *epoch = iot_epoch.lookup(&zero);

	if (mark) {
		iot_pending_end(mark);
		if (epoch)
			__sync_fetch_and_add(epoch, 1);
	}
	return 0;
}
#endif

#ifdef IOT_PROGRAM_iot_names_moved
/* A mount succeeded, of whomever; which names it changed is not known here. Of a traced process it is a row. */
int iot_names_moved(struct iot_sys_exit *ctx)
{
#ifdef IOT_USE_SC_MOUNT
	u32 zero = 0;
	u64 *epoch = iot_epoch.lookup(&zero);

	if (epoch && IOT_SYS_RET(ctx) == 0)
		__sync_fetch_and_add(epoch, 1);
#endif
#ifdef IOT_OP_EXIT
	iot_to_op_exit.call(ctx, 0);
#endif
	return 0;
}
#endif

#endif /* IOT_FILE_TEXTS */
