/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the columns of what is shown of operations, and the letters of their bars. */
#include "analysis/why/why_print.h"

#include <inttypes.h>

#include "analysis/common/cells.h"

enum { BAR = 20, BAR_SIZE = BAR + 1, WAKERS_SIZE = 512, WHO_SIZE = 64 };

#define LETTER(name, column, heading, words, letter, ...) letter,
static const char part_letters[WHY_PARTS] = { WHY_EACH_PART(LETTER) };
#define COLUMN(name, column, ...) column,
static const char *const part_columns[WHY_PARTS] = { WHY_EACH_PART(COLUMN) };
#define HEADING(name, column, heading, ...) heading,
static const char *const part_headings[WHY_PARTS] = { WHY_EACH_PART(HEADING) };

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

/* Those of servers only where there may be any */
static void put_shares(struct cells *c, const struct why *why, const uint64_t ns[WHY_PARTS],
		       uint64_t whole)
{
	for (unsigned i = 0; i < WHY_PARTS; i++)
		if (why->has_servers || (i != WHY_SERVER_QUEUE && i != WHY_SERVER))
			cell(c, part_headings[i], TABLE_SHARE, table_share(ns[i], whole));
}

static void put_parts(struct cells *c, const uint64_t ns[WHY_PARTS])
{
	for (unsigned i = 0; i < WHY_PARTS; i++)
		cell(c, part_columns[i], TABLE_COUNT, table_number(ns[i]));
}

static void put_bar(struct cells *c, const uint64_t ns[WHY_PARTS], uint64_t whole)
{
	cell(c, "where", TABLE_NAME, table_text(bar_of(ns, whole, cells_room(c, BAR_SIZE))));
}

