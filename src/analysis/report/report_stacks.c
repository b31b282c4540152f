/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the stacks of a report. Operations of one stack are one row, whatever their files; its frames get their names
 * when all are in.
 */
#include "analysis/report/report_stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/stack_names.h"
#include "analysis/report/report_words.h"
#include "read/members.h"

/* ---- rows ---- */

/* most: rows of ours are shorter (STACK_TEXT_MAX), but these may be anybody's. */
static char *put_part(char *p, const struct field *field, size_t most)
{
	size_t len = field->len < most ? field->len : most;

	memcpy(p, field->text, len);
	p[len] = '\0';
	return p + len + 1;
}

/* One letter, of what the row says is missing: the stack itself, its frames' files, or frames */
static const char *state_of(const struct field *status)
{
	if (status->len && memchr(status->text, 'k', status->len))
		return "k";
	if (status->len && memchr(status->text, 'l', status->len))
		return "l";
	if (status->len && memchr(status->text, 'g', status->len))
		return "g";
	return status->len && memchr(status->text, 't', status->len) ? "t" : "";
}

void report_take_stacks(struct report_tally *tally, const struct report_source *source,
			const struct field *f, uint64_t *over)
{
	char name[3 * 16384 + 128], *p;
	struct report_key key = { .kind = REPORT_STACK, .name = name };
	struct report_item *item;

	(void)source;
	p = put_part(name, &f[REPORT_COMMAND], 64);
	p = stpcpy(p, state_of(&f[STACKS_STATUS])) + 1;
	p = put_part(p, &f[STACKS_USER], 16000);
	p = put_part(p, &f[STACKS_MODULES], 16000);
	p = put_part(p, &f[STACKS_KERNEL], 16000);
	key.len = (size_t)(p - name) - 1;
	/* of further ones there is a row for each command, without a stack */
	if (tally->n_stacks >= REPORT_MOST_STACKS && !report_find(tally, &key)) {
		p = put_part(name, &f[REPORT_COMMAND], 64);
		p = stpcpy(p, "m") + 1;
		key.len = (size_t)(p - name) - 1;
	}
	item = report_item(tally, &key);
	if (!item)
		return;
	/* it is new */
	tally->n_stacks += !item->values[REPORT_COUNT];
	item->values[REPORT_COUNT]++;
	over[REPORT_OVER_OPERATIONS]++;
	if (f[STACKS_LATENCY].known)
		report_item_time(item, f[STACKS_LATENCY].u);
	item->values[REPORT_QUEUE_NS] += f[STACKS_WAIT].u;
}

/* ---- the section ---- */

static const struct report_column columns[] = {
	{ "time_ns", TABLE_NS, REPORT_SHOWN },   { "count", TABLE_COUNT, REPORT_SHOWN },
	{ "max_ns", TABLE_NS, REPORT_SHOWN },    { "wait_ns", TABLE_NS, REPORT_SHOWN },
	{ "command", TABLE_NAME, REPORT_SHOWN }, { "missing", TABLE_NAME, REPORT_SHOWN },
	{ "stack", TABLE_NAME, REPORT_WIDE },
};

enum { N_COLUMNS = sizeof(columns) / sizeof(columns[0]) };
enum { TIME, COUNT, MAX, WAIT, COMMAND, MISSING, STACK };

static struct stack_cells cells_of(const struct report_item *item)
{
	struct stack_cells c;

	c.user = report_item_part(item, STACK_USER, &c.user_len);
	c.modules = report_item_part(item, STACK_MODULES, &c.modules_len);
	c.kernel = report_item_part(item, STACK_KERNEL, &c.kernel_len);
	return c;
}

