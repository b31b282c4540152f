/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what two traces are compared by, and the order of the differences. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/report_changes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const report_change_names[] = { "traces", "lacks", "differences", "changed_files",
					    NULL };

struct difference {
	const char *kind; /* layer, operation, device … */
	struct table_value name;
	const char *measure;
	enum table_type type;
	struct estimate before, after;
	double weight; /* its part in what is compared, 0 to 1 */
	enum report_verdict verdict;
	unsigned number; /* in the order of comparison */
};

/* Of a stream. */
struct losses {
	uint64_t lost;
	bool unknown; /* how many, or it is a sample */
};

struct comparison {
	struct report_answer *changes;
	const struct report_answer *answers[2];
	const struct report *reports[2];
	struct losses losses[2][N_STREAMS];
	struct difference *list;
	unsigned n, max;
};

/* ---- values ---- */

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static double greater(double a, double b)
{
	return a > b ? a : b;
}

/* 0: equal, nearly 1: one is much more than the other */
static double contrast(double a, double b)
{
	return a == b ? 0 : 1 - smaller(a, b) / greater(a, b);
}

enum report_verdict report_verdict(const struct estimate *before, const struct estimate *after)
{
	if (!before->known || !after->known)
		return REPORT_UNSURE;
	if (before->value == after->value)
		return REPORT_EQUAL;
	if (!before->bounded || !after->bounded)
		return REPORT_UNSURE;
	if (before->low <= after->high && after->low <= before->high)
		return REPORT_NOISE;
	if (before->value == 0)
		return REPORT_NEW;
	if (after->value == 0)
		return REPORT_GONE;
	if (contrast(before->value, after->value) < .1)
		return REPORT_SMALL;
	return after->value > before->value ? REPORT_HIGHER : REPORT_LOWER;
}

struct table_value report_verdict_name(enum report_verdict verdict)
{
	static const char *const names[N_REPORT_VERDICTS] = {
		[REPORT_HIGHER] = "higher", [REPORT_LOWER] = "lower", [REPORT_NEW] = "new",
		[REPORT_GONE] = "gone",     [REPORT_SMALL] = "small", [REPORT_NOISE] = "noise",
		[REPORT_UNSURE] = "unsure", [REPORT_EQUAL] = "equal",
	};

	return table_text(names[verdict]);
}

struct table_value report_relative_change(double before, double after)
{
	double change = before > 0 ? (after - before) / before * 1000000 : 0;

	if (before <= 0 || change > 1e18)
		return (struct table_value){ .known = false };
	return table_number((uint64_t)(int64_t)(change + (change < 0 ? -.5 : .5)));
}

/* A number that is counted: what was lost may belong to it. */
static struct estimate counted(const struct losses *losses, double value)
{
	return (struct estimate){ true, !losses->unknown, value, value,
				  value + (double)losses->lost };
}

/* A sum or a mean of what is counted: any loss may change it by any amount. */
static struct estimate summed(const struct losses *losses, bool known, double value)
{
	return (struct estimate){ known, known && !losses->unknown && !losses->lost, value, value,
				  value };
}

static bool is_kind(const struct table_value *kind, const char *word)
{
	return kind->len == strlen(word) && !memcmp(kind->text, word, kind->len);
}

/* What each stream lacks, as the section on it says. */
static void find_losses(struct comparison *c, unsigned trace)
{
	const struct report_section *missing = report_section(c->answers[trace], "missing");
	char name[32];

	for (uint64_t i = 0; i < missing->n; i++) {
		const struct table_value *row = &missing->rows[i * missing->n_columns],
					 *kind = &row[1];
		bool lost = is_kind(kind, "lost"), sampled = is_kind(kind, "sampled");
		int stream;

		if (!row[0].known || !(lost || sampled))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)row[0].len, row[0].text);
		stream = schema_find(name);
		if (stream < 0)
			continue;
		c->losses[trace][stream].lost += lost && row[2].known ? row[2].u : 0;
		c->losses[trace][stream].unknown |= sampled || !row[2].known;
	}
}

static struct losses losses_of(const struct comparison *c, unsigned trace, enum stream_id a,
			       enum stream_id b)
{
	const struct losses *x = &c->losses[trace][a], *y = &c->losses[trace][b];

	return (struct losses){ x->lost + y->lost, x->unknown || y->unknown };
}

