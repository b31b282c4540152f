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

/* Told at the beginning of the call: some change it. */
static __always_inline s64 iot_poll_timeout(struct iot_call_row *row, struct iot_sock_call *c)
{
	u64 value = c->args[row->timeout_at & 7];

	switch (row->timeout) {
	case IOT_TIMEOUT_MS:
		return iot_timeout_ms(value);
	case IOT_TIMESPEC:
		return iot_timeout(value, 1);
	case IOT_TIMEVAL:
		return iot_timeout(value, 1000);
	}
	return IOT_POLL_NO_TIMEOUT;
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

#endif /* IOT_STREAM_nw_epoll */
