/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The charts of `amp`. */
#pragma once

#include "analysis/amp/amp_print.h"

/*
 * Five files in dir, which is made when it is missing: amplification.svg, operations.svg,
 * latency.svg, efficiency.svg and bytes.svg; of view->top groups. Returns 0 or -errno, reported.
 */
int amp_write_charts(const char *dir, const struct amp_groups *groups, const struct amp_view *view);
