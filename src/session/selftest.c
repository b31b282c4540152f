/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the child and the time that it is given. Which probe a choice is, the plan knows. */
#include "session/selftest.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "events/events.h"
#include "session/selftest_counts.h"
#include "session/selftest_work.h"
#include "trace/trace_account.h"
#include "trace/trace_config.h"
#include "trace/trace_set.h"

static const struct operation {
	enum capability_id capability;
	bool (*perform)(struct scratch *s);
} operations[] = {
	{ CAP_FS_WRITE, scratch_write },
	{ CAP_FS_READ, scratch_read },
	{ CAP_FS_WRITE_VECTORED, scratch_writev },
	{ CAP_FS_READ_VECTORED, scratch_readv },
	{ CAP_FS_WRITE_AIO, scratch_aio_write },
	{ CAP_FS_READ_AIO, scratch_aio_read },
	{ CAP_FS_WRITE_IO_URING, scratch_uring_write },
	{ CAP_FS_READ_IO_URING, scratch_uring_read },
	{ CAP_FS_OPEN, scratch_reopen },
	{ CAP_FS_CLOSE, scratch_reopen },
	{ CAP_FS_FSYNC, scratch_fsync },
	{ CAP_FS_FDATASYNC, scratch_fdatasync },
	{ CAP_DS_REQUEST, scratch_request },
	/* not DROP and RECLAIM, which cost the whole machine, nor MAJOR, which the disk decides */
	{ CAP_CACHE_MISS, scratch_page },
	{ CAP_CACHE_DIRTY, scratch_page },
	{ CAP_CACHE_WRITEBACK_START, scratch_page },
	{ CAP_CACHE_WRITEBACK_END, scratch_page },
	{ CAP_CACHE_HIT, scratch_page_read },
	{ CAP_CACHE_EVICT, scratch_page_cut },
	{ CAP_CACHE_INVALIDATE, scratch_page_cut },
	{ CAP_CACHE_READAHEAD, scratch_read_ahead },
	{ CAP_PAGEFAULT_MINOR, scratch_fault },
	{ CAP_SCHED_RUN, scratch_sleep },
	{ CAP_IOURING_CREATE, scratch_uring_read },
	{ CAP_IOURING_ENTER, scratch_uring_read },
	{ CAP_IOURING_SUBMIT, scratch_uring_read },
	{ CAP_IOURING_COMPLETE, scratch_uring_read },
};

#define N_OPERATIONS (sizeof(operations) / sizeof(operations[0]))

static const struct plan_choice *choice_of(const struct plan *plan, const struct operation *op)
{
	const struct plan_choice *c = plan_find(plan, op->capability);

	return c && c->chosen ? c : NULL;
}

/* What a child does while it alone is traced, and what is made of it then. */
struct part {
	struct selftest *test;
	struct trace *trace;
	const struct plan *plan;
	struct scratch *scratch;
	volatile bool *done; /* by the child, shared with it */
};

static void perform_recorded(const struct part *part)
{
	for (size_t i = 0; i < N_OPERATIONS; i++)
		part->done[i] = choice_of(part->plan, &operations[i]) &&
				operations[i].perform(part->scratch);
}

static void perform_counted(const struct part *part)
{
	selftest_counts_perform(part->scratch, part->plan, part->done);
}

static void __attribute__((noreturn))
perform(const struct part *part, void (*operations_of)(const struct part *part), int gate)
{
	char go;

	alarm(10); /* a hung file system must not hang the start */
	if (read(gate, &go, 1) != 1)
		_exit(1);
	operations_of(part);
	_exit(0);
}

/* ---- the look ---- */

static void no_row(void *arg, enum stream_id stream, const char *row, size_t len, uint64_t key)
{
	(void)arg;
	(void)stream;
	(void)row;
	(void)len;
	(void)key;
}

/* What the ring had no room for says nothing of the probe that sent it. */
static bool lost_some(struct trace *trace, struct ledger *ledger)
{
	trace_account(trace, ledger, true);
	for (unsigned class = 0; class < IOT_N_SEQ; class ++)
		if (ledger_lost(ledger, class, LOST_RING))
			return true;
	return false;
}

static void set_verdict(struct selftest *test, const struct plan *plan, const struct plan_choice *c,
			bool fires)
{
	test->verdict[c - plan->choices] = fires ? SELFTEST_FIRES : SELFTEST_SILENT;
	if (fires) {
		test->n_fires++;
		return;
	}
	test->n_silent++;
	log_detail("self-test: %s %s %s through %s did not fire", capability_stream(c->capability),
		   c->capability->operation, c->capability->path, c->chosen->name);
}

static void judge_counted(void *arg, const struct plan_choice *choice, bool fires)
{
	const struct part *part = arg;

	set_verdict(part->test, part->plan, choice, fires);
}

static void judge(const struct part *part, struct events *events, bool lost)
{
	const struct events_totals *totals = events_totals(events);

	for (size_t i = 0; i < N_OPERATIONS; i++) {
		const struct plan_choice *c = choice_of(part->plan, &operations[i]);
		bool fires = c && totals->via[c - part->plan->choices + 1];

		if (c && part->done[i] && (fires || !lost))
			set_verdict(part->test, part->plan, c, fires);
	}
}

