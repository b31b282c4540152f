/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which rows are of which job: by the files, since fio's output has no numbers of threads. */
#include "analysis/fio/fio_against.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/cells.h"
#include "analysis/common/grow.h"
#include "analysis/common/rows_seen.h"
#include "base/log.h"
#include "read/read_merge.h"
#include "row/effects.h"
#include "row/fs_ops.h"
#include "row/row_words.h"

enum { FIRST_ROOM = 64, OF_FS = 0, OF_DS = 1, N_QUERIES = 2 };

/* The same numbers in both streams */
/* clang-format off */
#define FS_COLUMNS(COLUMN) \
	COLUMN(OPERATION, "operation", TEXT, .words = fs_operations) \
	COLUMN(FILENAME, "filename", PATH) \
	COLUMN(FLAGS, "flags", TEXT) \
	COLUMN(LATENCY, "latency_ns", UINT) \
	COLUMN(MONO, "mono_ns", UINT) \
	COLUMN(RESULT, "return_value", INT)
/* clang-format on */
READ_COLUMNS(fs_columns, N_FS_COLUMNS, FS_COLUMNS);

static const struct read_column ds_columns[] = {
	[OPERATION] = { .name = "operation", .kind = PARSE_TEXT, .words = ds_operations },
	[FILENAME] = { .name = "filename", .kind = PARSE_PATH },
	[FLAGS] = { .name = "queue_time_ms", .kind = PARSE_MS },
	[LATENCY] = { .name = "latency_ms", .kind = PARSE_MS },
	[MONO] = { .name = "mono_ns", .kind = PARSE_UINT },
};

static const struct read_query queries[N_QUERIES] = {
	[OF_FS] = { STREAM_fs, fs_columns, N_FS_COLUMNS },
	[OF_DS] = { STREAM_ds, ds_columns, sizeof(ds_columns) / sizeof(ds_columns[0]) },
};

static const struct column_meaning meanings[] = { { NULL, NULL } };

/* Of each path the jobs are asked once, when it comes first. NULL: of no job, or no memory. */
static struct fio_seen *seen_of(struct fio_against *a, const struct field *name)
{
	uint64_t before = a->files.n;
	int64_t file = name->len ? fio_file_at(&a->files, name->text, name->len) : -1;

	if (file < 0) {
		a->no_memory = a->no_memory || name->len;
		return NULL;
	}
	if (a->files.n > before) {
		if (!grow(&a->job_of, &a->max_files, a->files.n, FIRST_ROOM, sizeof(*a->job_of))) {
			a->no_memory = true;
			return NULL;
		}
		a->job_of[file] = fio_result_job_of(&a->result, name->text, name->len);
	}
	return a->job_of[file] < 0 ? NULL : &a->seen[a->job_of[file]];
}

static void add(struct fio_against *a, const struct field *f, unsigned kind, uint64_t ns)
{
	struct fio_seen *seen = seen_of(a, &f[FILENAME]);

	if (!seen)
		return;
	seen->n[kind]++;
	if (ns > seen->max[kind])
		seen->max[kind] = ns;
	if (!latency_set_add(&seen->times, kind, ns))
		a->no_memory = true;
}

static void add_row(struct fio_against *a, unsigned query, const struct field *f)
{
	unsigned effects;

	if (!f[OPERATION].known || !f[LATENCY].known)
		return;
	if (query == OF_DS) {
		/* with the time in the queue, which those who wait for the call wait for, too */
		effects = ds_effects((unsigned)f[OPERATION].u);
		if (effects)
			add(a, f, FIO_DEVICE + !(effects & READS), f[LATENCY].u + f[FLAGS].u);
		return;
	}
	/* rows that repeat others would count twice; a call that failed moved nothing */
	if (f[OPERATION].u >= IOT_N_OPS || fs_ops[f[OPERATION].u].traits & FS_SYNTHETIC ||
	    f[RESULT].s < 0)
		return;
	effects = fs_row_effects((unsigned)f[OPERATION].u, &f[FLAGS], &f[FILENAME]);
	if (effects & (READS | WRITES | SYNCS))
		add(a, f, effects & READS ? 0 : effects & WRITES ? 1 : 2, f[LATENCY].u);
}

static int read_rows(struct fio_against *a, const struct read_session *session, uint64_t from,
		     uint64_t to)
{
	struct read_merge *merge = read_merge_open(session, queries, N_QUERIES);
	struct rows_seen seen = { .rows = 0 };
	struct read_merged row;

	if (!merge)
		return -ENOMEM;
	while (!a->no_memory && read_merge_next(merge, &row)) {
		if (row.mono_ns < from || row.mono_ns >= to)
			continue;
		if (row.query == OF_FS)
			rows_seen_row(&seen, row.mono_ns);
		add_row(a, row.query, row.fields);
	}
	read_merge_totals(merge, OF_FS, &seen.totals, &seen.columns);
	a->gaps = rows_seen_gaps(&seen, session, a->host, &queries[OF_FS], meanings);
	read_merge_close(merge);
	return a->no_memory ? -ENOMEM : 0;
}

