/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream nw: bytes that sockets of TCP and UDP send and receive. With kprobes on the
 * functions of the protocols, which every caller reaches: programs of whatever
 * word size, io_uring, sendfile and the kernel itself. udpv6_sendmsg calls
 * udp_sendmsg for a mapped address: what is inside another one is no row.
 */
#ifdef IOT_STREAM_nw

#ifdef IOT_USE_SOCK_FUNCTIONS

/* The call that begins; NULL when it is inside another one on the same socket, or not to be shown. */
static __always_inline struct iot_net_call *iot_net_begin(u64 sk, u64 msg, u16 direction, u64 size, u32 flags)
{
	struct iot_net_call *c;

	if (!iot_wanted())
		return 0;
	c = iot_pending_active(IOT_KIND_NET);
	if (c && c->sk == sk)
		return 0;
	if (c) {
		iot_pending_end(c);
		iot_miss(IOT_SEQ_nw, IOT_MISS_RETURN);
	}
	c = iot_pending_begin(IOT_KIND_NET, IOT_SEQ_nw, direction,
			      direction == IOT_NET_SEND ? IOT_VIA_NW_SEND : IOT_VIA_NW_RECEIVE);
	if (!c)
		return 0;
	c->sk = sk;
	c->msg = msg;
	c->size = size;
	c->flags = flags;
	c->family = 0;
	c->ts = bpf_ktime_get_ns();
	return c;
}

/* The address in a message: where it goes to, where it came from. The kernel's copy of it. */
static __always_inline void iot_net_peer(struct iot_net_call *c)
{
	struct msghdr *msg = (struct msghdr *)c->msg;
	struct iot_sockaddr a = {};
	void *name = 0;

	IOT_READ_K(&name, sizeof(name), &msg->msg_name);
	if (!name)
		return;
	IOT_READ_K(&a, 16, name);
	if (a.family == 2) {
		__builtin_memcpy(c->remote, &a.v4, 4);
	} else if (a.family == 10) {
		IOT_READ_K(&a, sizeof(a), name);
		__builtin_memcpy(c->remote, a.v6, 16);
	} else {
		return;
	}
	c->port = __builtin_bswap16(a.port);
	c->family = a.family;
}

static __always_inline u32 iot_msg_flags(u64 msg)
{
	unsigned int flags = 0;

	IOT_READ_K(&flags, sizeof(flags), &((struct msghdr *)msg)->msg_flags);
	return flags;
}

/* (sock, message, bytes) */
int iot_net_send(struct pt_regs *ctx)
{
	struct iot_net_call *c = iot_net_begin(PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx), IOT_NET_SEND,
					       PT_REGS_PARM3(ctx), iot_msg_flags(PT_REGS_PARM2(ctx)));

	if (c)
		iot_net_peer(c);
	return 0;
}

/* (sock, page, offset, bytes, flags), up to 6.4: sendfile and splice */
int iot_net_sendpage(struct pt_regs *ctx)
{
	iot_net_begin(PT_REGS_PARM1(ctx), 0, IOT_NET_SEND, PT_REGS_PARM4(ctx), PT_REGS_PARM5(ctx));
	return 0;
}

/* (socket, position, pipe, bytes, flags): splice from a socket */
int iot_net_splice(struct pt_regs *ctx)
{
	struct socket *socket = (struct socket *)PT_REGS_PARM1(ctx);
	struct sock *sk = 0;

	IOT_GET(sk, socket, sk);
	iot_net_begin((u64)sk, 0, IOT_NET_RECEIVE, PT_REGS_PARM4(ctx), 0);
	return 0;
}

/*
 * (sock, message, bytes, flags …), and up to 5.18 (sock, message, bytes,
 * nonblock, flags …): the type of the protocol's own function tells.
 */
#define IOT_RECV_NONBLOCK \
	__builtin_types_compatible_p(typeof(((struct proto *)0)->recvmsg), \
				     int (*)(struct sock *, struct msghdr *, size_t, int, int, int *))
#define IOT_MSG_DONTWAIT 0x40

int iot_net_recv(struct pt_regs *ctx)
{
	u32 flags = PT_REGS_PARM4(ctx);

	if (IOT_RECV_NONBLOCK)
		flags = (u32)PT_REGS_PARM5(ctx) | (flags ? IOT_MSG_DONTWAIT : 0);
	iot_net_begin(PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx), IOT_NET_RECEIVE, PT_REGS_PARM3(ctx), flags);
	return 0;
}

int iot_net_ret(struct pt_regs *ctx)
{
	struct iot_net_call *c = iot_pending_active(IOT_KIND_NET);
	s64 ret = (s32)PT_REGS_RC(ctx);
	struct iot_net e = {};

	if (!c)
		return 0;
	if (!iot_row_asked(ret, c->ts)) {
		iot_pending_end(c);
		return 0;
	}
	iot_ends_read(&e.ends, (struct sock *)c->sk);
	if (c->op == IOT_NET_RECEIVE && ret >= 0 && !c->family)
		iot_net_peer(c);
	/* of a socket that is not connected */
	if (c->family && !e.ends.remote_port) {
		__builtin_memcpy(e.ends.remote, c->remote, 16);
		e.ends.remote_port = c->port;
		/* an IPv4 peer of an IPv6 socket: ::ffff:a.b.c.d */
		if (c->family == 2 && e.ends.family == 10) {
			__builtin_memset(e.ends.remote, 0, 10);
			e.ends.remote[10] = e.ends.remote[11] = 0xff;
			__builtin_memcpy(e.ends.remote + 12, c->remote, 4);
		}
	}
	e.size = c->size;
	e.ret = ret;
	e.msg_flags = c->flags;
	e.fd = -1;
	e.direction = c->op;
	iot_current(&e.head);
	iot_stamp(&e.head, IOT_SEQ_nw, IOT_REC_NET, c->via);
	e.latency = e.head.ts - c->ts;
	iot_pending_end(c);
	iot_events.perf_submit(ctx, &e, sizeof(e));
	return 0;
}

#ifdef IOT_USE_UDP_SOURCE
/* (sock, packet, bytes), inside udp_recvmsg: who sent it, asked for or not */
int iot_net_source(struct pt_regs *ctx)
{
	struct iot_net_call *c = iot_pending_active(IOT_KIND_NET);
	struct sk_buff *skb = (struct sk_buff *)PT_REGS_PARM2(ctx);
	unsigned char *head = 0;
	u16 network = 0, transport = 0, port = 0;
	u8 version = 0;

	if (!c || c->op != IOT_NET_RECEIVE)
		return 0;
	IOT_GET(head, skb, head);
	IOT_GET(network, skb, network_header);
	IOT_GET(transport, skb, transport_header);
	IOT_READ_K(&version, sizeof(version), head + network);
	IOT_READ_K(&port, sizeof(port), head + transport);
	if (version >> 4 == 4) {
		IOT_READ_K(c->remote, 4, head + network + 12);
		c->family = 2;
	} else if (version >> 4 == 6) {
		IOT_READ_K(c->remote, 16, head + network + 8);
		c->family = 10;
	}
	c->port = __builtin_bswap16(port);
	return 0;
}
#endif
#endif /* IOT_USE_SOCK_FUNCTIONS */
#endif /* IOT_STREAM_nw */
