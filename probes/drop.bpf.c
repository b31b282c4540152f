/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream nw_drop: segments that TCP sends again and, when asked for, packets
 * that the kernel throws away. Both happen in whatever task was interrupted:
 * the reader does not take it for the socket's.
 */
#ifdef IO_STREAM_nw_drop

static __always_inline void io_drop_send(void *ctx, struct io_drop *e, u16 event, u16 via)
{
	e->event = event;
	io_current(&e->head);
	io_stamp(&e->head, IO_SEQ_NW_DROP, IO_REC_DROP, via);
	io_events.perf_submit(ctx, e, sizeof(*e));
}

/* Retransmissions have no task: all of the machine's are shown, unless tasks are filtered. */
static __always_inline int io_drop_wanted(void)
{
	return io_wanted() != 0;
}

#ifdef IO_USE_RETRANSMIT_TP
int io_retransmit(struct io_tp_tcp_tcp_retransmit_skb *ctx)
{
	struct io_drop e = {};

	if (!io_drop_wanted())
		return 0;
	e.ends.protocol = 6;
	e.ends.type = 1;
	e.ends.known = IO_ENDS_SOCKET | IO_ENDS_LOCAL | IO_ENDS_REMOTE;
	e.ends.local_port = ctx->sport;
	e.ends.remote_port = ctx->dport;
	IO_READ_K(e.ends.local, 16, ctx->saddr_v6);
	IO_READ_K(e.ends.remote, 16, ctx->daddr_v6);
	e.ends.family = 10;
#ifdef IO_HAS_RETRANSMIT_FAMILY
	e.ends.family = ctx->family;
#else
	/* an IPv4 socket fills the IPv6 fields with mapped addresses (::ffff:a.b.c.d) */
	if (*(u64 *)e.ends.remote == 0 && *(u32 *)(e.ends.remote + 8) == 0xffff0000)
		e.ends.family = 2;
#endif
	if (e.ends.family == 2) {
		IO_READ_K(e.ends.local, 4, ctx->saddr);
		IO_READ_K(e.ends.remote, 4, ctx->daddr);
	}
#ifdef IO_HAS_RETRANSMIT_STATE
	e.state = ctx->state;
#endif
#ifdef IO_HEADERS
	IO_READ_K(&e.size, sizeof(e.size), &((struct sk_buff *)ctx->skbaddr)->len);
#ifndef IO_HAS_RETRANSMIT_STATE
	{
		u8 state = 0;

		IO_READ_K(&state, sizeof(state), (void *)&((struct sock *)ctx->skaddr)->__sk_common.skc_state);
		e.state = state;
	}
#endif
#endif
	io_drop_send(ctx, &e, IO_DROP_RETRANSMIT, IO_VIA_NW_DROP_TCP_RETRANSMIT);
	return 0;
}
#endif

#endif /* IO_STREAM_nw_drop */
