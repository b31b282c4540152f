/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns what is judged by program: processes of one name are one, since a build or a server has
 * hundreds of them.
 */
#include "analysis/report/report_find_processes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/compare_text.h"
#include "analysis/common/units.h"
#include "analysis/report/report_failed.h"
#include "analysis/report/report_programs.h"

enum { SUBJECT = FINDING_PROCESS, EVIDENCE = 512, COMMAND = 160, MAX_DIRS = 64 };

static const char *name_of(char text[SUBJECT], const struct program *p)
{
	if (p->n > 1)
		snprintf(text, SUBJECT, "%.*s (%" PRIu64 " processes)",
			 p->len > 40 ? 40 : (int)p->len, p->name, p->n);
	else
		report_name_process(text, p->name, p->len, p->pid);
	return text;
}

/* Options that choose the processes; a name that a shell or a list would read otherwise is not chosen by. */
static const char *choose(char text[COMMAND], const struct program *p, const char *options)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	bool is_plain = p->len && p->len < 16 && p->name[0] != '-';

	for (size_t i = 0; is_plain && i < p->len; i++)
		is_plain = memchr(plain, p->name[i], sizeof(plain) - 1);
	if (p->n == 1)
		snprintf(text, COMMAND, "-p %" PRIu64 " %s", p->pid, options);
	else if (is_plain)
		snprintf(text, COMMAND, "-c %.*s %s", (int)p->len, p->name, options);
	else
		snprintf(text, COMMAND, "%s", options);
	return text;
}

static double share_of(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : 0;
}

/* ---- calls that move little ---- */

static const struct {
	const char *what, *sort;
	enum finding_id small;
	unsigned habits; /* from here on */
} directions[] = {
	{ "reads", "--sort reads", FINDING_SMALL_READS, 0 },
	{ "writes", "--sort writes", FINDING_SMALL_WRITES, HABIT_WRITE },
};

static void judge_small(struct findings *f, const struct program *p, unsigned direction)
{
	const uint64_t *h = p->habits + directions[direction].habits;
	char name[SUBJECT], evidence[EVIDENCE], command[COMMAND], time[UNITS_SIZE];
	/* most of them move one byte: another finding, whatever share of all calls they are */
	bool bytes = h[HABIT_BYTE] * 2 >= h[HABIT_SMALL];
	uint64_t calls = bytes ? h[HABIT_BYTE] : h[HABIT_SMALL];
	uint64_t ns = bytes ? h[HABIT_BYTE_NS] : h[HABIT_SMALL_NS];

	if (!calls || (double)calls < report_limit(f, LIMIT_SMALL_CALLS))
		return;
	/* a program that reads many small files has to: few calls for each open are no habit */
	if (!bytes &&
	    (share_of(calls, p->values[REPORT_COUNT]) < report_limit(f, LIMIT_SMALL_SHARE) ||
	     (double)calls <
		     report_limit(f, LIMIT_SMALL_PER_OPEN) * (double)p->habits[HABIT_OPENS]))
		return;
	snprintf(evidence, sizeof(evidence),
		 "%.0f %% of its %" PRIu64 " calls on files; small ones moved %" PRIu64
		 " bytes each on average",
		 100 * share_of(calls, p->values[REPORT_COUNT]), p->values[REPORT_COUNT],
		 h[HABIT_SMALL_BYTES] / h[HABIT_SMALL]);
	name_of(name, p);
	report_found(f,
		     &(struct finding){ .id = bytes ? FINDING_BYTE_CALLS :
						      directions[direction].small,
					.share = (double)ns / report_span(f),
					.subject = name,
					.evidence = evidence,
					.reader = "files",
					.command = choose(command, p, directions[direction].sort) },
		     "%s made %" PRIu64 " %s of %s, which took %s", name, calls,
		     directions[direction].what, bytes ? "one byte" : "less than 4 KiB",
		     units_ns(time, ns));
}

/* ---- syncs ---- */

static void judge_syncs(struct findings *f, const struct program *p)
{
	const uint64_t *h = p->habits;
	char name[SUBJECT], evidence[EVIDENCE], command[COMMAND], time[UNITS_SIZE],
		mean[UNITS_SIZE];

	if (!h[HABIT_SYNCS] || (double)h[HABIT_SYNCS] < report_limit(f, LIMIT_SYNC_CALLS) ||
	    share_of(h[HABIT_SYNC_NS], h[HABIT_IO_NS]) < report_limit(f, LIMIT_SYNC_SHARE))
		return;
	snprintf(evidence, sizeof(evidence),
		 "%.0f %% of its time in reads, writes and syncs; %s each on average",
		 100 * share_of(h[HABIT_SYNC_NS], h[HABIT_IO_NS]),
		 units_ns(mean, h[HABIT_SYNC_NS] / h[HABIT_SYNCS]));
	name_of(name, p);
	report_found(f,
		     &(struct finding){ .id = FINDING_SYNC_BOUND,
					.share = (double)h[HABIT_SYNC_NS] / report_span(f),
					.subject = name,
					.evidence = evidence,
					.reader = "files",
					.command = choose(command, p, "--sort syncs") },
		     "%s waited %s for %" PRIu64 " syncs", name, units_ns(time, h[HABIT_SYNC_NS]),
		     h[HABIT_SYNCS]);
}

