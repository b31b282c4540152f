/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which numbers of amplification are drawn, and how. */
#include "analysis/amp/amp_charts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/amp/amp_factors.h"
#include "analysis/amp/chart.h"
#include "base/log.h"
#include "base/output_file.h"

enum { ONE = 1000000, SERIES = AMP_N_LAYERS * AMP_N_DIRECTIONS };

#define LAYERS_AND_DIRECTIONS                                                                      \
	{                                                                                          \
		"syscall reads", "syscall writes", "vfs reads", "vfs writes", "block reads",       \
			"block writes"                                                             \
	}

_Static_assert((int)SERIES <= (int)CHART_SERIES, "each layer and direction has a colour");

static bool is_known(const struct amp_group *group, unsigned layer)
{
	return layer != AMP_VFS || group->vfs;
}

static struct chart_value ratio_of(const struct amp_group *group, unsigned direction,
				   bool (*factor)(const struct amp_group *, enum amp_direction,
						  uint64_t *))
{
	struct chart_value value = { .known = false };

	value.known = factor(group, (enum amp_direction)direction, &value.u);
	return value;
}

/* In the order of the chart's series; so in the functions below. */
static void set_factors(struct chart_value *values, const struct amp_group *group)
{
	for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++) {
		values[d] = ratio_of(group, d, amp_by_bytes);
		values[AMP_N_DIRECTIONS + d] = ratio_of(group, d, amp_by_count);
	}
}

static void set_counts(struct chart_value *values, const struct amp_group *group)
{
	for (unsigned i = 0; i < SERIES; i++)
		values[i] = (struct chart_value){
			.known = is_known(group, i / AMP_N_DIRECTIONS),
			.u = group->sums.sides[i / AMP_N_DIRECTIONS][i % AMP_N_DIRECTIONS].count,
		};
}

static void set_times(struct chart_value *values, const struct amp_group *group)
{
	for (unsigned i = 0; i < SERIES; i++) {
		enum amp_layer layer = (enum amp_layer)(i / AMP_N_DIRECTIONS);
		enum amp_direction direction = (enum amp_direction)(i % AMP_N_DIRECTIONS);

		/* in thousandths: the median and the 99th percentile */
		values[i].known = amp_percentile(group, layer, direction, 500, &values[i].u);
		if (values[i].known)
			amp_percentile(group, layer, direction, 990, &values[i].mark);
	}
}

static void set_bytes(struct chart_value *values, const struct amp_group *group)
{
	const struct amp_sums *s = &group->sums;
	const uint64_t bytes[SERIES] = {
		s->sides[AMP_SYS][AMP_READ].bytes,  s->sides[AMP_BLK][AMP_READ].bytes,
		s->sides[AMP_SYS][AMP_WRITE].bytes, s->classes[AMP_DATA],
		s->classes[AMP_METADATA],           s->classes[AMP_JOURNAL],
	};

	for (unsigned i = 0; i < SERIES; i++)
		values[i] = (struct chart_value){ .known = true, .u = bytes[i] };
}

static const struct {
	const char *file;
	void (*set)(struct chart_value *values, const struct amp_group *group);
	struct chart chart;
} bars[] = {
	{ "amplification.svg",
	  set_factors,
	  { .title = "Amplification",
	    .unit = "device bytes for each byte that applications moved; by count: (VFS + block) / system calls",
	    .type = TABLE_RATIO,
	    .series = { "reads, bytes", "writes, bytes", "reads, count", "writes, count" },
	    .line = ONE,
	    .line_text = "1.00" } },
	{ "operations.svg",
	  set_counts,
	  { .title = "Operations by layer",
	    .unit = "calls and requests",
	    .type = TABLE_COUNT,
	    .scale = CHART_LOG,
	    .series = LAYERS_AND_DIRECTIONS } },
	{ "latency.svg",
	  set_times,
	  { .title = "Latency by layer",
	    .unit = "median | 99th percentile, which is the tick",
	    .type = TABLE_NS,
	    .scale = CHART_LOG,
	    .series = LAYERS_AND_DIRECTIONS } },
	{ "bytes.svg",
	  set_bytes,
	  { .title = "Bytes moved",
	    .unit = "bytes of system calls, and of device requests by their class",
	    .type = TABLE_BYTES,
	    .series = { "syscall reads", "block reads", "syscall writes", "block writes: data",
			"metadata", "journal" } } },
};

