/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Amplification as text, CSV or JSON. */
#pragma once

#include <stdio.h>

#include <jansson.h>

#include "analysis/amp/amp.h"
#include "analysis/common/table.h"

struct amp_view {
	uint64_t top;   /* groups; 0: all */
	double seconds; /* that the rows cover; 0: not known */
	bool net;       /* bytes of the network, too */
};

/* With what a person reads beside the numbers. Returns 0 or -ENOMEM, as all of these. */
int amp_print_text(FILE *out, const struct amp_groups *groups, const struct amp_view *view);
/* TABLE_CSV, or the list of a JSON document. */
int amp_print_exact(FILE *out, const struct amp_groups *groups, const struct amp_view *view,
		    enum table_format format);
/* The same of groups that come one after the other, NULL at the end, in their order. */
typedef const struct amp_group *amp_next_fn(void *arg);
int amp_print_exact_each(FILE *out, const struct amp_groups *groups, const struct amp_view *view,
			 enum table_format format, amp_next_fn *next, void *arg);

/* A number of its columns by name; -1: there is none of it. */
int amp_metric_find(const char *name);
enum table_type amp_metric_type(int metric);
/* False: not known. */
bool amp_metric(const struct amp_group *group, int metric, uint64_t *value);
/* Its columns, by system, as a Table Schema; a new reference. */
json_t *amp_print_schema(void);
