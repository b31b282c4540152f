/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of operations: of worlds made by chance, in which it is known of each nanosecond what each thread
 * does, the model's parts are those that counting nanoseconds gives, in whatever order rows come.
 */
#include "analysis/common/why_model.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, LENGTH = 1500, STRETCHES = 64, OPERATIONS = 200, REQUESTS = 40, WORLDS = 400 };

enum doing { NOTHING, RUNS, READY, SLEEPS };

static struct world {
	uint8_t doing[THREADS][LENGTH];
	struct why_stretch stretches[THREADS][STRETCHES];
	unsigned n_stretches[THREADS];
	struct why_operation operations[OPERATIONS];
	unsigned n_operations;
	struct why_request requests[REQUESTS];
} w;

static uint64_t state;
static unsigned settled[OPERATIONS];
static uint64_t brute_parts[OPERATIONS][WHY_PARTS];

static unsigned chance(unsigned n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(state >> 33) % n;
}

/* ---- a world ---- */

static unsigned put(unsigned thread, unsigned at, unsigned n, enum doing doing)
{
	for (; n && at < LENGTH; n--)
		w.doing[thread][at++] = (uint8_t)doing;
	return at;
}

/* Whole stretches, as the kernel tells of them when a thread leaves a CPU; the last run is told by nobody. */
static void make_thread(unsigned thread)
{
	unsigned at = put(thread, 0, 1 + chance(40), RUNS);

	w.stretches[thread][0] = (struct why_stretch){ .end = at, .wake_seen = true };
	w.n_stretches[thread] = 1;
	while (at < LENGTH && w.n_stretches[thread] < STRETCHES) {
		struct why_stretch s = { .left = at, .wake_seen = true };

		at = put(thread, at, chance(3) ? 1 + chance(100) : 0, SLEEPS);
		s.woken = at;
		s.waker = chance(2) ? 1 + chance(THREADS) : 0;
		s.waker_name = s.waker ? "waker" : NULL;
		at = put(thread, at, 1 + chance(30), READY);
		s.start = at;
		at = put(thread, at, 1 + chance(60), RUNS);
		s.end = at;
		if (at < LENGTH)
			w.stretches[thread][w.n_stretches[thread]++] = s;
	}
	put(thread, at, LENGTH - at, RUNS);
}

/* A moment at which a thread is on a CPU. */
static unsigned on_cpu(unsigned thread, unsigned from)
{
	while (from < LENGTH && w.doing[thread][from] != RUNS)
		from++;
	return from;
}

static void make_operations(unsigned thread)
{
	unsigned at = 1;

	while (w.n_operations < OPERATIONS) {
		unsigned start = on_cpu(thread, at + chance(50));
		unsigned end = on_cpu(thread, start + chance(chance(4) ? 20 : 300));

		if (end >= LENGTH)
			return;
		w.operations[w.n_operations] = (struct why_operation){
			.start = start,
			.latency = end - start,
			.who = { .tid = thread + 1, .pid = 1, .inode = 1 + chance(3) },
			.kind = w.n_operations,
			.path = "f",
			.path_len = 1,
		};
		w.n_operations++;
		at = chance(5) ? end : start; /* some are within another one */
	}
}

static void make_requests(void)
{
	for (unsigned i = 0; i < REQUESTS; i++) {
		struct why_request *r = &w.requests[i];

		r->completed = 1 + chance(LENGTH);
		r->issued = r->completed -
			    chance((unsigned)r->completed < 80 ? (unsigned)r->completed : 80);
		r->inserted = r->issued -
			      chance((unsigned)r->issued < 30 ? (unsigned)r->issued + 1 : 30);
		r->tid = chance(THREADS + 1);
		r->inode = chance(4);
	}
}

static void make_world(uint64_t seed)
{
	memset(&w, 0, sizeof(w));
	memset(settled, 0, sizeof(settled));
	memset(brute_parts, 0, sizeof(brute_parts));
	state = seed;
	for (unsigned i = 0; i < THREADS; i++) {
		make_thread(i);
		make_operations(i);
	}
	make_requests();
}

/* ---- what is true ---- */

static enum why_part asleep(const struct why_operation *o, uint64_t ns)
{
	unsigned thread = o->who.tid - 1;
	uint64_t woken = ns, fell = ns;
	enum why_part part = WHY_WAIT;

