/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs and the kernel counted as missed, and what is still under way, told to the ledger. */
#include "trace/trace_account.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "compat/sys/bpf.h"
#include "trace/load.h"
#include "trace/trace_idle.h"
#include "trace/trace_set.h"
#include "trace/trace_sweep.h"

/* Where completions can go unseen, one of a request issued longer ago than this when tracing ends did. */
#define OLD_REQUEST_NS 1000000000ULL

/* One per-CPU value; values is room for n_cpus of them. False when the map is not there. */
static bool read_counter(const struct trace *trace, const char *map, uint32_t key, void *values)
{
	int fd = load_map(&trace->loaded, map);

	return fd >= 0 && !bpf_map_get(fd, &key, values);
}

_Static_assert((int)IOT_N_MISS <= (int)IOT_MISS_ROOM && !(IOT_MISS_ROOM & (IOT_MISS_ROOM - 1)),
	       "a power of two, which the verifier can bound");

static void account_missed(struct trace *trace, struct ledger *ledger, uint64_t now)
{
	static const enum lost_reason reasons[IOT_N_MISS] = {
		[IOT_MISS_ENTRY] = LOST_NO_ENTRY,  [IOT_MISS_RETURN] = LOST_NO_RETURN,
		[IOT_MISS_FULL] = LOST_TABLE_FULL, [IOT_MISS_SCRATCH] = LOST_SCRATCH,
		[IOT_MISS_SAMPLED] = LOST_SAMPLED,
	};
	uint64_t(*misses)[IOT_N_SEQ][IOT_MISS_ROOM] = calloc(trace->n_cpus, sizeof(*misses));

	if (misses && read_counter(trace, "iot_missed", 0, misses))
		for (int cpu = 0; cpu < trace->n_cpus; cpu++)
			for (unsigned class = 0; class < IOT_N_SEQ; class ++)
				for (unsigned miss = 0; miss < IOT_MISS_BUDGET; miss++)
					ledger_missed(ledger, class, reasons[miss], cpu,
						      misses[cpu][class][miss], now);
	free(misses);
}

static void note_missed(void *arg, const struct plan_probe *probe, uint64_t missed)
{
	(void)arg;
	log_detail("%s: the kernel missed %llu hits", probe->target, (unsigned long long)missed);
}

/*
 * The kernel counts what it skipped for all processes together. Are only some
 * traced, then the number says that rows may be missing, and is no loss of them:
 * it is asked for in the end.
 */
static void account_skipped(struct trace *trace, struct ledger *ledger, uint64_t now, bool settle)
{
	uint64_t skipped[IOT_N_SEQ] = { 0 }, any = 0;

	for (unsigned i = 0; i < trace->n_watches; i++) {
		const struct skip_watch *watch = &trace->watches[i];
		bool is_note = trace->filtered && !watch->interrupts;
		uint64_t n;

		if (is_note && !settle)
			continue;
		n = bpf_prog_skipped(watch->prog_fd) - watch->before;
		if (is_note)
			any += n;
		else
			skipped[watch->class] += n;
	}
	if (settle)
		trace->skipped_any = any;
	skipped[IOT_SEQ_exec] += trace->forks.found;
	for (unsigned class = 0; class < IOT_N_SEQ; class ++)
		ledger_missed(ledger, class, LOST_SKIPPED, -1, skipped[class], now);
}

/* Hits of kprobes that the kernel passed over, of whatever process, as above. */
static void account_unprobed(struct trace *trace, struct ledger *ledger, uint64_t now)
{
	uint64_t missed = attach_missed(&trace->attached, note_missed, NULL);

	if (trace->filtered)
		trace->unprobed_any = missed;
	else
		ledger_missed(ledger, IOT_SEQ_fs, LOST_PROBE, -1, missed, now);
}