static void compare(struct comparison *c, const struct difference *what,
		    const struct estimate values[2])
{
	struct difference *d;

	if ((!values[0].known && !values[1].known) ||
	    (values[0].value == 0 && values[1].value == 0))
		return;
	if (c->n == c->max) {
		unsigned max = c->max ? 2 * c->max : 128;
		struct difference *more = realloc(c->list, max * sizeof(*more));

		if (!more) {
			c->changes->no_memory = true;
			return;
		}
		c->list = more;
		c->max = max;
	}
	d = &c->list[c->n];
	*d = *what;
	d->before = values[0];
	d->after = values[1];
	d->verdict = report_verdict(&values[0], &values[1]);
	d->number = c->n++;
}

/* ---- what is compared ---- */

static void compare_layers(struct comparison *c)
{
	static const struct {
		const char *measure;
		enum table_type type;
		enum report_series series;
	} rates[] = { { "operations_per_s", TABLE_COUNT, REPORT_OVER_OPERATIONS },
		      { "read_bytes_per_s", TABLE_BYTES, REPORT_OVER_READ_BYTES },
		      { "write_bytes_per_s", TABLE_BYTES, REPORT_OVER_WRITE_BYTES },
		      { "errors_per_s", TABLE_COUNT, REPORT_OVER_ERRORS },
		      { "hits_per_s", TABLE_COUNT, REPORT_OVER_HITS },
		      { "misses_per_s", TABLE_COUNT, REPORT_OVER_MISSES } };
	struct estimate values[2];

	for (unsigned s = 0; s < N_STREAMS; s++)
		for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
			if (!c->reports[0]->on[s] || !c->reports[1]->on[s])
				continue;
			for (unsigned t = 0; t < 2; t++)
				values[t] = report_rate(c->reports[t], (enum stream_id)s,
							rates[i].series);
			compare(c,
				&(const struct difference){ "layer", table_text(streams[s].name),
							    rates[i].measure, rates[i].type,
							    .weight = 1 },
				values);
		}
}

static double value_of(const struct report_item *item, enum report_measure measure)
{
	return item ? (double)item->values[measure] : 0;
}

static void compare_counts(struct comparison *c, const struct difference *what,
			   const struct report_item *items[2], enum stream_id stream)
{
	const struct estimate values[2] = {
		counted(&c->losses[0][stream], value_of(items[0], REPORT_COUNT)),
		counted(&c->losses[1][stream], value_of(items[1], REPORT_COUNT))
	};

	compare(c, what, values);
}

static void compare_sums(struct comparison *c, struct difference what,
			 const struct report_item *items[2], enum report_measure measure)
{
	const struct estimate values[2] = {
		summed(&c->losses[0][STREAM_ds], true, value_of(items[0], measure)),
		summed(&c->losses[1][STREAM_ds], true, value_of(items[1], measure))
	};

	what.type = TABLE_BYTES;
	compare(c, &what, values);
}

/* Of an operation that moved some in both. */
static void compare_sizes(struct comparison *c, struct difference what,
			  const struct report_item *items[2], enum report_measure measure)
{
	struct estimate values[2];
	const struct losses none = { .lost = 0 };

	for (unsigned t = 0; t < 2; t++) {
		double count = value_of(items[t], REPORT_COUNT);

		if (value_of(items[t], measure) == 0)
			return;
		/* what was lost is as large as the rest, as far as anybody knows */
		values[t] = summed(&none, true, value_of(items[t], measure) / count);
	}
	what.type = TABLE_BYTES;
	compare(c, &what, values);
}

static void compare_latencies(struct comparison *c, struct difference what,
			      const struct report_item *items[2])
{
	static const struct {
		const char *measure;
		unsigned per_mille;
	} percentiles[] = { { "p50_ns", 500 }, { "p95_ns", 950 }, { "p99_ns", 990 } };
	struct estimate values[2];

	what.type = TABLE_NS;
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++) {
		for (unsigned t = 0; t < 2; t++)
			values[t] = report_percentile(c->reports[t], items[t],
						      percentiles[i].per_mille);
		what.measure = percentiles[i].measure;
		if (values[0].known && values[1].known)
			compare(c, &what, values);
	}
}

/* Time that the operation took of that of its layer; calls, where no time is known. */
static double part_of(const struct report *r, const struct report_item *item)
{
	double time = 0, count = 0;

	for (uint64_t i = 0; item && i < r->tally.n_slots; i++)
		for (const struct report_item *o = r->tally.slots[i]; o; o = o->next)
			if (o->kind == REPORT_OPERATION && o->number == item->number) {
				time += value_of(o, REPORT_NS);
				count += value_of(o, REPORT_COUNT);
			}
	if (!item)
		return 0;
	return time > 0 ? value_of(item, REPORT_NS) / time : value_of(item, REPORT_COUNT) / count;
}

