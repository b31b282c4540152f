/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sockets, and system calls on them: who they are, and what a call gives, which
 * waits for its return. With kernel headers a socket's addresses come from the
 * kernel, through the descriptor; without, the reader follows what bind, connect
 * and accept said.
 */
#if defined(IO_STREAM_nw_conn) || defined(IO_STREAM_nw_epoll) || defined(IO_STREAM_nw_sockopt) || \
	defined(IO_STREAM_nw)
#define IO_SOCKETS
#endif

/* calls that make connections: rows, or what rows of nw need to know */
#if defined(IO_STREAM_nw_conn) || defined(IO_USE_SC_SEND)
#define IO_CONNS
#endif

#ifdef IO_SOCKETS

struct io_sockaddr {
	u16 family;
	u16 port;        /* network order */
	u32 v4;          /* IPv6: flow */
	u8 v6[16];
	u32 scope;
};

/* What a sockaddr given to bind or connect says, of one end. */
static __always_inline void io_ends_given(struct io_ends *e, struct io_sockaddr *a, int remote)
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
	e->known |= remote ? IO_ENDS_REMOTE : IO_ENDS_LOCAL;
}

#endif

#if defined(IO_CONNS) && !defined(IO_HEADERS)
/*
 * When a descriptor was last given to a socket, or taken from it. The reader, who
 * follows descriptors, knows by it that a record in between was lost, or that what
 * is behind the descriptor in /proc by now is a later one. An entry that went with
 * its socket could not tell that: the next one has the number before its call returns.
 */
BPF_TABLE("lru_hash", u64, u64, io_sock_made, 16384);

static __always_inline u64 io_sock_made_key(s32 fd)
{
	return bpf_get_current_pid_tgid() >> 32 << 32 | (u32)fd;
}

static __always_inline u64 io_sock_made_at(s32 fd)
{
	u64 key = io_sock_made_key(fd), *at = io_sock_made.lookup(&key);

	return at && !(*at & IO_SOCK_GONE) ? *at : 0;
}

/* The descriptor is closed, or was given to something else: by dup2, which closes it first, or anew. */
static __always_inline void io_sock_forget(s32 fd)
{
	u64 key = io_sock_made_key(fd), *at = io_sock_made.lookup(&key);

	if (at)
		*at = bpf_ktime_get_ns() | IO_SOCK_GONE;
}
#endif

#if defined(IO_SOCKETS) && defined(IO_HEADERS)

