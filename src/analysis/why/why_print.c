/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the columns of what is shown of operations, and the letters of their bars. */
#include "analysis/why/why_print.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/common/units.h"

enum { BAR = 20, BAR_SIZE = BAR + 1, WAKERS_SIZE = 512, WHO_SIZE = 64 };

static const char part_letters[WHY_PARTS] = {
	[WHY_RUN] = 'R',    [WHY_RUNQUEUE] = 'q', [WHY_DEVICE_QUEUE] = 'd',
	[WHY_DEVICE] = 'D', [WHY_WAIT] = 'w',     [WHY_UNKNOWN] = '?',
};

static const char *const part_columns[WHY_PARTS] = {
	[WHY_RUN] = "run_ns",
	[WHY_RUNQUEUE] = "runqueue_ns",
	[WHY_DEVICE_QUEUE] = "device_queue_ns",
	[WHY_DEVICE] = "device_ns",
	[WHY_WAIT] = "wait_ns",
	[WHY_UNKNOWN] = "unknown_ns",
};

static const char *const part_headings[WHY_PARTS] = {
	[WHY_RUN] = "run",       [WHY_RUNQUEUE] = "runqueue", [WHY_DEVICE_QUEUE] = "dev queue",
	[WHY_DEVICE] = "device", [WHY_WAIT] = "wait",         [WHY_UNKNOWN] = "unknown",
};

/* ---- cells ---- */

/* Each part as many letters as is its share of the whole; what is left of rounding goes to the largest. */
static const char *bar_of(const uint64_t ns[WHY_PARTS], uint64_t whole, char bar[BAR_SIZE])
{
	unsigned n[WHY_PARTS], sum = 0, largest = 0, at = 0;

	bar[0] = '\0';
	for (unsigned i = 0; i < WHY_PARTS; i++) {
		n[i] = whole ? (unsigned)((double)ns[i] / (double)whole * BAR) : 0;
		sum += n[i];
		if (ns[i] > ns[largest])
			largest = i;
	}
	if (!whole || sum > BAR)
		return bar;
	n[largest] += BAR - sum;
	for (unsigned i = 0; i < WHY_PARTS; i++)
		for (unsigned k = 0; k < n[i] && at < BAR; k++)
			bar[at++] = part_letters[i];
	bar[at] = '\0';
	return bar;
}

/* Who ended the waits, with the share of the whole: "jbd2/vda-8 33%, postgres 5%" */
static const char *shares_of(const struct why_wakers *w, uint64_t whole, char text[WAKERS_SIZE])
{
	size_t at = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < w->n && at + 64 < WAKERS_SIZE; i++) {
		unsigned percent =
			whole ? (unsigned)((double)w->list[i].ns * 100 / (double)whole + 0.5) : 0;

		if (percent && w->list[i].name)
			at += (size_t)snprintf(text + at, WAKERS_SIZE - at, "%s%s %u%%",
					       at ? ", " : "", w->list[i].name, percent);
	}
	return text;
}

/* "jbd2/vda-8:4711;…", in ns */
static const char *exact_wakers(const struct why_wakers *w, char text[WAKERS_SIZE])
{
	size_t at = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < w->n && at + 64 < WAKERS_SIZE; i++)
		at += (size_t)snprintf(text + at, WAKERS_SIZE - at, "%s%s:%" PRIu64, at ? ";" : "",
				       w->list[i].name ? w->list[i].name : "", w->list[i].ns);
	if (w->others && at + 32 < WAKERS_SIZE)
		snprintf(text + at, WAKERS_SIZE - at, ";*:%" PRIu64, w->others);
	return text;
}

static struct table_value *put_shares(struct table_value *v, const uint64_t ns[WHY_PARTS],
				      uint64_t whole)
{
	for (unsigned i = 0; i < WHY_PARTS; i++)
		*v++ = table_share(ns[i], whole);
	return v;
}

static struct table_value *put_parts(struct table_value *v, const uint64_t ns[WHY_PARTS])
{
	for (unsigned i = 0; i < WHY_PARTS; i++)
		*v++ = table_number(ns[i]);
	return v;
}

static struct table_column *put_part_columns(struct table_column *c, const char *const *names,
					     enum table_type type)
{
	for (unsigned i = 0; i < WHY_PARTS; i++)
		*c++ = (struct table_column){ names[i], type };
	return c;
}

/* ---- for people ---- */

