/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For people rates and what is missing; in CSV and JSON exact sums of the interval. */
#include "analysis/top/top_table.h"

#include <errno.h>
#include <inttypes.h>

#include "base/clock.h"

uint64_t top_per_second(uint64_t n, uint64_t ns)
{
	return ns ? (uint64_t)((double)n * NS_PER_S / (double)ns + 0.5) : n;
}

static struct table_value time_of(const struct top_row *row, uint64_t ns)
{
	return (struct table_value){ .known = row->timed, .u = ns };
}

static struct table_value percentile(const struct top_row *row, unsigned per_mille)
{
	if (!row->latencies)
		return (struct table_value){ .known = false };
	return time_of(row, latencies_percentile(row->latencies, per_mille));
}

static uint64_t mean(const struct top_row *row)
{
	return row->timed ? row->ns / row->timed : 0;
}

/* ---- for people ---- */

static const struct table_column rates[] = {
	{ "ops/s", TABLE_COUNT },    { "reads/s", TABLE_COUNT },   { "read/s", TABLE_BYTES },
	{ "writes/s", TABLE_COUNT }, { "written/s", TABLE_BYTES }, { "errors", TABLE_COUNT },
	{ "mean", TABLE_NS },        { "max", TABLE_NS },          { "name", TABLE_NAME },
};
static const struct table_column times[] = {
	{ "ops/s", TABLE_COUNT }, { "errors", TABLE_COUNT }, { "mean", TABLE_NS },
	{ "p50", TABLE_NS },      { "p95", TABLE_NS },       { "p99", TABLE_NS },
	{ "max", TABLE_NS },      { "name", TABLE_NAME },
};
static const struct table_column disks[] = {
	{ "r/s", TABLE_RATIO },   { "w/s", TABLE_RATIO },    { "rkB/s", TABLE_RATIO },
	{ "wkB/s", TABLE_RATIO }, { "aqu-sz", TABLE_RATIO }, { "await", TABLE_NS },
	{ "%util", TABLE_RATIO }, { "errors", TABLE_COUNT }, { "max", TABLE_NS },
	{ "name", TABLE_NAME },
};
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

unsigned top_columns(enum top_view view, const struct table_column **columns)
{
	*columns = view == TOP_LATENCY ? times : view == TOP_DEVICES ? disks : rates;
	return view == TOP_LATENCY ? COUNT(times) :
	       view == TOP_DEVICES ? COUNT(disks) :
				     COUNT(rates);
}

/* The mount namespace stands before the path only where paths of several are shown. */
static struct table_value name_of(const struct top_round *round, const struct top_row *row)
{
	unsigned at = round->view == TOP_FILES && !round->file && !round->sums.many_mntns ?
			      row->name_at :
			      0;

	return (struct table_value){ .known = true,
				     .text = row->key + at,
				     .len = row->key_len - at };
}

static void put_times(const struct top_round *round, const struct top_row *row,
		      struct table_value *values)
{
	values[0] = table_number(top_per_second(row->ops, round->ns));
	values[1] = table_number(row->errors);
	values[2] = time_of(row, mean(row));
	values[3] = percentile(row, 500);
	values[4] = percentile(row, 950);
	values[5] = percentile(row, 990);
	values[6] = time_of(row, row->max_ns);
	values[7] = name_of(round, row);
}

/* As iostat -x; of what the kernel has no counters of, nothing is known but what was traced. */
static void put_disk(const struct top_row *row, struct table_value *values)
{
	const struct top_disk_use *use = row->disk;
	uint64_t await;
	bool waited = use && top_disk_await(use, &await);

	values[0] = table_number_if(use, use ? top_disk_rate(use, use->disk.reads) : 0);
	values[1] = table_number_if(use, use ? top_disk_rate(use, use->disk.writes) : 0);
	values[2] = table_number_if(use, use ? top_disk_kb(use, use->disk.read_sectors) : 0);
	values[3] = table_number_if(use, use ? top_disk_kb(use, use->disk.write_sectors) : 0);
	values[4] = table_number_if(use, use ? top_disk_queue(use) : 0);
	values[5] = table_number_if(waited, waited ? await : 0);
	values[6] = table_number_if(use, use ? top_disk_util(use) : 0);
}

void top_values(const struct top_round *round, const struct top_row *row,
		struct table_value values[TABLE_MAX_COLUMNS])
{
	if (round->view == TOP_DEVICES) {
		put_disk(row, values);
		values[7] = table_number(row->errors);
		values[8] = time_of(row, row->max_ns);
		values[9] = name_of(round, row);
		return;
	}
	if (round->view == TOP_LATENCY) {
		put_times(round, row, values);
		return;
	}
	values[0] = table_number(top_per_second(row->ops, round->ns));
	values[1] = table_number(top_per_second(row->reads, round->ns));
	values[2] = table_number(top_per_second(row->read_bytes, round->ns));
	values[3] = table_number(top_per_second(row->writes, round->ns));
	values[4] = table_number(top_per_second(row->write_bytes, round->ns));
	values[5] = table_number(row->errors);
	values[6] = time_of(row, mean(row));
	values[7] = time_of(row, row->max_ns);
	values[8] = name_of(round, row);
}

/* ---- for programs ---- */

/* As in the rows of the trace, but the second is enough. */
static size_t time_text(char text[32], time_t wall)
{
	struct tm tm;

	localtime_r(&wall, &tm);
	return strftime(text, 32, "%Y-%m-%d %H:%M:%S", &tm);
}