/* "TCP", "TCPv6", "UDP" … as the protocol calls itself; where it says nothing it is none. */
static __always_inline u16 io_protocol(struct sock *sk)
{
	struct proto *proto = 0;
	char name[8] = "";

	IO_READ_K(&proto, sizeof(proto), &sk->__sk_common.skc_prot);
	if (proto)
		IO_READ_K(name, sizeof(name), (void *)proto + offsetof(struct proto, name));
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

static __always_inline void io_ends_read(struct io_ends *e, struct sock *sk)
{
	struct socket *socket = 0;
	u16 family = 0, num = 0, port = 0;
	short type = 0;

	IO_READ_K(&family, sizeof(family), &sk->__sk_common.skc_family);
	IO_READ_K(&socket, sizeof(socket), &sk->sk_socket);
	if (socket)
		IO_READ_K(&type, sizeof(type), &socket->type);
	e->family = family;
	e->type = type;
	e->protocol = io_protocol(sk);
	e->known = IO_ENDS_SOCKET;
	if (family != 2 && family != 10)
		return;
	IO_READ_K(&num, sizeof(num), &sk->__sk_common.skc_num);
	IO_READ_K(&port, sizeof(port), &sk->__sk_common.skc_dport);
	e->local_port = num;
	e->remote_port = __builtin_bswap16(port);
	/* its port is given back when both sides have closed, though the socket is there (inet_put_port) */
	if (!num && port) {
		IO_READ_K(&port, sizeof(port), &((struct inet_sock *)sk)->inet_sport);
		e->local_port = __builtin_bswap16(port);
	}
	e->known = IO_ENDS_SOCKET | IO_ENDS_LOCAL | IO_ENDS_REMOTE;
	if (family == 2) {
		IO_READ_K(e->local, 4, &sk->__sk_common.skc_rcv_saddr);
		IO_READ_K(e->remote, 4, &sk->__sk_common.skc_daddr);
		return;
	}
#ifdef IO_HAS_IPV6
	IO_READ_K(e->local, 16, &sk->__sk_common.skc_v6_rcv_saddr);
	IO_READ_K(e->remote, 16, &sk->__sk_common.skc_v6_daddr);
#endif
}

/* The socket behind a descriptor of the current task, or NULL. */
static __always_inline struct sock *io_fd_sock(s32 fd)
{
	struct file *file = io_fd_file(fd);
	struct inode *inode = 0;
	struct socket *socket = 0;
	struct sock *sk = 0;
	umode_t mode = 0;

	if (!file)
		return 0;
	IO_GET(inode, file, f_inode);
	if (!inode)
		return 0;
	IO_GET(mode, inode, i_mode);
	if (!S_ISSOCK(mode))
		return 0;
	IO_GET(socket, file, private_data);
	if (socket)
		IO_GET(sk, socket, sk);
	return sk;
}

#endif

#if defined(IO_CONNS) || defined(IO_STREAM_nw_epoll) || defined(IO_STREAM_nw_sockopt)
#define IO_SOCK_CALLS

struct io_sock_call {
	u64 ts;
	u64 args[5];
	s64 timeout;   /* ns; IO_POLL_* */
	u64 sk;        /* of a connection that this call began */
	u64 left;      /* messages of one call that are not told yet */
	u16 op;
	u16 via;
	u32 active;
};
BPF_TABLE("hash", u32, struct io_sock_call, io_sock_calls, 16384);

/* Operations of the streams in one number. */
#define IO_SOCK_POLL 64
#define IO_SOCK_OPT 128
#define IO_SOCK_NET 192

/* Whose row is missing when an operation is lost */
static __always_inline u32 io_sock_class(u16 op)
{
	return op < IO_SOCK_POLL ? IO_SEQ_NW_CONN : op < IO_SOCK_OPT ? IO_SEQ_NW_EPOLL :
	       op < IO_SOCK_NET ? IO_SEQ_NW_SOCKOPT : IO_SEQ_NW;
}

/* The entry of this thread for a call that begins; NULL when it is not to be shown. */
static __always_inline struct io_sock_call *io_sock_call_get(u16 op, u16 via)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct io_sock_call *c, fresh = {};

	if (!io_wanted())
		return 0;
	c = io_sock_calls.lookup(&tid);
	if (!c) {
		if (io_sock_calls.update(&tid, &fresh) < 0) {
			io_miss(io_sock_class(op), IO_MISS_FULL);
			return 0;
		}
		c = io_sock_calls.lookup(&tid);
		if (!c)
			return 0;
	}
	if (c->active) /* what the call before was */
		io_miss(io_sock_class(c->op), IO_MISS_RETURN);
	c->op = op;
	c->via = via;
	c->sk = 0;
	c->active = 1;
	c->ts = bpf_ktime_get_ns();
	return c;
}

/* n: arguments of the call; the kernel refuses a program that would read more */
static __always_inline void io_sock_begin(struct io_sys_enter *ctx, u16 op, u16 via, int n)
{
	struct io_sock_call *c = io_sock_call_get(op, via);

	if (!c)
		return;
	c->args[0] = IO_SYS_ARG(ctx, 0);
	if (n > 1)
		c->args[1] = IO_SYS_ARG(ctx, 1);
	if (n > 2)
		c->args[2] = IO_SYS_ARG(ctx, 2);
	if (n > 3)
		c->args[3] = IO_SYS_ARG(ctx, 3);
	if (n > 4)
		c->args[4] = IO_SYS_ARG(ctx, 4);
}

#endif

/* ---- nw, where there are no kprobes ---- */

#ifdef IO_USE_SC_SEND

/* odd ones send */
enum {
	IO_NET_SENDTO = 1, IO_NET_RECVFROM, IO_NET_SENDMSG, IO_NET_RECVMSG, IO_NET_SENDMMSG, IO_NET_RECVMMSG,
	IO_NET_WRITE, IO_NET_READ, IO_NET_SENDFILE, IO_NET_SPLICE
};

/* struct msghdr of user space, 64 bits */
struct io_msghdr {
	u64 name;
	u64 namelen;
	u64 iov;
	u64 iovlen;
	u64 control[3];
	u32 len;         /* struct mmsghdr: bytes moved */
	u32 pad;
};

/* Whose call on which socket: 0 when it is none of the internet. Without headers the reader decides. */
static __always_inline int io_net_ends(struct io_net *e, struct io_sock_call *c)
{
	io_current(&e->head);
	e->direction = (c->op - IO_SOCK_NET) & 1 ? IO_NET_SEND : IO_NET_RECEIVE;
	e->fd = c->args[0];
#ifdef IO_HEADERS
	struct sock *sk = io_fd_sock(e->fd);

	if (!sk)
		return 0;
	io_ends_read(&e->ends, sk);
	return e->ends.known & IO_ENDS_LOCAL;
#else
	e->ends.made = io_sock_made_at(e->fd);
	e->maybe = c->op >= IO_SOCK_NET + IO_NET_SENDFILE;
	return 1;
#endif
}

