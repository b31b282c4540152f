/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the tables of `amp`, and the sentences below them. */
#include "analysis/amp/amp_print.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/amp/amp_factors.h"
#include "analysis/common/cells.h"
#include "analysis/common/units.h"
#include "base/plain.h"

#define N_OF(list) (sizeof(list) / sizeof(list[0]))

static struct table_value text_of(const char *text)
{
	return (struct table_value){ .known = true, .text = text, .len = strlen(text) };
}

static struct table_value ratio_of(const struct amp_group *group, enum amp_direction d,
				   bool (*factor)(const struct amp_group *, enum amp_direction,
						  uint64_t *))
{
	uint64_t ratio = 0;
	bool known = factor(group, d, &ratio);

	return table_number_if(known, ratio);
}

static struct table_value mean_of(const struct amp_side *side, bool known)
{
	return table_number_if(known && side->timed, side->timed ? side->ns / side->timed : 0);
}

static uint64_t n_shown(const struct amp_groups *groups, const struct amp_view *view)
{
	return view->top && view->top < groups->n ? view->top : groups->n;
}

static struct table_value percentile_of(const struct amp_group *group, unsigned layer, unsigned d,
					unsigned per_mille)
{
	uint64_t ns = 0;
	bool known = amp_percentile(group, (enum amp_layer)layer, (enum amp_direction)d, per_mille,
				    &ns);

	return table_number_if(known, ns);
}

static const unsigned per_mille[] = { 500, 950, 990 };

/* ---- exact ---- */

#define PERCENTILES(side)                                                                          \
	{ side "_p50_ns", TABLE_COUNT }, { side "_p95_ns", TABLE_COUNT },                          \
	{                                                                                          \
		side "_p99_ns", TABLE_COUNT                                                        \
	}

/* clang-format off */
static const struct table_column exact_columns[] = {
	{ "time", TABLE_NAME }, { "host", TABLE_NAME }, { "", TABLE_NAME },
	{ "read_amp", TABLE_RATIO }, { "write_amp", TABLE_RATIO },
	{ "read_byte_amp", TABLE_RATIO }, { "write_byte_amp", TABLE_RATIO },
	{ "sys_reads", TABLE_COUNT }, { "sys_writes", TABLE_COUNT },
	{ "vfs_reads", TABLE_COUNT }, { "vfs_writes", TABLE_COUNT },
	{ "blk_reads", TABLE_COUNT }, { "blk_writes", TABLE_COUNT },
	{ "sys_read_bytes", TABLE_COUNT }, { "sys_write_bytes", TABLE_COUNT },
	{ "vfs_read_bytes", TABLE_COUNT }, { "vfs_write_bytes", TABLE_COUNT },
	{ "blk_read_bytes", TABLE_COUNT }, { "blk_write_bytes", TABLE_COUNT },
	{ "blk_data_bytes", TABLE_COUNT }, { "blk_metadata_bytes", TABLE_COUNT },
	{ "blk_journal_bytes", TABLE_COUNT },
	{ "sys_read_mean_ns", TABLE_COUNT }, { "sys_write_mean_ns", TABLE_COUNT },
	{ "vfs_read_mean_ns", TABLE_COUNT }, { "vfs_write_mean_ns", TABLE_COUNT },
	{ "blk_read_mean_ns", TABLE_COUNT }, { "blk_write_mean_ns", TABLE_COUNT },
	{ "total_operations", TABLE_COUNT },
	PERCENTILES("sys_read"), PERCENTILES("sys_write"), PERCENTILES("vfs_read"),
	PERCENTILES("vfs_write"), PERCENTILES("blk_read"), PERCENTILES("blk_write"),
	/* those that not all tables have */
	{ "pid", TABLE_COUNT },
	{ "net_received_bytes", TABLE_COUNT }, { "net_sent_bytes", TABLE_COUNT },
	{ "net_amp", TABLE_RATIO },
};
/* clang-format on */

enum { N_NET = 3 };
enum {
	EXACT_TIME,
	EXACT_HOST,
	EXACT_NAME,
	N_EXACT = N_OF(exact_columns),
	EXACT_PID = N_EXACT - N_NET - 1
};

static struct table_value *exact_sides(struct table_value *v, const struct amp_group *group)
{
	for (unsigned layer = 0; layer < AMP_N_LAYERS; layer++)
		for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
			*v++ = table_number_if(layer != AMP_VFS || group->vfs,
					       group->sums.sides[layer][d].count);
	for (unsigned layer = 0; layer < AMP_N_LAYERS; layer++)
		for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
			*v++ = table_number_if(layer != AMP_VFS || group->vfs,
					       group->sums.sides[layer][d].bytes);
	return v;
}