	while (w.doing[thread][woken] == SLEEPS)
		woken++;
	while (w.doing[thread][fell] == SLEEPS)
		fell--;
	for (unsigned i = 0; i < REQUESTS; i++) {
		const struct why_request *r = &w.requests[i];

		if (r->completed > woken || ns < r->inserted || ns >= r->completed ||
		    (r->tid != o->who.tid && r->inode != o->who.inode))
			continue;
		if (ns >= r->issued)
			return WHY_DEVICE;
		part = WHY_DEVICE_QUEUE;
	}
	return part;
}

static void count_parts(const struct why_operation *o, uint64_t parts[WHY_PARTS])
{
	for (uint64_t ns = o->start; ns < o->start + o->latency; ns++)
		switch (w.doing[o->who.tid - 1][ns]) {
		case RUNS:
			parts[WHY_RUN]++;
			break;
		case READY:
			parts[WHY_RUNQUEUE]++;
			break;
		default:
			parts[asleep(o, ns)]++;
		}
}

/* ---- both ---- */

static void note(void *arg, const struct why_operation *o, const struct why_split *split)
{
	uint64_t sum = 0, waits = split->wakers.others;

	(void)arg;
	settled[o->kind]++;
	for (unsigned i = 0; i < WHY_PARTS; i++) {
		sum += split->ns[i];
		brute_parts[o->kind][i] = split->ns[i];
	}
	for (unsigned i = 0; i < split->wakers.n; i++)
		waits += split->wakers.list[i].ns;
	ck_assert_uint_eq(sum, o->latency);
	ck_assert_uint_eq(waits, split->ns[WHY_WAIT]);
	for (unsigned i = 0; i < split->n_pieces; i++) {
		ck_assert(!i || split->pieces[i].part != split->pieces[i - 1].part);
		sum -= split->pieces[i].ns;
	}
	ck_assert(!sum || split->n_pieces == WHY_PIECES);
	ck_assert_str_eq(o->path, "f");
}

struct row {
	uint64_t key;
	unsigned kind, thread, i;
};

