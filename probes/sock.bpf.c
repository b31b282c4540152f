/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream nw_conn, from system calls in every tier; and the programs of calls on sockets
 * that serve several streams.
 */

/* ---- nw_conn ---- */

#ifdef IO_CONNS

/* Bytes of a name in which a NUL is one of them: 1 to 128. */
static __always_inline u64 io_send_bytes(void *ctx, u64 user, u32 len)
{
	struct io_scratch *s = io_scratch_get();
	u64 id = io_new_id();

	if (!s)
		return 0;
	/* 4.14 wants proof of both bounds */
	len = ((len - 1) & 127) + 1;
	s->mark = id;
	if (IO_READ_U(s->text.data, len, (void *)user) < 0)
		return 0;
	s->text.id = id;
	s->text.kind = IO_TEXT_STRING;
	s->text.flags = 0;
	s->text.len = len;
	io_send_text(ctx, s, id);
	return id;
}

/* The name of a Unix socket: a path, or bytes behind a NUL. Returns the id of its text. */
static __always_inline u64 io_unix_name(void *ctx, u64 addr, u64 len, u16 *flags)
{
	u64 at = addr + 2;
	char first = 0;

	if (len <= 2)
		return 0;
	IO_READ_U(&first, sizeof(first), (void *)at);
	if (!first) {
		*flags |= IO_CONN_ABSTRACT;
		return len > 3 ? io_send_bytes(ctx, at + 1, len - 3) : io_send_string(ctx, at + 1);
	}
	return io_send_string(ctx, at);
}

#if defined(IO_USE_SOCK_STATE) || defined(IO_USE_SOCK_STATE_KP)
#define IO_CONNECTING 1

/*
 * TCP connections on their way, from the call that began them to the state that
 * ends it: then both ends are known, and what became of one that did not wait.
 */
struct io_connecting {
	u64 ts;
	u64 made;    /* as of struct io_ends */
	u32 tgid;
	u32 tid;
	s32 fd;
	s32 ret;
	u32 waited;  /* the call has returned EINPROGRESS */
	u32 done;    /* before it did */
	char comm[16];
};
BPF_TABLE("lru_hash", u64, struct io_connecting, io_connecting, 16384);

#define IO_TCP_ESTABLISHED 1
#define IO_TCP_SYN_SENT 2
#define IO_TCP_CLOSE 7
#define IO_EINPROGRESS 115
#define IO_ENOTCONN 107

static __always_inline bool io_states_wanted(void)
{
	u32 zero = 0;
	struct io_config *cfg = io_cfg.lookup(&zero);

	return cfg && cfg->on;
}

/* In the thread whose call it is. */
static __always_inline void io_connect_begins(u64 sk)
{
	u64 id = bpf_get_current_pid_tgid();
	u32 tid = id;
	struct io_sock_call *call = io_sock_calls.lookup(&tid);
	struct io_connecting now = {};

	if (!call || !call->active || call->op != IO_CONN_CONNECT)
		return;
	call->sk = sk;
	now.ts = call->ts;
	now.tgid = id >> 32;
	now.tid = tid;
	now.fd = call->args[0];
#ifndef IO_HEADERS
	now.made = io_sock_made_at(now.fd);
#endif
	bpf_get_current_comm(&now.comm, sizeof(now.comm));
	io_connecting.update(&sk, &now);
}

