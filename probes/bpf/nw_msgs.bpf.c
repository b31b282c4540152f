/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sendmmsg and recvmmsg where there are no kprobes: a record for each message
 * that was moved. A program tells of a few and calls itself for the next.
 */
#ifdef IOT_USE_SC_SEND

/*
 * Together 1,024 messages: the kernel takes no more (UIO_MAXIOV). 33 programs may follow the first one, which is
 * the exit of the call or, where calls have programs by number, one before that. Unrolled, also where loops are
 * taken: of a loop the verifier of 6.18 looked at 880,000 instructions, which is a second of each start, and of
 * this at 18,000.
 */
#ifdef IOT_USE_CALLS_BY_NUMBER
#define IOT_MSGS_AT_ONCE 34
#else
#define IOT_MSGS_AT_ONCE 32
#endif

BPF_TABLE("prog", u32, u32, iot_to_msgs_sc, 1);

/* Bytes of the first pieces; of more than two, what was moved has to do. */
static __always_inline u64 iot_msg_asked(struct iot_msghdr *m)
{
	struct { u64 at, len; } pieces[2] = {};

	if (m->iovlen)
		IOT_READ_U(pieces, m->iovlen > 1 ? sizeof(pieces) : sizeof(pieces[0]), (void *)m->iov);
	return pieces[0].len + pieces[1].len;
}

static __always_inline void iot_msgs(void *ctx)
{
	u32 class = IOT_SEQ_nw, connected;
	struct iot_sock_call *c = iot_pending_active(IOT_KIND_SOCK);
	u64 *seq = iot_seq.lookup(&class), at, left;
	struct iot_msghdr m = {};
	struct iot_net e = {};

	if (!c)
		return;
	if (!seq || !iot_net_ends(&e, c)) {
		iot_pending_end(c);
		return;
	}
	e.head.type = IOT_REC_NET;
	e.head.class = IOT_SEQ_nw;
	e.head.via = c->via;
	connected = e.ends.remote_port;
	e.msg_flags = c->args[3];
	at = c->message;
	left = c->messages;
#pragma unroll
	for (int i = 0; i < IOT_MSGS_AT_ONCE; i++) {
		if (!left)
			continue;
		left--;
		IOT_READ_U(&m, sizeof(m), (void *)at);
		at += sizeof(m);
		e.ret = m.len;
		e.size = iot_msg_asked(&m);
		if (m.name && !connected) {
			__builtin_memset(e.ends.remote, 0, sizeof(e.ends.remote));
			e.ends.remote_port = 0;
			iot_net_given(&e.ends, m.name);
		}
		/* iot_stamp, with what is the same for all done once */
		e.head.ts = bpf_ktime_get_ns();
		e.head.seq = *seq += 1;
		e.latency = e.head.ts - c->ts;
		iot_events.perf_submit(ctx, &e, sizeof(e));
	}
	c->message = at;
	c->messages = left;
	if (left)
		iot_to_msgs_sc.call(ctx, 0);
	/* all are told, or the kernel allows no more calls */
	iot_pending_end(c);
}

int iot_msgs_sc(void *ctx)
{
	iot_msgs(ctx);
	return 0;
}

#endif /* IOT_USE_SC_SEND */
