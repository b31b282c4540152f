/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what is judged of io_uring, of the network, and of the trace itself. */
#include "analysis/report/report_find_rest.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/common/units.h"
#include "analysis/report/report_failed.h"
#include "base/clock.h"

enum { EVIDENCE = 256, SEGMENT = 1448 /* bytes of data in one of TCP over Ethernet */ };

static void judge_punted(struct findings *f, const struct report_item *opcode)
{
	uint64_t n = opcode->values[REPORT_SUBMITTED], punted = opcode->values[REPORT_ASYNC];
	double share = n ? (double)punted / (double)n : 0;
	char evidence[EVIDENCE];

	if (!n || (double)n < report_limit(f, LIMIT_URING_REQUESTS) ||
	    share < report_limit(f, LIMIT_URING_SHARE))
		return;
	snprintf(evidence, sizeof(evidence), "%" PRIu64 " of %" PRIu64 " requests", punted, n);
	report_found(f,
		     &(struct finding){ .id = FINDING_URING_PUNTED,
					.share = share,
					.subject = opcode->name,
					.subject_len = opcode->name_len,
					.evidence = evidence,
					.reader = "report",
					.command = "--section uring" },
		     "%.0f %% of io_uring's requests %.*s ran in workers", 100 * share,
		     (int)opcode->name_len, opcode->name);
}

static void judge_submitter(struct findings *f, const struct report_item *process)
{
	uint64_t calls = process->values[REPORT_COUNT], n = process->values[REPORT_SUBMITTED];
	char name[FINDING_PROCESS], evidence[EVIDENCE], command[64], time[UNITS_SIZE];

	/* fewer than one call in ten has more than one */
	if (!n || (double)n < report_limit(f, LIMIT_URING_REQUESTS) || n * 10 > calls * 11)
		return;
	report_name_process(name, process->label, process->label_len, process->number);
	snprintf(evidence, sizeof(evidence),
		 "in %" PRIu64 " calls, which took %s with what they waited for", calls,
		 units_ns(time, process->values[REPORT_NS]));
	snprintf(command, sizeof(command), "-p %" PRIu64 " --section uring", process->number);
	report_found(f,
		     &(struct finding){ .id = FINDING_URING_SINGLE,
					.subject = name,
					.evidence = evidence,
					.reader = "report",
					.command = command },
		     "%s submitted %" PRIu64 " requests of io_uring one at a time", name, n);
}

static void judge_overflowed(struct findings *f, const struct report_item *process)
{
	uint64_t n = process->values[REPORT_OVERFLOWED];
	char name[FINDING_PROCESS], evidence[EVIDENCE], command[64];

	if (!n)
		return;
	report_name_process(name, process->label, process->label_len, process->number);
	snprintf(evidence, sizeof(evidence), "%" PRIu64 " requests submitted in %" PRIu64 " calls",
		 process->values[REPORT_SUBMITTED], process->values[REPORT_COUNT]);
	snprintf(command, sizeof(command), "-p %" PRIu64 " --section uring", process->number);
	report_found(f,
		     &(struct finding){ .id = FINDING_CQ_OVERFLOW,
					.subject = name,
					.evidence = evidence,
					.reader = "report",
					.command = command },
		     "%" PRIu64 " completions of %s found no room in their ring", n, name);
}

static void judge_faults(struct findings *f, const struct report_item *process)
{
	uint64_t n = process->values[REPORT_MAJOR], ns = process->values[REPORT_MAJOR_NS];
	char name[FINDING_PROCESS], evidence[EVIDENCE], command[64], time[UNITS_SIZE],
		mean[UNITS_SIZE];

	if (!n || (double)n < report_limit(f, LIMIT_FAULT_MAJOR))
		return;
	report_name_process(name, process->label, process->label_len, process->number);
	snprintf(evidence, sizeof(evidence), "%s each on average, %" PRIu64 " others did not wait",
		 units_ns(mean, ns / n), process->values[REPORT_MINOR]);
	snprintf(command, sizeof(command), "-p %" PRIu64 " --section faults", process->number);
	report_found(f,
		     &(struct finding){ .id = FINDING_MAJOR_FAULTS,
					.share = (double)ns / report_span(f),
					.subject = name,
					.evidence = evidence,
					.reader = "report",
					.command = command },
		     "%s waited %s in %" PRIu64 " page faults", name, units_ns(time, ns), n);
}