/* In whatever task was interrupted; e has both ends already. */
static __always_inline void io_connect_ends(void *ctx, struct io_connecting *c, struct io_conn *e, u64 sk, u32 state)
{
	e->head.tgid = c->tgid;
	e->head.tid = c->tid;
	__builtin_memcpy(e->head.comm, c->comm, sizeof(e->head.comm));
	e->fd = c->fd;
	e->flags = IO_CONN_LATER | (c->waited ? IO_CONN_WAITED : 0);
	e->event = IO_CONN_CONNECT;
	e->ends.made = c->made;
	if (state != IO_TCP_ESTABLISHED) {
		e->ret = -IO_ENOTCONN;
#ifdef IO_HEADERS
		{
			int err = 0;

			IO_READ_K(&err, sizeof(err), &((struct sock *)sk)->sk_err);
			if (err)
				e->ret = -err;
		}
#endif
	}
	/* of a call that waits this is no row */
	io_stamp(&e->head, c->waited ? IO_SEQ_NW_CONN : IO_SEQ_STATE, IO_REC_CONN, IO_VIA_NW_CONN_CONNECT);
	e->latency = e->head.ts - c->ts;
	c->ret = e->ret;
	c->done = 1;
	if (c->waited)
		io_connecting.delete(&sk);
	io_events.perf_submit(ctx, e, sizeof(*e));
}

#ifdef IO_USE_SOCK_STATE
int io_sock_state(struct io_tp_sock_inet_sock_set_state *ctx)
{
	u64 sk = (u64)ctx->skaddr;
	struct io_connecting *c;
	struct io_conn e = {};

	if (!io_states_wanted())
		return 0;
	if (ctx->newstate == IO_TCP_SYN_SENT) {
		io_connect_begins(sk);
		return 0;
	}
	if (ctx->oldstate != IO_TCP_SYN_SENT)
		return 0;
	c = io_connecting.lookup(&sk);
	if (!c)
		return 0;
	e.ends.family = ctx->family;
	e.ends.type = 1;
	e.ends.protocol = ctx->protocol;
	e.ends.known = IO_ENDS_SOCKET | IO_ENDS_LOCAL | IO_ENDS_REMOTE;
	e.ends.local_port = ctx->sport;
	e.ends.remote_port = ctx->dport;
	if (ctx->family == 2) {
		IO_READ_K(e.ends.local, 4, ctx->saddr);
		IO_READ_K(e.ends.remote, 4, ctx->daddr);
	} else {
		IO_READ_K(e.ends.local, 16, ctx->saddr_v6);
		IO_READ_K(e.ends.remote, 16, ctx->daddr_v6);
	}
	io_connect_ends(ctx, c, &e, sk, ctx->newstate);
	return 0;
}
#endif

#ifdef IO_USE_SOCK_STATE_KP
/* tcp_set_state(sk, state): at its entry the socket is in the state before. */
int io_set_state(struct pt_regs *ctx)
{
	u64 sk = PT_REGS_PARM1(ctx);
	u32 state = PT_REGS_PARM2(ctx);
	struct io_connecting *c;
	struct io_conn e = {};
	u8 before = 0;

	if (!io_states_wanted())
		return 0;
	if (state == IO_TCP_SYN_SENT) {
		io_connect_begins(sk);
		return 0;
	}
	IO_READ_K(&before, sizeof(before), (void *)&((struct sock_common *)sk)->skc_state);
	if (before != IO_TCP_SYN_SENT)
		return 0;
	c = io_connecting.lookup(&sk);
	if (!c)
		return 0;
	io_ends_read(&e.ends, (struct sock *)sk);
	io_connect_ends(ctx, c, &e, sk, state);
	return 0;
}
#endif

/* The call returns: what became of its connection is told later, or was already. */
static __always_inline void io_connect_returns(void *ctx, struct io_sock_call *call, s64 ret)
{
	u64 sk = call->sk;
	struct io_connecting *c = io_connecting.lookup(&sk);
	struct io_conn e = {};

	if (!c)
		return;
	if (ret == -IO_EINPROGRESS && !c->done) {
		c->waited = 1;
		return;
	}
	if (ret == -IO_EINPROGRESS) {
		e.fd = c->fd;
		e.ret = c->ret;
		e.event = IO_CONN_CONNECT;
		e.flags = IO_CONN_LATER | IO_CONN_WAITED;
#ifdef IO_HEADERS
		io_ends_read(&e.ends, (struct sock *)sk);
#endif
		io_current(&e.head);
		io_stamp(&e.head, IO_SEQ_NW_CONN, IO_REC_CONN, IO_VIA_NW_CONN_CONNECT);
		e.latency = e.head.ts - c->ts;
		io_events.perf_submit(ctx, &e, sizeof(e));
	}
	io_connecting.delete(&sk);
}
#endif