static uint64_t total_of(const struct amp_group *group)
{
	uint64_t total = 0;

	for (unsigned layer = 0; layer < AMP_N_LAYERS; layer++)
		for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
			total += layer != AMP_VFS || group->vfs ?
					 group->sums.sides[layer][d].count :
					 0;
	return total;
}

static struct table_value net_ratio_of(const struct amp_group *group)
{
	uint64_t ratio = 0;
	bool known = amp_by_net(group, &ratio);

	return table_number_if(known, ratio);
}

/* Up to the percentiles, and then pid or not, and the network. In the order of exact_columns. */
static void exact_values(struct table_value *v, const struct amp_group *group, bool with_pid)
{
	const struct amp_sums *s = &group->sums;

	*v++ = group->time ? text_of(group->time) : table_number_if(false, 0);
	*v++ = text_of(group->host);
	*v++ = text_of(group->name);
	for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
		*v++ = ratio_of(group, (enum amp_direction)d, amp_by_count);
	for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
		*v++ = ratio_of(group, (enum amp_direction)d, amp_by_bytes);
	v = exact_sides(v, group);
	for (unsigned i = 0; i < AMP_N_CLASSES; i++)
		*v++ = table_number_if(true, s->classes[i]);
	for (unsigned layer = 0; layer < AMP_N_LAYERS; layer++)
		for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
			*v++ = mean_of(&s->sides[layer][d], layer != AMP_VFS || group->vfs);
	*v++ = table_number_if(true, total_of(group));
	for (unsigned layer = 0; layer < AMP_N_LAYERS; layer++)
		for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
			for (unsigned i = 0; i < N_OF(per_mille); i++)
				*v++ = percentile_of(group, layer, d, per_mille[i]);
	if (with_pid)
		*v++ = table_number_if(group->pid, group->pid);
	for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
		*v++ = table_number_if(true, s->net[d]);
	*v++ = net_ratio_of(group);
}

static void exact_row(struct table *table, const struct amp_group *group, unsigned first,
		      bool with_pid)
{
	struct table_value values[N_EXACT];

	exact_values(values, group, with_pid);
	table_row(table, values + first);
}

int amp_metric_find(const char *name)
{
	for (unsigned i = EXACT_NAME + 1; i < EXACT_PID; i++)
		if (!strcmp(exact_columns[i].name, name))
			return (int)i;
	return -1;
}

enum table_type amp_metric_type(int metric)
{
	return exact_columns[metric].type;
}

bool amp_metric(const struct amp_group *group, int metric, uint64_t *value)
{
	struct table_value values[N_EXACT];

	exact_values(values, group, false);
	*value = values[metric].u;
	return values[metric].known;
}

int amp_print_exact_each(FILE *out, const struct amp_groups *groups, const struct amp_view *view,
			 enum table_format format, amp_next_fn *next, void *arg)
{
	unsigned first = groups->interval_ns ? EXACT_TIME : EXACT_HOST;
	bool with_pid = groups->by == AMP_BY_PROCESS;
	unsigned end = EXACT_PID + with_pid + (view->net ? N_NET : 0);
	struct table_column columns[N_EXACT];
	const struct amp_group *group;
	struct table table;

	memcpy(columns, exact_columns, sizeof(columns));
	/* the contract's name for the default; a host is told once */
	columns[EXACT_NAME].name = groups->by == AMP_BY_HOST ? "name" : amp_by_names[groups->by];
	if (!with_pid)
		memmove(&columns[EXACT_PID], &columns[EXACT_PID + 1], N_NET * sizeof(*columns));
	table_begin(&table, out, format, columns + first, end - first);
	while (!ferror(out) && (group = next(arg)))
		exact_row(&table, group, first, with_pid);
	return table_end(&table);
}

struct list_walk {
	struct amp_group *const *at, *const *end;
};

static const struct amp_group *next_in_list(void *arg)
{
	struct list_walk *walk = arg;

	return walk->at == walk->end ? NULL : *walk->at++;
}

int amp_print_exact(FILE *out, const struct amp_groups *groups, const struct amp_view *view,
		    enum table_format format)
{
	struct list_walk walk = { groups->list, groups->list + n_shown(groups, view) };

	return amp_print_exact_each(out, groups, view, format, next_in_list, &walk);
}

