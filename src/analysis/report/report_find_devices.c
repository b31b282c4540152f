/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what is judged by device, and what operations waited for. */
#include "analysis/report/report_find_devices.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/common/units.h"
#include "analysis/report/report_items.h"
#include "analysis/report/report_machine.h"
#include "analysis/report/report_memory.h"
#include "analysis/report/report_stalls.h"
#include "base/clock.h"

enum { EVIDENCE = 256 };
/* Requests at once on average, up to which it is one at a time */
static const double ONE_AT_ONCE = 1.2;
enum { OWNER_CAUSE, OWNER_COMMAND }; /* parts of the name of an owner */

/* ---- what operations waited for ---- */

/* Of all operations, or of reads alone; direct I/O stands in two groups, DIO_READ within READ. */
static struct why_group waited(const struct why *why, bool reads)
{
	struct why_group all = { .count = 0 };

	for (uint64_t i = 0; i < why->n_groups; i++) {
		const struct why_group *g = &why->groups[i];

		bool again = g->name && !strncmp(g->name, "DIO_", 4);
		bool is_read = g->name && !strcmp(g->name, "READ");

		if (again || (reads && !is_read))
			continue;
		all.count += g->count;
		all.latency += g->latency;
		for (unsigned part = 0; part < WHY_PARTS; part++)
			all.ns[part] += g->ns[part];
	}
	return all;
}

void report_find_starved(struct findings *f)
{
	const struct why_group all = waited(&report_of(f)->why, false);
	double queued = (double)all.ns[WHY_RUNQUEUE];
	char evidence[EVIDENCE], time[UNITS_SIZE];

	if (!all.latency || queued < report_limit(f, LIMIT_STARVED_SHARE) * (double)all.latency ||
	    queued < report_limit(f, LIMIT_STARVED_MS) * 1e6)
		return;
	snprintf(evidence, sizeof(evidence), "%.0f %% of the time of %" PRIu64 " operations",
		 100 * queued / (double)all.latency, all.count);
	report_found(f,
		     &(struct finding){ .id = FINDING_CPU_STARVED,
					.share = queued / report_span(f),
					.subject = "CPUs",
					.evidence = evidence,
					.reader = "why",
					.command = "--by process" },
		     "Operations waited %s for a CPU", units_ns(time, all.ns[WHY_RUNQUEUE]));
}

/* Time in devices over the time of the trace: how many requests there were at once on average */
static double depth_of(const struct findings *f, const struct report_item *device)
{
	return (double)device->values[REPORT_NS] / report_span(f);
}

void report_find_serial(struct findings *f)
{
	const struct why_group reads = waited(&report_of(f)->why, true);
	double share = (double)(reads.ns[WHY_DEVICE] + reads.ns[WHY_DEVICE_QUEUE]) / report_span(f);
	const struct report_item *device = NULL;
	char evidence[EVIDENCE], time[UNITS_SIZE];
	double depth = 0;

	while ((device = report_next(&report_of(f)->tally, REPORT_DEVICE, device)))
		depth += depth_of(f, device);
	if (share < report_limit(f, LIMIT_SERIAL_SHARE) || depth > ONE_AT_ONCE)
		return;
	snprintf(evidence, sizeof(evidence), "%.2f requests at once on average", depth);
	report_found(f,
		     &(struct finding){ .id = FINDING_SERIAL,
					.share = share,
					.subject = "reads",
					.evidence = evidence,
					.reader = "why",
					.command = "--by file" },
		     "Reads waited %s for devices, one request at a time",
		     units_ns(time, reads.ns[WHY_DEVICE] + reads.ns[WHY_DEVICE_QUEUE]));
}

/* How long writes slept that no thread woke: what a device ended is a part of its own. */
static uint64_t slept(const struct why_group *writes)
{
	uint64_t ns = 0;

	for (unsigned i = 0; i < writes->wakers.n; i++)
		if (!writes->wakers.list[i].name)
			ns += writes->wakers.list[i].ns;
	return ns;
}

static const struct report_item *slowest_writer(const struct report *r, uint64_t *cached,
						uint64_t *direct)
{
	const struct report_item *process = NULL, *most = NULL;

	while ((process = report_next(&r->tally, REPORT_PROCESS, process))) {
		if (!process->habits)
			continue;
		*cached += process->habits[HABIT_SLOW_NS];
		*direct += process->habits[HABIT_SLOW_DIRECT_NS];
		if (process->habits[HABIT_SLOW_NS] &&
		    (!most || process->habits[HABIT_SLOW_NS] > most->habits[HABIT_SLOW_NS] ||
		     (process->habits[HABIT_SLOW_NS] == most->habits[HABIT_SLOW_NS] &&
		      process->number < most->number)))
			most = process;
	}
	return most;
}

