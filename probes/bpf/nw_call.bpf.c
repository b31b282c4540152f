/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sockets, and system calls on them: who they are, and what a call gives, which
 * waits for its return. With kernel headers a socket's addresses come from the
 * kernel, through the descriptor; without, the reader follows what bind, connect
 * and accept said.
 */
/* streams whose rows tell of sockets, not of calls alone: these have the headers of sockets, too */
#if defined(IOT_STREAM_nw_conn) || defined(IOT_STREAM_nw)
#define IOT_SOCKETS
#endif

/* calls that make connections: rows, or what rows of nw need to know */
#if defined(IOT_STREAM_nw_conn) || defined(IOT_USE_SC_SEND)
#define IOT_CONNS
#endif

#ifdef IOT_SOCKETS

struct iot_sockaddr {
	u16 family;
	u16 port;        /* network order */
	u32 v4;          /* IPv6: flow */
	u8 v6[16];
	u32 scope;
};

/* What a sockaddr given to bind or connect says, of one end. */
static __always_inline void iot_ends_given(struct iot_ends *e, struct iot_sockaddr *a, int remote)
{
	u8 *to = remote ? e->remote : e->local;
	u16 port = __builtin_bswap16(a->port);

	e->family = a->family;
	if (a->family == 2)
		__builtin_memcpy(to, &a->v4, 4);
	else if (a->family == 10)
		__builtin_memcpy(to, a->v6, 16);
	else
		return;
	if (remote)
		e->remote_port = port;
	else
		e->local_port = port;
	e->known |= remote ? IOT_ENDS_REMOTE : IOT_ENDS_LOCAL;
}

#endif

#if defined(IOT_CONNS) && !defined(IOT_HEADERS)
/*
 * When a descriptor was last given to a socket, or taken from it. The reader, who
 * follows descriptors, knows by it that a record in between was lost, or that what
 * is behind the descriptor in /proc by now is a later one. An entry that went with
 * its socket could not tell that: the next one has the number before its call returns.
 */
BPF_TABLE("lru_hash", u64, u64, iot_sock_made, 16384);

static __always_inline u64 iot_sock_made_key(s32 fd)
{
	return bpf_get_current_pid_tgid() >> 32 << 32 | (u32)fd;
}

static __always_inline u64 iot_sock_made_at(s32 fd)
{
	u64 key = iot_sock_made_key(fd), *at = iot_sock_made.lookup(&key);

	return at && !(*at & IOT_SOCK_GONE) ? *at : 0;
}

/* The descriptor is closed, or was given to something else: by dup2, which closes it first, or anew. */
static __always_inline void iot_sock_forget(s32 fd)
{
	u64 key = iot_sock_made_key(fd), *at = iot_sock_made.lookup(&key);

	if (at)
		*at = bpf_ktime_get_ns() | IOT_SOCK_GONE;
}
#endif

#if defined(IOT_SOCKETS) && defined(IOT_HEADERS)

/* "TCP", "TCPv6", "UDP" … as the protocol calls itself; where it says nothing it is none. */
static __always_inline u16 iot_protocol(struct sock *sk)
{
	struct proto *proto = 0;
	char name[8] = "";

	IOT_READ_K(&proto, sizeof(proto), &sk->__sk_common.skc_prot);
	if (proto)
		IOT_READ_K(name, sizeof(name), (void *)proto + offsetof(struct proto, name));
	if (name[0] == 'T' && name[1] == 'C')
		return 6;
	if (name[0] == 'U' && name[1] == 'D')
		return name[3] == 'L' || name[3] == '-' ? 136 : 17;
	if (name[0] == 'M' && name[1] == 'P')
		return 262;
	if (name[0] == 'S' && name[1] == 'C')
		return 132;
	if (name[0] == 'P' && name[1] == 'I')
		return name[4] == 'v' ? 58 : 1;
	return 0;
}