int fio_against_open(struct fio_against *a, const char *file, struct read_session *session,
		     const char *dir, const struct row_filter *filter)
{
	uint64_t from, to;
	struct wall wall;
	int err = read_session_open(session, dir);

	if (err)
		return err;
	read_session_host(session, a->host);
	if (!session->streams[STREAM_fs].on) {
		log_error("%s: fs was not recorded there; record with -e fs,ds", dir);
		return -ENOENT;
	}
	wall_make(&wall, session);
	err = row_filter_begin(filter, &wall, &from, &to);
	if (!err)
		err = fio_result_read(&a->result, file);
	if (err)
		return err;
	a->seen = calloc(a->result.n, sizeof(*a->seen));
	err = a->seen ? read_rows(a, session, from, to) : -ENOMEM;
	if (err)
		log_error("%s: %s", dir, strerror(-err));
	return err;
}

/* ---- the table ---- */

/* Of a trace, of its calls and of the devices; NULL: text has no room for that column. */
struct row_names {
	const char *n[3], *p[FIO_PERCENTILES][3], *max[3];
};

static const struct row_names exact = {
	{ "fio_count", "count", "device_count" },
	{ { "fio_p50_ns", "p50_ns", "device_p50_ns" },
	  { "fio_p95_ns", "p95_ns", "device_p95_ns" },
	  { "fio_p99_ns", "p99_ns", "device_p99_ns" } },
	{ "fio_max_ns", "max_ns", "device_max_ns" },
};
static const struct row_names shown = {
	{ "FIO", "CALLS", "REQUESTS" },
	{ { "FIO P50", "CALL P50", "DEV P50" },
	  { NULL, NULL, NULL },
	  { "FIO P99", "CALL P99", "DEV P99" } },
	{ "FIO MAX", "CALL MAX", "DEV MAX" },
};

static void put_times(struct cells *c, const struct row_names *names, const struct fio_told *told,
		      const struct fio_seen *seen, unsigned time)
{
	struct latencies calls, device = { .n = 0 };

	latency_set_take(&seen->times, time, seen->max[time], &calls);
	/* of syncs there are none: the flush of a device names no file */
	if (time < FIO_KINDS - FIO_TIMES)
		latency_set_take(&seen->times, FIO_DEVICE + time, seen->max[FIO_DEVICE + time],
				 &device);
	cell(c, names->n[0], TABLE_COUNT, table_number(told->n));
	cell(c, names->n[1], TABLE_COUNT, table_number(calls.n));
	cell(c, names->n[2], TABLE_COUNT, table_number(device.n));
	for (unsigned i = 0; i < FIO_PERCENTILES; i++) {
		if (!names->p[i][0])
			continue;
		cell(c, names->p[i][0], TABLE_NS, table_number_if(told->n, told->percentile[i]));
		cell(c, names->p[i][1], TABLE_NS,
		     table_number_if(calls.n, latencies_percentile(&calls, fio_percentiles[i])));
		cell(c, names->p[i][2], TABLE_NS,
		     table_number_if(device.n, latencies_percentile(&device, fio_percentiles[i])));
	}
	cell(c, names->max[0], TABLE_NS, table_number_if(told->n, told->max));
	cell(c, names->max[1], TABLE_NS, table_number_if(calls.n, calls.max));
	cell(c, names->max[2], TABLE_NS, table_number_if(device.n, device.max));
}

static void put_row(struct cells *c, bool text, const struct fio_result_job *job,
		    const struct fio_seen *seen, unsigned time)
{
	static const char *const words[FIO_TIMES] = { "read", "write", "sync" };

	if (!text)
		cell(c, "job", TABLE_NAME, table_text(job->name));
	cell(c, text ? "OPERATION" : "operation", TABLE_NAME, table_text(words[time]));
	put_times(c, text ? &shown : &exact, &job->told[time], seen, time);
	if (text)
		cell(c, "JOB", TABLE_NAME, table_text(job->name));
	cells_row(c);
}

/* As the JSON of other readers begins. */
static int begin_json(FILE *out, const struct gaps *gaps)
{
	json_t *trace = gaps_json(gaps);
	int err = -ENOMEM;

	fputs("{\n  \"traces\": [", out);
	if (trace && !json_dumpf(trace, out, JSON_COMPACT | JSON_ENSURE_ASCII))
		err = 0;
	fputs("],\n  \"jobs\": ", out);
	json_decref(trace);
	return err;
}

int fio_against_print(FILE *out, const struct fio_against *a, enum table_format format)
{
	bool text = format == TABLE_TEXT;
	struct cells c;
	int err;

	if (text) {
		gaps_print(out, "", &a->gaps, true);
		fputc('\n', out);
	}
	err = format == TABLE_JSON ? begin_json(out, &a->gaps) : 0;
	if (err)
		return err;
	cells_begin(&c, out, format);
	for (uint64_t i = 0; i < a->result.n; i++)
		for (unsigned time = 0; time < FIO_TIMES; time++)
			if (a->result.jobs[i].told[time].n || a->seen[i].n[time])
				put_row(&c, text, &a->result.jobs[i], &a->seen[i], time);
	err = cells_end(&c);
	fputs(format == TABLE_JSON ? "\n}\n" : "", out);
	return err;
}

void fio_against_free(struct fio_against *a)
{
	for (uint64_t i = 0; a->seen && i < a->result.n; i++)
		latency_set_free(&a->seen[i].times);
	free(a->seen);
	free(a->job_of);
	fio_files_free(&a->files);
	fio_result_free(&a->result);
}