static void compare_operation(struct comparison *c, const struct report_item *items[2])
{
	const struct report_item *any = items[0] ? items[0] : items[1];
	char name[128];
	struct difference what = { .kind = "operation", .type = TABLE_COUNT };

	if (!c->reports[0]->on[any->number] || !c->reports[1]->on[any->number])
		return;
	snprintf(name, sizeof(name), "%s %.*s", streams[any->number].name,
		 any->name_len > 64 ? 64 : (int)any->name_len, any->name);
	what.name = report_copy(c->changes, name);
	what.weight = greater(part_of(c->reports[0], items[0]), part_of(c->reports[1], items[1]));
	compare_latencies(c, what, items);
	what.weight /= 2;
	what.measure = "count";
	compare_counts(c, &what, items, (enum stream_id)any->number);
	what.measure = "mean_read_bytes";
	compare_sizes(c, what, items, REPORT_READ_BYTES);
	what.measure = "mean_write_bytes";
	compare_sizes(c, what, items, REPORT_WRITE_BYTES);
}

static void compare_device(struct comparison *c, const struct report_item *items[2])
{
	const struct report_item *any = items[0] ? items[0] : items[1];
	struct table_value name = report_device_name(c->changes, c->reports[items[0] ? 0 : 1],
						     any->number);
	char number[TABLE_NUMBER_SIZE];
	struct difference what = { .kind = "device", .type = TABLE_BYTES };

	table_exact(number, TABLE_DEVICE, any->number);
	what.name = name.known ? name : report_copy(c->changes, number);
	for (unsigned t = 0; t < 2; t++) {
		double all = 0;

		for (uint64_t i = 0; i < c->reports[t]->tally.n_slots; i++)
			for (const struct report_item *o = c->reports[t]->tally.slots[i]; o;
			     o = o->next)
				all += o->kind == REPORT_DEVICE ? value_of(o, REPORT_COUNT) : 0;
		what.weight = greater(what.weight,
				      all > 0 ? value_of(items[t], REPORT_COUNT) / all : 0);
	}
	compare_latencies(c, what, items);
	what.weight /= 2;
	what.measure = "read_bytes";
	compare_sums(c, what, items, REPORT_READ_BYTES);
	what.measure = "write_bytes";
	compare_sums(c, what, items, REPORT_WRITE_BYTES);
}

/* The same device has the same name, or else the same number. */
static const struct report_item *same_device(struct comparison *c, unsigned from,
					     const struct report_item *item)
{
	const struct report *r = c->reports[!from];
	struct table_value name = report_device_name(c->changes, c->reports[from], item->number),
			   its;
	const struct report_item *by_number = NULL;

	for (uint64_t i = 0; i < r->tally.n_slots; i++)
		for (const struct report_item *o = r->tally.slots[i]; o; o = o->next) {
			if (o->kind != REPORT_DEVICE)
				continue;
			its = report_device_name(c->changes, r, o->number);
			if (name.known && its.known && name.len == its.len &&
			    !memcmp(name.text, its.text, its.len))
				return o;
			if (o->number == item->number && !(name.known && its.known))
				by_number = o;
		}
	return by_number;
}

static const struct report_item *same_item(struct comparison *c, unsigned from,
					   const struct report_item *item)
{
	const struct report_key key = { (enum report_kind)item->kind, item->number, item->second,
					item->name, item->name_len };

	if (item->kind == REPORT_DEVICE)
		return same_device(c, from, item);
	return report_find(&c->reports[!from]->tally, &key);
}

/* Each item of the first trace, and those of the second that the first one has not. */
static void compare_items(struct comparison *c, enum report_kind kind,
			  void (*compare_pair)(struct comparison *, const struct report_item *[2]))
{
	for (unsigned t = 0; t < 2; t++) {
		const struct report_tally *tally = &c->reports[t]->tally;

		for (uint64_t i = 0; i < tally->n_slots; i++)
			for (const struct report_item *item = tally->slots[i]; item;
			     item = item->next) {
				const struct report_item *pair[2] = { NULL, NULL };

				if (item->kind != kind)
					continue;
				pair[t] = item;
				pair[!t] = same_item(c, t, item);
				if (!t || !pair[0])
					compare_pair(c, pair);
			}
	}
}

enum { AMP_DIRECTION, AMP_APPLICATION, AMP_DEVICE, AMP_FACTOR };