static int draw_bars(FILE *out, const struct amp_groups *groups, uint64_t n, size_t which)
{
	/* one more, because of none calloc() may return NULL */
	struct chart_row *rows = calloc(n + 1, sizeof(*rows));
	int err = rows ? 0 : -ENOMEM;

	for (uint64_t i = 0; i < n && rows; i++) {
		rows[i].name = groups->list[i]->name;
		bars[which].set(rows[i].values, groups->list[i]);
	}
	if (!err)
		err = chart_bars(out, &bars[which].chart, rows, n);
	free(rows);
	return err;
}

static int draw_points(FILE *out, const struct amp_groups *groups, uint64_t n)
{
	static const struct chart chart = {
		.title = "Efficiency",
		.unit = "device bytes for each byte that applications moved, by how many these were",
		.type = TABLE_RATIO,
		.series = { "reads", "writes" },
		.line = ONE,
	};
	/* where each ends; the last one does not */
	static const uint64_t bands[] = { ONE, 3 * ONE, 10 * ONE, 0 };
	static const char *const names[] = { "perfect", "good", "moderate", "high" };
	static const struct chart_plane plane = { .x_type = TABLE_BYTES,
						  .x_unit = "bytes that applications moved",
						  .bands = bands,
						  .band_names = names };
	struct chart_point *points = calloc(n * AMP_N_DIRECTIONS + 1, sizeof(*points));
	uint64_t n_points = 0;
	int err;

	if (!points)
		return -ENOMEM;
	for (uint64_t i = 0; i < n; i++)
		for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++) {
			const struct amp_group *group = groups->list[i];
			const struct chart_value value = ratio_of(group, d, amp_by_bytes);

			if (value.known)
				points[n_points++] = (struct chart_point){
					.name = group->name,
					.series = d,
					.x = group->sums.sides[AMP_SYS][d].bytes,
					.y = value.u
				};
		}
	err = chart_points(out, &chart, &plane, points, n_points);
	free(points);
	return err;
}

/* which: of bars, or the number behind them for the points. */
static int write_chart(const char *dir, const char *name, const struct amp_groups *groups,
		       uint64_t n, size_t which)
{
	struct output_file file;
	char path[PATH_MAX];
	int err;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path)) {
		log_error("%s: %s", dir, strerror(ENAMETOOLONG));
		return -ENAMETOOLONG;
	}
	err = output_file_open(&file, path);
	if (err)
		return err;
	err = which < sizeof(bars) / sizeof(bars[0]) ? draw_bars(file.out, groups, n, which) :
						       draw_points(file.out, groups, n);
	if (err)
		log_error("%s: %s", path, strerror(-err));
	return output_file_close(&file, err);
}

int amp_write_charts(const char *dir, const struct amp_groups *groups, const struct amp_view *view)
{
	uint64_t n = view->top && view->top < groups->n ? view->top : groups->n;
	size_t n_bars = sizeof(bars) / sizeof(bars[0]);
	int err = 0;

	if (mkdir(dir, 0700) && errno != EEXIST)
		err = -errno;
	else if (output_file_foreign_link(dir))
		err = -ELOOP;
	if (err)
		log_error("%s: %s", dir, strerror(-err));
	for (size_t i = 0; i < n_bars && !err; i++)
		err = write_chart(dir, bars[i].file, groups, n, i);
	return err ? err : write_chart(dir, "efficiency.svg", groups, n, n_bars);
}