static void put_wakers(struct cells *c, const struct why_wakers *wakers, uint64_t whole)
{
	cell(c, "wait for", TABLE_NAME,
	     table_text(shares_of(wakers, whole, cells_room(c, WAKERS_SIZE))));
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

static void group_row(struct cells *c, const struct why *why, const struct why_group *g)
{
	static const char *const headings[N_WHY_BY] = { "operation", "file",     "process",
							"thread",    "woken by", "container" };
	bool threads = why->by == WHY_BY_THREAD;

	cell(c, threads ? "operations" : "count", TABLE_COUNT, table_number(g->count));
	cell(c, threads ? "time" : "latency", TABLE_NS, table_number(g->latency));
	if (!threads)
		cell(c, "mean", TABLE_NS,
		     table_number_if(g->count, g->count ? g->latency / g->count : 0));
	put_shares(c, why, g->ns, g->latency);
	if (threads)
		cell(c, "elsewhere", TABLE_SHARE, table_share(g->elsewhere, g->latency));
	put_bar(c, g->ns, threads ? g->latency - g->elsewhere : g->latency);
	cell(c, headings[why->by], TABLE_NAME, table_text(who(why, g, cells_room(c, WHO_SIZE))));
	put_wakers(c, &g->wakers, g->latency);
	cells_row(c);
}

static void slow_row(struct cells *c, const struct why *why, const struct why_slow *s)
{
	const struct why_operation *o = &s->operation;
	char *thread = cells_room(c, WHO_SIZE);

	snprintf(thread, WHO_SIZE, "%s (%" PRIu32 ")", o->command ? o->command : "?", o->who.tid);
	cell(c, "latency", TABLE_NS, table_number(o->latency));
	put_shares(c, why, s->split.ns, o->latency);
	put_bar(c, s->split.ns, o->latency);
	cell(c, "operation", TABLE_NAME, table_text(why_operation_name(o)));
	cell(c, "thread", TABLE_NAME, table_text(thread));
	put_wakers(c, &s->split.wakers, o->latency);
	cell(c, "file", TABLE_NAME, table_bytes(o->path, o->path_len));
	cells_row(c);
}

int why_print_text(FILE *out, const struct why *why, uint64_t top)
{
	struct cells c;
	int err;

	fprintf(out,
		"R on a CPU, q ready without one, d in the queue of a device, D in the device,\n"
		"%sw asleep for anything else, ? not known\n\n",
		why->has_servers ? "s not yet sent to a server, S sent and without a reply,\n" :
				   "");
	cells_begin(&c, out, TABLE_TEXT);
	for (uint64_t i = 0; i < why->n_groups && (!top || i < top); i++)
		group_row(&c, why, &why->groups[i]);
	if (cells_none(&c))
		group_row(&c, why, &(struct why_group){ .count = 0 });
	err = cells_end(&c);
	if (err || why->by == WHY_BY_THREAD || !why->n_slowest)
		return err;
	fputs("\nslowest:\n", out);
	cells_begin(&c, out, TABLE_TEXT);
	for (uint64_t i = 0; i < why->n_slowest && (!top || i < top); i++)
		slow_row(&c, why, &why->slowest[i]);
	return cells_end(&c);
}

/* ---- for programs ---- */

static void exact_row(struct cells *c, const struct why *why, const struct why_group *g, bool fleet)
{
	static const char *const names[N_WHY_BY] = { "operation", "filename", NULL,
						     NULL,        "waker",    "container" };

	if (fleet)
		cell(c, "host", TABLE_NAME, table_text(g->host));
	if (!names[why->by])
		cell(c, "pid", TABLE_COUNT, table_number(g->pid));
	if (why->by == WHY_BY_THREAD)
		cell(c, "tid", TABLE_COUNT, table_number(g->tid));
	if (names[why->by])
		cell(c, names[why->by], TABLE_NAME, table_text(g->name));
	else
		cell(c, "command", TABLE_NAME, table_text(g->command));
	cell(c, "count", TABLE_COUNT, table_number(g->count));
	cell(c, "latency_ns", TABLE_COUNT, table_number(g->latency));
	put_parts(c, g->ns);
	if (why->by == WHY_BY_THREAD)
		cell(c, "elsewhere_ns", TABLE_COUNT, table_number(g->elsewhere));
	cells_row(c);
}

int why_print_exact(FILE *out, const struct why *why, uint64_t top, bool fleet,
		    enum table_format format)
{
	struct cells c;

	cells_begin(&c, out, format);
	for (uint64_t i = 0; i < why->n_groups && (!top || i < top); i++)
		exact_row(&c, why, &why->groups[i], fleet);
	if (cells_none(&c))
		exact_row(&c, why, &(struct why_group){ .count = 0 }, fleet);
	return cells_end(&c);
}

static void exact_slow_row(struct cells *c, const struct why_slow *s, bool fleet)
{
	const struct why_operation *o = &s->operation;

	if (fleet)
		cell(c, "host", TABLE_NAME, table_text(s->host));
	cell(c, "operation", TABLE_NAME, table_text(why_operation_name(o)));
	cell(c, "mono_ns", TABLE_COUNT, table_number(o->start));
	cell(c, "pid", TABLE_COUNT, table_number(o->who.pid));
	cell(c, "tid", TABLE_COUNT, table_number(o->who.tid));
	cell(c, "command", TABLE_NAME, table_text(o->command));
	cell(c, "filename", TABLE_NAME, table_bytes(o->path, o->path_len));
	cell(c, "latency_ns", TABLE_COUNT, table_number(o->latency));
	put_parts(c, s->split.ns);
	cell(c, "wakers", TABLE_NAME,
	     table_text(exact_wakers(&s->split.wakers, cells_room(c, WAKERS_SIZE))));
	cells_row(c);
}

int why_print_slowest(FILE *out, const struct why *why, bool fleet, enum table_format format)
{
	struct cells c;

	cells_begin(&c, out, format);
	for (uint64_t i = 0; i < why->n_slowest; i++)
		exact_slow_row(&c, &why->slowest[i], fleet);
	if (cells_none(&c))
		exact_slow_row(&c, &(struct why_slow){ .host = NULL }, fleet);
	return cells_end(&c);
}
