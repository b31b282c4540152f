/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream nw_drop: segments that TCP sends again and, when asked for, packets
 * that the kernel throws away. Both happen in whatever task was interrupted:
 * the reader does not take it for the socket's. Filters go by that task, too.
 * What interrupts the tracer is none of its doing, and shown without a task.
 */
#ifdef IO_STREAM_nw_drop

static __always_inline bool io_drop_wanted(void)
{
	u32 zero = 0;
	struct io_config *cfg = io_cfg.lookup(&zero);

	if (!cfg || !cfg->on)
		return false;
	if (cfg->self == bpf_get_current_pid_tgid() >> 32)
		return !(cfg->filters & (IO_FILTER_TASKS | IO_FILTER_COMM | IO_FILTER_UID | IO_FILTER_CGROUP));
	return io_wanted() != 0;
}

static __always_inline void io_drop_send(void *ctx, struct io_drop *e, u16 event, u16 via)
{
	u32 zero = 0;
	struct io_config *cfg = io_cfg.lookup(&zero);

	e->event = event;
	if (cfg && cfg->self != bpf_get_current_pid_tgid() >> 32)
		io_current(&e->head);
	io_stamp(&e->head, IO_SEQ_NW_DROP, IO_REC_DROP, via);
	io_events.perf_submit(ctx, e, sizeof(*e));
}

/*
 * An IPv4 peer where there is room for IPv6: mapped (::ffff:a.b.c.d), or nothing
 * at all, when only the fields of IPv4 are filled.
 */
static __always_inline bool io_drop_is_v4(const u8 *v6)
{
	const u64 *high = (const u64 *)v6;
	const u32 *low = (const u32 *)(v6 + 8);

	return high[0] == 0 && (low[0] == 0xffff0000 || (low[0] == 0 && low[1] == 0));
}

static __always_inline void io_drop_tcp(struct io_drop *e)
{
	e->ends.protocol = 6;
	e->ends.type = 1;
	e->ends.known = IO_ENDS_SOCKET | IO_ENDS_LOCAL | IO_ENDS_REMOTE;
	e->known = IO_DROP_PORTS;
}

/* ---- segments sent again ---- */

/* The tracepoints fill both kinds of fields, whatever the socket is. */
#define IO_DROP_TP_ENDS(e, ctx) do { \
	io_drop_tcp(e); \
	(e)->ends.local_port = (ctx)->sport; \
	(e)->ends.remote_port = (ctx)->dport; \
	IO_READ_K((e)->ends.remote, 16, (ctx)->daddr_v6); \
	(e)->ends.family = io_drop_is_v4((e)->ends.remote) ? 2 : 10; \
	if ((e)->ends.family == 2) { \
		__builtin_memset((e)->ends.remote, 0, 16); \
		IO_READ_K((e)->ends.local, 4, (ctx)->saddr); \
		IO_READ_K((e)->ends.remote, 4, (ctx)->daddr); \
	} else { \
		IO_READ_K((e)->ends.local, 16, (ctx)->saddr_v6); \
	} \
} while (0)

#ifdef IO_HEADERS
/* Of a socket, or of a connection that is still to be accepted: both begin with struct sock_common. */
static __always_inline void io_drop_ends(struct io_drop *e, u64 at)
{
	struct sock_common *sk = (struct sock_common *)at;
	u16 family = 0, port = 0;

	io_drop_tcp(e);
	IO_GET(family, sk, skc_family);
	IO_GET(e->ends.local_port, sk, skc_num);
	IO_GET(port, sk, skc_dport);
	e->ends.remote_port = __builtin_bswap16(port);
	e->ends.family = 2;
#ifdef IO_HAS_IPV6
	if (family == 10) {
		IO_READ_K(e->ends.remote, 16, &sk->skc_v6_daddr);
		if (!io_drop_is_v4(e->ends.remote)) {
			IO_READ_K(e->ends.local, 16, &sk->skc_v6_rcv_saddr);
			e->ends.family = 10;
			return;
		}
		__builtin_memset(e->ends.remote, 0, 16);
	}
#endif
	IO_READ_K(e->ends.local, 4, &sk->skc_rcv_saddr);
	IO_READ_K(e->ends.remote, 4, &sk->skc_daddr);
}