/* ---- locks ---- */

static void judge_locks(struct findings *f, const struct program *p)
{
	const uint64_t *h = p->habits;
	uint64_t all = h[HABIT_IO_NS] + h[HABIT_LOCK_NS];
	char name[SUBJECT], evidence[EVIDENCE], command[COMMAND], time[UNITS_SIZE];

	if (!h[HABIT_LOCKS] || (double)h[HABIT_LOCK_NS] / 1e6 < report_limit(f, LIMIT_LOCK_MS) ||
	    share_of(h[HABIT_LOCK_NS], all) < report_limit(f, LIMIT_LOCK_SHARE))
		return;
	snprintf(evidence, sizeof(evidence),
		 "%.0f %% of its time in locks, reads, writes and syncs",
		 100 * share_of(h[HABIT_LOCK_NS], all));
	name_of(name, p);
	report_found(f,
		     &(struct finding){ .id = FINDING_LOCK_WAIT,
					.share = (double)h[HABIT_LOCK_NS] / report_span(f),
					.subject = name,
					.evidence = evidence,
					.reader = "files",
					.command = choose(command, p, "--sort lock_ns") },
		     "%s waited %s for %" PRIu64 " locks", name, units_ns(time, h[HABIT_LOCK_NS]),
		     h[HABIT_LOCKS]);
}

/* ---- what is not there ---- */

struct dir_count {
	const char *name;
	size_t len;
	uint64_t n;
};

static void count_dir(struct dir_count dirs[MAX_DIRS], const char *path, size_t len, uint64_t n)
{
	const char *slash = memrchr(path, '/', len);
	struct dir_count *d = dirs;

	len = slash ? (size_t)(slash - path) + (slash == path) : 0;
	for (; d < dirs + MAX_DIRS - 1 && d->n; d++)
		if (d->len == len && !memcmp(d->name, path, len))
			break;
	/* the last one has all that found no place: it is never named */
	if (!d->n)
		*d = (struct dir_count){ path, d == dirs + MAX_DIRS - 1 ? 0 : len, 0 };
	d->n += n;
}

static int compare_dirs(const void *x, const void *y)
{
	const struct dir_count *a = x, *b = y;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return compare_text(a->name, a->len, b->name, b->len);
}

static bool is_of(const struct report_item *item, const struct program *p)
{
	return p->n == 1 ? item->number == p->pid :
			   report_program_is(p, item->label, item->label_len);
}

/* The directories in which a program looked for what is not there. */
static void put_dirs(const struct findings *f, const struct program *p, char evidence[EVIDENCE])
{
	const struct report_item *item = NULL;
	struct dir_count dirs[MAX_DIRS] = { { 0 } };
	size_t used = strlen(evidence);

	while ((item = report_next(&report_of(f)->tally, REPORT_FAILED, item))) {
		size_t len;
		const char *path;

		if (item->second != STREAM_fs || !is_of(item, p) ||
		    !report_item_part_is(item, FAILED_ERROR, "ENOENT"))
			continue;
		path = report_item_part(item, FAILED_PATH, &len);
		count_dir(dirs, path, len, item->values[REPORT_COUNT]);
	}
	qsort(dirs, MAX_DIRS, sizeof(dirs[0]), compare_dirs);
	for (unsigned i = 0, shown = 0; i < MAX_DIRS && dirs[i].n && shown < 3; i++)
		if (dirs[i].len && dirs[i].len < 120 && used < EVIDENCE) {
			used += (size_t)snprintf(evidence + used, EVIDENCE - used,
						 "%s%.*s (%" PRIu64 ")",
						 shown ? ", " : "; most in ", (int)dirs[i].len,
						 dirs[i].name, dirs[i].n);
			shown++;
		}
}