static int by_key(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* As a recording has them: by their start, those of long operations late, when they have ended. */
static unsigned rows_of_world(struct row *rows)
{
	unsigned n = 0;

	for (unsigned t = 0; t < THREADS; t++)
		for (unsigned i = 0; i < w.n_stretches[t]; i++)
			rows[n++] = (struct row){ w.stretches[t][i].start ?
							  w.stretches[t][i].start :
							  w.stretches[t][i].end,
						  0, t, i };
	for (unsigned i = 0; i < w.n_operations; i++)
		rows[n++] = (struct row){
			w.operations[i].start + (chance(4) ? 0 : w.operations[i].latency), 1, 0, i
		};
	for (unsigned i = 0; i < REQUESTS; i++)
		rows[n++] = (struct row){ w.requests[i].completed, 2, 0, i };
	qsort(rows, n, sizeof(*rows), by_key);
	return n;
}

static void run_world(bool all_threads, uint64_t memory)
{
	static struct row rows[THREADS * STRETCHES + OPERATIONS + REQUESTS];
	struct why_model m = { .settled = note, .has_threads = true, .all_threads = all_threads };
	unsigned n = rows_of_world(rows);

	why_model_begin(&m, memory, 0, 0, UINT64_MAX);
	for (unsigned i = 0; i < n; i++) {
		const struct row *r = &rows[i];

		why_model_time(&m, r->key);
		if (r->kind == 0)
			why_model_run(&m, r->thread + 1, 1, "t", &w.stretches[r->thread][r->i]);
		else if (r->kind == 1)
			why_model_operation(&m, &w.operations[r->i]);
		else
			why_model_request(&m, &w.requests[r->i]);
	}
	why_model_end(&m);
	ck_assert(!m.no_memory);
	why_model_free(&m);
}

/* Of the last run of a thread no row says that it ended: what began before it and ended in it is known in part. */
static bool ends_in_the_last_run(const struct why_operation *o)
{
	const struct why_stretch *last =
		&w.stretches[o->who.tid - 1][w.n_stretches[o->who.tid - 1] - 1];

	return o->start < last->end && o->start + o->latency > last->end;
}

static void check_world(bool all_threads)
{
	for (unsigned i = 0; i < w.n_operations; i++) {
		const struct why_operation *o = &w.operations[i];
		uint64_t parts[WHY_PARTS] = { 0 };

		ck_assert_uint_eq(settled[i], 1);
		if (ends_in_the_last_run(o) ||
		    (!all_threads && brute_parts[i][WHY_UNKNOWN] == o->latency))
			continue;
		count_parts(o, parts);
		for (unsigned k = 0; k < WHY_PARTS; k++)
			ck_assert_msg(
				parts[k] == brute_parts[i][k],
				"operation %u of thread %u at %u, %u ns: part %u is %u, not %u", i,
				o->who.tid, (unsigned)o->start, (unsigned)o->latency, k,
				(unsigned)brute_parts[i][k], (unsigned)parts[k]);
	}
}

START_TEST(parts_are_those_of_each_nanosecond)
{
	for (unsigned i = 0; i < WORLDS; i++) {
		make_world(i + 1);
		run_world(true, 1 << 20);
		check_world(true);
	}
}
END_TEST

/* Rows of sched were lost: nothing is said of a run that no row has told of. */
START_TEST(what_was_not_seen_to_end_is_not_known)
{
	for (unsigned i = 0; i < WORLDS; i++) {
		make_world(i + 1);
		run_world(false, 1 << 20);
		check_world(false);
	}
}
END_TEST

/* With hardly any memory parts are not known; they are never wrong. */
START_TEST(little_memory_makes_less_known)
{
	uint64_t unknown = 0;

	for (unsigned i = 0; i < WORLDS; i++) {
		make_world(i + 1);
		run_world(true, 20 * sizeof(struct why_stretch));
		for (unsigned k = 0; k < w.n_operations; k++) {
			uint64_t parts[WHY_PARTS] = { 0 };

			ck_assert_uint_eq(settled[k], 1);
			count_parts(&w.operations[k], parts);
			for (unsigned p = 0; p < WHY_UNKNOWN; p++)
				ck_assert_uint_le(brute_parts[k][p], parts[p]);
			unknown += brute_parts[k][WHY_UNKNOWN];
		}
	}
	ck_assert_uint_gt(unknown, 0);
}
END_TEST

/* ---- one by one ---- */

static struct why_split last_split;

static void keep(void *arg, const struct why_operation *o, const struct why_split *split)
{
	(void)arg;
	(void)o;
	last_split = *split;
}

/* An fsync of thread 1 from 100 to 1100 that sleeps from 200 to 1000, when thread 9 wakes it. */
static void fsync_beside(const struct why_request *r)
{
	struct why_model m = { .settled = keep, .has_threads = true, .all_threads = true };
	struct why_stretch before = {
		.start = 50, .left = 50, .woken = 50, .end = 200, .wake_seen = true
	};
	struct why_stretch s = { .left = 200,
				 .woken = 1000,
				 .start = 1050,
				 .end = 1200,
				 .waker = 9,
				 .waker_name = "jbd2",
				 .wake_seen = true };
	struct why_operation o = { .start = 100,
				   .latency = 1000,
				   .who = { .tid = 1, .pid = 1, .inode = 7, .syncs = true },
				   .path = "" };

	memset(&last_split, 0, sizeof(last_split));
	why_model_begin(&m, 1 << 20, 0, 0, UINT64_MAX);
	why_model_run(&m, 1, 1, "a", &before);
	why_model_request(&m, r);
	why_model_operation(&m, &o);
	why_model_time(&m, 1100);
	ck_assert_uint_eq(last_split.ns[WHY_RUN], 0); /* not yet */
	why_model_run(&m, 1, 1, "a", &s);
	ck_assert_uint_eq(last_split.ns[WHY_RUN], 150);
	ck_assert_uint_eq(last_split.ns[WHY_RUNQUEUE], 50);
	why_model_end(&m);
	why_model_free(&m);
}

#define REQUEST(...)                                                                               \
	(&(struct why_request){ .inserted = 300, .issued = 400, .completed = 900, __VA_ARGS__ })

START_TEST(a_journal_counts_where_it_woke_the_sleeper)
{
	fsync_beside(REQUEST(.tid = 9, .journal = true));
	ck_assert_uint_eq(last_split.ns[WHY_DEVICE], 500);
	ck_assert_uint_eq(last_split.ns[WHY_DEVICE_QUEUE], 100);
	ck_assert_uint_eq(last_split.ns[WHY_WAIT], 200);
	ck_assert_str_eq(last_split.wakers.list[0].name, "jbd2");
	/* another one's, for somebody else */
	fsync_beside(REQUEST(.tid = 8, .owner = 2, .journal = true));
	ck_assert_uint_eq(last_split.ns[WHY_WAIT], 800);
	/* for several, who may have it in there */
	fsync_beside(REQUEST(.tid = 8, .owner = 2, .journal = true, .shared = true));
	ck_assert_uint_eq(last_split.ns[WHY_DEVICE], 500);
}
END_TEST

START_TEST(a_request_counts_by_its_thread_or_its_file)
{
	fsync_beside(REQUEST(.tid = 1));
	ck_assert_uint_eq(last_split.ns[WHY_DEVICE], 500);
	fsync_beside(REQUEST(.tid = 3, .inode = 7));
	ck_assert_uint_eq(last_split.ns[WHY_DEVICE], 500);
	fsync_beside(REQUEST(.tid = 3, .inode = 8));
	ck_assert_uint_eq(last_split.ns[WHY_WAIT], 800);
}
END_TEST

/* What completes after the wake-up is not what it waited for. */
START_TEST(a_request_that_goes_on_does_not_count)
{
	struct why_request r = { .inserted = 300, .issued = 300, .completed = 1010, .tid = 1 };

	fsync_beside(&r);
	ck_assert_uint_eq(last_split.ns[WHY_DEVICE], 0);
	ck_assert_uint_eq(last_split.ns[WHY_WAIT], 800);
}
END_TEST

/* ---- many ---- */

static uint64_t n_settled, sum_latency, sum_parts;

static void add_up(void *arg, const struct why_operation *o, const struct why_split *split)
{
	uint64_t sum = 0;

	(void)arg;
	for (unsigned i = 0; i < WHY_PARTS; i++)
		sum += split->ns[i];
	ck_assert_uint_eq(sum, o->latency);
	n_settled++;
	sum_latency += o->latency;
	sum_parts += sum;
}

/* WHY_OPERATIONS: how many (one million) */
START_TEST(parts_of_many_add_up)
{
	const char *text = getenv("WHY_OPERATIONS");
	uint64_t n = text ? strtoull(text, NULL, 10) : 1000000, now = 1000;
	struct why_model m = { .settled = add_up, .has_threads = true, .all_threads = true };

	state = 1;
	why_model_begin(&m, 4 << 20, 0, 0, UINT64_MAX);
	for (uint64_t i = 0; i < n; i++) {
		struct why_operation o = {
			.start = now,
			.latency = chance(5000),
			.who = { .tid = 1 + chance(50), .pid = 1, .inode = chance(9) },
			.path = ""
		};
		struct why_stretch s = { .left = now, .wake_seen = chance(9) };
		struct why_request r = { .completed = now,
					 .inserted = now - chance(900),
					 .tid = chance(60) };

		why_model_time(&m, now);
		why_model_operation(&m, &o);
		r.issued = r.inserted + chance(90);
		if (!chance(4))
			why_model_request(&m, &r);
		s.woken = s.left + chance(1000);
		s.start = s.woken + chance(100);
		s.end = s.start + chance(1000);
		if (!chance(3))
			why_model_run(&m, 1 + chance(50), 1, "t", &s);
		now += chance(1000);
	}
	why_model_end(&m);
	ck_assert_uint_eq(n_settled, n);
	ck_assert_uint_eq(sum_latency, sum_parts);
	why_model_free(&m);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("why_model");
	TCase *tcase = tcase_create("why_model");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, parts_are_those_of_each_nanosecond);
	tcase_add_test(tcase, what_was_not_seen_to_end_is_not_known);
	tcase_add_test(tcase, little_memory_makes_less_known);
	tcase_add_test(tcase, a_journal_counts_where_it_woke_the_sleeper);
	tcase_add_test(tcase, a_request_counts_by_its_thread_or_its_file);
	tcase_add_test(tcase, a_request_that_goes_on_does_not_count);
	tcase_add_test(tcase, parts_of_many_add_up);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
