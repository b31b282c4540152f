/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A model as text of Prometheus' format 0.0.4, which node_exporter's textfile collector reads. */
#pragma once

#include <stdio.h>

#include "analysis/metrics/metrics_model.h"

struct metrics_tracer {
	double started; /* seconds since 1970 */
	bool up;        /* it goes on */
	uint64_t cpu_ns, memory_bytes;
};

void metrics_print(FILE *out, const struct metrics_model *model,
		   const struct metrics_tracer *tracer);