void trace_left_out(const struct trace *trace, uint64_t left_out[IOT_N_SEQ])
{
	uint64_t(*misses)[IOT_N_SEQ][IOT_MISS_ROOM] = calloc(trace->n_cpus, sizeof(*misses));

	memset(left_out, 0, IOT_N_SEQ * sizeof(*left_out));
	if (misses && read_counter(trace, "iot_missed", 0, misses))
		for (int cpu = 0; cpu < trace->n_cpus; cpu++) {
			for (unsigned class = 0; class < IOT_N_SEQ; class ++)
				left_out[class] += misses[cpu][class][IOT_MISS_BUDGET];
			/* one rate is for both (trace_thin) */
			left_out[IOT_SEQ_iouring] += misses[cpu][IOT_SEQ_iouring][IOT_MISS_SAMPLED];
		}
	free(misses);
}

uint64_t trace_sent(const struct trace *trace, unsigned class)
{
	uint64_t *values = calloc(trace->n_cpus, sizeof(*values)), sum = 0;

	if (values && read_counter(trace, "iot_seq", class, values))
		for (int cpu = 0; cpu < trace->n_cpus; cpu++)
			sum += values[cpu];
	free(values);
	return sum;
}

void trace_account(struct trace *trace, struct ledger *ledger, bool settle)
{
	uint64_t *values = calloc(trace->n_cpus, sizeof(*values)), now = mono_ns();

	if (!values)
		return;
	account_missed(trace, ledger, now);
	account_skipped(trace, ledger, now, settle);
	if (settle)
		for (unsigned class = 0; class < IOT_N_SEQ; class ++)
			if (read_counter(trace, "iot_seq", class, values))
				for (int cpu = 0; cpu < trace->n_cpus; cpu++)
					ledger_settle(ledger, class, cpu, values[cpu], now);
	if (!settle)
		account_unprobed(trace, ledger, now);
	free(values);
}

/*
 * What began long ago will not end any more, its end was not seen. Those that
 * the kernel counted when it skipped a program are lost already.
 */
static void account_old(struct ledger *ledger, unsigned class, uint64_t old, uint64_t now)
{
	uint64_t counted = ledger_lost(ledger, class, LOST_SKIPPED);

	if (old > counted)
		ledger_missed(ledger, class, LOST_NO_RETURN, -1, old - counted, now);
}

/*
 * Asynchronous reads and writes. A process takes its requests with it: what is left of one that has
 * ended has completed, however young. Completions of AIO that were skipped are not among what the
 * kernel counts for us (PROBE_SKIP_SHOWS), so that nothing is deducted of those.
 */
static void account_async(const struct trace *trace, struct ledger *ledger, uint64_t now)
{
	uint64_t counted = ledger_lost(ledger, IOT_SEQ_fs, LOST_SKIPPED);
	int fd = load_map(&trace->loaded, "iot_async");
	uint64_t key, next, aio = 0, others = 0;
	struct iot_request r;
	bool first = true;

	while (fd >= 0 && !bpf_map_next(fd, first ? NULL : &key, &next)) {
		key = next;
		first = false;
		if (bpf_map_get(fd, &key, &r) ||
		    (now - r.ts <= OLD_REQUEST_NS && !trace_has_ended(r.tgid)))
			continue;
		if (r.call == IOT_CALL_io_submit)
			aio++;
		else
			others++;
	}
	ledger_missed(ledger, IOT_SEQ_fs, LOST_NO_RETURN, -1,
		      aio + (others > counted ? others - counted : 0), now);
}

/* Pages under write-back, retransmitted segments: their entries begin with their start. */
static void account_old_entries(const struct trace *trace, const char *map, struct ledger *ledger,
				unsigned class, uint64_t now)
{
	int fd = load_map(&trace->loaded, map);
	uint64_t value[64], key, next, old = 0;
	bool first = true;

	while (fd >= 0 && !bpf_map_next(fd, first ? NULL : &key, &next)) {
		key = next;
		first = false;
		old += !bpf_map_get(fd, &key, value) && value[0] && now - value[0] > OLD_REQUEST_NS;
	}
	account_old(ledger, class, old, now);
}

/*
 * Requests that were issued and not seen to complete, which have ended for unseen; NULL: they are known by their
 * sector, and nothing tells that they have. Returns how many of these are old.
 */
