/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream nw_epoll: calls that wait for descriptors, from system calls in every tier. */
#ifdef IO_STREAM_nw_epoll

struct io_user_time {
	s64 sec;
	s64 nsec;
};

/* A struct timespec of the caller (timeval: unit 1000), which is none for ever. */
static __always_inline s64 io_timeout(u64 at, u32 unit)
{
	struct io_user_time t = {};

	if (!at)
		return IO_POLL_FOREVER;
	if (IO_READ_U(&t, sizeof(t), (void *)at) < 0)
		return IO_POLL_NO_TIMEOUT;
	return t.sec * 1000000000LL + t.nsec * unit;
}

static __always_inline s64 io_timeout_ms(s32 ms)
{
	return ms < 0 ? IO_POLL_FOREVER : ms * 1000000LL;
}

/* What a call of this number gives as its timeout, told apart at its beginning: some change it. */
enum { IO_TIMEOUT_MS_4 = 1, IO_TIMEOUT_SPEC_4, IO_TIMEOUT_MS_3, IO_TIMEOUT_SPEC_3, IO_TIMEOUT_VAL_5, IO_TIMEOUT_SPEC_5 };

static __always_inline void io_poll_begin(struct io_sys_enter *ctx, u16 op, u16 via, u32 kind, int n)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct io_sock_call *c;
	s64 timeout = IO_POLL_NO_TIMEOUT;

	io_sock_begin(ctx, IO_SOCK_POLL + op, via, n);
	c = io_sock_calls.lookup(&tid);
	if (!c || !c->active)
		return;
	if (kind == IO_TIMEOUT_MS_4)
		timeout = io_timeout_ms(c->args[3]);
	else if (kind == IO_TIMEOUT_SPEC_4)
		timeout = io_timeout(c->args[3], 1);
	else if (kind == IO_TIMEOUT_MS_3)
		timeout = io_timeout_ms(c->args[2]);
	else if (kind == IO_TIMEOUT_SPEC_3)
		timeout = io_timeout(c->args[2], 1);
	else if (kind == IO_TIMEOUT_VAL_5)
		timeout = io_timeout(c->args[4], 1000);
	else if (kind == IO_TIMEOUT_SPEC_5)
		timeout = io_timeout(c->args[4], 1);
	c->timeout = timeout;
}

static __always_inline void io_poll_end(void *ctx, struct io_sock_call *c, s64 ret)
{
	struct io_poll e = {};
	u16 event = c->op - IO_SOCK_POLL;

	if (!io_row_asked(ret, c->ts))
		return;
	e.fd = e.target = -1;
	e.timeout = c->timeout;
	if (event == IO_POLL_CREATE) {
		e.fd = ret;
	} else if (event == IO_POLL_CTL) {
		e.fd = c->args[0];
		e.op = c->args[1];
		e.target = c->args[2];
		if (c->args[3])
			IO_READ_U(&e.mask, sizeof(e.mask), (void *)c->args[3]);
	} else if (event == IO_POLL_WAIT) {
		e.fd = c->args[0];
		e.max = c->args[2];
	} else if (event == IO_POLL_POLL) {
		e.max = c->args[1];
	} else {
		e.max = c->args[0];
	}
	e.ret = ret;
	e.event = event;
	io_current(&e.head);
	io_stamp(&e.head, IO_SEQ_NW_EPOLL, IO_REC_POLL, c->via);
	e.latency = e.head.ts - c->ts;
	io_events.perf_submit(ctx, &e, sizeof(e));
}

int io_so_epoll_ctl(struct io_sys_enter *ctx)
{
	io_poll_begin(ctx, IO_POLL_CTL, IO_VIA_NW_EPOLL_EPOLL_CTL, 0, 4);
	return 0;
}

int io_so_epoll_wait(struct io_sys_enter *ctx)
{
	io_poll_begin(ctx, IO_POLL_WAIT, IO_VIA_NW_EPOLL_EPOLL_WAIT, IO_TIMEOUT_MS_4, 4);
	return 0;
}

int io_so_epoll_pwait2(struct io_sys_enter *ctx)
{
	io_poll_begin(ctx, IO_POLL_WAIT, IO_VIA_NW_EPOLL_EPOLL_WAIT, IO_TIMEOUT_SPEC_4, 4);
	return 0;
}

int io_so_poll(struct io_sys_enter *ctx)
{
	io_poll_begin(ctx, IO_POLL_POLL, IO_VIA_NW_EPOLL_POLL, IO_TIMEOUT_MS_3, 3);
	return 0;
}

int io_so_ppoll(struct io_sys_enter *ctx)
{
	io_poll_begin(ctx, IO_POLL_POLL, IO_VIA_NW_EPOLL_POLL, IO_TIMEOUT_SPEC_3, 3);
	return 0;
}

int io_so_select(struct io_sys_enter *ctx)
{
	io_poll_begin(ctx, IO_POLL_SELECT, IO_VIA_NW_EPOLL_SELECT, IO_TIMEOUT_VAL_5, 5);
	return 0;
}

int io_so_pselect6(struct io_sys_enter *ctx)
{
	io_poll_begin(ctx, IO_POLL_SELECT, IO_VIA_NW_EPOLL_SELECT, IO_TIMEOUT_SPEC_5, 5);
	return 0;
}

#endif /* IO_STREAM_nw_epoll */
