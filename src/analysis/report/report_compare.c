/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what two traces are compared by, and what their intervals tell apart. */
#include "analysis/report/report_compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/report_items.h"

/* ---- values ---- */

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static double greater(double a, double b)
{
	return a > b ? a : b;
}

double report_contrast(double a, double b)
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
	if (report_contrast(before->value, after->value) < .1)
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

struct estimate report_counted(const struct report_losses *losses, bool known, double value)
{
	return (struct estimate){ known, known && !losses->unknown, value, value,
				  value + (double)losses->lost };
}

struct estimate report_summed(const struct report_losses *losses, bool known, double value)
{
	return (struct estimate){ known, known && !losses->unknown && !losses->lost, value, value,
				  value };
}

/* What each stream lacks, as the section on it says. */
static void find_losses(struct report_comparison *c, unsigned trace)
{
	const struct report_section *missing = report_section(c->answers[trace], "missing");
	char name[32];

	for (uint64_t i = 0; i < missing->n; i++) {
		const struct table_value *row = &missing->rows[i * missing->n_columns],
					 *kind = &row[1];
		bool lost = table_is(kind, "lost"),
		     sampled = table_is(kind, "sampled") || table_is(kind, "budget");
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

static struct report_losses losses_of(const struct report_comparison *c, unsigned trace,
				      enum stream_id a, enum stream_id b)
{
	const struct report_losses *x = &c->losses[trace][a], *y = &c->losses[trace][b];

	return (struct report_losses){ x->lost + y->lost, x->unknown || y->unknown };
}

static void compare(struct report_comparison *c, const struct report_difference *what,
		    const struct estimate values[2])
{
	struct report_difference *d;

	if ((!values[0].known && !values[1].known) ||
	    (values[0].value == 0 && values[1].value == 0))
		return;
	if (c->n == c->max) {
		unsigned max = c->max ? 2 * c->max : 128;
		struct report_difference *more = realloc(c->list, max * sizeof(*more));

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

static void compare_layers(struct report_comparison *c)
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
				&(const struct report_difference){
					"layer", table_text(streams[s].name), rates[i].measure,
					rates[i].type, .weight = 1 },
				values);
		}
}

static double value_of(const struct report_item *item, enum report_measure measure)
{
	return item ? (double)item->values[measure] : 0;
}

static void compare_counts(struct report_comparison *c, const struct report_difference *what,
			   const struct report_item *items[2], enum stream_id stream)
{
	const struct estimate values[2] = {
		report_counted(&c->losses[0][stream], true, value_of(items[0], REPORT_COUNT)),
		report_counted(&c->losses[1][stream], true, value_of(items[1], REPORT_COUNT))
	};

	compare(c, what, values);
}

static void compare_sums(struct report_comparison *c, struct report_difference what,
			 const struct report_item *items[2], enum report_measure measure)
{
	const struct estimate values[2] = {
		report_summed(&c->losses[0][STREAM_ds], true, value_of(items[0], measure)),
		report_summed(&c->losses[1][STREAM_ds], true, value_of(items[1], measure))
	};

	what.type = TABLE_BYTES;
	compare(c, &what, values);
}

/* Of an operation that moved some in both. */
static void compare_sizes(struct report_comparison *c, struct report_difference what,
			  const struct report_item *items[2], enum report_measure measure)
{
	struct estimate values[2];
	const struct report_losses none = { .lost = 0 };

	for (unsigned t = 0; t < 2; t++) {
		double count = value_of(items[t], REPORT_COUNT);

		if (value_of(items[t], measure) == 0)
			return;
		/* what was lost is as large as the rest, as far as anybody knows */
		values[t] = report_summed(&none, true, value_of(items[t], measure) / count);
	}
	what.type = TABLE_BYTES;
	compare(c, &what, values);
}

static void compare_latencies(struct report_comparison *c, struct report_difference what,
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
	const struct report_item *o = NULL;
	double time = 0, count = 0;

	if (!item)
		return 0;
	while ((o = report_next(&r->tally, REPORT_OPERATION, o)))
		if (o->number == item->number) {
			time += value_of(o, REPORT_NS);
			count += value_of(o, REPORT_COUNT);
		}
	return time > 0 ? value_of(item, REPORT_NS) / time : value_of(item, REPORT_COUNT) / count;
}

static void compare_operation(struct report_comparison *c, const struct report_item *items[2])
{
	const struct report_item *any = items[0] ? items[0] : items[1];
	char name[128];
	struct report_difference what = { .kind = "operation", .type = TABLE_COUNT };

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

static void compare_device(struct report_comparison *c, const struct report_item *items[2])
{
	const struct report_item *any = items[0] ? items[0] : items[1];
	struct table_value name = report_device_name(c->changes, c->reports[items[0] ? 0 : 1],
						     any->number);
	char number[TABLE_NUMBER_SIZE];
	struct report_difference what = { .kind = "device", .type = TABLE_BYTES };

	table_exact(number, TABLE_DEVICE, any->number);
	what.name = name.known ? name : report_copy(c->changes, number);
	for (unsigned t = 0; t < 2; t++) {
		const struct report_item *o = NULL;
		double all = 0;

		while ((o = report_next(&c->reports[t]->tally, REPORT_DEVICE, o)))
			all += value_of(o, REPORT_COUNT);
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
static const struct report_item *same_device(struct report_comparison *c, unsigned from,
					     const struct report_item *item)
{
	const struct report *r = c->reports[!from];
	struct table_value name = report_device_name(c->changes, c->reports[from], item->number),
			   its;
	const struct report_item *by_number = NULL, *o = NULL;

	while ((o = report_next(&r->tally, REPORT_DEVICE, o))) {
		its = report_device_name(c->changes, r, o->number);
		if (name.known && its.known && name.len == its.len &&
		    !memcmp(name.text, its.text, its.len))
			return o;
		if (o->number == item->number && !(name.known && its.known))
			by_number = o;
	}
	return by_number;
}

static const struct report_item *same_item(struct report_comparison *c, unsigned from,
					   const struct report_item *item)
{
	const struct report_key key = { (enum report_kind)item->kind, item->number, item->second,
					item->name, item->name_len };

	if (item->kind == REPORT_DEVICE)
		return same_device(c, from, item);
	return report_find(&c->reports[!from]->tally, &key);
}

/* Each item of the first trace, and those of the second that the first one has not. */
static void compare_items(struct report_comparison *c, enum report_kind kind,
			  void (*compare_pair)(struct report_comparison *,
					       const struct report_item *[2]))
{
	for (unsigned t = 0; t < 2; t++) {
		const struct report_item *item = NULL;

		while ((item = report_next(&c->reports[t]->tally, kind, item))) {
			const struct report_item *pair[2] = { NULL, NULL };

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

static void compare_amplification(struct report_comparison *c)
{
	const struct report_section *s[2] = { report_section(c->answers[0], "amplification"),
					      report_section(c->answers[1], "amplification") };
	struct report_difference what = { .kind = "amplification",
					  .measure = "byte_amp",
					  .type = TABLE_RATIO };

	for (uint64_t i = 0; i < s[0]->n && i < s[1]->n; i++) {
		struct estimate values[2];

		what.weight = 0;
		for (unsigned t = 0; t < 2; t++) {
			const struct table_value *row = &s[t]->rows[i * s[t]->n_columns];
			struct report_losses losses = losses_of(c, t, STREAM_fs, STREAM_ds);

			values[t] = report_summed(&losses, row[AMP_FACTOR].known,
						  (double)row[AMP_FACTOR].u);
			what.name = row[AMP_DIRECTION];
			what.weight = greater(what.weight, part_of_direction(s[t], i));
		}
		compare(c, &what, values);
	}
}

void report_compare(struct report_comparison *c)
{
	for (unsigned t = 0; t < 2; t++)
		find_losses(c, t);
	compare_layers(c);
	compare_items(c, REPORT_OPERATION, compare_operation);
	compare_items(c, REPORT_DEVICE, compare_device);
	compare_amplification(c);
}