static uint64_t find_requests(struct trace *trace, const char *map, trace_unseen_fn *unseen,
			      void *arg)
{
	struct {
		uint64_t sector, dev;
	} key, next; /* struct iot_rq_key, or the request's address */
	int fd = load_map(&trace->loaded, map);
	uint64_t old = 0, now = mono_ns();
	struct iot_rq rq;
	bool first = true;

	while (fd >= 0 && !bpf_map_next(fd, first ? NULL : &key, &next)) {
		key = next;
		first = false;
		if (bpf_map_get(fd, &key, &rq) || !rq.issue_ts)
			continue;
		if (unseen && trace_has_completed(trace, &rq)) {
			unseen(arg, &rq);
			continue;
		}
		/* what others submit may be nobody's that is traced: it is not missed */
		if (rq.owner.found & IOT_OWNER_FOREIGN)
			continue;
		if (!unseen) {
			rq.sector = key.sector;
			rq.dev = key.dev;
		}
		trace->pending++;
		old += !unseen && now - rq.issue_ts > OLD_REQUEST_NS;
		if (trace->n_requests < TRACE_MAX_REQUESTS)
			trace->requests[trace->n_requests++] = rq;
	}
	return old;
}

/* What no raw program joined, and no later issue on that CPU came upon */
static void account_unjoined(const struct trace *trace, struct ledger *ledger, uint64_t now)
{
	struct iot_rq *left = calloc(trace->n_cpus, sizeof(*left));
	uint64_t n = 0;

	if (left && read_counter(trace, "iot_issued", 0, left))
		for (int cpu = 0; cpu < trace->n_cpus; cpu++)
			n += left[cpu].was_here && left[cpu].id &&
			     !(left[cpu].owner.found & IOT_OWNER_FOREIGN);
	ledger_missed(ledger, IOT_SEQ_ds, LOST_NO_ENTRY, -1, n, now);
	free(left);
}

void trace_pending_requests(struct trace *trace, struct ledger *ledger, trace_unseen_fn *unseen,
			    void *arg)
{
	uint64_t now = mono_ns(), old;

	account_async(trace, ledger, now);
	account_unjoined(trace, ledger, now);
	account_old_entries(trace, "iot_writing", ledger, IOT_SEQ_cache, now);
	account_old_entries(trace, "iot_agains", ledger, IOT_SEQ_nw_drop, now);
	trace->pending = trace->n_requests = 0;
	if (load_map(&trace->loaded, "iot_flying") >= 0) {
		find_requests(trace, "iot_flying", unseen, arg);
	} else {
		old = find_requests(trace, "iot_rqs", NULL, NULL);
		account_old(ledger, IOT_SEQ_ds, old, now);
		trace->pending -= old;
	}
}

uint64_t trace_socket_made(const struct trace *trace, uint32_t tgid, int fd)
{
	int map = load_map(&trace->loaded, "iot_sock_made");
	uint64_t key = (uint64_t)tgid << 32 | (uint32_t)fd, when;

	return map >= 0 && !bpf_map_get(map, &key, &when) ? when & ~IOT_SOCK_GONE : 0;
}

void trace_count_pending(const struct trace *trace, uint64_t counts[IOT_N_KINDS])
{
	int fd = load_map(&trace->loaded, "iot_pending");
	union iot_pending entries[TRACE_PLACES];

	for (int kind = 0; kind < IOT_N_KINDS; kind++)
		counts[kind] = 0;
	for (uint32_t place = 0; fd >= 0 && place < IOT_PENDING_SIZE; place += TRACE_PLACES) {
		if (bpf_array_get(fd, place, TRACE_PLACES, sizeof(entries[0]), entries))
			return;
		for (unsigned i = 0; i < TRACE_PLACES; i++)
			if (entries[i].head.key)
				counts[IOT_PENDING_KIND(entries[i].head.key)]++;
	}
}

uint64_t trace_entries(const struct trace *trace, const char *map)
{
	int fd = load_map(&trace->loaded, map);
	char key[64], next[64];
	uint64_t n = 0;

	while (fd >= 0 && !bpf_map_next(fd, n ? key : NULL, next)) {
		memcpy(key, next, sizeof(key));
		n++;
	}
	return n;
}