static __always_inline u32 io_drop_state(u64 sk)
{
	u8 state = 0;

	IO_READ_K(&state, sizeof(state), (void *)&((struct sock_common *)sk)->skc_state);
	return state;
}

static __always_inline void io_drop_size(struct io_drop *e, u64 skb)
{
	if (IO_READ_K(&e->size, sizeof(e->size), &((struct sk_buff *)skb)->len) == 0)
		e->known |= IO_DROP_SIZE;
}

static __always_inline void io_retransmitted(void *ctx, u64 sk, u64 skb)
{
	struct io_drop e = {};

	io_drop_ends(&e, sk);
	io_drop_size(&e, skb);
	e.state = io_drop_state(sk);
	io_drop_send(ctx, &e, IO_DROP_RETRANSMIT, IO_VIA_NW_DROP_TCP_RETRANSMIT);
}
#endif

/* A connection that is still to be accepted is in state TCP_NEW_SYN_RECV; the answer has no data. */
static __always_inline void io_drop_synack(struct io_drop *e)
{
	e->state = 12;
	e->known |= IO_DROP_SIZE;
}

#ifdef IO_HEADERS
static __always_inline void io_answered(void *ctx, u64 request)
{
	struct io_drop e = {};

	io_drop_ends(&e, request);
	io_drop_synack(&e);
	io_drop_send(ctx, &e, IO_DROP_RETRANSMIT, IO_VIA_NW_DROP_TCP_RETRANSMIT);
}
#endif

#ifdef IO_USE_RETRANSMIT_RAW
/* (sock, packet), and (sock, packet, error) where failed attempts are told, too */
int io_raw_retransmit(struct io_raw *ctx)
{
	if (!io_drop_wanted())
		return 0;
#ifdef IO_HAS_RETRANSMIT_ERR
	if ((s32)ctx->args[2])
		return 0;
#endif
	io_retransmitted(ctx, ctx->args[0], ctx->args[1]);
	return 0;
}

/* (listening sock, request) */
int io_raw_synack(struct io_raw *ctx)
{
	if (io_drop_wanted())
		io_answered(ctx, ctx->args[1]);
	return 0;
}
#endif

#ifdef IO_USE_RETRANSMIT_TP
int io_retransmit(struct io_tp_tcp_tcp_retransmit_skb *ctx)
{
	struct io_drop e = {};

	if (!io_drop_wanted())
		return 0;
#ifdef IO_HAS_RETRANSMIT_ERR
	if (ctx->err)
		return 0;
#endif
	IO_DROP_TP_ENDS(&e, ctx);
#ifdef IO_HAS_RETRANSMIT_STATE
	e.state = ctx->state;
#elif defined(IO_HEADERS)
	e.state = io_drop_state((u64)ctx->skaddr);
#endif
#ifdef IO_HEADERS
	io_drop_size(&e, (u64)ctx->skbaddr);
#endif
	io_drop_send(ctx, &e, IO_DROP_RETRANSMIT, IO_VIA_NW_DROP_TCP_RETRANSMIT);
	return 0;
}

int io_synack(struct io_tp_tcp_tcp_retransmit_synack *ctx)
{
	struct io_drop e = {};

	if (!io_drop_wanted())
		return 0;
	IO_DROP_TP_ENDS(&e, ctx);
	io_drop_synack(&e);
	io_drop_send(ctx, &e, IO_DROP_RETRANSMIT, IO_VIA_NW_DROP_TCP_RETRANSMIT);
	return 0;
}
#endif

#ifdef IO_USE_RETRANSMIT_KP
/*
 * Calls under way. One that serves a task's own socket is interrupted by others,
 * in the same task: they are told apart by the stack at the call, which is that
 * at the return (on x86 without the address to return to).
 */
struct io_again {
	u64 ts;
	u64 sk;
	u64 skb;
};
BPF_TABLE("lru_hash", u64, struct io_again, io_agains, 1024);

#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)
#define IO_RETURN_ADDRESS 0
#else
#define IO_RETURN_ADDRESS 8
#endif