static __always_inline void iot_ends_read(struct iot_ends *e, struct sock *sk)
{
	struct socket *socket = 0;
	u16 family = 0, num = 0, port = 0;
	short type = 0;

	IOT_READ_K(&family, sizeof(family), &sk->__sk_common.skc_family);
	IOT_READ_K(&socket, sizeof(socket), &sk->sk_socket);
	if (socket)
		IOT_READ_K(&type, sizeof(type), &socket->type);
	e->family = family;
	e->type = type;
	e->protocol = iot_protocol(sk);
	e->known = IOT_ENDS_SOCKET;
	if (family != 2 && family != 10)
		return;
	IOT_READ_K(&num, sizeof(num), &sk->__sk_common.skc_num);
	IOT_READ_K(&port, sizeof(port), &sk->__sk_common.skc_dport);
	e->local_port = num;
	e->remote_port = __builtin_bswap16(port);
	/* its port is given back when both sides have closed, though the socket is there (inet_put_port) */
	if (!num && port) {
		IOT_READ_K(&port, sizeof(port), &((struct inet_sock *)sk)->inet_sport);
		e->local_port = __builtin_bswap16(port);
	}
	e->known = IOT_ENDS_SOCKET | IOT_ENDS_LOCAL | IOT_ENDS_REMOTE;
	if (family == 2) {
		IOT_READ_K(e->local, 4, &sk->__sk_common.skc_rcv_saddr);
		IOT_READ_K(e->remote, 4, &sk->__sk_common.skc_daddr);
		return;
	}
#ifdef IOT_HAS_IPV6
	IOT_READ_K(e->local, 16, &sk->__sk_common.skc_v6_rcv_saddr);
	IOT_READ_K(e->remote, 16, &sk->__sk_common.skc_v6_daddr);
#endif
}

/* The socket behind a descriptor of the current task, or NULL. */
static __always_inline struct sock *iot_fd_sock(s32 fd)
{
	struct file *file = iot_fd_file(fd);
	struct inode *inode = 0;
	struct socket *socket = 0;
	struct sock *sk = 0;
	umode_t mode = 0;

	if (!file)
		return 0;
	IOT_GET(inode, file, f_inode);
	if (!inode)
		return 0;
	IOT_GET(mode, inode, i_mode);
	if (!S_ISSOCK(mode))
		return 0;
	IOT_GET(socket, file, private_data);
	if (socket)
		IOT_GET(sk, socket, sk);
	return sk;
}

#endif

#ifdef IOT_SOCK_CALLS

/* A call of stream class begins; NULL when all places are taken. */
static __always_inline struct iot_sock_call *iot_sock_call_begin(u16 class, u16 op, u16 via)
{
	struct iot_sock_call *c = iot_pending_begin(IOT_KIND_SOCK, class, op, via);

	if (!c)
		return 0;
	c->sk = 0;
	c->ts = bpf_ktime_get_ns();
	return c;
}

#endif

/* ---- nw, where there are no kprobes ---- */

#ifdef IOT_USE_SC_SEND

/* struct msghdr of user space, 64 bits */
struct iot_msghdr {
	u64 name;
	u64 namelen;
	u64 iov;
	u64 iovlen;
	u64 control[3];
	u32 len;         /* struct mmsghdr: bytes moved */
	u32 pad;
};

/* Whose call on which socket: 0 when it is none of the internet. Without headers the reader decides. */
static __always_inline int iot_net_ends(struct iot_net *e, struct iot_sock_call *c)
{
	iot_current(&e->head);
	e->direction = c->op & 1 ? IOT_NET_SEND : IOT_NET_RECEIVE;
	e->fd = c->op < IOT_NET_WRITE ? c->args[0] : c->moved.fd;
#ifdef IOT_HEADERS
	struct sock *sk = iot_fd_sock(e->fd);

	if (!sk)
		return 0;
	iot_ends_read(&e->ends, sk);
	return e->ends.known & IOT_ENDS_LOCAL;
#else
	e->ends.made = iot_sock_made_at(e->fd);
	e->maybe = c->op >= IOT_NET_SENDFILE;
	return 1;
#endif
}

/* The caller's address of a message is that of its peer where the socket has none. */
static __always_inline void iot_net_given(struct iot_ends *e, u64 peer)
{
	struct iot_sockaddr a = {};

	IOT_READ_U(&a, 16, (void *)peer);
	if (a.family == 10)
		IOT_READ_U(&a, sizeof(a), (void *)peer);
	iot_ends_given(e, &a, 1);
}

