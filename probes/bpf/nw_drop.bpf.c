/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream nw_drop: segments that TCP sends again and, when asked for, packets
 * that the kernel throws away. Both happen in whatever task was interrupted:
 * the reader does not take it for the socket's. Filters go by that task, too.
 * What interrupts the tracer is none of its doing, and shown without a task.
 */
#ifdef IOT_STREAM_nw_drop

static __always_inline bool iot_drop_wanted(void)
{
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	if (!cfg || !cfg->on)
		return false;
	if (cfg->self == bpf_get_current_pid_tgid() >> 32)
		return !(cfg->filters & (IOT_FILTER_TASKS | IOT_FILTER_COMM | IOT_FILTER_UID | IOT_FILTER_CGROUP));
	return iot_wanted() != 0;
}

static __always_inline void iot_drop_send(void *ctx, struct iot_drop *e, u16 event, u16 via)
{
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	e->event = event;
	if (cfg && cfg->self != bpf_get_current_pid_tgid() >> 32)
		iot_current(&e->head);
	iot_stamp(&e->head, IOT_SEQ_nw_drop, IOT_REC_DROP, via);
	iot_events.perf_submit(ctx, e, sizeof(*e));
}

/*
 * An IPv4 peer where there is room for IPv6: mapped (::ffff:a.b.c.d), or nothing
 * at all, when only the fields of IPv4 are filled.
 */
static __always_inline bool iot_drop_is_v4(const u8 *v6)
{
	const u64 *high = (const u64 *)v6;
	const u32 *low = (const u32 *)(v6 + 8);

	return high[0] == 0 && (low[0] == 0xffff0000 || (low[0] == 0 && low[1] == 0));
}

static __always_inline void iot_drop_tcp(struct iot_drop *e)
{
	e->ends.protocol = 6;
	e->ends.type = 1;
	e->ends.known = IOT_ENDS_SOCKET | IOT_ENDS_LOCAL | IOT_ENDS_REMOTE;
	e->known = IOT_DROP_PORTS;
}

/* ---- segments sent again ---- */

/* The tracepoints fill both kinds of fields, whatever the socket is. */
#define IOT_DROP_TP_ENDS(e, ctx) do { \
	iot_drop_tcp(e); \
	(e)->ends.local_port = (ctx)->sport; \
	(e)->ends.remote_port = (ctx)->dport; \
	IOT_READ_K((e)->ends.remote, 16, (ctx)->daddr_v6); \
	(e)->ends.family = iot_drop_is_v4((e)->ends.remote) ? 2 : 10; \
	if ((e)->ends.family == 2) { \
		__builtin_memset((e)->ends.remote, 0, 16); \
		IOT_READ_K((e)->ends.local, 4, (ctx)->saddr); \
		IOT_READ_K((e)->ends.remote, 4, (ctx)->daddr); \
	} else { \
		IOT_READ_K((e)->ends.local, 16, (ctx)->saddr_v6); \
	} \
} while (0)

#ifdef IOT_HEADERS
/* Of a socket, or of a connection that is still to be accepted: both begin with struct sock_common. */
static __always_inline void iot_drop_ends(struct iot_drop *e, u64 at)
{
	struct sock_common *sk = (struct sock_common *)at;
	u16 family = 0, port = 0;

	iot_drop_tcp(e);
	IOT_GET(family, sk, skc_family);
	IOT_GET(e->ends.local_port, sk, skc_num);
	IOT_GET(port, sk, skc_dport);
	e->ends.remote_port = __builtin_bswap16(port);
	e->ends.family = 2;
#ifdef IOT_HAS_IPV6
	if (family == 10) {
		IOT_READ_K(e->ends.remote, 16, &sk->skc_v6_daddr);
		if (!iot_drop_is_v4(e->ends.remote)) {
			IOT_READ_K(e->ends.local, 16, &sk->skc_v6_rcv_saddr);
			e->ends.family = 10;
			return;
		}
		__builtin_memset(e->ends.remote, 0, 16);
	}
#endif
	IOT_READ_K(e->ends.local, 4, &sk->skc_rcv_saddr);
	IOT_READ_K(e->ends.remote, 4, &sk->skc_daddr);
}

static __always_inline u32 iot_drop_state(u64 sk)
{
	u8 state = 0;

	IOT_READ_K(&state, sizeof(state), (void *)&((struct sock_common *)sk)->skc_state);
	return state;
}