static void judge_missing(struct findings *f, const struct program *p)
{
	const uint64_t *h = p->habits;
	char name[SUBJECT], evidence[EVIDENCE], command[COMMAND], time[UNITS_SIZE];

	if (!h[HABIT_MISSING] || (double)h[HABIT_MISSING] < report_limit(f, LIMIT_MISSING_CALLS) ||
	    share_of(h[HABIT_MISSING], h[HABIT_LOOKUPS]) < report_limit(f, LIMIT_MISSING_SHARE))
		return;
	snprintf(evidence, sizeof(evidence), "%.0f %% of %" PRIu64 " opens and stats",
		 100 * share_of(h[HABIT_MISSING], h[HABIT_LOOKUPS]), h[HABIT_LOOKUPS]);
	put_dirs(f, p, evidence);
	name_of(name, p);
	report_found(f,
		     &(struct finding){ .id = FINDING_MISSING_PATHS,
					.share = (double)h[HABIT_MISSING_NS] / report_span(f),
					.subject = name,
					.evidence = evidence,
					.reader = "report",
					.command = choose(command, p, "--section errors") },
		     "%s looked %" PRIu64 " times for files that are not there, which took %s",
		     name, h[HABIT_MISSING], units_ns(time, h[HABIT_MISSING_NS]));
}

void report_find_in_programs(struct findings *f)
{
	const struct programs *all = report_programs(report_answer_of(f));

	for (uint64_t i = 0; i < all->n; i++) {
		judge_small(f, &all->list[i], 0);
		judge_small(f, &all->list[i], 1);
		judge_syncs(f, &all->list[i]);
		judge_locks(f, &all->list[i]);
		judge_missing(f, &all->list[i]);
	}
}

/* ---- what failed ---- */

static const struct {
	const char *name, *means;
} grave[] = {
	{ "EIO", "the file system or its device reported an error" },
	{ "ENOSPC", "the file system is full" },
	{ "EDQUOT", "the quota is used up" },
	{ "EROFS", "the file system is mounted read-only" },
	{ "EMFILE", "the process has as many descriptors as it may" },
	{ "ENFILE", "the machine has as many open files as it may" },
	{ "ESTALE", "the server does not have the file any more" },
};

enum { N_GRAVE = sizeof(grave) / sizeof(grave[0]) };

/* Which of them a failure is one of; N_GRAVE: a request of a device, N_GRAVE + 1: none */
static unsigned gravity_of(const struct report_item *item)
{
	unsigned i = 0;

	if (item->second == STREAM_ds)
		return N_GRAVE;
	if (item->second != STREAM_fs)
		return N_GRAVE + 1;
	while (i < N_GRAVE && !report_item_part_is(item, FAILED_ERROR, grave[i].name))
		i++;
	return i < N_GRAVE ? i : N_GRAVE + 1;
}

/* All with one error, told with the first. */
static void judge_errors(struct findings *f, unsigned error, const struct report_item *first,
			 uint64_t n)
{
	char evidence[EVIDENCE], name[SUBJECT];
	size_t op_len, path_len, error_len;
	const char *op = report_item_part(first, FAILED_OPERATION, &op_len),
		   *path = report_item_part(first, FAILED_PATH, &path_len),
		   *its = report_item_part(first, FAILED_ERROR, &error_len);

	snprintf(name, sizeof(name), "%.*s", (int)(error_len < 40 ? error_len : 40), its);
	snprintf(evidence, sizeof(evidence), "first: %.*s by %.*s (%" PRIu64 ")%s%.*s", (int)op_len,
		 op, (int)first->label_len, first->label, first->number, path_len ? ": " : "",
		 (int)(path_len < 300 ? path_len : 300), path);
	report_found(f,
		     &(struct finding){ .id = FINDING_ERRORS,
					.subject = name,
					.evidence = evidence,
					.reader = "report",
					.command = "--section errors" },
		     "%" PRIu64 " %s failed with %s: %s", n,
		     error == N_GRAVE ? "requests of devices" : "calls", name,
		     error == N_GRAVE ? "the device reported an error" : grave[error].means);
}

void report_find_errors(struct findings *f)
{
	const struct report_item *item = NULL, *first[N_GRAVE + 1] = { NULL };
	uint64_t n[N_GRAVE + 1] = { 0 };

	while ((item = report_next(&report_of(f)->tally, REPORT_FAILED, item))) {
		unsigned error = gravity_of(item);
		const struct report_item **before = &first[error];

		if (error > N_GRAVE)
			continue;
		n[error] += item->values[REPORT_COUNT];
		if (!*before || item->first_ns < (*before)->first_ns ||
		    (item->first_ns == (*before)->first_ns && item->number < (*before)->number))
			*before = item;
	}
	for (unsigned i = 0; i <= N_GRAVE; i++)
		if (first[i])
			judge_errors(f, i, first[i], n[i]);
}

/* ---- descriptors ---- */