static void judge_writes(struct findings *f, const struct why_group *writes)
{
	uint64_t ns = slept(writes), cached = 0, direct = 0;
	const struct report_item *writer = slowest_writer(report_of(f), &cached, &direct);
	char name[FINDING_PROCESS], evidence[EVIDENCE], time[UNITS_SIZE];

	if (!writer || !ns || ns > cached || direct > cached / 10 ||
	    (double)ns < report_limit(f, LIMIT_THROTTLED_MS) * 1e6 ||
	    (double)ns < report_limit(f, LIMIT_THROTTLED_SHARE) * (double)writes->latency)
		return;
	report_name_process(name, writer->label, writer->label_len, writer->number);
	snprintf(evidence, sizeof(evidence),
		 "%.0f %% of the time of %" PRIu64 " writes; most by %s",
		 100 * (double)ns / (double)writes->latency, writes->count, name);
	report_found(f,
		     &(struct finding){ .id = FINDING_THROTTLED,
					.share = (double)ns / report_span(f),
					.subject = name,
					.evidence = evidence,
					.reader = "why",
					.command = "--by waker" },
		     "Writes through the page cache were made to wait %s", units_ns(time, ns));
}

void report_find_throttled(struct findings *f)
{
	const struct report *r = report_of(f);

	/* without requests what a device ended is not known */
	for (uint64_t i = 0; r->on[STREAM_ds] && i < r->why.n_groups; i++)
		if (r->why.groups[i].name && !strcmp(r->why.groups[i].name, "WRITE"))
			judge_writes(f, &r->why.groups[i]);
}

/* ---- devices ---- */

static void judge_latency(struct findings *f, const struct report_item *device,
			  const struct table_value *name)
{
	bool rotates = report_device_rotates(report_answer_of(f), (uint32_t)device->number);
	double ms = report_limit(f, rotates ? LIMIT_ROTATING_MS : LIMIT_DEVICE_MS);
	char evidence[EVIDENCE], half[UNITS_SIZE], most[UNITS_SIZE];
	uint64_t p50;

	if (!device->latencies || !device->latencies->n ||
	    (double)device->latencies->n < report_limit(f, LIMIT_DEVICE_REQUESTS))
		return;
	p50 = latencies_percentile(device->latencies, 500);
	if ((double)p50 < ms * 1e6)
		return;
	snprintf(evidence, sizeof(evidence),
		 "%" PRIu64 " requests, the slowest %s; %.1f at once on average",
		 device->latencies->n, units_ns(most, device->values[REPORT_MAX_NS]),
		 depth_of(f, device));
	report_found(f,
		     &(struct finding){ .id = FINDING_DEVICE_SLOW,
					.share = depth_of(f, device),
					.subject = name->text,
					.subject_len = name->len,
					.evidence = evidence,
					.reader = "report",
					.command = "--section devices" },
		     "Half of the requests of %.*s took %s or more", (int)name->len, name->text,
		     units_ns(half, p50));
}

static void judge_queue(struct findings *f, const struct report_item *device,
			const struct table_value *name)
{
	const uint64_t *v = device->values;
	char evidence[EVIDENCE], queue[UNITS_SIZE], service[UNITS_SIZE];

	if (!v[REPORT_QUEUED] || !v[REPORT_TIMED] ||
	    (double)v[REPORT_QUEUED] < report_limit(f, LIMIT_QUEUE_REQUESTS) ||
	    v[REPORT_QUEUE_NS] < v[REPORT_NS])
		return;
	snprintf(evidence, sizeof(evidence), "on average %s in the queue, %s in the device",
		 units_ns(queue, v[REPORT_QUEUE_NS] / v[REPORT_QUEUED]),
		 units_ns(service, v[REPORT_NS] / v[REPORT_TIMED]));
	report_found(f,
		     &(struct finding){ .id = FINDING_QUEUEING,
					.share = (double)v[REPORT_QUEUE_NS] /
						 (double)(v[REPORT_QUEUE_NS] + v[REPORT_NS]),
					.subject = name->text,
					.subject_len = name->len,
					.evidence = evidence,
					.reader = "report",
					.command = "--section devices" },
		     "%" PRIu64
		     " requests of %.*s waited longer in its queue than they were served",
		     v[REPORT_QUEUED], (int)name->len, name->text);
}

