/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which measures of a load are compared, and what counts as the same. */
#include "analysis/fio/fio_check.h"

#include <errno.h>

#include "analysis/common/cells.h"
#include "read/read_merge.h"
#include "row/effects.h"
#include "row/row_words.h"

enum { WITHIN = 10 /* per cent */, MILLION = 1000000 };

/* clang-format off */
#define COLUMNS(COLUMN) \
	COLUMN(OPERATION, "operation", TEXT, .words = ds_operations) \
	COLUMN(SIZE, "size", UINT) \
	COLUMN(LATENCY, "latency_ms", MS) \
	COLUMN(QUEUE, "queue_time_ms", MS) \
	COLUMN(MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(columns, N_COLUMNS, COLUMNS);

/* Latency and queue together: divided by the time of the trace, how many requests there were at once. */
static int add_devices(struct fio_sums *sums, const struct read_session *session)
{
	static const struct read_query query = { STREAM_ds, columns, N_COLUMNS };
	struct read_merge *merge = read_merge_open(session, &query, 1);
	struct read_merged row;

	if (!merge)
		return -ENOMEM;
	while (read_merge_next(merge, &row)) {
		if (!ds_effects((unsigned)row.fields[OPERATION].u))
			continue;
		sums->requests++;
		sums->request_bytes += row.fields[SIZE].u;
		sums->request_ns += row.fields[LATENCY].u + row.fields[QUEUE].u;
	}
	read_merge_close(merge);
	return 0;
}

int fio_sums_make(struct fio_sums *sums, const struct fio_reading *r)
{
	uint64_t first = UINT64_MAX, end = 0;

	for (uint64_t i = 0; i < r->replay.n_uses; i++)
		if (r->replay.uses[i].shape)
			fio_shape_join(&sums->shape, r->replay.uses[i].shape);
	for (uint64_t i = 0; i < r->fio.n_jobs; i++) {
		if (r->fio.jobs[i].first_ns < first)
			first = r->fio.jobs[i].first_ns;
		if (r->fio.jobs[i].end_ns > end)
			end = r->fio.jobs[i].end_ns;
	}
	sums->span_ns = end > first ? end - first : 0;
	sums->has_devices = r->session.streams[STREAM_ds].on;
	return sums->has_devices ? add_devices(sums, &r->session) : 0;
}

struct measure {
	const char *name;
	enum table_type type;
	struct table_value of[2];
};

static struct table_value mean(uint64_t sum, uint64_t n)
{
	return table_number_if(n, n ? sum / n : 0);
}

static struct table_value ratio(uint64_t part, uint64_t whole)
{
	return table_share(part, whole);
}

enum { N_MEASURES = 16 };

/* t: 0 the trace, 1 the profile */
static void measure(const struct fio_sums *s, unsigned t, struct measure list[N_MEASURES])
{
	const struct fio_shape *sh = &s->shape;
	uint64_t n = sh->n[0] + sh->n[1], syncs = sh->syncs + sh->datasyncs;
	const struct {
		const char *name;
		enum table_type type;
		struct table_value value;
	} values[N_MEASURES] = {
		{ "reads", TABLE_COUNT, table_number(sh->n[0]) },
		{ "writes", TABLE_COUNT, table_number(sh->n[1]) },
		{ "read_bytes", TABLE_BYTES, table_number(sh->bytes[0]) },
		{ "write_bytes", TABLE_BYTES, table_number(sh->bytes[1]) },
		{ "read_share", TABLE_SHARE, ratio(sh->n[0], n) },
		{ "read_size", TABLE_BYTES, mean(sh->bytes[0], sh->n[0]) },
		{ "write_size", TABLE_BYTES, mean(sh->bytes[1], sh->n[1]) },
		{ "sequential_reads", TABLE_SHARE, ratio(sh->sequential[0], sh->n[0]) },
		{ "sequential_writes", TABLE_SHARE, ratio(sh->sequential[1], sh->n[1]) },
		{ "busiest_tenth", TABLE_SHARE,
		  table_number_if(fio_skew_share(sh->tenths), fio_skew_share(sh->tenths)) },
		{ "writes_per_sync", TABLE_RATIO, ratio(sh->n[1], syncs) },
		{ "calls_at_once", TABLE_RATIO, ratio(sh->busy_ns, s->span_ns) },
		{ "time", TABLE_NS, table_number(s->span_ns) },
		{ "device_requests", TABLE_COUNT, table_number_if(s->has_devices, s->requests) },
		{ "device_bytes", TABLE_BYTES, table_number_if(s->has_devices, s->request_bytes) },
		{ "requests_at_once", TABLE_RATIO,
		  s->has_devices ? ratio(s->request_ns, s->span_ns) : table_number_if(false, 0) },
	};

	for (unsigned i = 0; i < N_MEASURES; i++) {
		list[i].name = values[i].name;
		list[i].type = values[i].type;
		list[i].of[t] = values[i].value;
	}
}

/* Of shares, points count: 3 % is as good as 1 %. */
static bool is_within(const struct measure *m)
{
	uint64_t a = m->of[0].u, b = m->of[1].u, apart = a > b ? a - b : b - a;

	if (!m->of[0].known) /* nothing to compare with: ds was not recorded */
		return true;
	if (!m->of[1].known)
		return false;
	if (m->type == TABLE_SHARE)
		/* shares are in millionths */
		return apart <= (uint64_t)WITHIN * MILLION / 100;
	return apart * 100 <= a * WITHIN;
}

int fio_check_print(FILE *out, const struct fio_sums *before, const struct fio_sums *after,
		    unsigned *apart)
{
	struct measure list[N_MEASURES];
	struct cells c;

	measure(before, 0, list);
	measure(after, 1, list);
	cells_begin(&c, out, TABLE_TEXT);
	*apart = 0;
	for (unsigned i = 0; i < N_MEASURES; i++) {
		const struct measure *m = &list[i];

		if (!m->of[0].known && !m->of[1].known)
			continue;
		for (unsigned t = 0; t < 2; t++) {
			struct table_value v = m->of[t];

			v.type = (uint8_t)m->type;
			cell(&c, t ? "PROFILE" : "TRACE", TABLE_EACH, v);
		}
		cell(&c, "WITHIN 10%", TABLE_NAME,
		     table_text(!m->of[0].known ? "-" :
				is_within(m)    ? "yes" :
						  "no"));
		cell(&c, "MEASURE", TABLE_NAME, table_text(m->name));
		cells_row(&c);
		*apart += !is_within(m);
	}
	return cells_end(&c);
}
