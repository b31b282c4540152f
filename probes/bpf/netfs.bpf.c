/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream netfs: a record for each request to a server, sent when the kernel is done with it. Who asked, and
 * what is known before the end, waits in iot_netfs_asked by the request's numbers. The kernel reports
 * no end of some that begin (a mount that fails): these age out.
 */
#ifdef IOT_STREAM_netfs

struct iot_netfs_key {
	u64 session;
	u64 request;
};

struct iot_netfs_file {
	u64 ino;
	u64 offset;
	u64 size;
	u32 dev;
	u32 known; /* IOT_NETFS_FILE or 0 */
};

struct iot_netfs_entry {
	u64 start; /* SMB */
	u64 comm[2];
	u32 tgid;
	u32 tid;
	struct iot_netfs_file file;
	u32 sent;
	u32 received;
	s32 status;
	u16 sends;
	u16 known;
};
BPF_TABLE("lru_hash", struct iot_netfs_key, struct iot_netfs_entry, iot_netfs_asked, 16384);

static __always_inline int iot_netfs_begin(struct iot_netfs_key *key, struct iot_netfs_entry *asked)
{
	u64 id = bpf_get_current_pid_tgid();

	asked->tgid = id >> 32;
	asked->tid = id;
	iot_comm_read(asked->comm);
	return iot_netfs_asked.update(key, asked);
}

static __always_inline void iot_netfs_send(void *ctx, struct iot_netfs *e, struct iot_netfs_entry *asked, u32 via)
{
	e->head.tgid = asked->tgid;
	e->head.tid = asked->tid;
	__builtin_memcpy(e->head.comm, asked->comm, sizeof(e->head.comm));
	iot_stamp(&e->head, IOT_SEQ_netfs, IOT_REC_NETFS, via);
	iot_events.perf_submit(ctx, e, sizeof(*e));
}

#ifdef IOT_USE_RPC
/* What the thread is about to ask for; NFS tells it right before it makes the request. */
BPF_TABLE("lru_hash", u32, struct iot_netfs_file, iot_netfs_next, 4096);

static __always_inline void iot_nfs_next(u64 ino, u64 offset, u64 size, u32 dev)
{
	struct iot_netfs_file file = { .ino = ino, .offset = offset, .size = size, .dev = dev, .known = IOT_NETFS_FILE };
	u32 tid = bpf_get_current_pid_tgid();

	if (iot_wanted())
		iot_netfs_next.update(&tid, &file);
}

#ifdef IOT_TP_nfs_nfs_initiate_read
int iot_nfs_read(struct iot_tp_nfs_nfs_initiate_read *ctx)
{
	iot_nfs_next(ctx->fileid, ctx->offset, ctx->count, ctx->dev);
	return 0;
}
#endif
#ifdef IOT_TP_nfs_nfs_initiate_write
int iot_nfs_write(struct iot_tp_nfs_nfs_initiate_write *ctx)
{
	iot_nfs_next(ctx->fileid, ctx->offset, ctx->count, ctx->dev);
	return 0;
}
#endif
#ifdef IOT_TP_nfs_nfs_initiate_commit
int iot_nfs_commit(struct iot_tp_nfs_nfs_initiate_commit *ctx)
{
	iot_nfs_next(ctx->fileid, ctx->offset, ctx->count, ctx->dev);
	return 0;
}
#endif

/* Done with, and, if the answer was to try once more, done again for the same caller */
BPF_TABLE("lru_hash", struct iot_netfs_key, struct iot_netfs_entry, iot_netfs_again, 4096);

static __always_inline struct iot_netfs_entry *iot_rpc_of(struct iot_netfs_key *key)
{
	struct iot_netfs_entry *asked = iot_netfs_asked.lookup(key);

	return asked ? asked : iot_netfs_again.lookup(key);
}

#define IOT_RPC_KEY(ctx) { .session = (ctx)->client_id, .request = (ctx)->task_id }

int iot_rpc_begin(struct iot_tp_sunrpc_rpc_task_begin *ctx)
{
	struct iot_netfs_key key = IOT_RPC_KEY(ctx);
	struct iot_netfs_entry asked = {};
	struct iot_netfs_file *file;
	u32 tid = bpf_get_current_pid_tgid();

	/* without a client: what a server asks of us */
	if (ctx->client_id == (u32)-1 || !iot_wanted())
		return 0;
	file = iot_netfs_next.lookup(&tid);
	if (file) {
		asked.file = *file;
		iot_netfs_next.delete(&tid);
	}
	if (iot_netfs_begin(&key, &asked) < 0)
		iot_miss(IOT_SEQ_netfs, IOT_MISS_FULL);
	return 0;
}

#ifdef IOT_TP_sunrpc_xprt_transmit
int iot_rpc_sent(struct iot_tp_sunrpc_xprt_transmit *ctx)
{
	struct iot_netfs_key key = IOT_RPC_KEY(ctx);
	struct iot_netfs_entry *asked = ctx->status ? 0 : iot_rpc_of(&key);

	if (asked)
		asked->sends += 1;
	return 0;
}
#endif

