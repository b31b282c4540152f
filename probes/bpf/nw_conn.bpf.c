/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream nw_conn, from system calls in every tier; and the programs of calls on sockets
 * that serve several streams.
 */

/* ---- nw_conn ---- */

#ifdef IOT_CONNS

/* Bytes of a name in which a NUL is one of them: 1 to 128. */
static __always_inline u64 iot_send_bytes(void *ctx, u64 user, u32 len)
{
	struct iot_scratch *s = iot_scratch_get();
	u64 id = iot_new_id();

	if (!s)
		return 0;
	/* 4.14 wants proof of both bounds */
	len = ((len - 1) & 127) + 1;
	s->mark = id;
	if (IOT_READ_U(s->text.data, len, (void *)user) < 0)
		return 0;
	s->text.id = id;
	s->text.kind = IOT_TEXT_STRING;
	s->text.flags = 0;
	s->text.len = len;
	iot_send_text(ctx, s, id);
	return id;
}

/* The name of a Unix socket: a path, or bytes behind a NUL. Returns the id of its text. */
static __always_inline u64 iot_unix_name(void *ctx, u64 addr, u64 len, u16 *flags)
{
	u64 at = addr + 2;
	char first = 0;

	if (len <= 2)
		return 0;
	IOT_READ_U(&first, sizeof(first), (void *)at);
	if (!first) {
		*flags |= IOT_CONN_ABSTRACT;
		return len > 3 ? iot_send_bytes(ctx, at + 1, len - 3) : iot_send_string(ctx, at + 1);
	}
	return iot_send_string(ctx, at);
}

#if defined(IOT_USE_SOCK_STATE) || defined(IOT_USE_SOCK_STATE_KP)
#define IOT_CONNECTING 1

/*
 * TCP connections on their way, from the call that began them to the state that
 * ends it: then both ends are known, and what became of one that did not wait.
 */
struct iot_connecting {
	u64 ts;
	u64 made;    /* as of struct iot_ends */
	u32 tgid;
	u32 tid;
	s32 fd;
	s32 ret;
	u32 waited;  /* the call has returned EINPROGRESS */
	u32 done;    /* before it did */
	char comm[16];
};
BPF_TABLE("lru_hash", u64, struct iot_connecting, iot_connecting, 16384);

#define IOT_TCP_ESTABLISHED 1
#define IOT_TCP_SYN_SENT 2
#define IOT_TCP_CLOSE 7
#define IOT_EINPROGRESS 115
#define IOT_ENOTCONN 107

static __always_inline bool iot_states_wanted(void)
{
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	return cfg && cfg->on;
}

/* In the thread whose call it is. */
static __always_inline void iot_connect_begins(u64 sk)
{
	u64 id = bpf_get_current_pid_tgid();
	u32 tid = id;
	struct iot_sock_call *call = iot_pending_active(IOT_KIND_SOCK);
	struct iot_connecting now = {};

	if (!call || call->class != IOT_SEQ_nw_conn || call->op != IOT_CONN_CONNECT)
		return;
	call->sk = sk;
	now.ts = call->ts;
	now.tgid = id >> 32;
	now.tid = tid;
	now.fd = call->args[0];
#ifndef IOT_HEADERS
	now.made = iot_sock_made_at(now.fd);
#endif
	bpf_get_current_comm(&now.comm, sizeof(now.comm));
	iot_connecting.update(&sk, &now);
}

/* In whatever task was interrupted; e has both ends already. */
static __always_inline void iot_connect_ends(void *ctx, struct iot_connecting *c, struct iot_conn *e, u64 sk, u32 state)
{
	e->head.tgid = c->tgid;
	e->head.tid = c->tid;
	__builtin_memcpy(e->head.comm, c->comm, sizeof(e->head.comm));
	e->fd = c->fd;
	e->flags = IOT_CONN_LATER | (c->waited ? IOT_CONN_WAITED : 0);
	e->event = IOT_CONN_CONNECT;
	e->ends.made = c->made;
	if (state != IOT_TCP_ESTABLISHED) {
		e->ret = -IOT_ENOTCONN;
#ifdef IOT_HEADERS
		{
			int err = 0;

			IOT_READ_K(&err, sizeof(err), &((struct sock *)sk)->sk_err);
			if (err)
				e->ret = -err;
		}
#endif
	}
	/* of a call that waits this is no row */
	iot_stamp(&e->head, c->waited ? IOT_SEQ_nw_conn : IOT_SEQ_STATE, IOT_REC_CONN, IOT_VIA_NW_CONN_CONNECT);
	e->latency = e->head.ts - c->ts;
	c->ret = e->ret;
	c->done = 1;
	if (c->waited)
		iot_connecting.delete(&sk);
	iot_events.perf_submit(ctx, e, sizeof(*e));
}

