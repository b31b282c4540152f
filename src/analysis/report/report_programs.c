/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns what a program is: processes with one name. That is the one that they had when they ended, as exec has it,
 * else the last one of their rows. And what a container did: the processes that were in it at their end.
 */
#include "analysis/report/report_programs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/compare_text.h"
#include "analysis/common/process_containers.h"

static int compare_names(const struct program *a, const struct program *b)
{
	return compare_text(a->name, a->len, b->name, b->len);
}

static int by_pid(const void *x, const void *y)
{
	const struct program *a = x, *b = y;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->is_life - b->is_life;
}

static int same_pid(const void *x, const void *y)
{
	const struct program *a = x, *b = y;

	return a->pid != b->pid;
}

static int by_name(const void *x, const void *y)
{
	int order = compare_names(x, y);

	return order ? order : by_pid(x, y);
}

static void add(struct program *to, const struct program *from)
{
	if (!to->n && from->n)
		to->pid = from->pid;
	to->last_ns = from->last_ns > to->last_ns ? from->last_ns : to->last_ns;
	to->n += from->n;
	to->has_life = to->has_life || from->has_life;
	to->ended += from->ended;
	to->failed += from->failed;
	to->lives += from->lives;
	to->lived_ns += from->lived_ns;
	for (unsigned i = 0; i < N_REPORT_MEASURES; i++)
		if (i != REPORT_MAX_NS)
			to->values[i] += from->values[i];
		else if (from->values[i] > to->values[i])
			to->values[i] = from->values[i];
	for (unsigned i = 0; i < N_REPORT_HABITS; i++)
		to->habits[i] += from->habits[i];
}

static struct program of_item(const struct report_item *item)
{
	struct program p = { .name = item->label ? item->label : "",
			     .len = item->label_len,
			     .pid = item->number,
			     .last_ns = item->label_ns };
	uint64_t end = item->values[REPORT_MAX_NS];

	if (item->kind == REPORT_LIFE) {
		p.is_life = p.has_life = true;
		p.ended = item->values[REPORT_COUNT] > 0;
		p.failed = item->values[REPORT_ERRORS] > 0;
		p.last_ns = end > p.last_ns ? end : p.last_ns;
		p.lives = p.ended && item->first_ns && end > item->first_ns;
		p.lived_ns = p.lives ? end - item->first_ns : 0;
		return p;
	}
	memcpy(p.values, item->values, sizeof(p.values));
	if (item->habits)
		memcpy(p.habits, item->habits, sizeof(p.habits));
	return p;
}

/* Entries in order become one each where they are the same. */
static uint64_t join(struct program *list, uint64_t n, int (*compare)(const void *x, const void *y),
		     bool named)
{
	uint64_t last = 0;

	for (uint64_t i = 1; i < n; i++) {
		if (compare(&list[last], &list[i])) {
			list[++last] = list[i];
			continue;
		}
		/* of a process that has a life, and rows */
		if (!named && (!list[last].len || (list[i].ended && list[i].len))) {
			list[last].name = list[i].name;
			list[last].len = list[i].len;
		}
		add(&list[last], &list[i]);
	}
	return n ? last + 1 : 0;
}

static int same_name(const void *x, const void *y)
{
	return compare_names(x, y);
}

/* An entry for each process; NULL without memory, which the answer then knows. */
static struct programs *processes(struct report_answer *answer)
{
	const struct report_tally *tally = &answer->report->tally;
	struct programs *all = pool_take(&answer->pool, sizeof(*all));
	const struct report_item *item = NULL;

	if (all)
		all->list = pool_take(&answer->pool, (tally->n_items + 1) * sizeof(*all->list));
	if (!all || !all->list) {
		answer->no_memory = true;
		return NULL;
	}
	while ((item = report_next(tally, REPORT_PROCESS, item)))
		all->list[all->n++] = of_item(item);
	while ((item = report_next(tally, REPORT_LIFE, item)))
		all->list[all->n++] = of_item(item);
	qsort(all->list, all->n, sizeof(*all->list), by_pid);
	all->n = join(all->list, all->n, same_pid, false);
	for (uint64_t i = 0; i < all->n; i++)
		all->list[i].n = all->list[i].values[REPORT_ACTS] || all->list[i].has_life;
	return all;
}

static void add_up(struct programs *all)
{
	qsort(all->list, all->n, sizeof(*all->list), by_name);
	all->n = join(all->list, all->n, same_name, true);
}

const struct programs *report_programs(struct report_answer *answer)
{
	static const struct programs none = { .n = 0 };
	struct programs *all;

	if (answer->programs)
		return answer->programs;
	all = processes(answer);
	if (!all)
		return &none;
	add_up(all);
	answer->programs = all;
	return all;
}

bool report_program_is(const struct program *program, const char *name, size_t len)
{
	return !compare_text(program->name, program->len, name, len);
}

/* ---- the section ---- */