#ifdef IOT_TP_sunrpc_rpc_xdr_sendto
int iot_rpc_sendto(struct iot_tp_sunrpc_rpc_xdr_sendto *ctx)
{
	struct iot_netfs_key key = IOT_RPC_KEY(ctx);
	struct iot_netfs_entry *asked = iot_rpc_of(&key);

	if (asked) {
		asked->sent = ctx->head_len + ctx->page_len + ctx->tail_len;
		asked->known |= IOT_NETFS_SENT;
	}
	return 0;
}
#endif

#ifdef IOT_TP_sunrpc_rpc_xdr_recvfrom
int iot_rpc_recvfrom(struct iot_tp_sunrpc_rpc_xdr_recvfrom *ctx)
{
	struct iot_netfs_key key = IOT_RPC_KEY(ctx);
	struct iot_netfs_entry *asked = iot_rpc_of(&key);

	if (asked) {
		asked->received = ctx->msg_len;
		asked->known |= IOT_NETFS_RECEIVED;
	}
	return 0;
}
#endif

#ifdef IOT_TP_sunrpc_rpc_task_end
int iot_rpc_end(struct iot_tp_sunrpc_rpc_task_end *ctx)
{
	struct iot_netfs_key key = IOT_RPC_KEY(ctx);
	struct iot_netfs_entry *asked = iot_rpc_of(&key);

	if (asked) {
		asked->status = ctx->status;
		asked->known |= IOT_NETFS_STATUS;
	}
	return 0;
}
#endif

int iot_rpc_done(struct iot_tp_sunrpc_rpc_stats_latency *ctx)
{
	struct iot_netfs_key key = IOT_RPC_KEY(ctx);
	struct iot_netfs_entry *asked = iot_rpc_of(&key), again;
	struct iot_netfs e = {};

	if (!asked)
		return 0;
	e.session = key.session;
	e.id = ctx->xid;
	e.version = ctx->version;
	/* the kernel has microseconds */
	e.queue = ctx->backlog * 1000;
	e.server = ctx->rtt * 1000;
	e.total = ctx->execute * 1000;
	e.ino = asked->file.ino;
	e.offset = asked->file.offset;
	e.size = asked->file.size;
	e.dev = asked->file.dev;
	e.sent = asked->sent;
	e.received = asked->received;
	e.status = asked->status;
	e.sends = asked->sends;
	e.known = asked->known | asked->file.known;
#ifdef IOT_TP_sunrpc_xprt_transmit
	e.known |= IOT_NETFS_SENDS;
#endif
	IOT_READ_STR_K(e.program, sizeof(e.program), (void *)ctx + (ctx->progname & 0xffff));
	IOT_READ_STR_K(e.procedure, sizeof(e.procedure), (void *)ctx + (ctx->procname & 0xffff));
	iot_netfs_send(ctx, &e, asked, IOT_VIA_NETFS_RPC);
	again = *asked;
	again.sends = 0;
	again.known = 0;
	iot_netfs_again.update(&key, &again);
	iot_netfs_asked.delete(&key);
	return 0;
}
#endif /* IOT_USE_RPC */

#ifdef IOT_USE_SMB
int iot_smb_begin(struct iot_tp_cifs_smb3_cmd_enter *ctx)
{
	struct iot_netfs_key key = { .session = ctx->sesid, .request = ctx->mid };
	struct iot_netfs_entry asked = {};

	if (!iot_wanted())
		return 0;
	asked.start = bpf_ktime_get_ns();
	if (iot_netfs_begin(&key, &asked) < 0)
		iot_miss(IOT_SEQ_netfs, IOT_MISS_FULL);
	return 0;
}

#define IOT_SMB2_SESSION_SETUP 1

static __always_inline void iot_smb_end(void *ctx, u64 session, u64 message, u32 command, s32 status)
{
	struct iot_netfs_key key = { .session = session, .request = message };
	struct iot_netfs_entry *asked = iot_netfs_asked.lookup(&key);
	struct iot_netfs e = {};

	/* it was asked for before it had the number */
	if (!asked && command == IOT_SMB2_SESSION_SETUP) {
		key.session = 0;
		asked = iot_netfs_asked.lookup(&key);
	}
	if (!asked)
		return;
	e.session = session;
	e.id = message;
	e.command = command;
	e.queue = IOT_NETFS_UNKNOWN;
	e.total = e.server = bpf_ktime_get_ns() - asked->start;
	e.status = status;
	e.known = IOT_NETFS_STATUS | IOT_NETFS_SMB;
	iot_netfs_send(ctx, &e, asked, IOT_VIA_NETFS_SMB);
	iot_netfs_asked.delete(&key);
}

int iot_smb_done(struct iot_tp_cifs_smb3_cmd_done *ctx)
{
	iot_smb_end(ctx, ctx->sesid, ctx->mid, ctx->cmd, 0);
	return 0;
}

int iot_smb_failed(struct iot_tp_cifs_smb3_cmd_err *ctx)
{
	iot_smb_end(ctx, ctx->sesid, ctx->mid, ctx->cmd, ctx->rc);
	return 0;
}
#endif /* IOT_USE_SMB */

#endif /* IOT_STREAM_netfs */
