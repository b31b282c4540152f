/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream nw_epoll: calls that wait for descriptors, from system calls in every tier. */
#ifdef IOT_STREAM_nw_epoll

struct iot_user_time {
	s64 sec;
	s64 nsec;
};

/* A struct timespec of the caller (timeval: unit 1000), which is none for ever. */
static __always_inline s64 iot_timeout(u64 at, u32 unit)
{
	struct iot_user_time t = {};

	if (!at)
		return IOT_POLL_FOREVER;
	if (IOT_READ_U(&t, sizeof(t), (void *)at) < 0)
		return IOT_POLL_NO_TIMEOUT;
	return t.sec * 1000000000LL + t.nsec * unit;
}

static __always_inline s64 iot_timeout_ms(s32 ms)
{
	return ms < 0 ? IOT_POLL_FOREVER : ms * 1000000LL;
}

/* What a call of this number gives as its timeout, told apart at its beginning: some change it. */
enum { IOT_TIMEOUT_MS_4 = 1, IOT_TIMEOUT_SPEC_4, IOT_TIMEOUT_MS_3, IOT_TIMEOUT_SPEC_3, IOT_TIMEOUT_VAL_5, IOT_TIMEOUT_SPEC_5 };

static __always_inline void iot_poll_begin(struct iot_sys_enter *ctx, u16 op, u16 via, u32 kind, int n)
{
	struct iot_sock_call *c = iot_sock_begin(ctx, IOT_SEQ_nw_epoll, op, via, n);
	s64 timeout = IOT_POLL_NO_TIMEOUT;

	if (!c)
		return;
	if (kind == IOT_TIMEOUT_MS_4)
		timeout = iot_timeout_ms(c->args[3]);
	else if (kind == IOT_TIMEOUT_SPEC_4)
		timeout = iot_timeout(c->args[3], 1);
	else if (kind == IOT_TIMEOUT_MS_3)
		timeout = iot_timeout_ms(c->args[2]);
	else if (kind == IOT_TIMEOUT_SPEC_3)
		timeout = iot_timeout(c->args[2], 1);
	else if (kind == IOT_TIMEOUT_VAL_5)
		timeout = iot_timeout(c->args[4], 1000);
	else if (kind == IOT_TIMEOUT_SPEC_5)
		timeout = iot_timeout(c->args[4], 1);
	c->timeout = timeout;
}

static __always_inline void iot_poll_end(void *ctx, struct iot_sock_call *c, s64 ret)
{
	struct iot_poll e = {};
	u16 event = c->op;

	if (!iot_row_asked(ret, c->ts))
		return;
	e.fd = e.target = -1;
	e.timeout = c->timeout;
	if (event == IOT_POLL_CREATE) {
		e.fd = ret;
	} else if (event == IOT_POLL_CTL) {
		e.fd = c->args[0];
		e.op = c->args[1];
		e.target = c->args[2];
		if (c->args[3])
			IOT_READ_U(&e.mask, sizeof(e.mask), (void *)c->args[3]);
	} else if (event == IOT_POLL_WAIT) {
		e.fd = c->args[0];
		e.max_events = c->args[2];
	} else if (event == IOT_POLL_POLL) {
		e.nfds = c->args[1];
	} else {
		e.nfds = c->args[0];
	}
	e.ret = ret;
	e.event = event;
	iot_current(&e.head);
	iot_stamp(&e.head, IOT_SEQ_nw_epoll, IOT_REC_POLL, c->via);
	e.latency = e.head.ts - c->ts;
	iot_events.perf_submit(ctx, &e, sizeof(e));
}

int iot_so_epoll_ctl(struct iot_sys_enter *ctx)
{
	iot_poll_begin(ctx, IOT_POLL_CTL, IOT_VIA_NW_EPOLL_EPOLL_CTL, 0, 4);
	return 0;
}

int iot_so_epoll_wait(struct iot_sys_enter *ctx)
{
	iot_poll_begin(ctx, IOT_POLL_WAIT, IOT_VIA_NW_EPOLL_EPOLL_WAIT, IOT_TIMEOUT_MS_4, 4);
	return 0;
}

int iot_so_epoll_pwait2(struct iot_sys_enter *ctx)
{
	iot_poll_begin(ctx, IOT_POLL_WAIT, IOT_VIA_NW_EPOLL_EPOLL_WAIT, IOT_TIMEOUT_SPEC_4, 4);
	return 0;
}

int iot_so_poll(struct iot_sys_enter *ctx)
{
	iot_poll_begin(ctx, IOT_POLL_POLL, IOT_VIA_NW_EPOLL_POLL, IOT_TIMEOUT_MS_3, 3);
	return 0;
}

int iot_so_ppoll(struct iot_sys_enter *ctx)
{
	iot_poll_begin(ctx, IOT_POLL_POLL, IOT_VIA_NW_EPOLL_POLL, IOT_TIMEOUT_SPEC_3, 3);
	return 0;
}

int iot_so_select(struct iot_sys_enter *ctx)
{
	iot_poll_begin(ctx, IOT_POLL_SELECT, IOT_VIA_NW_EPOLL_SELECT, IOT_TIMEOUT_VAL_5, 5);
	return 0;
}

int iot_so_pselect6(struct iot_sys_enter *ctx)
{
	iot_poll_begin(ctx, IOT_POLL_SELECT, IOT_VIA_NW_EPOLL_SELECT, IOT_TIMEOUT_SPEC_5, 5);
	return 0;
}

#endif /* IOT_STREAM_nw_epoll */
