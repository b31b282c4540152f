/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream layers: reads and writes of a file by another file system, as overlayfs has them, or by the NFS
 * server. They are inside the call that asked for them, or in a thread of the kernel, and have no call of
 * their own.
 */
#if defined(IOT_STREAM_layers) && defined(IOT_HEADERS) && \
	(defined(IOT_USE_VFS_ITER_READ) || defined(IOT_USE_VFS_ITER_WRITE))

#define IOT_EIOCBQUEUED 529 /* include/linux/errno.h: it completes later */

BPF_TABLE("prog", u32, u32, iot_to_inner_kp, 1);

static __always_inline int iot_inner_begin(struct pt_regs *ctx, u16 op, u16 via)
{
	struct iot_config *cfg = iot_wanted();

	if (cfg && cfg->count) {
		iot_entered_as(op, via, IOT_NO_CALL, 0);
		iot_to_inner_kp.call(ctx, 0);
	}
	return 0;
}

int iot_inner_kp(struct pt_regs *ctx)
{
	struct iot_entered *in = iot_entered_get();
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	struct iot_call *call = iot_pending_active(IOT_KIND_CALL);
	struct iot_file f = {};

	/* a copy that the kernel makes of many writes (splice, and copy_file_range through it) is counted itself */
	if (!cfg || !in || (call && iot_call_counts(cfg, call->op)))
		return 0;
	if (iot_file_read(&f, (struct file *)PT_REGS_PARM1(ctx), cfg))
		iot_file_begin_counted(cfg, &f, IOT_KIND_INNER, in->op, in->via, IOT_NO_CALL, 0);
	return 0;
}

#ifdef IOT_USE_VFS_ITER_READ
int iot_inner_read(struct pt_regs *ctx)
{
	return iot_inner_begin(ctx, IOT_READ, IOT_VIA_LAYERS_READ_INNER);
}
#endif

#ifdef IOT_USE_VFS_ITER_WRITE
int iot_inner_write(struct pt_regs *ctx)
{
	return iot_inner_begin(ctx, IOT_WRITE, IOT_VIA_LAYERS_WRITE_INNER);
}
#endif

int iot_inner_ret(struct pt_regs *ctx)
{
	struct iot_slot *s = iot_pending_active(IOT_KIND_INNER);
	s64 ret = PT_REGS_RC(ctx);
	u64 comm[2];

	if (!s)
		return 0;
	iot_comm_read(comm);
	iot_count_file(bpf_get_current_pid_tgid() >> 32, comm, &s->fs, ret == -IOT_EIOCBQUEUED ? 0 : ret,
		       bpf_ktime_get_ns() - s->ts);
	iot_pending_end(s);
	return 0;
}
#endif