static __always_inline void iot_net_end(void *ctx, struct iot_sock_call *c, s64 ret)
{
	struct iot_net e = {};
	struct iot_msghdr m = {};
	u64 peer = 0;

	if (!iot_row_asked(ret, c->ts) || !iot_net_ends(&e, c))
		return;
	e.ret = ret;
	if (c->op == IOT_NET_SENDTO || c->op == IOT_NET_RECVFROM) {
		e.size = c->args[2];
		e.msg_flags = c->args[3];
		peer = c->args[4];
	} else if (c->op < IOT_NET_WRITE) {
		IOT_READ_U(&m, sizeof(m), (void *)c->args[1]);
		e.msg_flags = c->args[c->op < IOT_NET_SENDMMSG ? 2 : 3];
		peer = m.name;
		e.size = iot_iov_bytes(m.iov, m.iovlen);
	} else {
		e.size = c->moved.size;
	}
	if (peer && !e.ends.remote_port && (ret >= 0 || (c->op & 1)))
		iot_net_given(&e.ends, peer);
	iot_stamp(&e.head, IOT_SEQ_nw, IOT_REC_NET, c->via);
	e.latency = e.head.ts - c->ts;
	iot_events.perf_submit(ctx, &e, sizeof(e));
}

#ifdef IOT_HEADERS
/* read and write of a socket: 1 when it was one, whose end iot_net_end_sc tells. */
static __always_inline int iot_net_rw(struct file *file, u16 op, s32 fd, u64 size)
{
	struct inode *inode = 0;
	struct iot_sock_call *c;
	umode_t mode = 0;

	IOT_GET(inode, file, f_inode);
	if (!inode)
		return 0;
	IOT_GET(mode, inode, i_mode);
	if (!S_ISSOCK(mode))
		return 0;
	if (!iot_shown())
		return 1;
	c = iot_sock_call_begin(IOT_SEQ_nw, op == IOT_WRITE ? IOT_NET_WRITE : IOT_NET_READ,
				op == IOT_WRITE ? IOT_VIA_NW_SEND : IOT_VIA_NW_RECEIVE);
	if (c) {
		c->moved.fd = fd;
		c->moved.size = size;
	}
	return 1;
}
#endif

/*
 * sendfile and splice: a socket on one side. Without headers it may be one on
 * either side, and the reader finds out.
 */
static __always_inline void iot_net_moves(s32 in, s32 out, u64 size, u16 kind)
{
	struct iot_sock_call *c;

#ifdef IOT_HEADERS
	if (iot_fd_sock(out))
		kind = IOT_NET_SENDFILE;
	else if (!iot_fd_sock(in))
		return;
#endif
	c = iot_shown() ? iot_sock_call_begin(IOT_SEQ_nw, kind, kind == IOT_NET_SPLICE ? IOT_VIA_NW_RECEIVE : IOT_VIA_NW_SEND) : 0;
	if (!c)
		return;
	c->moved.fd = kind == IOT_NET_SPLICE ? in : out;
	c->moved.out = out;
	c->moved.size = size;
}

BPF_TABLE("prog", u32, u32, iot_to_net_end_sc, 1);

/* The call of this thread, when it is one of nw that is (from this one on) of such a kind */
static __always_inline struct iot_sock_call *iot_net_pending(u16 from)
{
	struct iot_sock_call *c = iot_pending_active(IOT_KIND_SOCK);

	return c && c->class == IOT_SEQ_nw && c->op >= from ? c : 0;
}

/* It returns; the programs of all exits call this one. */
int iot_net_end_sc(struct iot_sys_exit *ctx)
{
	struct iot_sock_call *c = iot_net_pending(0);
	s64 ret = IOT_SYS_RET(ctx);
	u16 op;

	if (!c)
		return 0;
	iot_net_end(ctx, c, ret);
	op = c->op;
#ifndef IOT_HEADERS
	if (op == IOT_NET_SPLICE) {
		c->op = IOT_NET_SENDFILE;
		c->via = IOT_VIA_NW_SEND;
		c->moved.fd = c->moved.out;
		iot_to_net_end_sc.call(ctx, 0);
	}
#endif
	iot_pending_end(c);
#ifdef IOT_OP_EXIT
	/* that is where it came from, and it may be on a file, too */
	if (op >= IOT_NET_SENDFILE)
		iot_to_op_exit.call(ctx, 0);
#endif
	return 0;
}

#endif /* IOT_USE_SC_SEND */
