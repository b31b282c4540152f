/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the moments in which the kernel measures. */
#include "trace/trace_cost.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "compat/sys/bpf.h"
#include "trace/trace_account.h"
#include "trace/trace_set.h"

#define MOMENT_NS (NS_PER_S / 20)

/*
 * Where the kernel does not measure: CPUs that an event takes in programs. 0.78e-6 and 0.40e-6 were measured (tier
 * b, 6.18, doc/PERFORMANCE.md); kprobes take more.
 */
#define ROW_IN_PROGRAMS 1.2e-6
#define COUNT_IN_PROGRAMS 0.6e-6

static uint64_t run_ns(const struct trace *trace)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < trace->image.n_progs; i++)
		if (trace->loaded.prog_fd[i] >= 0)
			sum += bpf_prog_run_ns(trace->loaded.prog_fd[i]);
	for (unsigned i = 0; i < trace->loaded.n_probes; i++)
		if (trace->loaded.probe_fd[i] >= 0)
			sum += bpf_prog_run_ns(trace->loaded.probe_fd[i]);
	return sum;
}

static void begin_moment(struct trace_cost *cost, const struct trace *trace, uint64_t now)
{
	cost->stats = bpf_stats_fd();
	cost->measured = cost->stats >= 0;
	if (!cost->measured)
		return;
	cost->run_ns = run_ns(trace);
	cost->from_ns = now;
}

static void end_moment(struct trace_cost *cost)
{
	close(cost->stats);
	cost->stats = -1;
}

void trace_cost_turn(struct trace_cost *cost, const struct trace *trace, uint64_t now)
{
	if (cost->stats < 0 || now - cost->from_ns < MOMENT_NS)
		return;
	cost->programs = (double)(run_ns(trace) - cost->run_ns) / (double)(now - cost->from_ns);
	end_moment(cost);
}

static void look(struct trace_spent *spent, const struct trace *trace, const struct ledger *ledger,
		 uint64_t own_ns)
{
	spent->own_ns = own_ns;
	for (unsigned class = 0; class < IOT_N_SEQ; class ++)
		spent->arrived[class] = ledger_arrived(ledger, class);
	trace_left_out(trace, spent->left_out);
}

void trace_cost_begin(struct trace_cost *cost, const struct trace *trace,
		      const struct ledger *ledger, uint64_t own_ns, uint64_t now)
{
	*cost = (struct trace_cost){ .taken_ns = now };
	look(&cost->before, trace, ledger, own_ns);
	begin_moment(cost, trace, now);
}

struct budget_cost trace_cost_take(struct trace_cost *cost, const struct trace *trace,
				   const struct ledger *ledger, uint64_t own_ns, double row_bytes,
				   uint64_t now)
{
	struct budget_cost taken = { .seconds = (double)(now - cost->taken_ns) / (double)NS_PER_S };
	struct trace_spent spent;

	look(&spent, trace, ledger, own_ns);
	taken.own = (double)(spent.own_ns - cost->before.own_ns) / 1e9 / taken.seconds;
	for (int i = 0; i < N_EVENT_STREAMS; i++) {
		enum budget_group group = budget_group_of((enum stream_id)i);

		taken.bytes += row_bytes * (double)(spent.arrived[i] - cost->before.arrived[i]) /
			       taken.seconds;
		if (group == N_BUDGET_GROUPS)
			continue;
		taken.rows[group] += (double)(spent.arrived[i] - cost->before.arrived[i]) /
				     taken.seconds;
		taken.left_out[group] += (double)(spent.left_out[i] - cost->before.left_out[i]) /
					 taken.seconds;
	}
	if (!cost->measured) {
		cost->programs = 0;
		for (int g = 0; g < N_BUDGET_GROUPS; g++)
			cost->programs += taken.rows[g] * ROW_IN_PROGRAMS +
					  taken.left_out[g] * COUNT_IN_PROGRAMS;
	}
	taken.programs = cost->programs;
	cost->before = spent;
	cost->taken_ns = now;
	if (cost->stats < 0)
		begin_moment(cost, trace, now);
	return taken;
}

void trace_cost_end(struct trace_cost *cost)
{
	if (cost->stats >= 0)
		end_moment(cost);
}