json_t *amp_print_schema(void)
{
	json_t *fields = json_array();

	for (unsigned i = EXACT_HOST; i < EXACT_PID; i++)
		json_array_append_new(fields,
				      json_pack("{s:s, s:s}", "name",
						i == EXACT_NAME ? amp_by_names[AMP_BY_SYSTEM] :
								  exact_columns[i].name,
						"type", table_type_name(exact_columns[i].type)));
	return json_pack("{s:o}", "fields", fields);
}

/* ---- text ---- */

static const char *const side_names[AMP_N_LAYERS][AMP_N_DIRECTIONS] = { { "sys_r", "sys_w" },
									{ "vfs_r", "vfs_w" },
									{ "blk_r", "blk_w" } };

static void time_cell(struct cells *c, const struct amp_groups *groups,
		      const struct amp_group *group)
{
	if (groups->interval_ns)
		cell(c, "time", TABLE_NAME, table_text(group->time));
}

/* What they are added up by comes last. */
static void name_row(struct cells *c, const struct amp_groups *groups,
		     const struct amp_group *group)
{
	cell(c, amp_by_names[groups->by], TABLE_NAME, text_of(group->name));
	cells_row(c);
}

static void count_row(struct cells *c, const struct amp_groups *groups,
		      const struct amp_group *group, const struct amp_view *view)
{
	static const char *const names[] = { "r_amp", "w_amp" };

	(void)view;
	time_cell(c, groups, group);
	for (unsigned layer = 0; layer < AMP_N_LAYERS; layer++)
		for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
			cell(c, side_names[layer][d], TABLE_COUNT,
			     table_number_if(layer != AMP_VFS || group->vfs,
					     group->sums.sides[layer][d].count));
	for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
		cell(c, names[d], TABLE_RATIO,
		     ratio_of(group, (enum amp_direction)d, amp_by_count));
	name_row(c, groups, group);
}

/* The verdict goes by the number as shown. There is none for a few bytes, or while data still waits. */
static struct table_value verdict_of(const struct amp_group *group, enum amp_direction d)
{
	uint64_t ratio;

	if (group->sums.sides[AMP_SYS][d].bytes < AMP_LEAST || amp_waits(group, d) ||
	    !amp_by_bytes(group, d, &ratio))
		return table_number_if(false, 0);
	return text_of(amp_band((ratio + 5000) / 10000 * 10000));
}

static void byte_row(struct cells *c, const struct amp_groups *groups,
		     const struct amp_group *group, const struct amp_view *view)
{
	static const struct {
		const char *ratio, *verdict, *sys, *blk;
	} names[] = { { "r_bytes", "reads", "sys_read", "blk_read" },
		      { "w_bytes", "writes", "sys_write", "blk_write" } };

	(void)view;
	time_cell(c, groups, group);
	for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
		cell(c, names[d].sys, TABLE_BYTES,
		     table_number(group->sums.sides[AMP_SYS][d].bytes));
	for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
		cell(c, names[d].blk, TABLE_BYTES,
		     table_number(group->sums.sides[AMP_BLK][d].bytes));
	for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
		cell(c, names[d].ratio, TABLE_RATIO,
		     amp_waits(group, (enum amp_direction)d) ?
			     table_number_if(false, 0) :
			     ratio_of(group, (enum amp_direction)d, amp_by_bytes));
	for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++)
		cell(c, names[d].verdict, TABLE_NAME, verdict_of(group, (enum amp_direction)d));
	name_row(c, groups, group);
}

static void net_row(struct cells *c, const struct amp_groups *groups, const struct amp_group *group,
		    const struct amp_view *view)
{
	const uint64_t *net = group->sums.net;

	(void)view;
	if (!net[AMP_READ] && !net[AMP_WRITE] && !c->header)
		return;
	time_cell(c, groups, group);
	cell(c, "net_received", TABLE_BYTES, table_number(net[AMP_READ]));
	cell(c, "net_sent", TABLE_BYTES, table_number(net[AMP_WRITE]));
	cell(c, "net_amp", TABLE_RATIO, net_ratio_of(group));
	name_row(c, groups, group);
}

static struct table_value rate(uint64_t n, double seconds)
{
	return table_number_if(seconds > 0,
			       seconds > 0 ? (uint64_t)((double)n / seconds + 0.5) : 0);
}