/* The caller's address of a message is that of its peer where the socket has none. */
static __always_inline void io_net_given(struct io_ends *e, u64 peer)
{
	struct io_sockaddr a = {};

	IO_READ_U(&a, 16, (void *)peer);
	if (a.family == 10)
		IO_READ_U(&a, sizeof(a), (void *)peer);
	io_ends_given(e, &a, 1);
}

static __always_inline void io_net_end(void *ctx, struct io_sock_call *c, s64 ret)
{
	struct io_net e = {};
	struct io_msghdr m = {};
	u16 kind = c->op - IO_SOCK_NET;
	u64 peer = 0;

	if (!io_row_asked(ret, c->ts) || !io_net_ends(&e, c))
		return;
	e.ret = ret;
	if (kind == IO_NET_SENDTO || kind == IO_NET_RECVFROM) {
		e.size = c->args[2];
		e.msg_flags = c->args[3];
		peer = c->args[4];
	} else if (kind < IO_NET_WRITE) {
		IO_READ_U(&m, sizeof(m), (void *)c->args[1]);
		e.msg_flags = c->args[kind < IO_NET_SENDMMSG ? 2 : 3];
		peer = m.name;
		e.size = io_iov_bytes(m.iov, m.iovlen);
	} else {
		e.size = c->args[2];
	}
	if (peer && !e.ends.remote_port && (ret >= 0 || (kind & 1)))
		io_net_given(&e.ends, peer);
	io_stamp(&e.head, IO_SEQ_NW, IO_REC_NET, c->via);
	e.latency = e.head.ts - c->ts;
	io_events.perf_submit(ctx, &e, sizeof(e));
}

#ifdef IO_HEADERS
/* read and write of a socket: 1 when it was one, whose end io_net_rw_end tells. */
static __always_inline int io_net_rw(struct file *file, u16 op, s32 fd, u64 size)
{
	struct inode *inode = 0;
	struct io_sock_call *c;
	umode_t mode = 0;

	IO_GET(inode, file, f_inode);
	if (!inode)
		return 0;
	IO_GET(mode, inode, i_mode);
	if (!S_ISSOCK(mode))
		return 0;
	c = io_sock_call_get(IO_SOCK_NET + (op == IO_WRITE ? IO_NET_WRITE : IO_NET_READ),
			     op == IO_WRITE ? IO_VIA_NW_SEND : IO_VIA_NW_RECEIVE);
	if (c) {
		c->args[0] = fd;
		c->args[2] = size;
	}
	return 1;
}

static __always_inline void io_net_rw_end(void *ctx, s64 ret)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct io_sock_call *c = io_sock_calls.lookup(&tid);

	if (!c || !c->active || c->op < IO_SOCK_NET + IO_NET_WRITE)
		return;
	c->active = 0;
	io_net_end(ctx, c, ret);
}
#endif

/*
 * sendfile and splice: a socket on one side. Without headers it may be one on
 * either side, and the reader finds out.
 */
static __always_inline void io_net_moves(s32 in, s32 out, u64 size, u16 kind)
{
	struct io_sock_call *c;

#ifdef IO_HEADERS
	if (io_fd_sock(out))
		kind = IO_NET_SENDFILE;
	else if (!io_fd_sock(in))
		return;
#endif
	c = io_sock_call_get(IO_SOCK_NET + kind, kind == IO_NET_SPLICE ? IO_VIA_NW_RECEIVE : IO_VIA_NW_SEND);
	if (!c)
		return;
	c->args[0] = kind == IO_NET_SPLICE ? in : out;
	c->args[1] = out;
	c->args[2] = size;
}

static __always_inline void io_net_moved(void *ctx, s64 ret)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct io_sock_call *c = io_sock_calls.lookup(&tid);

	if (!c || !c->active || c->op < IO_SOCK_NET + IO_NET_SENDFILE)
		return;
	c->active = 0;
	io_net_end(ctx, c, ret);
#ifndef IO_HEADERS
	if (c->op != IO_SOCK_NET + IO_NET_SPLICE)
		return;
	c->op = IO_SOCK_NET + IO_NET_SENDFILE;
	c->via = IO_VIA_NW_SEND;
	c->args[0] = c->args[1];
	io_net_end(ctx, c, ret);
#endif
}

#endif /* IO_USE_SC_SEND */