static int by_time(const void *a, const void *b)
{
	const struct report_item *x = *(const struct report_item *const *)a,
				 *y = *(const struct report_item *const *)b;

	if (x->values[REPORT_NS] != y->values[REPORT_NS])
		return x->values[REPORT_NS] > y->values[REPORT_NS] ? -1 : 1;
	if (x->values[REPORT_COUNT] != y->values[REPORT_COUNT])
		return x->values[REPORT_COUNT] > y->values[REPORT_COUNT] ? -1 : 1;
	return x->name_len != y->name_len ? (x->name_len < y->name_len ? -1 : 1) :
					    memcmp(x->name, y->name, x->name_len);
}

/* All of them, the one with most time first; to be freed. NULL: none, or no memory. */
static const struct report_item **list_stacks(struct report_answer *answer, uint64_t *n)
{
	const struct report_tally *tally = &answer->report->tally;
	const struct report_item *item = NULL, **list;

	*n = 0;
	while ((item = report_next(tally, REPORT_STACK, item)))
		++*n;
	if (!*n)
		return NULL;
	list = calloc(*n, sizeof(*list));
	if (!list) {
		answer->no_memory = true;
		return NULL;
	}
	for (uint64_t i = 0; (item = report_next(tally, REPORT_STACK, item)); i++)
		list[i] = item;
	qsort(list, *n, sizeof(*list), by_time);
	return list;
}

/* All are added before names are asked for: one run of iotracer-symbols answers for all. NULL without memory. */
static struct stack_names *name_stacks(struct report_answer *answer,
				       const struct report_item *const *list, uint64_t n)
{
	struct stack_names *names = stack_names_new();
	bool ok = names && !stack_names_read(names, &answer->report->session);

	for (uint64_t i = 0; i < n && ok; i++) {
		const struct stack_cells cells = cells_of(list[i]);

		ok = stack_names_add(names, &cells);
	}
	if (ok)
		stack_names_ask(names);
	answer->no_memory = answer->no_memory || !ok;
	return names;
}

static const char *missing_of(const struct report_item *item, enum stack_begins begins)
{
	size_t len;
	const char *state = report_item_part(item, STACK_STATE, &len);

	switch (len ? *state : '\0') {
	case 'k':
		return NULL; /* a thread of the kernel lacks nothing */
	case 'l':
		return "stack (lost)";
	case 'm':
		return "stack (too many)";
	case 'g':
		return "names (process gone)";
	case 't':
		return "outer frames (too many)";
	default:
		return begins == STACK_CUT     ? "outer frames" :
		       begins == STACK_UNNAMED ? "unknown (no names)" :
						 NULL;
	}
}

struct lacks {
	uint64_t rows, outer, others;
};

/* What is missing of it; *text is to be freed, NULL without memory. */
static const char *name_frames(const struct report_item *item, const struct stack_names *names,
			       char **text)
{
	const struct stack_cells cells = cells_of(item);
	size_t size;
	FILE *out = open_memstream(text, &size);
	enum stack_begins begins;

	if (!out)
		return NULL;
	begins = stack_names_put(names, &cells, out);
	if (fclose(out))
		return NULL;
	return missing_of(item, begins);
}

static void count_lacks(struct lacks *lacks, const struct report_item *item, const char *missing)
{
	const uint64_t n = item->values[REPORT_COUNT];

	lacks->rows += n;
	if (missing && !strncmp(missing, "outer", 5))
		lacks->outer += n;
	else if (missing && strncmp(missing, "unknown", 7) != 0)
		lacks->others += n;
}

static void add_row(struct report_answer *answer, struct report_section *section,
		    const struct report_item *item, const char *missing, const char *text)
{
	struct table_value *v = report_section_row(answer, section);
	const char *command;
	size_t len;

	if (!v)
		return;
	command = report_item_part(item, STACK_COMMAND, &len);
	v[TIME] = table_number(item->values[REPORT_NS]);
	v[COUNT] = table_number(item->values[REPORT_COUNT]);
	v[MAX] = table_number(item->values[REPORT_MAX_NS]);
	v[WAIT] = table_number(item->values[REPORT_QUEUE_NS]);
	v[COMMAND] = table_bytes(command, len);
	v[MISSING] = table_text(missing);
	v[STACK] = report_copy(answer, text);
}