static __always_inline int io_again_begin(struct pt_regs *ctx)
{
	u64 key = PT_REGS_SP(ctx) + IO_RETURN_ADDRESS;
	struct io_again a = {};
	u32 zero = 0;
	struct io_config *cfg = io_cfg.lookup(&zero);

	if (!cfg || !cfg->on)
		return 0;
	if (io_agains.lookup(&key))
		io_miss(IO_SEQ_NW_DROP, IO_MISS_RETURN);
	a.ts = bpf_ktime_get_ns();
	a.sk = PT_REGS_PARM1(ctx);
	a.skb = PT_REGS_PARM2(ctx);
	if (io_agains.update(&key, &a) < 0)
		io_miss(IO_SEQ_NW_DROP, IO_MISS_FULL);
	return 0;
}

/* 1 when the call was one that counts: it has sent, as what the tracepoints tell of has. */
static __always_inline int io_again_end(struct pt_regs *ctx, struct io_again *out)
{
	u64 key = PT_REGS_SP(ctx);
	struct io_again *a = io_agains.lookup(&key);

	if (!a) {
		if (io_drop_wanted())
			io_miss(IO_SEQ_NW_DROP, IO_MISS_ENTRY);
		return 0;
	}
	*out = *a;
	io_agains.delete(&key);
	return (s32)PT_REGS_RC(ctx) == 0 && io_drop_wanted();
}

/* (sock, packet, segments) */
int io_resend(struct pt_regs *ctx)
{
	return io_again_begin(ctx);
}

/* The packet waits for its acknowledgement, and has been cut to what was sent. */
int io_resend_ret(struct pt_regs *ctx)
{
	struct io_again a = {};

	if (io_again_end(ctx, &a))
		io_retransmitted(ctx, a.sk, a.skb);
	return 0;
}

/* (listening sock, request) */
int io_synack_begin(struct pt_regs *ctx)
{
	return io_again_begin(ctx);
}

int io_synack_ret(struct pt_regs *ctx)
{
	struct io_again a = {};

	if (io_again_end(ctx, &a))
		io_answered(ctx, a.skb);
	return 0;
}
#endif

/* ---- packets thrown away ---- */

#if defined(IO_USE_DROP_RAW) || defined(IO_USE_DROP_TP)

#define IO_ETH_IP 0x0800
#define IO_ETH_IPV6 0x86dd

/* ether: host order. False when such packets are not wanted. */
static __always_inline bool io_packet_family(struct io_drop *e, u16 ether)
{
	u32 zero = 0;
	struct io_config *cfg = io_cfg.lookup(&zero);

	e->ends.family = ether == IO_ETH_IP ? 2 : ether == IO_ETH_IPV6 ? 10 : 0;
	return e->ends.family || (cfg && cfg->all_drops);
}

#ifdef IO_HEADERS
/* What lies linear in the buffer: behind it the memory is of something else. */
struct io_packet {
	unsigned char *ip;
	unsigned char *end;
};

/*
 * Where the header of IP is: noted when the packet has come so far; before, a
 * packet that comes in begins with it. Its first half byte must agree.
 */
static __always_inline bool io_packet_find(struct io_packet *p, struct sk_buff *skb, u8 version)
{
	unsigned char *head = 0, *data = 0;
	unsigned int len = 0, paged = 0;
	u16 network = 0;
	u8 first = 0;

	IO_GET(head, skb, head);
	IO_GET(data, skb, data);
	IO_GET(len, skb, len);
	IO_GET(paged, skb, data_len);
	IO_GET(network, skb, network_header);
	p->end = data + (len - paged);
	p->ip = head + network;
	if (network)
		IO_READ_K(&first, sizeof(first), p->ip);
	if (first >> 4 != version) {
		p->ip = data;
		IO_READ_K(&first, sizeof(first), data);
	}
	return first >> 4 == version;
}

/* Type and code of ICMP stand where others have ports. */
static __always_inline void io_packet_ports(struct io_drop *e, struct io_packet *p, unsigned char *at, u8 protocol)
{
	u8 b[4] = {};

	if (at + 4 > p->end)
		return;
	IO_READ_K(b, 4, at);
	if (protocol == 1 || protocol == 58) {
		e->ends.local_port = b[0];
		e->ends.remote_port = b[1];
	} else if (protocol == 6 || protocol == 17 || protocol == 33 || protocol == 132 || protocol == 136) {
		e->ends.local_port = b[0] << 8 | b[1];
		e->ends.remote_port = b[2] << 8 | b[3];
	} else {
		return;
	}
	e->known |= IO_DROP_PORTS;
}