static const char *who(const struct why *why, const struct why_group *g, char text[WHO_SIZE])
{
	const char *command = g->command ? g->command : "?";

	if (why->by == WHY_BY_PROCESS)
		snprintf(text, WHO_SIZE, "%s (%" PRIu32 ")", command, g->pid);
	else if (why->by == WHY_BY_THREAD)
		snprintf(text, WHO_SIZE, "%s (%" PRIu32 "/%" PRIu32 ")", command, g->pid, g->tid);
	else
		return g->name                 ? g->name :
		       why->by == WHY_BY_WAKER ? "(device or timer)" :
						 "(no name)";
	return text;
}

static uint64_t shown(uint64_t n, uint64_t top)
{
	return top && n > top ? top : n;
}

static int print_groups(FILE *out, const struct why *why, uint64_t top)
{
	static const char *const headings[N_WHY_BY] = { "operation", "file", "process", "thread",
							"woken by" };
	bool threads = why->by == WHY_BY_THREAD;
	struct table_column columns[TABLE_MAX_COLUMNS], *c = columns;
	struct table table;

	*c++ = (struct table_column){ threads ? "operations" : "count", TABLE_COUNT };
	*c++ = (struct table_column){ threads ? "time" : "latency", TABLE_NS };
	if (!threads)
		*c++ = (struct table_column){ "mean", TABLE_NS };
	c = put_part_columns(c, part_headings, TABLE_SHARE);
	if (threads)
		*c++ = (struct table_column){ "elsewhere", TABLE_SHARE };
	*c++ = (struct table_column){ "where", TABLE_NAME };
	*c++ = (struct table_column){ headings[why->by], TABLE_NAME };
	*c++ = (struct table_column){ "wait for", TABLE_NAME };
	table_begin(&table, out, TABLE_TEXT, columns, (unsigned)(c - columns));
	for (uint64_t i = 0; i < shown(why->n_groups, top); i++) {
		const struct why_group *g = &why->groups[i];
		struct table_value values[TABLE_MAX_COLUMNS], *v = values;
		char bar[BAR_SIZE], name[WHO_SIZE], wakers[WAKERS_SIZE];

		*v++ = table_number(g->count);
		*v++ = table_number(g->latency);
		if (!threads)
			*v++ = table_number_if(g->count, g->count ? g->latency / g->count : 0);
		v = put_shares(v, g->ns, g->latency);
		if (threads)
			*v++ = table_share(g->elsewhere, g->latency);
		*v++ = table_text(
			bar_of(g->ns, threads ? g->latency - g->elsewhere : g->latency, bar));
		*v++ = table_text(who(why, g, name));
		*v++ = table_text(shares_of(&g->wakers, g->latency, wakers));
		table_row(&table, values);
	}
	return table_end(&table);
}

static int print_slowest_text(FILE *out, const struct why *why, uint64_t top)
{
	static const struct table_column head[] = { { "latency", TABLE_NS },
						    { "operation", TABLE_NAME } };
	struct table_column columns[TABLE_MAX_COLUMNS], *c = columns;
	struct table table;

	*c++ = head[0];
	c = put_part_columns(c, part_headings, TABLE_SHARE);
	*c++ = (struct table_column){ "where", TABLE_NAME };
	*c++ = head[1];
	*c++ = (struct table_column){ "thread", TABLE_NAME };
	*c++ = (struct table_column){ "wait for", TABLE_NAME };
	*c++ = (struct table_column){ "file", TABLE_NAME };
	table_begin(&table, out, TABLE_TEXT, columns, (unsigned)(c - columns));
	for (uint64_t i = 0; i < shown(why->n_slowest, top); i++) {
		const struct why_slow *s = &why->slowest[i];
		const struct why_operation *o = &s->operation;
		struct table_value values[TABLE_MAX_COLUMNS], *v = values;
		char bar[BAR_SIZE], thread[WHO_SIZE], wakers[WAKERS_SIZE];

		snprintf(thread, sizeof(thread), "%s (%" PRIu32 ")", o->command ? o->command : "?",
			 o->who.tid);
		*v++ = table_number(o->latency);
		v = put_shares(v, s->split.ns, o->latency);
		*v++ = table_text(bar_of(s->split.ns, o->latency, bar));
		*v++ = table_text(why_kind_name(o->kind));
		*v++ = table_text(thread);
		*v++ = table_text(shares_of(&s->split.wakers, o->latency, wakers));
		*v++ = table_bytes(o->path, o->path_len);
		table_row(&table, values);
	}
	return table_end(&table);
}