static __always_inline void iot_drop_size(struct iot_drop *e, u64 skb)
{
	if (IOT_READ_K(&e->size, sizeof(e->size), &((struct sk_buff *)skb)->len) == 0)
		e->known |= IOT_DROP_SIZE;
}

static __always_inline void iot_retransmitted(void *ctx, u64 sk, u64 skb)
{
	struct iot_drop e = {};

	iot_drop_ends(&e, sk);
	iot_drop_size(&e, skb);
	e.state = iot_drop_state(sk);
	iot_drop_send(ctx, &e, IOT_DROP_RETRANSMIT, IOT_VIA_NW_DROP_TCP_RETRANSMIT);
}
#endif

/* A connection that is still to be accepted is in state TCP_NEW_SYN_RECV; the answer has no data. */
static __always_inline void iot_drop_synack(struct iot_drop *e)
{
	e->state = 12;
	e->known |= IOT_DROP_SIZE;
}

#ifdef IOT_HEADERS
static __always_inline void iot_answered(void *ctx, u64 request)
{
	struct iot_drop e = {};

	iot_drop_ends(&e, request);
	iot_drop_synack(&e);
	iot_drop_send(ctx, &e, IOT_DROP_RETRANSMIT, IOT_VIA_NW_DROP_TCP_RETRANSMIT);
}
#endif

#ifdef IOT_USE_RETRANSMIT_RAW
/* (sock, packet), and (sock, packet, error) where failed attempts are told, too */
int iot_raw_retransmit(struct iot_raw *ctx)
{
	if (!iot_drop_wanted())
		return 0;
#ifdef IOT_HAS_RETRANSMIT_ERR
	if ((s32)ctx->args[2])
		return 0;
#endif
	iot_retransmitted(ctx, ctx->args[0], ctx->args[1]);
	return 0;
}

/* (listening sock, request) */
int iot_raw_synack(struct iot_raw *ctx)
{
	if (iot_drop_wanted())
		iot_answered(ctx, ctx->args[1]);
	return 0;
}
#endif

#ifdef IOT_USE_RETRANSMIT_TP
int iot_retransmit(struct iot_tp_tcp_tcp_retransmit_skb *ctx)
{
	struct iot_drop e = {};

	if (!iot_drop_wanted())
		return 0;
#ifdef IOT_HAS_RETRANSMIT_ERR
	if (ctx->err)
		return 0;
#endif
	IOT_DROP_TP_ENDS(&e, ctx);
#ifdef IOT_HAS_RETRANSMIT_STATE
	e.state = ctx->state;
#elif defined(IOT_HEADERS)
	e.state = iot_drop_state((u64)ctx->skaddr);
#endif
#ifdef IOT_HEADERS
	iot_drop_size(&e, (u64)ctx->skbaddr);
#endif
	iot_drop_send(ctx, &e, IOT_DROP_RETRANSMIT, IOT_VIA_NW_DROP_TCP_RETRANSMIT);
	return 0;
}

int iot_synack(struct iot_tp_tcp_tcp_retransmit_synack *ctx)
{
	struct iot_drop e = {};

	if (!iot_drop_wanted())
		return 0;
	IOT_DROP_TP_ENDS(&e, ctx);
	iot_drop_synack(&e);
	iot_drop_send(ctx, &e, IOT_DROP_RETRANSMIT, IOT_VIA_NW_DROP_TCP_RETRANSMIT);
	return 0;
}
#endif

#ifdef IOT_USE_RETRANSMIT_KP
/*
 * Calls under way. One that serves a task's own socket is interrupted by others,
 * in the same task: they are told apart by the stack at the call, which is that
 * at the return, but for the address to return to (IOT_RETURN_ADDRESS).
 */
struct iot_again {
	u64 ts;
	u64 sk;
	u64 skb;
};
BPF_TABLE("lru_hash", u64, struct iot_again, iot_agains, 1024);

static __always_inline int iot_again_begin(struct pt_regs *ctx)
{
	u64 key = PT_REGS_SP(ctx) + IOT_RETURN_ADDRESS;
	struct iot_again a = {};
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	if (!cfg || !cfg->on)
		return 0;
	if (iot_agains.lookup(&key))
		iot_miss(IOT_SEQ_nw_drop, IOT_MISS_RETURN);
	a.ts = bpf_ktime_get_ns();
	a.sk = PT_REGS_PARM1(ctx);
	a.skb = PT_REGS_PARM2(ctx);
	if (iot_agains.update(&key, &a) < 0)
		iot_miss(IOT_SEQ_nw_drop, IOT_MISS_FULL);
	return 0;
}