static void judge_leak(struct findings *f, const struct report_item *process)
{
	const struct program p = {
		.name = process->label, .len = process->label_len, .pid = process->number, .n = 1
	};
	uint64_t opens = process->habits[HABIT_OPENS], closes = process->habits[HABIT_CLOSES];
	char name[SUBJECT], evidence[EVIDENCE], command[COMMAND];
	double left = (double)opens - (double)closes, limit = report_limit(f, LIMIT_LEAK_FILES);

	if (left <= 0 || left < limit)
		return;
	snprintf(evidence, sizeof(evidence), "%" PRIu64 " opened, %" PRIu64 " closed by a call",
		 opens, closes);
	name_of(name, &p);
	report_found(f,
		     &(struct finding){ .id = FINDING_LEAKED,
					.at_least = left >= 10 * limit ? FINDING_MEDIUM :
									 FINDING_LOW,
					.subject = name,
					.evidence = evidence,
					.reader = "files",
					.command = choose(command, &p, "--sort opens") },
		     "%s opened %.0f files more than it closed", name, left);
}

/* ---- deleted, and open ---- */

/* Files that never had a name (O_TMPFILE: #INODE) or no disk (memfd) were not deleted. */
static bool was_named(const struct report_item *file)
{
	const char *slash = memrchr(file->name, '/', file->name_len);

	return slash && slash[1] != '#' &&
	       (file->name_len < 7 || memcmp(file->name, "/memfd:", 7) != 0);
}

void report_find_held(struct findings *f)
{
	const struct report_item *file = NULL;
	char name[SUBJECT], evidence[EVIDENCE], command[COMMAND], bytes[UNITS_SIZE];

	while ((file = report_next(&report_of(f)->tally, REPORT_DELETED, file))) {
		const struct program p = {
			.name = file->label, .len = file->label_len, .pid = file->number, .n = 1
		};

		/* closed since, or never written to */
		if (!file->label_len || file->label_ns < file->values[REPORT_MAX_NS] ||
		    (double)file->values[REPORT_WRITE_BYTES] < report_limit(f, LIMIT_HELD_BYTES) ||
		    !was_named(file))
			continue;
		snprintf(evidence, sizeof(evidence), "by %s", name_of(name, &p));
		report_found(f,
			     &(struct finding){
				     .id = FINDING_HELD_DELETED,
				     .subject = file->name,
				     .subject_len = file->name_len,
				     .evidence = evidence,
				     .reader = "files",
				     .command = choose(command, &p, "--sort write_bytes") },
			     "%.*s was deleted, is still open, and %s were written to it since",
			     file->name_len > 300 ? 300 : (int)file->name_len, file->name,
			     units_bytes(bytes, file->values[REPORT_WRITE_BYTES]));
	}
}

/* ---- attributes ---- */

static void judge_stats(struct findings *f, const struct report_item *process)
{
	const struct program p = {
		.name = process->label, .len = process->label_len, .pid = process->number, .n = 1
	};
	uint64_t n = process->habits[HABIT_STATS], ns = process->habits[HABIT_STATS_NS];
	double again = report_limit(f, LIMIT_STAT_AGAIN), names;
	uint64_t moved = process->values[REPORT_READS] + process->values[REPORT_WRITES];
	char name[SUBJECT], evidence[EVIDENCE], command[COMMAND], time[UNITS_SIZE];

	if (!n || !process->distinct || (double)n < report_limit(f, LIMIT_STAT_CALLS))
		return;
	names = report_distinct_count(process->distinct);
	if ((double)n < again * names || (double)n < again * (double)moved)
		return;
	snprintf(evidence, sizeof(evidence), "of about %.0f files; %" PRIu64 " reads and writes",
		 names, moved);
	name_of(name, &p);
	report_found(f,
		     &(struct finding){ .id = FINDING_STAT_STORM,
					.share = (double)ns / report_span(f),
					.subject = name,
					.evidence = evidence,
					.reader = "report",
					.command = choose(command, &p, "--section operations") },
		     "%s asked %" PRIu64 " times for attributes of files, which took %s", name, n,
		     units_ns(time, ns));
}

void report_find_stats(struct findings *f)
{
	const struct report_item *process = NULL;

	while ((process = report_next(&report_of(f)->tally, REPORT_PROCESS, process)))
		if (process->habits)
			judge_stats(f, process);
}

/* Without the call nothing tells a close from the end of a process. */
static bool knows_calls(const struct gaps *gaps)
{
	for (unsigned i = 0; i < gaps->n_columns; i++)
		if (!strcmp(gaps->columns[i], "call"))
			return false;
	return true;
}

void report_find_leaks(struct findings *f)
{
	const struct report_item *process = NULL;

	if (!knows_calls(&report_of(f)->gaps[STREAM_fs]))
		return;
	while ((process = report_next(&report_of(f)->tally, REPORT_PROCESS, process)))
		if (process->habits)
			judge_leak(f, process);
}