static void judge_waits(struct findings *f, const struct report_item *process)
{
	uint64_t n = process->values[REPORT_COUNT], idle = process->values[REPORT_IDLE];
	char name[FINDING_PROCESS], evidence[EVIDENCE], command[64];
	double rate = (double)idle / report_span(f) * NS_PER_S;

	if (!idle || (double)idle < report_limit(f, LIMIT_POLL_IDLE) ||
	    (double)idle < report_limit(f, LIMIT_POLL_SHARE) * (double)n)
		return;
	report_name_process(name, process->label, process->label_len, process->number);
	snprintf(evidence, sizeof(evidence), "%.0f %% of its waits, %.0f a second",
		 100 * (double)idle / (double)n, rate);
	snprintf(command, sizeof(command), "-p %" PRIu64 " --section operations", process->number);
	report_found(f,
		     &(struct finding){ .id = FINDING_IDLE_POLLS,
					.at_least = rate >= 1000 ? FINDING_MEDIUM : FINDING_LOW,
					.subject = name,
					.evidence = evidence,
					.reader = "report",
					.command = command },
		     "%s waited %" PRIu64 " times for nothing", name, idle);
}

/* What a connection sent is known in bytes: it was so many segments, or more */
static void judge_resent(struct findings *f, const struct report_item *connection)
{
	uint64_t resent = connection->values[REPORT_RESENT];
	double sent = (double)connection->values[REPORT_SENT] / SEGMENT + (double)resent;
	char evidence[EVIDENCE];

	if (!resent || (double)resent < report_limit(f, LIMIT_TCP_RESENT) ||
	    (double)resent < report_limit(f, LIMIT_TCP_SHARE) * sent)
		return;
	snprintf(evidence, sizeof(evidence), "%.1f %% of about %.0f", 100 * (double)resent / sent,
		 sent);
	report_found(f,
		     &(struct finding){ .id = FINDING_RETRANSMITS,
					.share = (double)resent / sent,
					.subject = connection->name,
					.subject_len = connection->name_len,
					.evidence = evidence,
					.reader = "report",
					.command = "--section connections" },
		     "TCP sent %" PRIu64 " segments again: %.*s", resent, (int)connection->name_len,
		     connection->name);
}

/* Of all connections: a client makes many of them, one after the other. */
void report_find_tiny_sends(struct findings *f)
{
	const struct report_item *item = NULL, *worst = NULL;
	struct report_exchange all = { 0 };
	char evidence[EVIDENCE], time[UNITS_SIZE];

	while ((item = report_next(&report_of(f)->tally, REPORT_CONNECTION, item))) {
		if (!item->exchange)
			continue;
		report_exchange_join(&all, item->exchange);
		if (!worst || item->exchange->late > worst->exchange->late ||
		    (item->exchange->late == worst->exchange->late && item->hash < worst->hash))
			worst = item;
	}
	if (!all.late || (double)all.late < report_limit(f, LIMIT_TINY_ANSWERS) ||
	    (double)all.late < report_limit(f, LIMIT_TINY_SHARE) * (double)all.answers)
		return;
	snprintf(evidence, sizeof(evidence),
		 "%" PRIu64 " of %" PRIu64 " answers; most by %.*s: %.*s", all.late, all.answers,
		 (int)worst->label_len, worst->label, (int)worst->name_len, worst->name);
	report_found(f,
		     &(struct finding){ .id = FINDING_TINY_SENDS,
					.share = (double)all.late_ns / report_span(f),
					.subject = "connections",
					.evidence = evidence,
					.reader = "report",
					.command = "--section connections" },
		     "%" PRIu64 " answers came 40 ms late, %s in all", all.late,
		     units_ns(time, all.late_ns));
}

