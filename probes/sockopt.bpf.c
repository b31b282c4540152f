/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream nw_sockopt: socket options set and asked for, from system calls in every tier. */
#ifdef IO_STREAM_nw_sockopt

static __always_inline void io_opt_end(void *ctx, struct io_sock_call *c, s64 ret)
{
	struct io_opt e = {};
	u32 len = c->args[4];

	if (!io_row_asked(ret, c->ts))
		return;
	e.event = c->op - IO_SOCK_OPT;
	e.fd = c->args[0];
	e.level = c->args[1];
	e.name = c->args[2];
	/* getsockopt: the length is returned in the caller's memory */
	if (e.event == IO_OPT_GET && IO_READ_U(&len, sizeof(len), (void *)c->args[4]) < 0)
		len = 0;
	e.len = len;
	if (c->args[3] && (e.event == IO_OPT_SET || ret == 0)) {
		if (len >= 32 && IO_READ_U(e.value, 32, (void *)c->args[3]) == 0)
			e.known = 32;
		else if (len >= 16 && IO_READ_U(e.value, 16, (void *)c->args[3]) == 0)
			e.known = 16;
		else if (len >= 8 && IO_READ_U(e.value, 8, (void *)c->args[3]) == 0)
			e.known = 8;
		else if (len >= 4 && IO_READ_U(e.value, 4, (void *)c->args[3]) == 0)
			e.known = 4;
		else if (len >= 1 && IO_READ_U(e.value, 1, (void *)c->args[3]) == 0)
			e.known = 1;
	}
	e.ret = ret;
	io_current(&e.head);
	io_stamp(&e.head, IO_SEQ_NW_SOCKOPT, IO_REC_OPT, c->via);
	e.latency = e.head.ts - c->ts;
	io_events.perf_submit(ctx, &e, sizeof(e));
}

/* Is this level asked for? */
static __always_inline int io_opt_level(s32 level)
{
	u32 zero = 0;
	struct io_config *cfg = io_cfg.lookup(&zero);

	if (!cfg || !cfg->n_opt_levels)
		return 1;
#pragma unroll
	for (int i = 0; i < IO_OPT_LEVELS; i++)
		if (i < cfg->n_opt_levels && cfg->opt_levels[i] == level)
			return 1;
	return 0;
}

int io_so_setsockopt(struct io_sys_enter *ctx)
{
	if (!io_opt_level(IO_SYS_ARG(ctx, 1)))
		return 0;
	io_sock_begin(ctx, IO_SOCK_OPT + IO_OPT_SET, IO_VIA_NW_SOCKOPT_SET, 5);
	return 0;
}

int io_so_getsockopt(struct io_sys_enter *ctx)
{
	if (!io_opt_level(IO_SYS_ARG(ctx, 1)))
		return 0;
	io_sock_begin(ctx, IO_SOCK_OPT + IO_OPT_GET, IO_VIA_NW_SOCKOPT_GET, 5);
	return 0;
}

#endif /* IO_STREAM_nw_sockopt */