/* With one request at a time a device is as busy as who asks is quick. */
static void judge_busy(struct findings *f, const struct report_item *device,
		       const struct table_value *name)
{
	const struct why_group all = waited(&report_of(f)->why, false);
	uint64_t ns = device->busy ? busy_ns(device->busy) : 0;
	double share = (double)ns / report_span(f);
	double waits = (double)(all.ns[WHY_DEVICE] + all.ns[WHY_DEVICE_QUEUE]) / report_span(f);
	char evidence[EVIDENCE], time[UNITS_SIZE];

	if (!ns || share < report_limit(f, LIMIT_BUSY_SHARE) ||
	    waits < report_limit(f, LIMIT_BUSY_WAITED) || depth_of(f, device) <= ONE_AT_ONCE)
		return;
	snprintf(evidence, sizeof(evidence),
		 "%.1f requests at once on average; operations waited %s for devices",
		 depth_of(f, device),
		 units_ns(time, all.ns[WHY_DEVICE] + all.ns[WHY_DEVICE_QUEUE]));
	report_found(f,
		     &(struct finding){ .id = FINDING_DEVICE_BUSY,
					.share = share,
					.subject = name->text,
					.subject_len = name->len,
					.evidence = evidence,
					.reader = "why",
					.command = "--by file" },
		     "%.*s was busy for %.0f %% of the time", (int)name->len, name->text,
		     100 * (share < 1 ? share : 1));
}

void report_find_devices(struct findings *f)
{
	const struct report_item *device = NULL;

	while ((device = report_next(&report_of(f)->tally, REPORT_DEVICE, device))) {
		struct table_value name = report_device_name(report_answer_of(f), report_of(f),
							     device->number);
		char number[TABLE_NUMBER_SIZE];

		if (!name.known) {
			table_exact(number, TABLE_DEVICE, device->number);
			name = table_text(number);
		}
		judge_latency(f, device, &name);
		judge_queue(f, device, &name);
		judge_busy(f, device, &name);
	}
}

/* ---- syncs ---- */

static double median_of(const struct findings *f, const struct report_item *operation)
{
	const struct report_key key = { REPORT_OPERATION, STREAM_fs, 0, operation->name,
					operation->name_len };
	const struct report_item *all = report_find(&report_of(f)->tally, &key);

	return all && all->latencies ? (double)latencies_percentile(all->latencies, 500) : 0;
}

/* More of them began in syncs than the time of these explains. */
static void judge_stalled(struct findings *f, const struct report_item *operation)
{
	const struct report_key syncs = { .kind = REPORT_STALLED, .number = operation->number };
	const struct report_item *all = report_find(&report_of(f)->tally, &syncs);
	const uint64_t *v = operation->values;
	double chance = !all || !all->busy ? 0 : (double)busy_ns(all->busy) / report_span(f);
	double median = median_of(f, operation);
	char evidence[EVIDENCE], time[UNITS_SIZE], usual[UNITS_SIZE];

	if (!v[REPORT_COUNT] || (double)v[REPORT_COUNT] < report_limit(f, LIMIT_STALL_CALLS) ||
	    10 * median > REPORT_STALL_NS ||
	    (double)v[REPORT_COUNT] < (chance + 0.5) * (double)v[REPORT_TIMED])
		return;
	snprintf(
		evidence, sizeof(evidence),
		"%" PRIu64 " of %" PRIu64
		" that took 1 ms or more, while %.*s synced for %.0f %% of the time; half take %s or less",
		v[REPORT_COUNT], v[REPORT_TIMED], (int)operation->label_len, operation->label,
		100 * chance, units_ns(usual, (uint64_t)median));
	report_found(f,
		     &(struct finding){ .id = FINDING_STALLED,
					.share = (double)v[REPORT_QUEUE_NS] / report_span(f),
					.subject = operation->name,
					.subject_len = operation->name_len,
					.evidence = evidence,
					.reader = "report",
					.command = "--section slowest" },
		     "%" PRIu64 " calls of %.*s waited %s for a sync of another thread",
		     v[REPORT_COUNT], (int)operation->name_len, operation->name,
		     units_ns(time, v[REPORT_QUEUE_NS]));
}