/* 1 when the call was one that counts: it has sent, as what the tracepoints tell of has. */
static __always_inline int iot_again_end(struct pt_regs *ctx, struct iot_again *out)
{
	u64 key = PT_REGS_SP(ctx);
	struct iot_again *a = iot_agains.lookup(&key);

	if (!a) {
		if (iot_drop_wanted())
			iot_miss(IOT_SEQ_nw_drop, IOT_MISS_ENTRY);
		return 0;
	}
	*out = *a;
	iot_agains.delete(&key);
	return (s32)PT_REGS_RC(ctx) == 0 && iot_drop_wanted();
}

/* (sock, packet, segments) */
int iot_resend(struct pt_regs *ctx)
{
	return iot_again_begin(ctx);
}

/* The packet waits for its acknowledgement, and has been cut to what was sent. */
int iot_resend_ret(struct pt_regs *ctx)
{
	struct iot_again a = {};

	if (iot_again_end(ctx, &a))
		iot_retransmitted(ctx, a.sk, a.skb);
	return 0;
}

/* (listening sock, request) */
int iot_synack_begin(struct pt_regs *ctx)
{
	return iot_again_begin(ctx);
}

int iot_synack_ret(struct pt_regs *ctx)
{
	struct iot_again a = {};

	if (iot_again_end(ctx, &a))
		iot_answered(ctx, a.skb);
	return 0;
}
#endif

/* ---- packets thrown away ---- */

#if defined(IOT_USE_DROP_RAW) || defined(IOT_USE_DROP_TP)

#define IOT_ETH_IP 0x0800
#define IOT_ETH_IPV6 0x86dd

/* ether: host order. False when such packets are not wanted. */
static __always_inline bool iot_packet_family(struct iot_drop *e, u16 ether)
{
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	e->ends.family = ether == IOT_ETH_IP ? 2 : ether == IOT_ETH_IPV6 ? 10 : 0;
	return e->ends.family || (cfg && cfg->all_drops);
}

#ifdef IOT_HEADERS
/* What lies linear in the buffer: behind it the memory is of something else. */
struct iot_packet {
	unsigned char *ip;
	unsigned char *end;
};

/*
 * Where the header of IP is: noted when the packet has come so far; before, a
 * packet that comes in begins with it. Its first half byte must agree.
 */
static __always_inline bool iot_packet_find(struct iot_packet *p, struct sk_buff *skb, u8 version)
{
	unsigned char *head = 0, *data = 0;
	unsigned int len = 0, paged = 0;
	u16 network = 0;
	u8 first = 0;

	IOT_GET(head, skb, head);
	IOT_GET(data, skb, data);
	IOT_GET(len, skb, len);
	IOT_GET(paged, skb, data_len);
	IOT_GET(network, skb, network_header);
	p->end = data + (len - paged);
	p->ip = head + network;
	if (network)
		IOT_READ_K(&first, sizeof(first), p->ip);
	if (first >> 4 != version) {
		p->ip = data;
		IOT_READ_K(&first, sizeof(first), data);
	}
	return first >> 4 == version;
}

/* Type and code of ICMP stand where others have ports. */
static __always_inline void iot_packet_ports(struct iot_drop *e, struct iot_packet *p, unsigned char *at, u8 protocol)
{
	u8 b[4] = {};

	if (at + 4 > p->end)
		return;
	IOT_READ_K(b, 4, at);
	if (protocol == 1 || protocol == 58) {
		e->ends.local_port = b[0];
		e->ends.remote_port = b[1];
	} else if (protocol == 6 || protocol == 17 || protocol == 33 || protocol == 132 || protocol == 136) {
		e->ends.local_port = b[0] << 8 | b[1];
		e->ends.remote_port = b[2] << 8 | b[3];
	} else {
		return;
	}
	e->known |= IOT_DROP_PORTS;
}

static __always_inline void iot_packet_v4(struct iot_drop *e, struct iot_packet *p)
{
	u8 h[20] = {};

	if (p->ip + 20 > p->end)
		return;
	IOT_READ_K(h, 20, p->ip);
	__builtin_memcpy(e->ends.local, h + 12, 4);
	__builtin_memcpy(e->ends.remote, h + 16, 4);
	e->ends.known = IOT_ENDS_LOCAL | IOT_ENDS_REMOTE;
	e->ends.protocol = h[9];
	/* fragments but the first have no header of the protocol */
	if (!((h[6] & 0x1f) | h[7]))
		iot_packet_ports(e, p, p->ip + (h[0] & 15) * 4, h[9]);
}