static void time_rows(struct cells *c, const struct amp_groups *groups,
		      const struct amp_group *group, const struct amp_view *view)
{
	static const char *const layers[] = { "syscall", "vfs", "block" };
	static const char *const names[] = { "p50", "p95", "p99" };

	for (unsigned i = 0; i < AMP_N_LAYERS * AMP_N_DIRECTIONS; i++) {
		unsigned layer = i / AMP_N_DIRECTIONS, d = i % AMP_N_DIRECTIONS;
		const struct amp_side *side = &group->sums.sides[layer][d];

		if ((!side->count || (layer == AMP_VFS && !group->vfs)) && (!c->header || i))
			continue;
		time_cell(c, groups, group);
		cell(c, "layer", TABLE_NAME, text_of(layers[layer]));
		cell(c, "operation", TABLE_NAME, text_of(d ? "write" : "read"));
		cell(c, "count", TABLE_COUNT, table_number(side->count));
		cell(c, "per_s", TABLE_COUNT, rate(side->count, view->seconds));
		cell(c, "bytes_per_s", TABLE_BYTES, rate(side->bytes, view->seconds));
		cell(c, "mean", TABLE_NS, mean_of(side, true));
		for (unsigned k = 0; k < N_OF(per_mille); k++)
			cell(c, names[k], TABLE_NS, percentile_of(group, layer, d, per_mille[k]));
		cell(c, "max", TABLE_NS,
		     table_number_if(side->timed && !side->summed, side->max_ns));
		cell(c, "errors", TABLE_COUNT, table_number(side->errors));
		name_row(c, groups, group);
	}
}

static int print_table(FILE *out, const struct amp_groups *groups, const struct amp_view *view,
		       void (*row)(struct cells *, const struct amp_groups *,
				   const struct amp_group *, const struct amp_view *))
{
	static const struct amp_group none = { .name = "" };
	struct cells c;
	int err;

	cells_begin(&c, out, TABLE_TEXT);
	for (uint64_t i = 0; i < n_shown(groups, view); i++)
		row(&c, groups, groups->list[i], view);
	if (cells_none(&c))
		row(&c, groups, &none, view);
	err = cells_end(&c);
	fputc('\n', out);
	return err;
}

static unsigned percent(uint64_t part, uint64_t whole)
{
	return whole ? (unsigned)((double)part * 100 / (double)whole + 0.5) : 0;
}

/* Why a device wrote more than it was given, as far as the rows tell. */
static void say_contributors(FILE *out, const struct amp_group *group)
{
	static const char *const classes[] = {
		[AMP_METADATA] = "metadata", [AMP_JOURNAL] = "journal"
	};
	const struct amp_sums *s = &group->sums;
	const struct amp_side *sys = &s->sides[AMP_SYS][AMP_WRITE];
	const struct amp_side *blk = &s->sides[AMP_BLK][AMP_WRITE];
	const char *before = ": ";
	char size[UNITS_SIZE];

	if (!blk->count && !percent(s->small_writes, sys->count) && !(s->syncs && sys->count) &&
	    !s->unwritten)
		return;
	plain_put(out, group->name);
	if (s->unwritten) {
		fprintf(out, "%s%s not yet written back", before, units_bytes(size, s->unwritten));
		before = "; ";
	}
	for (unsigned i = AMP_METADATA; i < AMP_N_CLASSES; i++)
		if (s->classes[i]) {
			units_bytes(size, s->classes[i]);
			fprintf(out, "%s%s %s (%u%% of what devices wrote)", before, classes[i],
				size, percent(s->classes[i], blk->bytes));
			before = "; ";
		}
	if (percent(s->small_writes, sys->count)) {
		fprintf(out, "%s%u%% of writes below 4.0K", before,
			percent(s->small_writes, sys->count));
		before = "; ";
	}
	if (s->syncs && sys->count) {
		fprintf(out, "%sa sync for each %.1f writes", before,
			(double)sys->count / (double)s->syncs);
		before = "; ";
	}
	if (blk->count) {
		units_bytes(size, blk->bytes / blk->count);
		fprintf(out, "%s%s a request", before, size);
	}
	fputc('\n', out);
}

int amp_print_text(FILE *out, const struct amp_groups *groups, const struct amp_view *view)
{
	int err = print_table(out, groups, view, count_row);

	if (!err)
		err = print_table(out, groups, view, byte_row);
	if (!err && view->net)
		err = print_table(out, groups, view, net_row);
	if (!err)
		err = print_table(out, groups, view, time_rows);
	for (uint64_t i = 0; !groups->interval_ns && i < n_shown(groups, view); i++)
		say_contributors(out, groups->list[i]);
	return err;
}