static int let_go(pid_t child, int gate)
{
	if (write(gate, "g", 1) != 1)
		return -errno;
	while (waitpid(child, NULL, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int watch_recorded(struct part *part, pid_t child, int gate)
{
	const struct trace_options only = { .n_pids = 1, .pids = { child } };
	struct trace *trace = part->trace;
	struct resolve resolve;
	struct events_options options = { .plan = part->plan,
					  .resolve = &resolve,
					  .names = 64,
					  .n_cpus = trace->n_cpus,
					  .row = no_row };
	struct events *events;
	int err;

	resolve_init(&resolve, &(struct resolve_options){ .all_fs = false });
	events = events_open(&options);
	if (!events)
		return -ENOMEM;
	err = trace_switch_on(trace, &only);
	if (!err)
		err = let_go(child, gate);
	trace_switch_off(trace);
	drain_run(trace->drain, true, events_record, events);
	if (!err)
		judge(part, events, lost_some(trace, events_ledger(events)));
	events_close(events);
	resolve_close(&resolve);
	return err;
}

static int watch_counted(struct part *part, pid_t child, int gate)
{
	const struct trace_options only = {
		.n_pids = 1,
		.pids = { child },
		.count = IOT_COUNTS_ON | IOT_COUNTS_NO_FS | IOT_COUNTS_NO_DS,
	};
	int err = trace_switch_on(part->trace, &only);

	if (!err)
		err = let_go(child, gate);
	trace_switch_off(part->trace);
	return err ? err :
		     selftest_counts_judge(part->trace, child, part->done, judge_counted, part);
}

static int run(struct part *part, void (*operations_of)(const struct part *part),
	       int (*watch)(struct part *part, pid_t child, int gate))
{
	int gate[2], err;
	pid_t child;

	if (pipe2(gate, O_CLOEXEC))
		return -errno;
	child = fork();
	if (child == 0)
		perform(part, operations_of, gate[0]);
	err = child < 0 ? -errno : watch(part, child, gate[1]);
	if (child > 0 && err) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	close(gate[0]);
	close(gate[1]);
	return err;
}

#define DONE_SIZE (N_OPERATIONS + SELFTEST_MAX_COUNTED)

int selftest_run(struct selftest *test, struct trace *trace, const struct plan *plan,
		 const char *dir)
{
	struct scratch scratch = { .fd = -1 };
	bool *done = mmap(NULL, DONE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			  0);
	struct part part = {
		.test = test, .trace = trace, .plan = plan, .scratch = &scratch, .done = done
	};
	int err;

	memset(test, 0, sizeof(*test));
	err = done == MAP_FAILED ? -ENOMEM : scratch_open(&scratch, dir);
	if (!err)
		err = run(&part, perform_recorded, watch_recorded);
	if (!err && selftest_counts(plan)) {
		part.done = done + N_OPERATIONS;
		err = run(&part, perform_counted, watch_counted);
	}
	if (err)
		log_warn("the self-test could not run: %s", strerror(-err));
	scratch_close(&scratch);
	if (done != MAP_FAILED)
		munmap(done, DONE_SIZE);
	return err;
}

/* What serves one stream and not another is no reason to take it from the one. */
static bool fires_elsewhere(const struct selftest *test, const struct plan *plan,
			    const struct candidate *candidate)
{
	for (unsigned i = 0; i < plan->n_choices; i++)
		if (plan->choices[i].chosen == candidate && test->verdict[i] == SELFTEST_FIRES)
			return true;
	return false;
}

unsigned selftest_pass_over(const struct selftest *test, const struct plan *plan,
			    struct plan_request *request)
{
	unsigned n = 0;

	for (unsigned i = 0; i < plan->n_choices; i++)
		if (test->verdict[i] == SELFTEST_SILENT && request->n_silent < PLAN_MAX_SILENT &&
		    !fires_elsewhere(test, plan, plan->choices[i].chosen)) {
			request->silent[request->n_silent++] = plan->choices[i].chosen;
			n++;
		}
	return n;
}

void selftest_report(const struct selftest *test, const struct plan *plan)
{
	for (unsigned i = 0; i < plan->n_choices; i++) {
		const struct capability *c = plan->choices[i].capability;

		if (test->verdict[i] == SELFTEST_SILENT)
			log_warn(
				"rows of %s will be missing: %s%s%s through %s did not fire in the self-test",
				capability_stream(c), c->operation, c->path[0] ? " " : "", c->path,
				plan->choices[i].chosen->name);
	}
}

int selftest_report_blind(void)
{
	log_error(
		"no probe fired in the self-test, so nothing is recorded (--no-self-test records anyway)");
	return -EIO;
}

const char *selftest_word(enum selftest_verdict verdict)
{
	static const char *const words[] = { "not tried", "fires", "silent" };

	return words[verdict];
}