static __always_inline void io_conn_end(void *ctx, struct io_sock_call *c, s64 ret)
{
	struct io_conn e = {};
	struct io_sockaddr a = {};
	s32 fd = c->args[0];
	u16 event = c->op;

	if (event == IO_CONN_SOCKET_CREATE) {
		e.ends.family = c->args[0];
		e.ends.type = c->args[1] & 0xf;
		e.ends.protocol = c->args[2];
		e.ends.known = IO_ENDS_SOCKET;
		fd = ret;
	}
	if (event == IO_CONN_ACCEPT) {
		e.arg = fd;
		if (ret >= 0)
			fd = ret;
		if (ret >= 0 && c->args[1] && IO_READ_U(&a, sizeof(a), (void *)c->args[1]) == 0)
			io_ends_given(&e.ends, &a, 1);
	}
	if (event == IO_CONN_LISTEN || event == IO_CONN_SHUTDOWN)
		e.arg = c->args[1];
#ifdef IO_HEADERS
	if (ret >= 0 || event != IO_CONN_SOCKET_CREATE) {
		struct sock *sk = io_fd_sock(fd);

		if (sk)
			io_ends_read(&e.ends, sk);
	}
#endif
	if (event == IO_CONN_BIND || event == IO_CONN_CONNECT) {
		e.arg = c->args[2];
		IO_READ_U(&a, sizeof(a), (void *)c->args[1]);
		if (!a.family) /* shorter than that of IPv6, at the end of a page */
			IO_READ_U(&a, 16, (void *)c->args[1]);
		if (a.family == 1)
			e.name = io_unix_name(ctx, c->args[1], c->args[2], &e.flags);
		else if (!(e.ends.known & IO_ENDS_REMOTE) || ret < 0)
			io_ends_given(&e.ends, &a, event == IO_CONN_CONNECT);
		if (!e.ends.family)
			e.ends.family = a.family;
	}
	e.fd = fd;
	e.ret = ret;
	e.event = event;
	io_current(&e.head);
	io_stamp(&e.head, IO_SEQ_NW_CONN, IO_REC_CONN, c->via);
	e.latency = e.head.ts - c->ts;
#ifndef IO_HEADERS
	if (ret >= 0 && (event == IO_CONN_SOCKET_CREATE || event == IO_CONN_ACCEPT)) {
		u64 key = io_sock_made_key(fd);

		e.ends.made = e.head.ts;
		io_sock_made.update(&key, &e.head.ts);
	} else {
		e.ends.made = io_sock_made_at(fd);
	}
#endif
	io_events.perf_submit(ctx, &e, sizeof(e));
#ifdef IO_CONNECTING
	if (event == IO_CONN_CONNECT && c->sk)
		io_connect_returns(ctx, c, ret);
#endif
}

int io_so_bind(struct io_sys_enter *ctx)
{
	io_sock_begin(ctx, IO_CONN_BIND, IO_VIA_NW_CONN_BIND, 3);
	return 0;
}

int io_so_listen(struct io_sys_enter *ctx)
{
	io_sock_begin(ctx, IO_CONN_LISTEN, IO_VIA_NW_CONN_LISTEN, 2);
	return 0;
}

int io_so_connect(struct io_sys_enter *ctx)
{
	io_sock_begin(ctx, IO_CONN_CONNECT, IO_VIA_NW_CONN_CONNECT, 3);
	return 0;
}

int io_so_shutdown(struct io_sys_enter *ctx)
{
	io_sock_begin(ctx, IO_CONN_SHUTDOWN, IO_VIA_NW_CONN_SHUTDOWN, 2);
	return 0;
}

#endif /* IO_CONNS */

/* ---- nw, where there are no kprobes: see sock_call.bpf.c ---- */