static void say_lacks(struct report_answer *answer, const struct lacks *lacks)
{
	char text[200];

	if (lacks->outer) {
		snprintf(
			text, sizeof(text),
			"of %" PRIu64
			" stacks lack their outer frames: built without frame pointers (-fno-omit-frame-pointer)",
			lacks->rows);
		report_lack(answer, "stacks", "frames", &lacks->outer, text);
	}
	if (lacks->others) {
		snprintf(
			text, sizeof(text),
			"of %" PRIu64
			" stacks were lost, or are of processes that ended before they were looked at",
			lacks->rows);
		report_lack(answer, "stacks", "stacks", &lacks->others, text);
	}
}

/* Of which operations they were asked for */
static void say_choice(struct report_answer *answer)
{
	const json_t *asked = json_object_get(answer->report->session.manifest, "stacks"), *name;
	char text[600];
	uint64_t n;
	int len = snprintf(text, sizeof(text), "recorded");
	size_t i;

	/* one of one: all that there are */
	if (!json_is_object(asked) || (member_number(asked, "rate", &n) && n == 1))
		return;
	if (member_number(asked, "min_latency_ns", &n))
		len += snprintf(text + len, sizeof(text) - (size_t)len,
				" of what took %.3f ms or longer,", (double)n / 1e6);
	json_array_foreach(json_object_get(asked, "operations"), i,
			   name) if (json_is_string(name) && (size_t)len < sizeof(text) / 2)
		len += snprintf(text + len, sizeof(text) - (size_t)len, " of %.32s,",
				json_string_value(name));
	if (member_number(asked, "rate", &n))
		len += snprintf(text + len, sizeof(text) - (size_t)len,
				" of about one of %" PRIu64 " operations,", n);
	text[len - 1] = '\0';
	report_lack(answer, "stacks", "recorded_only", NULL, text);
}

void report_add_stacks(struct report_answer *answer)
{
	struct report_section *section =
		report_section_add(answer, "stacks",
				   "where in programs the time of operations went", columns,
				   N_COLUMNS);
	struct lacks lacks = { 0 };
	struct stack_names *names;
	const struct report_item **list;
	uint64_t n;

	list = section ? list_stacks(answer, &n) : NULL;
	if (!list)
		return;
	names = name_stacks(answer, list, n);
	for (uint64_t i = 0; i < n && names; i++) {
		char *text = NULL;
		const char *missing = name_frames(list[i], names, &text);

		answer->no_memory = answer->no_memory || !text;
		count_lacks(&lacks, list[i], missing);
		/* all are counted, and the first ones shown */
		if (!answer->top || i < answer->top)
			add_row(answer, section, list[i], missing, text);
		free(text);
	}
	section->n_all = n;
	stack_names_free(names);
	free(list);
	say_lacks(answer, &lacks);
	say_choice(answer);
}

void report_print_folded(FILE *out, const struct report_answer *answer)
{
	const struct report_section *s = report_section(answer, "stacks");

	for (uint64_t i = 0; i < s->n && !ferror(out); i++) {
		const struct table_value *row = &s->rows[i * s->n_columns];
		const char *text = row[COMMAND].known ? row[COMMAND].text : "";

		/* what separates frames, or ends a line, is no part of one */
		for (size_t c = 0; c < row[COMMAND].len; c++)
			fputc(text[c] == ';' || (unsigned char)text[c] < ' ' ? '_' : text[c], out);
		fputs(row[MISSING].known && !strncmp(row[MISSING].text, "outer", 5) ?
			      ";[outer frames missing]" :
			      "",
		      out);
		fprintf(out, ";%.*s %" PRIu64 "\n",
			row[STACK].known ? (int)row[STACK].len : (int)strlen("[no stack]"),
			row[STACK].known ? row[STACK].text : "[no stack]", row[TIME].u);
	}
}