static void each(struct findings *f, enum report_kind kind,
		 void (*judge)(struct findings *f, const struct report_item *item))
{
	const struct report_item *item = NULL;

	while ((item = report_next(&report_of(f)->tally, kind, item)))
		judge(f, item);
}

void report_find_punted(struct findings *f)
{
	each(f, REPORT_URING, judge_punted);
}

void report_find_submitters(struct findings *f)
{
	each(f, REPORT_SUBMITTER, judge_submitter);
}

void report_find_overflowed(struct findings *f)
{
	each(f, REPORT_SUBMITTER, judge_overflowed);
}

void report_find_faults(struct findings *f)
{
	each(f, REPORT_PROCESS, judge_faults);
}

void report_find_idle_polls(struct findings *f)
{
	each(f, REPORT_WAITER, judge_waits);
}

void report_find_retransmits(struct findings *f)
{
	each(f, REPORT_CONNECTION, judge_resent);
}

/* Programs look for sockets of services that are not there (ENOENT) as they start. */
static bool is_refused(const struct report_item *item)
{
	static const char *const errors[] = { "ECONNREFUSED", "ETIMEDOUT", "EHOSTUNREACH",
					      "ENETUNREACH" };

	if (item->second != STREAM_nw_conn ||
	    !report_item_part_is(item, FAILED_OPERATION, "CONNECT"))
		return false;
	for (unsigned i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (report_item_part_is(item, FAILED_ERROR, errors[i]))
			return true;
	return false;
}

void report_find_refused(struct findings *f)
{
	const struct report_item *worst = NULL, *item = NULL;
	char evidence[EVIDENCE];
	uint64_t n = 0;

	while ((item = report_next(&report_of(f)->tally, REPORT_FAILED, item))) {
		if (!is_refused(item))
			continue;
		n += item->values[REPORT_COUNT];
		if (!worst || item->values[REPORT_COUNT] > worst->values[REPORT_COUNT] ||
		    (item->values[REPORT_COUNT] == worst->values[REPORT_COUNT] &&
		     item->hash < worst->hash))
			worst = item;
	}
	if (!worst || (double)n < report_limit(f, LIMIT_CONNECT_FAILED))
		return;
	snprintf(evidence, sizeof(evidence), "most by %.*s (%" PRIu64 "): %" PRIu64,
		 (int)worst->label_len, worst->label, worst->number, worst->values[REPORT_COUNT]);
	report_found(f,
		     &(struct finding){
			     .id = FINDING_REFUSED,
			     .at_least = (double)n >= 10 * report_limit(f, LIMIT_CONNECT_FAILED) ?
						 FINDING_MEDIUM :
						 FINDING_LOW,
			     .subject = "connections",
			     .evidence = evidence,
			     .reader = "report",
			     .command = "--section errors" },
		     "%" PRIu64 " connections were refused or unreachable", n);
}

void report_find_lost(struct findings *f)
{
	const struct report_section *missing = report_section(report_answer_of(f), "missing");
	double share;
	uint64_t lost = 0;
	bool many;
	char evidence[EVIDENCE];

	for (uint64_t i = 0; i < missing->n; i++)
		if (table_is(report_cell(missing, i, "kind"), "lost") &&
		    report_cell(missing, i, "count")->known)
			lost += report_cell(missing, i, "count")->u;
	if (!lost)
		return;
	share = (double)lost / (double)(lost + report_of(f)->rows);
	many = (double)lost >= report_limit(f, LIMIT_LOST_EVENTS);
	snprintf(evidence, sizeof(evidence), "%.2f %% of all", 100 * share);
	report_found(f,
		     &(struct finding){
			     .id = FINDING_THIS_TRACE,
			     .share = share,
			     /* the few at the start of a tracer are much of a short trace */
			     .harmless = !many,
			     .at_least = many && share >= 0.01 ? FINDING_MEDIUM : FINDING_LOW,
			     .subject = "trace",
			     .evidence = evidence,
			     .reader = "report",
			     .command = "--section missing" },
		     "%" PRIu64 " events were lost", lost);
}
