/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions on what a storage system did in a second, for so many seconds, and what is done then.
 */
#pragma once

#include "analysis/amp/amp.h"

enum amp_alert_op { AMP_ABOVE, AMP_AT_LEAST, AMP_BELOW, AMP_AT_MOST };
enum { AMP_MAX_ALERTS = 8 };

struct amp_alert {
	char text[96]; /* as it was asked for */
	int metric;    /* of amp_metric_find() */
	enum amp_alert_op op;
	uint64_t limit; /* in the metric's unit */
	unsigned for_s; /* seconds in a row */
};

struct amp_alert_options {
	struct amp_alert list[AMP_MAX_ALERTS];
	unsigned n;
	const char *command; /* for the shell; NULL: none */
};

struct amp_alert_state;

/* Zeroed except options, which stay the caller's. */
struct amp_alerts {
	const struct amp_alert_options *options;
	struct amp_alert_state *states;
};

/*
 * What each system did in a second; a system that is not in it did nothing. Says when a condition
 * has been true for long enough, once, and when it is over; runs the command then, which is not
 * waited for.
 */
void amp_alerts_look(struct amp_alerts *alerts, const struct amp_groups *second);
void amp_alerts_free(struct amp_alerts *alerts);