/* Bytes of this direction among those of both. */
static double part_of_direction(const struct report_section *s, uint64_t row)
{
	double all = 0;

	for (uint64_t i = 0; i < s->n * s->n_columns; i += s->n_columns)
		all += (double)(s->rows[i + AMP_APPLICATION].u + s->rows[i + AMP_DEVICE].u);
	row *= s->n_columns;
	return all > 0 ? (double)(s->rows[row + AMP_APPLICATION].u + s->rows[row + AMP_DEVICE].u) /
				 all :
			 0;
}

static void compare_amplification(struct comparison *c)
{
	const struct report_section *s[2] = { report_section(c->answers[0], "amplification"),
					      report_section(c->answers[1], "amplification") };
	struct difference what = { .kind = "amplification",
				   .measure = "byte_amp",
				   .type = TABLE_RATIO };

	for (uint64_t i = 0; i < s[0]->n && i < s[1]->n; i++) {
		struct estimate values[2];

		what.weight = 0;
		for (unsigned t = 0; t < 2; t++) {
			const struct table_value *row = &s[t]->rows[i * s[t]->n_columns];
			struct losses losses = losses_of(c, t, STREAM_fs, STREAM_ds);

			values[t] = summed(&losses, row[AMP_FACTOR].known,
					   (double)row[AMP_FACTOR].u);
			what.name = row[AMP_DIRECTION];
			what.weight = greater(what.weight, part_of_direction(s[t], i));
		}
		compare(c, &what, values);
	}
}

/* ---- in order ---- */

static bool matters(enum report_verdict verdict)
{
	return verdict < REPORT_SMALL;
}

static int compare_differences(const void *x, const void *y)
{
	const struct difference *a = x, *b = y;
	double left = a->weight * contrast(a->before.value, a->after.value),
	       right = b->weight * contrast(b->before.value, b->after.value);
	int order;

	if (matters(a->verdict) != matters(b->verdict))
		return matters(a->verdict) ? -1 : 1;
	if (left != right)
		return left > right ? -1 : 1;
	order = strcmp(a->kind, b->kind);
	if (!order)
		order = memcmp(a->name.text, b->name.text, smaller(a->name.len, b->name.len));
	return order ? order : a->number < b->number ? -1 : a->number > b->number;
}

static struct table_value as_value(const struct difference *d, bool known, double value)
{
	struct table_value cell = table_number((uint64_t)(value + .5));

	cell.known = known;
	cell.type = (uint8_t)d->type;
	return cell;
}

static void add_differences(struct comparison *c)
{
	static const struct report_column columns[] = {
		{ "kind", TABLE_NAME, REPORT_SHOWN },
		{ "name", TABLE_NAME, REPORT_WIDE },
		{ "measure", TABLE_NAME, REPORT_SHOWN },
		{ "before", TABLE_EACH, REPORT_SHOWN },
		{ "before_low", TABLE_EACH, REPORT_EXACT },
		{ "before_high", TABLE_EACH, REPORT_EXACT },
		{ "after", TABLE_EACH, REPORT_SHOWN },
		{ "after_low", TABLE_EACH, REPORT_EXACT },
		{ "after_high", TABLE_EACH, REPORT_EXACT },
		{ "change", TABLE_CHANGE, REPORT_SHOWN },
		{ "verdict", TABLE_NAME, REPORT_SHOWN },
	};
	struct report_section *section = report_section_add(c->changes, "differences",
							    "differences, those that matter first",
							    columns,
							    sizeof(columns) / sizeof(columns[0]));

	if (c->n)
		qsort(c->list, c->n, sizeof(*c->list), compare_differences);
	for (unsigned i = 0; i < c->n; i++) {
		const struct difference *d = &c->list[i];
		const struct estimate *e[2] = { &d->before, &d->after };
		struct table_value *row = report_section_row(c->changes, section);

		if (!row)
			return;
		row[0] = table_text(d->kind);
		row[1] = d->name;
		row[2] = table_text(d->measure);
		for (unsigned t = 0; t < 2; t++) {
			row[3 + 3 * t] = as_value(d, e[t]->known, e[t]->value);
			row[4 + 3 * t] = as_value(d, e[t]->bounded, e[t]->low);
			row[5 + 3 * t] = as_value(d, e[t]->bounded, e[t]->high);
		}
		if (d->before.known && d->after.known)
			row[9] = report_relative_change(d->before.value, d->after.value);
		row[10] = report_verdict_name(d->verdict);
	}
}

/* ---- the traces ---- */