void report_find_stalled(struct findings *f)
{
	const struct report_item *item = NULL;

	while ((item = report_next(&report_of(f)->tally, REPORT_STALLED, item)))
		judge_stalled(f, item);
}

/* ---- bytes ---- */

/* Who has most of the bytes that devices moved in this direction */
static const struct report_item *largest_owner(const struct report *r, enum report_measure bytes)
{
	const struct report_item *best = NULL, *item = NULL;

	while ((item = report_next(&r->tally, REPORT_OWNER, item)))
		if (!best || item->values[bytes] > best->values[bytes] ||
		    (item->values[bytes] == best->values[bytes] && item->hash < best->hash))
			best = item;
	return best;
}

static void judge_amplified(struct findings *f, unsigned direction, uint64_t asked, uint64_t moved)
{
	const struct report_item *owner =
		largest_owner(report_of(f), direction ? REPORT_WRITE_BYTES : REPORT_READ_BYTES);
	uint64_t own = !owner ? 0 :
				owner->values[direction ? REPORT_WRITE_BYTES : REPORT_READ_BYTES];
	char evidence[EVIDENCE], by_device[UNITS_SIZE], by_application[UNITS_SIZE],
		largest[UNITS_SIZE];
	size_t cause_len = 0, command_len = 0;
	const char *cause = owner ? report_item_part(owner, OWNER_CAUSE, &cause_len) : "",
		   *command = owner ? report_item_part(owner, OWNER_COMMAND, &command_len) : "";

	snprintf(evidence, sizeof(evidence), "largest part: %s of %.*s%s%.*s",
		 units_bytes(largest, own), cause_len ? (int)cause_len : 4,
		 cause_len ? cause : "data", command_len ? " for " : "", (int)command_len, command);
	report_found(f,
		     &(struct finding){ .id = FINDING_AMPLIFIED,
					.share = (double)(moved - asked) / (double)moved,
					/* pages of mapped files are read without a call */
					.harmless = !direction,
					.subject = direction ? "write" : "read",
					.evidence = evidence,
					.reader = "amp",
					.command = "" },
		     "Devices %s %s, %.1f times the %s that applications %s",
		     direction ? "wrote" : "read", units_bytes(by_device, moved),
		     (double)moved / (double)asked, units_bytes(by_application, asked),
		     direction ? "wrote" : "read");
}

void report_find_amplified(struct findings *f)
{
	const struct report_section *section = report_section(report_answer_of(f), "amplification");
	struct report_memory m;

	for (uint64_t i = 0; i < section->n; i++) {
		uint64_t asked = report_cell(section, i, "application_bytes")->u;
		uint64_t moved = report_cell(section, i, "device_bytes")->u;

		/* no factor, or next to nothing was asked for: mapped files, other streams */
		if (!report_cell(section, i, "byte_amp")->known ||
		    (double)moved < report_limit(f, LIMIT_AMPLIFIED_BYTES) ||
		    (double)moved < report_limit(f, LIMIT_AMPLIFIED_TIMES) * (double)asked ||
		    (double)asked < report_limit(f, LIMIT_AMPLIFIED_BYTES) / 64)
			continue;
		if (i && report_memory(report_of(f), &m) && m.waiting &&
		    m.waiting >= m.written / 10)
			continue;
		judge_amplified(f, (unsigned)i, asked, moved);
	}
}

void report_find_swapping(struct findings *f)
{
	const struct report_item *item = NULL;
	uint64_t in = 0, out = 0, all = 0;
	char evidence[EVIDENCE], a[UNITS_SIZE], b[UNITS_SIZE];

	while ((item = report_next(&report_of(f)->tally, REPORT_OWNER, item))) {
		bool swap = report_item_part_is(item, OWNER_CAUSE, "swap");

		all += item->values[REPORT_READ_BYTES] + item->values[REPORT_WRITE_BYTES];
		in += swap ? item->values[REPORT_READ_BYTES] : 0;
		out += swap ? item->values[REPORT_WRITE_BYTES] : 0;
	}
	if (!in && !out)
		return;
	snprintf(evidence, sizeof(evidence), "%.0f %% of what devices moved",
		 100 * (double)(in + out) / (double)all);
	report_found(f,
		     &(struct finding){ .id = FINDING_SWAPPING,
					.share = (double)(in + out) / (double)all,
					.subject = "swap",
					.evidence = evidence,
					.reader = "report",
					.command = "--section owners" },
		     "%s came from swap and %s went there", units_bytes(a, in),
		     units_bytes(b, out));
}