static const struct table_column exact[] = {
	{ "time", TABLE_NAME },         { "interval_ns", TABLE_NS },
	{ "lost", TABLE_COUNT },        { "own_cpu", TABLE_SHARE },
	{ "operations", TABLE_COUNT },  { "reads", TABLE_COUNT },
	{ "read_bytes", TABLE_BYTES },  { "writes", TABLE_COUNT },
	{ "write_bytes", TABLE_BYTES }, { "errors", TABLE_COUNT },
	{ "mean_ns", TABLE_NS },        { "p50_ns", TABLE_NS },
	{ "p95_ns", TABLE_NS },         { "p99_ns", TABLE_NS },
	{ "max_ns", TABLE_NS },         { "mntns", TABLE_NAME },
	{ "name", TABLE_NAME },         { "r_per_s", TABLE_RATIO },
	{ "w_per_s", TABLE_RATIO },     { "rkb_per_s", TABLE_RATIO },
	{ "wkb_per_s", TABLE_RATIO },   { "aqu_sz", TABLE_RATIO },
	{ "await_ns", TABLE_NS },       { "util_percent", TABLE_RATIO },
};
/* before those of a row: of the interval; behind them: of a device */
enum { ROW_COLUMNS = 4, DISK_COLUMNS = 7 };

static unsigned exact_columns(const struct top_round *round)
{
	return COUNT(exact) - (round->view == TOP_DEVICES ? 0 : DISK_COLUMNS);
}

static void put_exact(const struct top_round *round, const struct top_row *row, const char *time,
		      size_t time_len, struct table_value values[COUNT(exact)])
{
	unsigned at = round->view == TOP_FILES ? row->name_at : 0;
	struct table_value all[COUNT(exact)] = {
		{ .known = true, .text = time, .len = time_len },
		table_number(round->ns),
		table_number(round->sums.lost),
		table_number((uint64_t)(round->own_cpu * 10000)),
		table_number(row->ops),
		table_number(row->reads),
		table_number(row->read_bytes),
		table_number(row->writes),
		table_number(row->write_bytes),
		table_number(row->errors),
		time_of(row, mean(row)),
		percentile(row, 500),
		percentile(row, 950),
		percentile(row, 990),
		time_of(row, row->max_ns),
		{ .known = at, .text = row->key, .len = at ? at - 1 : 0 },
		{ .known = true, .text = row->key + at, .len = row->key_len - at },
	};

	for (unsigned i = 0; i < COUNT(exact) - DISK_COLUMNS; i++)
		values[i] = all[i];
	put_disk(row, values + COUNT(exact) - DISK_COLUMNS);
}

static void begin_json(const struct top_round *round, FILE *out, const char *time)
{
	fprintf(out,
		"{\"time\": \"%s\", \"interval_ns\": %" PRIu64 ", \"lost\": %" PRIu64
		", \"own_cpu\": %.6f, \"operations\": %" PRIu64 ", \"%s\": ",
		time, round->ns, round->sums.lost, round->own_cpu / 100, round->sums.ops,
		top_view_names[round->view]);
}

static int print_exact(const struct top_round *round, FILE *out, enum table_format format,
		       unsigned n_rows, bool first)
{
	unsigned skip = format == TABLE_JSON ? ROW_COLUMNS : 0;
	struct table_value values[COUNT(exact)];
	struct table table;
	char time[32];
	size_t len = time_text(time, round->wall);
	int err;

	if (format == TABLE_JSON)
		begin_json(round, out, time);
	/* the header row stands once */
	table_begin(&table, out, format == TABLE_CSV && !first ? TABLE_TEXT : format, exact + skip,
		    exact_columns(round) - skip);
	table.format = format;
	for (unsigned i = 0; i < round->n && (!n_rows || i < n_rows); i++) {
		put_exact(round, &round->rows[i], time, len, values);
		table_row(&table, values + skip);
	}
	err = table_end(&table);
	if (format == TABLE_JSON)
		fputs("}\n", out);
	return err;
}

/* ---- both ---- */

static int print_text(const struct top_round *round, FILE *out, unsigned n_rows, bool first)
{
	struct table_value values[TABLE_MAX_COLUMNS];
	const struct table_column *columns;
	struct table table;
	unsigned n = top_columns(round->view, &columns);
	char when[16];
	struct tm tm;

	localtime_r(&round->wall, &tm);
	strftime(when, sizeof(when), "%H:%M:%S", &tm);
	fprintf(out, "%s%s  %s: %u  operations/s: %llu  lost: %llu  own CPU: %.1f%%\n",
		first ? "" : "\n", when, top_view_names[round->view], round->n,
		(unsigned long long)top_per_second(round->sums.ops, round->ns),
		(unsigned long long)round->sums.lost, round->own_cpu);
	table_begin(&table, out, TABLE_TEXT, columns, n);
	for (unsigned i = 0; i < round->n && (!n_rows || i < n_rows); i++) {
		top_values(round, &round->rows[i], values);
		table_row(&table, values);
	}
	return table_end(&table);
}

int top_print(const struct top_round *round, FILE *out, enum table_format format, unsigned n_rows,
	      bool first)
{
	int err = format == TABLE_TEXT ? print_text(round, out, n_rows, first) :
					 print_exact(round, out, format, n_rows, first);

	if (err || fflush(out) || ferror(out))
		return errno ? errno : ENOMEM;
	return 0;
}