static __always_inline void io_packet_v4(struct io_drop *e, struct io_packet *p)
{
	u8 h[20] = {};

	if (p->ip + 20 > p->end)
		return;
	IO_READ_K(h, 20, p->ip);
	__builtin_memcpy(e->ends.local, h + 12, 4);
	__builtin_memcpy(e->ends.remote, h + 16, 4);
	e->ends.known = IO_ENDS_LOCAL | IO_ENDS_REMOTE;
	e->ends.protocol = h[9];
	/* fragments but the first have no header of the protocol */
	if (!((h[6] & 0x1f) | h[7]))
		io_packet_ports(e, p, p->ip + (h[0] & 15) * 4, h[9]);
}

static __always_inline void io_packet_v6(struct io_drop *e, struct io_packet *p)
{
	unsigned char *at = p->ip + 40;
	u8 b[4], next = 0, later = 0;

	if (at > p->end)
		return;
	IO_READ_K(e->ends.local, 16, p->ip + 8);
	IO_READ_K(e->ends.remote, 16, p->ip + 24);
	e->ends.known = IO_ENDS_LOCAL | IO_ENDS_REMOTE;
	IO_READ_K(&next, 1, p->ip + 6);
	/* hop by hop, routing, destination, fragment, authentication */
#pragma unroll
	for (int i = 0; i < 4; i++) {
		if (!later && (next == 0 || next == 43 || next == 60 || next == 44 || next == 51) && at + 8 <= p->end) {
			IO_READ_K(b, 4, at);
			if (next == 44) {
				later = b[2] || b[3] >> 3;
				at += 8;
			} else {
				at += next == 51 ? ((u32)b[1] + 2) * 4 : ((u32)b[1] + 1) * 8;
			}
			next = b[0];
		}
	}
	e->ends.protocol = next;
	if (!later)
		io_packet_ports(e, p, at, next);
}

static __always_inline bool io_packet_read(struct io_drop *e, u64 at)
{
	struct sk_buff *skb = (struct sk_buff *)at;
	struct io_packet p = {};
	u16 ether = 0;

	IO_GET(ether, skb, protocol);
	if (!io_packet_family(e, __builtin_bswap16(ether)))
		return false;
	io_drop_size(e, at);
	if (e->ends.family == 2 && io_packet_find(&p, skb, 4))
		io_packet_v4(e, &p);
	else if (e->ends.family == 10 && io_packet_find(&p, skb, 6))
		io_packet_v6(e, &p);
	return true;
}
#endif

#ifdef IO_USE_DROP_RAW
/* (packet, location), and (packet, location, reason …) */
int io_raw_drop(struct io_raw *ctx)
{
	struct io_drop e = {};

	if (!io_drop_wanted() || !io_packet_read(&e, ctx->args[0]))
		return 0;
	e.location = ctx->args[1];
#ifdef IO_HAS_DROP_REASON
	e.reason = ctx->args[2];
#endif
	io_drop_send(ctx, &e, IO_DROP_PACKET, IO_VIA_NW_DROP_PACKET_DROP);
	return 0;
}
#endif

#ifdef IO_USE_DROP_TP
int io_packet_drop(struct io_tp_skb_kfree_skb *ctx)
{
	struct io_drop e = {};

	if (!io_drop_wanted())
		return 0;
#ifdef IO_HEADERS
	if (!io_packet_read(&e, (u64)ctx->skbaddr))
		return 0;
#else
	if (!io_packet_family(&e, ctx->protocol))
		return 0;
#endif
	e.location = (u64)ctx->location;
#ifdef IO_HAS_DROP_REASON
	e.reason = ctx->reason;
#endif
	io_drop_send(ctx, &e, IO_DROP_PACKET, IO_VIA_NW_DROP_PACKET_DROP);
	return 0;
}
#endif
#endif /* IO_USE_DROP_RAW, IO_USE_DROP_TP */

#endif /* IO_STREAM_nw_drop */
