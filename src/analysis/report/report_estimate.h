/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a trace says of the rates and latencies of the system that it is a sample of, with the
 * interval in which these lie with a confidence of 95 %. What comes in bursts is less sure than
 * the same number of independent operations: how much less, the numbers over time say.
 */
#pragma once

#include "analysis/report/report.h"

struct estimate {
	bool known;
	bool bounded; /* low and high are known: there was enough to tell */
	double value, low, high;
};

/* Of a series over time, per second. */
struct estimate report_rate(const struct report *report, enum stream_id stream,
			    enum report_series which);
struct estimate report_percentile(const struct report *report, const struct report_item *item,
				  unsigned per_mille);