int why_print_text(FILE *out, const struct why *why, uint64_t top)
{
	int err;

	fputs("R on a CPU, q ready without one, d in the queue of a device, D in the device,\n"
	      "w asleep for anything else, ? not known\n\n",
	      out);
	err = print_groups(out, why, top);
	if (!err && why->by != WHY_BY_THREAD && why->n_slowest) {
		fputs("\nslowest:\n", out);
		err = print_slowest_text(out, why, top);
	}
	return err;
}

/* ---- for programs ---- */

static struct table_column *put_key_columns(const struct why *why, struct table_column *c)
{
	static const char *const names[N_WHY_BY] = { "operation", "filename", NULL, NULL, "waker" };

	if (names[why->by]) {
		*c++ = (struct table_column){ names[why->by], TABLE_NAME };
		return c;
	}
	*c++ = (struct table_column){ "pid", TABLE_COUNT };
	if (why->by == WHY_BY_THREAD)
		*c++ = (struct table_column){ "tid", TABLE_COUNT };
	*c++ = (struct table_column){ "command", TABLE_NAME };
	return c;
}

static struct table_value *put_key(const struct why *why, const struct why_group *g,
				   struct table_value *v)
{
	if (why->by != WHY_BY_PROCESS && why->by != WHY_BY_THREAD) {
		*v++ = table_text(g->name);
		return v;
	}
	*v++ = table_number(g->pid);
	if (why->by == WHY_BY_THREAD)
		*v++ = table_number(g->tid);
	*v++ = table_text(g->command);
	return v;
}

int why_print_exact(FILE *out, const struct why *why, uint64_t top, bool fleet,
		    enum table_format format)
{
	struct table_column columns[TABLE_MAX_COLUMNS], *c = columns;
	struct table table;

	if (fleet)
		*c++ = (struct table_column){ "host", TABLE_NAME };
	c = put_key_columns(why, c);
	*c++ = (struct table_column){ "count", TABLE_COUNT };
	*c++ = (struct table_column){ "latency_ns", TABLE_COUNT };
	c = put_part_columns(c, part_columns, TABLE_COUNT);
	if (why->by == WHY_BY_THREAD)
		*c++ = (struct table_column){ "elsewhere_ns", TABLE_COUNT };
	table_begin(&table, out, format, columns, (unsigned)(c - columns));
	for (uint64_t i = 0; i < shown(why->n_groups, top); i++) {
		const struct why_group *g = &why->groups[i];
		struct table_value values[TABLE_MAX_COLUMNS], *v = values;

		if (fleet)
			*v++ = table_text(g->host);
		v = put_key(why, g, v);
		*v++ = table_number(g->count);
		*v++ = table_number(g->latency);
		v = put_parts(v, g->ns);
		if (why->by == WHY_BY_THREAD)
			*v++ = table_number(g->elsewhere);
		table_row(&table, values);
	}
	return table_end(&table);
}

int why_print_slowest(FILE *out, const struct why *why, bool fleet, enum table_format format)
{
	static const struct table_column who_columns[] = {
		{ "operation", TABLE_NAME },   { "mono_ns", TABLE_COUNT },
		{ "pid", TABLE_COUNT },        { "tid", TABLE_COUNT },
		{ "command", TABLE_NAME },     { "filename", TABLE_NAME },
		{ "latency_ns", TABLE_COUNT },
	};
	struct table_column columns[TABLE_MAX_COLUMNS], *c = columns;
	struct table table;

	if (fleet)
		*c++ = (struct table_column){ "host", TABLE_NAME };
	memcpy(c, who_columns, sizeof(who_columns));
	c = put_part_columns(c + sizeof(who_columns) / sizeof(who_columns[0]), part_columns,
			     TABLE_COUNT);
	*c++ = (struct table_column){ "wakers", TABLE_NAME };
	table_begin(&table, out, format, columns, (unsigned)(c - columns));
	for (uint64_t i = 0; i < why->n_slowest; i++) {
		const struct why_slow *s = &why->slowest[i];
		const struct why_operation *o = &s->operation;
		struct table_value values[TABLE_MAX_COLUMNS], *v = values;
		char wakers[WAKERS_SIZE];

		if (fleet)
			*v++ = table_text(s->host);
		*v++ = table_text(why_kind_name(o->kind));
		*v++ = table_number(o->start);
		*v++ = table_number(o->who.pid);
		*v++ = table_number(o->who.tid);
		*v++ = table_text(o->command);
		*v++ = table_bytes(o->path, o->path_len);
		*v++ = table_number(o->latency);
		v = put_parts(v, s->split.ns);
		*v++ = table_text(exact_wakers(&s->split.wakers, wakers));
		table_row(&table, values);
	}
	return table_end(&table);
}
