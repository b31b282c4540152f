/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream nw_sockopt: socket options set and asked for, from system calls in every tier. */
#ifdef IOT_STREAM_nw_sockopt

static __always_inline void iot_opt_end(void *ctx, struct iot_sock_call *c, s64 ret)
{
	struct iot_opt e = {};
	u32 len = c->args[4];

	if (!iot_row_asked(ret, c->ts))
		return;
	e.event = c->op;
	e.fd = c->args[0];
	e.level = c->args[1];
	e.name = c->args[2];
	/* getsockopt: the length is returned in the caller's memory */
	if (e.event == IOT_OPT_GET && IOT_READ_U(&len, sizeof(len), (void *)c->args[4]) < 0)
		len = 0;
	e.len = len;
	if (c->args[3] && (e.event == IOT_OPT_SET || ret == 0)) {
		if (len >= 32 && IOT_READ_U(e.value, 32, (void *)c->args[3]) == 0)
			e.known = 32;
		else if (len >= 16 && IOT_READ_U(e.value, 16, (void *)c->args[3]) == 0)
			e.known = 16;
		else if (len >= 8 && IOT_READ_U(e.value, 8, (void *)c->args[3]) == 0)
			e.known = 8;
		else if (len >= 4 && IOT_READ_U(e.value, 4, (void *)c->args[3]) == 0)
			e.known = 4;
		else if (len >= 1 && IOT_READ_U(e.value, 1, (void *)c->args[3]) == 0)
			e.known = 1;
	}
	e.ret = ret;
	iot_current(&e.head);
	iot_stamp(&e.head, IOT_SEQ_nw_sockopt, IOT_REC_OPT, c->via);
	e.latency = e.head.ts - c->ts;
	iot_events.perf_submit(ctx, &e, sizeof(e));
}

/* Is this level asked for? */
static __always_inline int iot_opt_level(s32 level)
{
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	if (!cfg || !cfg->n_opt_levels)
		return 1;
#pragma unroll
	for (int i = 0; i < IOT_OPT_LEVELS; i++)
		if (i < cfg->n_opt_levels && cfg->opt_levels[i] == level)
			return 1;
	return 0;
}

#endif /* IOT_STREAM_nw_sockopt */