#ifdef IO_USE_SC_SEND

int io_so_sendto(struct io_sys_enter *ctx)
{
	io_sock_begin(ctx, IO_SOCK_NET + IO_NET_SENDTO, IO_VIA_NW_SEND, 5);
	return 0;
}

int io_so_sendmsg(struct io_sys_enter *ctx)
{
	io_sock_begin(ctx, IO_SOCK_NET + IO_NET_SENDMSG, IO_VIA_NW_SEND, 3);
	return 0;
}

int io_so_sendmmsg(struct io_sys_enter *ctx)
{
	io_sock_begin(ctx, IO_SOCK_NET + IO_NET_SENDMMSG, IO_VIA_NW_SEND, 4);
	return 0;
}

int io_so_recvfrom(struct io_sys_enter *ctx)
{
	io_sock_begin(ctx, IO_SOCK_NET + IO_NET_RECVFROM, IO_VIA_NW_RECEIVE, 5);
	return 0;
}

int io_so_recvmsg(struct io_sys_enter *ctx)
{
	io_sock_begin(ctx, IO_SOCK_NET + IO_NET_RECVMSG, IO_VIA_NW_RECEIVE, 3);
	return 0;
}

int io_so_recvmmsg(struct io_sys_enter *ctx)
{
	io_sock_begin(ctx, IO_SOCK_NET + IO_NET_RECVMMSG, IO_VIA_NW_RECEIVE, 4);
	return 0;
}

#endif /* IO_USE_SC_SEND */

/* ---- calls that fs follows, too: one program for both, 4.14 allows no second ---- */

int io_so_socket(struct io_sys_enter *ctx)
{
#ifdef IO_USE_SC_NEWFD
	io_newfd_begin(ctx);
#endif
#ifdef IO_CONNS
	io_sock_begin(ctx, IO_CONN_SOCKET_CREATE, IO_VIA_NW_CONN_SOCKET_CREATE, 3);
#endif
	return 0;
}

int io_so_accept(struct io_sys_enter *ctx)
{
#ifdef IO_USE_SC_NEWFD
	io_newfd_begin(ctx);
#endif
#ifdef IO_CONNS
	io_sock_begin(ctx, IO_CONN_ACCEPT, IO_VIA_NW_CONN_ACCEPT, 3);
#endif
	return 0;
}

int io_so_epoll_create(struct io_sys_enter *ctx)
{
#ifdef IO_USE_SC_NEWFD
	io_newfd_begin(ctx);
#endif
#ifdef IO_STREAM_nw_epoll
	io_poll_begin(ctx, IO_POLL_CREATE, IO_VIA_NW_EPOLL_EPOLL_CREATE, 0, 1);
#endif
	return 0;
}

int io_so_exit(struct io_sys_exit *ctx)
{
#ifdef IO_SOCK_CALLS
	u32 tid = bpf_get_current_pid_tgid();
	struct io_sock_call *c = io_sock_calls.lookup(&tid);
	s64 ret = IO_SYS_RET(ctx);
#endif

#ifdef IO_USE_SC_NEWFD
	io_sc_end(ctx);
#endif
#ifdef IO_SOCK_CALLS
	if (!c || !c->active)
		return 0;
	c->active = 0;
#ifdef IO_CONNS
	if (c->op < IO_SOCK_POLL)
		io_conn_end(ctx, c, ret);
#endif
#ifdef IO_STREAM_nw_epoll
	if (c->op >= IO_SOCK_POLL && c->op < IO_SOCK_OPT)
		io_poll_end(ctx, c, ret);
#endif
#ifdef IO_STREAM_nw_sockopt
	if (c->op >= IO_SOCK_OPT && c->op < IO_SOCK_NET)
		io_opt_end(ctx, c, ret);
#endif
#ifdef IO_USE_SC_SEND
	if (c->op >= IO_SOCK_NET)
		io_net_end(ctx, c, ret);
#endif
#endif
	return 0;
}
