/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What record, build and doctor begin with: the host, and a plan for the wished streams. */
#pragma once

#include "compat/host/kernel.h"
#include "plan/plan.h"
#include "row/schema.h"

/*
 * Opens the host (mounting tracefs on the running one if nobody did) and makes
 * the plan for the chosen streams; wishes: what else a request has, or NULL. Returns 0, or 1 when
 * nothing can be traced: the reason and what helps were printed. The host is to be closed either
 * way.
 */
int setup_plan(struct host **host, struct plan *plan, const struct host_options *options,
	       const bool chosen[N_STREAMS], const struct plan_request *queries);

struct setup_image {
	const char *name;
	const char *plan; /* the text that it carries */
	bool named;       /* the streams were named: each must be in the image */
};

/*
 * The same with the plan that an image carries, narrowed to the chosen streams.
 * Options that the image contradicts are an error.
 */
int setup_image_plan(struct host **host, struct plan *plan, const struct host_options *options,
		     const bool chosen[N_STREAMS], const struct plan_request *queries,
		     const struct setup_image *image);

/*
 * Notes what is off, once per requested capability. Of named streams (NULL, or
 * one bool a stream) those that are off altogether are warned about.
 */
void setup_report(const struct plan *plan, const bool *named);

/*
 * The kernel gives its programs process numbers of the first PID namespace, while
 * /proc, -p and fork speak of ours: elsewhere no filter, no name and no exclusion
 * of the tracer itself would be right. Returns -EPERM there, with a message.
 */
int setup_check_namespace(void);