/* The value of a name in a table of names and values. */
static struct table_value named(const struct report_section *section,
				const struct table_value *name)
{
	for (uint64_t i = 0; i < section->n; i++) {
		const struct table_value *row = &section->rows[2 * i];

		if (row[0].len == name->len && !memcmp(row[0].text, name->text, name->len))
			return row[1];
	}
	return (struct table_value){ .known = false };
}

static void add_traces(struct comparison *c)
{
	static const struct report_column columns[] = { { "name", TABLE_NAME, REPORT_SHOWN },
							{ "before", TABLE_NAME, REPORT_SHOWN },
							{ "after", TABLE_NAME, REPORT_WIDE } };
	const struct report_section *s[2] = { report_section(c->answers[0], "trace"),
					      report_section(c->answers[1], "trace") };
	struct report_section *section = report_section_add(c->changes, "traces", "the two traces",
							    columns, 3);

	for (unsigned t = 0; t < 2; t++)
		for (uint64_t i = 0; i < s[t]->n; i++) {
			const struct table_value *pair = &s[t]->rows[2 * i];
			struct table_value other = named(s[!t], &pair[0]), *row;

			if (t && other.known)
				continue;
			row = report_section_row(c->changes, section);
			if (!row)
				return;
			row[0] = pair[0];
			row[1 + t] = pair[1];
			row[2 - t] = other;
		}
}

static bool same_text(const struct table_value *a, const struct table_value *b)
{
	return a->known == b->known && a->len == b->len &&
	       (!a->len || !memcmp(a->text, b->text, a->len));
}

static bool has_row(const struct report_section *section, const struct table_value *row)
{
	for (uint64_t i = 0; i < section->n; i++) {
		const struct table_value *other = &section->rows[i * section->n_columns];

		if (same_text(&other[0], &row[0]) && same_text(&other[1], &row[1]) &&
		    other[2].known == row[2].known && other[2].u == row[2].u &&
		    same_text(&other[3], &row[3]))
			return true;
	}
	return false;
}

/* What can be said against a stream that the other one has not at all is no difference. */
static bool is_alone(const struct report_section *other, const struct table_value *lack)
{
	for (uint64_t i = 0; i < other->n; i++) {
		const struct table_value *row = &other->rows[i * other->n_columns];

		if (row[0].known && same_text(&row[0], &lack[0]) && is_kind(&row[1], "stream"))
			return !is_kind(&lack[1], "lost");
	}
	return false;
}

/* What only one of them lacks, and may be the difference; and all losses. */
static void add_lacks(struct comparison *c)
{
	static const struct report_column columns[] = {
		{ "trace", TABLE_NAME, REPORT_SHOWN }, { "stream", TABLE_NAME, REPORT_SHOWN },
		{ "kind", TABLE_NAME, REPORT_SHOWN },  { "count", TABLE_COUNT, REPORT_SHOWN },
		{ "text", TABLE_NAME, REPORT_WIDE },
	};
	const struct report_section *s[2] = { report_section(c->answers[0], "missing"),
					      report_section(c->answers[1], "missing") };
	struct report_section *section =
		report_section_add(c->changes, "lacks", "what only one of them lacks, or was lost",
				   columns, 5);

	for (unsigned t = 0; t < 2; t++)
		for (uint64_t i = 0; i < s[t]->n; i++) {
			const struct table_value *lack = &s[t]->rows[i * s[t]->n_columns];
			struct table_value *row;

			if ((has_row(s[!t], lack) && !is_kind(&lack[1], "lost")) ||
			    is_alone(s[!t], lack))
				continue;
			row = report_section_row(c->changes, section);
			if (!row)
				return;
			row[0] = table_text(t ? "after" : "before");
			memcpy(&row[1], lack, 4 * sizeof(*row));
		}
}

int report_changes_make(struct report_answer *changes, const struct report_answer *before,
			const struct report_answer *after)
{
	struct comparison c = { .changes = changes,
				.answers = { before, after },
				.reports = { before->report, after->report } };

	for (unsigned t = 0; t < 2; t++)
		find_losses(&c, t);
	add_traces(&c);
	add_lacks(&c);
	compare_layers(&c);
	compare_items(&c, REPORT_OPERATION, compare_operation);
	compare_items(&c, REPORT_DEVICE, compare_device);
	compare_amplification(&c);
	add_differences(&c);
	report_add_changed_files(changes, c.reports[0], c.reports[1],
				 c.losses[0][STREAM_fs].lost + c.losses[1][STREAM_fs].lost == 0 &&
					 !c.losses[0][STREAM_fs].unknown &&
					 !c.losses[1][STREAM_fs].unknown);
	free(c.list);
	return changes->no_memory ? -ENOMEM : 0;
}