#ifdef IOT_USE_SOCK_STATE
int iot_sock_state(struct iot_tp_sock_inet_sock_set_state *ctx)
{
	u64 sk = (u64)ctx->skaddr;
	struct iot_connecting *c;
	struct iot_conn e = {};

	if (!iot_states_wanted())
		return 0;
	if (ctx->newstate == IOT_TCP_SYN_SENT) {
		iot_connect_begins(sk);
		return 0;
	}
	if (ctx->oldstate != IOT_TCP_SYN_SENT)
		return 0;
	c = iot_connecting.lookup(&sk);
	if (!c)
		return 0;
	e.ends.family = ctx->family;
	e.ends.type = 1;
	e.ends.protocol = ctx->protocol;
	e.ends.known = IOT_ENDS_SOCKET | IOT_ENDS_LOCAL | IOT_ENDS_REMOTE;
	e.ends.local_port = ctx->sport;
	e.ends.remote_port = ctx->dport;
	if (ctx->family == 2) {
		IOT_READ_K(e.ends.local, 4, ctx->saddr);
		IOT_READ_K(e.ends.remote, 4, ctx->daddr);
	} else {
		IOT_READ_K(e.ends.local, 16, ctx->saddr_v6);
		IOT_READ_K(e.ends.remote, 16, ctx->daddr_v6);
	}
	iot_connect_ends(ctx, c, &e, sk, ctx->newstate);
	return 0;
}
#endif

#ifdef IOT_USE_SOCK_STATE_KP
/* tcp_set_state(sk, state): at its entry the socket is in the state before. */
int iot_set_state(struct pt_regs *ctx)
{
	u64 sk = PT_REGS_PARM1(ctx);
	u32 state = PT_REGS_PARM2(ctx);
	struct iot_connecting *c;
	struct iot_conn e = {};
	u8 before = 0;

	if (!iot_states_wanted())
		return 0;
	if (state == IOT_TCP_SYN_SENT) {
		iot_connect_begins(sk);
		return 0;
	}
	IOT_READ_K(&before, sizeof(before), (void *)&((struct sock_common *)sk)->skc_state);
	if (before != IOT_TCP_SYN_SENT)
		return 0;
	c = iot_connecting.lookup(&sk);
	if (!c)
		return 0;
	iot_ends_read(&e.ends, (struct sock *)sk);
	iot_connect_ends(ctx, c, &e, sk, state);
	return 0;
}
#endif

/* The call returns: what became of its connection is told later, or was already. */
static __always_inline void iot_connect_returns(void *ctx, struct iot_sock_call *call, s64 ret)
{
	u64 sk = call->sk;
	struct iot_connecting *c = iot_connecting.lookup(&sk);
	struct iot_conn e = {};

	if (!c)
		return;
	if (ret == -IOT_EINPROGRESS && !c->done) {
		c->waited = 1;
		return;
	}
	if (ret == -IOT_EINPROGRESS) {
		e.fd = c->fd;
		e.ret = c->ret;
		e.event = IOT_CONN_CONNECT;
		e.flags = IOT_CONN_LATER | IOT_CONN_WAITED;
#ifdef IOT_HEADERS
		iot_ends_read(&e.ends, (struct sock *)sk);
#endif
		iot_current(&e.head);
		iot_stamp(&e.head, IOT_SEQ_nw_conn, IOT_REC_CONN, IOT_VIA_NW_CONN_CONNECT);
		e.latency = e.head.ts - c->ts;
		iot_events.perf_submit(ctx, &e, sizeof(e));
	}
	iot_connecting.delete(&sk);
}
#endif

static __always_inline void iot_conn_end(void *ctx, struct iot_sock_call *c, s64 ret)
{
	struct iot_conn e = {};
	struct iot_sockaddr a = {};
	s32 fd = c->args[0];
	u16 event = c->op;

	if (event == IOT_CONN_SOCKET_CREATE) {
		e.ends.family = c->args[0];
		e.ends.type = c->args[1] & 0xf;
		e.ends.protocol = c->args[2];
		e.ends.known = IOT_ENDS_SOCKET;
		fd = ret;
	}
	if (event == IOT_CONN_ACCEPT) {
		e.listening = fd;
		if (ret >= 0)
			fd = ret;
		if (ret >= 0 && c->args[1] && IOT_READ_U(&a, sizeof(a), (void *)c->args[1]) == 0)
			iot_ends_given(&e.ends, &a, 1);
	}
	if (event == IOT_CONN_LISTEN)
		e.backlog = c->args[1];
	if (event == IOT_CONN_SHUTDOWN)
		e.how = c->args[1];
#ifdef IOT_HEADERS
	if (ret >= 0 || event != IOT_CONN_SOCKET_CREATE) {
		struct sock *sk = iot_fd_sock(fd);

		if (sk)
			iot_ends_read(&e.ends, sk);
	}
#endif
	if (event == IOT_CONN_BIND || event == IOT_CONN_CONNECT) {
		e.address_bytes = c->args[2];
		IOT_READ_U(&a, sizeof(a), (void *)c->args[1]);
		if (!a.family) /* shorter than that of IPv6, at the end of a page */
			IOT_READ_U(&a, 16, (void *)c->args[1]);
		if (a.family == 1)
			e.name = iot_unix_name(ctx, c->args[1], c->args[2], &e.flags);
		else if (!(e.ends.known & IOT_ENDS_REMOTE) || ret < 0)
			iot_ends_given(&e.ends, &a, event == IOT_CONN_CONNECT);
		if (!e.ends.family)
			e.ends.family = a.family;
	}
	e.fd = fd;
	e.ret = ret;
	e.event = event;
	iot_current(&e.head);
	iot_stamp(&e.head, IOT_SEQ_nw_conn, IOT_REC_CONN, c->via);
	e.latency = e.head.ts - c->ts;
#ifndef IOT_HEADERS
	if (ret >= 0 && (event == IOT_CONN_SOCKET_CREATE || event == IOT_CONN_ACCEPT)) {
		u64 key = iot_sock_made_key(fd);

		e.ends.made = e.head.ts;
		iot_sock_made.update(&key, &e.head.ts);
	} else {
		e.ends.made = iot_sock_made_at(fd);
	}
#endif
	iot_events.perf_submit(ctx, &e, sizeof(e));
#ifdef IOT_CONNECTING
	if (event == IOT_CONN_CONNECT && c->sk)
		iot_connect_returns(ctx, c, ret);
#endif
}