static __always_inline void iot_packet_v6(struct iot_drop *e, struct iot_packet *p)
{
	unsigned char *at = p->ip + 40;
	u8 b[4], next = 0, later = 0;

	if (at > p->end)
		return;
	IOT_READ_K(e->ends.local, 16, p->ip + 8);
	IOT_READ_K(e->ends.remote, 16, p->ip + 24);
	e->ends.known = IOT_ENDS_LOCAL | IOT_ENDS_REMOTE;
	IOT_READ_K(&next, 1, p->ip + 6);
	/* hop by hop, routing, destination, fragment, authentication */
#pragma unroll
	for (int i = 0; i < 4; i++) {
		if (!later && (next == 0 || next == 43 || next == 60 || next == 44 || next == 51) && at + 8 <= p->end) {
			IOT_READ_K(b, 4, at);
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
		iot_packet_ports(e, p, at, next);
}

static __always_inline bool iot_packet_read(struct iot_drop *e, u64 at)
{
	struct sk_buff *skb = (struct sk_buff *)at;
	struct iot_packet p = {};
	u16 ether = 0;

	IOT_GET(ether, skb, protocol);
	if (!iot_packet_family(e, __builtin_bswap16(ether)))
		return false;
	iot_drop_size(e, at);
	if (e->ends.family == 2 && iot_packet_find(&p, skb, 4))
		iot_packet_v4(e, &p);
	else if (e->ends.family == 10 && iot_packet_find(&p, skb, 6))
		iot_packet_v6(e, &p);
	return true;
}
#endif

/*
 * Up to 5.19 a compiler may split kfree_skb (c205cc7534a9): its event then comes from the second part,
 * and the address it would return to is in kfree_skb itself. Who called that one is the next on the
 * stack, below some frames of the event.
 */
#if defined(IOT_HAS_GET_STACK) && !defined(IOT_HAS_DROP_REASON)
static long (*iot_stack_of)(void *ctx, void *frames, u32 size, u64 flags) = (void *)67;
enum { IOT_DROP_FRAMES = 12 };

static __always_inline void iot_drop_caller(void *ctx, struct iot_drop *e)
{
	u64 frames[IOT_DROP_FRAMES] = {};

	if (iot_stack_of(ctx, frames, sizeof(frames), 0) < 0)
		return;
#pragma unroll
	for (int i = 0; i < IOT_DROP_FRAMES - 1; i++)
		if (!e->caller && frames[i] == e->location)
			e->caller = frames[i + 1];
}
#else
#define iot_drop_caller(ctx, e)
#endif

#ifdef IOT_USE_DROP_RAW
/* (packet, location), and (packet, location, reason …) */
int iot_raw_drop(struct iot_raw *ctx)
{
	struct iot_drop e = {};

	if (!iot_drop_wanted() || !iot_packet_read(&e, ctx->args[0]))
		return 0;
	e.location = ctx->args[1];
	iot_drop_caller(ctx, &e);
#ifdef IOT_HAS_DROP_REASON
	e.reason = ctx->args[2];
#endif
	iot_drop_send(ctx, &e, IOT_DROP_PACKET, IOT_VIA_NW_DROP_PACKET_DROP);
	return 0;
}
#endif

#ifdef IOT_USE_DROP_TP
int iot_packet_drop(struct iot_tp_skb_kfree_skb *ctx)
{
	struct iot_drop e = {};

	if (!iot_drop_wanted())
		return 0;
#ifdef IOT_HEADERS
	if (!iot_packet_read(&e, (u64)ctx->skbaddr))
		return 0;
#else
	if (!iot_packet_family(&e, ctx->protocol))
		return 0;
#endif
	e.location = (u64)ctx->location;
	iot_drop_caller(ctx, &e);
#ifdef IOT_HAS_DROP_REASON
	e.reason = ctx->reason;
#endif
	iot_drop_send(ctx, &e, IOT_DROP_PACKET, IOT_VIA_NW_DROP_PACKET_DROP);
	return 0;
}
#endif
#endif /* IOT_USE_DROP_RAW, IOT_USE_DROP_TP */

#endif /* IOT_STREAM_nw_drop */
