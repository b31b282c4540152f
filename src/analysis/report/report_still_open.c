/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists files that are still open, by file and process, and only where closes were recorded. */
#include "analysis/report/report_still_open.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/compare_text.h"
#include "base/log.h"
#include "read/members.h"

/* Open files of one name and process. */
struct still_open {
	const struct report_open_file *file;
	uint64_t n;
	uint64_t since_ns,
		used_ns; /* the earliest, the latest; 0: not known of one of them, none */
};

/* ---- what can be known ---- */

static bool lists(const json_t *operations, const char *name)
{
	const json_t *item;
	size_t i;

	json_array_foreach(operations, i, item)
	{
		const char *its = json_string_value(item);

		if (its && !strcmp(its, name))
			return true;
	}
	return false;
}

/* A filter of the recording may leave out that a file was closed. */
static bool has_closes(const struct report *report)
{
	const json_t *filters = json_object_get(report->session.manifest, "filters");
	const json_t *operations = json_object_get(filters, "operation");

	return report->on[STREAM_fs] && report_sees(report, STREAM_fs, "CLOSE") &&
	       (!operations || (lists(operations, "OPEN") && lists(operations, "CLOSE"))) &&
	       !json_object_get(filters, "errors") && !json_object_get(filters, "min_latency_ns");
}

/* A descriptor ends with its process; a description may have another one. */
static bool has_ended(const struct report_tally *tally, const struct report_open_file *file)
{
	const struct report_key key = { .kind = REPORT_LIFE, .number = file->pid };
	const struct report_item *life = report_open_is_described(file) ? NULL :
									  report_find(tally, &key);

	return life && life->values[REPORT_COUNT] &&
	       life->values[REPORT_MAX_NS] >= file->opened_ns &&
	       life->values[REPORT_MAX_NS] >= file->used_ns;
}

/* ---- by file and process ---- */

static int by_name(const void *x, const void *y)
{
	const struct report_open_file *a = ((const struct still_open *)x)->file,
				      *b = ((const struct still_open *)y)->file;
	int order = compare_text(a->path, a->path_len, b->path, b->path_len);

	if (order)
		return order;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

/* Most of them first, then those that are open for longest. */
static int by_number(const void *x, const void *y)
{
	const struct still_open *a = x, *b = y;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	if (a->since_ns != b->since_ns)
		return a->since_ns < b->since_ns ? -1 : 1;
	return by_name(a, b);
}

static void add(struct still_open *to, const struct still_open *one)
{
	to->n += one->n;
	to->since_ns = one->since_ns < to->since_ns ? one->since_ns : to->since_ns;
	if (one->used_ns > to->used_ns) {
		to->used_ns = one->used_ns;
		to->file = one->file;
	}
}

static uint64_t collect(const struct report_tally *tally, struct still_open *list)
{
	uint64_t n = 0, last = 0;

	for (uint64_t i = 0; i < tally->open.n_slots; i++)
		for (const struct report_open_file *file = tally->open.slots[i]; file;
		     file = file->next) {
			list[n] = (struct still_open){ file, 1, 0,
						       file->used_ns > file->opened_ns ?
							       file->used_ns :
							       file->opened_ns };
			n += report_open_is(file, &list[n].since_ns) && !has_ended(tally, file);
		}
	if (!n)
		return 0;
	qsort(list, n, sizeof(*list), by_name);
	for (uint64_t i = 1; i < n; i++)
		if (by_name(&list[last], &list[i]))
			list[++last] = list[i];
		else
			add(&list[last], &list[i]);
	qsort(list, last + 1, sizeof(*list), by_number);
	return last + 1;
}

/* ---- the section ---- */

static void put_row(struct report_answer *answer, struct report_section *section,
		    const struct still_open *open)
{
	struct table_value *row = report_section_row(answer, section);
	uint64_t end = answer->report->last_ns;

	if (!row)
		return;
	row[0] = table_number(open->n);
	row[1] = table_number_if(open->since_ns, open->since_ns);
	row[2] = table_number_if(open->since_ns && end >= open->since_ns, end - open->since_ns);
	row[3] = table_number_if(open->used_ns, open->used_ns);
	row[4] = table_number(open->file->pid);
	row[5] = table_bytes(open->file->command, strlen(open->file->command));
	row[6] = table_bytes(open->file->path, open->file->path_len);
}

void report_add_still_open(struct report_answer *answer)
{
	static const struct report_column columns[] = {
		{ "opens", TABLE_COUNT, REPORT_SHOWN },  { "since_ns", TABLE_COUNT, REPORT_EXACT },
		{ "open_ns", TABLE_NS, REPORT_SHOWN },   { "last_ns", TABLE_COUNT, REPORT_EXACT },
		{ "pid", TABLE_COUNT, REPORT_SHOWN },    { "command", TABLE_NAME, REPORT_SHOWN },
		{ "filename", TABLE_NAME, REPORT_WIDE },
	};
	struct report_section *section = report_section_add(answer, "open",
							    "open at the end of the trace", columns,
							    sizeof(columns) / sizeof(columns[0]));
	const struct report_open *open = &answer->report->tally.open;
	struct still_open *list;
	uint64_t n;

	if (!has_closes(answer->report))
		return;
	if (open->n_left_out)
		log_note("%s: more files open at once than are kept: section open lacks some",
			 answer->report->session.dir);
	list = malloc((open->n + 1) * sizeof(*list));
	answer->no_memory = answer->no_memory || !list;
	n = list ? collect(&answer->report->tally, list) : 0;
	for (uint64_t i = 0; i < n && (!answer->top || i < answer->top); i++)
		put_row(answer, section, &list[i]);
	section->n_all = n;
	free(list);
}