#endif /* IOT_CONNS */

/* ---- the calls; some of them fs follows, too: one program for both, 4.14 allows no second ---- */

#ifdef IOT_PROGRAM_iot_so_call
BPF_TABLE("prog", u32, u32, iot_to_sock_sc, 1);

int iot_so_call(struct iot_sys_enter *ctx)
{
#ifdef IOT_USE_SC_NEWFD
	if (iot_tracked())
#else
	if (iot_wanted())
#endif
		iot_to_sock_sc.call(ctx, 0);
	return 0;
}

int iot_sock_sc(struct iot_sys_enter *ctx)
{
	struct iot_call_row *row = iot_row_of(ctx);
#ifdef IOT_SOCK_CALLS
	struct iot_sock_call *c;
#endif

	if (!row)
		return 0;
#ifdef IOT_USE_SC_NEWFD
	if (row->begin == IOT_BEGIN_NEWFD)
		iot_newfd_begin(ctx);
#endif
#ifdef IOT_SOCK_CALLS
	/* tracked, so as to follow it, but not to be shown */
	if (!row->sock_class || !iot_shown())
		return 0;
#ifdef IOT_STREAM_nw_sockopt
	if (row->sock_class == IOT_SEQ_nw_sockopt && !iot_opt_level(IOT_SYS_ARG(ctx, 1)))
		return 0;
#endif
	/* the verifier wants to see that it is one */
	c = iot_sock_call_begin(row->sock_class & (IOT_N_SEQ - 1), row->sock_op, row->sock_via);
	if (!c)
		return 0;
	c->args[0] = IOT_SYS_ARG(ctx, 0);
	c->args[1] = IOT_SYS_ARG(ctx, 1);
	c->args[2] = IOT_SYS_ARG(ctx, 2);
	c->args[3] = IOT_SYS_ARG(ctx, 3);
	c->args[4] = IOT_SYS_ARG(ctx, 4);
#ifdef IOT_STREAM_nw_epoll
	if (row->sock_class == IOT_SEQ_nw_epoll)
		c->timeout = iot_poll_timeout(row, c);
#endif
#endif
	return 0;
}

int iot_so_exit(struct iot_sys_exit *ctx)
{
#ifdef IOT_SOCK_CALLS
	struct iot_sock_call *c;
	s64 ret = IOT_SYS_RET(ctx);
#endif

#ifdef IOT_USE_SC_NEWFD
	iot_sc_end(ctx);
#endif
#ifdef IOT_SOCK_CALLS
	/* after the above: the verifier of 4.14 does not know a pointer that may be 0 when it comes back from the stack */
	c = iot_pending_active(IOT_KIND_SOCK);
	if (!c)
		return 0;
#ifdef IOT_CONNS
	if (c->class == IOT_SEQ_nw_conn)
		iot_conn_end(ctx, c, ret);
#endif
#ifdef IOT_STREAM_nw_epoll
	if (c->class == IOT_SEQ_nw_epoll)
		iot_poll_end(ctx, c, ret);
#endif
#ifdef IOT_STREAM_nw_sockopt
	if (c->class == IOT_SEQ_nw_sockopt)
		iot_opt_end(ctx, c, ret);
#endif
#ifdef IOT_USE_SC_SEND
	if (c->class == IOT_SEQ_nw) {
		int several = c->op == IOT_NET_SENDMMSG || c->op == IOT_NET_RECVMMSG;

		/* of several messages each is one row, with the result of the call */
		if (several && ret > 0 && iot_row_asked(ret, c->ts)) {
			c->message = c->args[1];
			c->messages = ret;
			iot_to_msgs_sc.call(ctx, 0);
		}
		if (!several || ret < 0)
			iot_to_net_end_sc.call(ctx, 0);
	}
#endif
	iot_pending_end(c);
#endif
	return 0;
}
#endif