static const struct {
	struct report_column column;
	int stream; /* that must have been recorded */
	enum report_measure measure;
} measured[] = {
	{ { "calls", TABLE_COUNT, REPORT_SHOWN }, STREAM_fs, REPORT_COUNT },
	{ { "errors", TABLE_COUNT, REPORT_SHOWN }, STREAM_fs, REPORT_ERRORS },
	{ { "read_bytes", TABLE_BYTES, REPORT_SHOWN }, STREAM_fs, REPORT_READ_BYTES },
	{ { "write_bytes", TABLE_BYTES, REPORT_SHOWN }, STREAM_fs, REPORT_WRITE_BYTES },
	{ { "time_ns", TABLE_NS, REPORT_SHOWN }, STREAM_fs, REPORT_NS },
	{ { "disk_read_bytes", TABLE_BYTES, REPORT_EXACT }, STREAM_ds, REPORT_DISK_READ },
	{ { "disk_write_bytes", TABLE_BYTES, REPORT_EXACT }, STREAM_ds, REPORT_DISK_WRITTEN },
	{ { "received_bytes", TABLE_BYTES, REPORT_EXACT }, STREAM_nw, REPORT_RECEIVED },
	{ { "sent_bytes", TABLE_BYTES, REPORT_EXACT }, STREAM_nw, REPORT_SENT },
};

static const struct report_column lived[] = {
	{ "processes", TABLE_COUNT, REPORT_SHOWN },
	{ "ended", TABLE_COUNT, REPORT_EXACT },
	{ "failed", TABLE_COUNT, REPORT_EXACT },
	{ "lived_ns", TABLE_NS, REPORT_EXACT },
};

enum {
	N_LIVED = sizeof(lived) / sizeof(lived[0]),
	N_MEASURED = sizeof(measured) / sizeof(measured[0]),
};

static uint64_t bytes_of(const struct program *p)
{
	return p->values[REPORT_READ_BYTES] + p->values[REPORT_WRITE_BYTES];
}

/* As processes: by bytes moved, then by calls */
static int by_bytes(const void *x, const void *y)
{
	const struct program *a = *(const struct program *const *)x;
	const struct program *b = *(const struct program *const *)y;

	if (bytes_of(a) != bytes_of(b))
		return bytes_of(a) > bytes_of(b) ? -1 : 1;
	if (a->values[REPORT_COUNT] != b->values[REPORT_COUNT])
		return a->values[REPORT_COUNT] > b->values[REPORT_COUNT] ? -1 : 1;
	return compare_names(a, b);
}

static void put_row(struct report_answer *answer, struct report_section *section,
		    const struct program *p)
{
	struct table_value *row = report_section_row(answer, section);
	bool exec = answer->report->on[STREAM_exec];

	if (!row)
		return;
	*row++ = table_bytes(p->name, p->len);
	*row++ = table_number(p->n);
	*row++ = table_number_if(exec, p->ended);
	*row++ = table_number_if(exec, p->failed);
	*row++ = table_number_if(p->lives, p->lives ? p->lived_ns / p->lives : 0);
	for (unsigned i = 0; i < N_MEASURED; i++)
		*row++ = table_number_if(answer->report->on[measured[i].stream] &&
						 (measured[i].measure != REPORT_NS ||
						  p->values[REPORT_TIMED]),
					 p->values[measured[i].measure]);
}

static void put_rows(struct report_answer *answer, struct report_section *section,
		     const struct programs *all)
{
	const struct program **order = calloc(all->n + 1, sizeof(*order));

	answer->no_memory = answer->no_memory || !order;
	for (uint64_t i = 0; order && i < all->n; i++)
		order[i] = &all->list[i];
	if (order)
		qsort(order, all->n, sizeof(*order), by_bytes);
	for (uint64_t i = 0; order && i < all->n && (!answer->top || i < answer->top); i++)
		put_row(answer, section, order[i]);
	section->n_all = all->n;
	free(order);
}

static struct report_section *add_section(struct report_answer *answer, const char *name,
					  const char *title, const char *of)
{
	struct report_column columns[1 + N_LIVED + N_MEASURED];

	columns[0] = (struct report_column){ of, TABLE_NAME, REPORT_WIDE };
	memcpy(columns + 1, lived, sizeof(lived));
	for (unsigned i = 0; i < N_MEASURED; i++)
		columns[1 + N_LIVED + i] = measured[i].column;
	return report_section_add(answer, name, title, columns, 1 + N_LIVED + N_MEASURED);
}

void report_add_programs(struct report_answer *answer)
{
	put_rows(answer,
		 add_section(answer, "programs", "programs: processes of one name", "command"),
		 report_programs(answer));
}

/* ---- containers ---- */

/* false: there is none, of whatever process. */
static bool in_containers(struct report_answer *answer, struct programs *all,
			  const struct process_containers *in)
{
	bool any = false;

	for (uint64_t i = 0; i < all->n; i++) {
		struct program *p = &all->list[i];

		p->name = process_containers_find(in, p->pid, p->last_ns);
		p->len = strlen(p->name);
		any = any ||
		      (p->name != process_containers_host && p->name != process_containers_unknown);
	}
	add_up(all);
	for (uint64_t i = 0; any && i < all->n; i++)
		/* what is read of them goes away */
		all->list[i].name = report_copy(answer, all->list[i].name).text;
	return any;
}

void report_add_containers(struct report_answer *answer)
{
	struct report_section *section =
		add_section(answer, "containers", "containers: the processes of each, and of none",
			    "container");
	struct process_containers in = { .recorded = false };
	struct programs *all;

	if (process_containers_look(&in, &answer->report->session) == -ENOMEM)
		answer->no_memory = true;
	all = in.recorded ? processes(answer) : NULL;
	if (all && in_containers(answer, all, &in))
		put_rows(answer, section, all);
	process_containers_free(&in);
}
