/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan to one BPF translation unit: what the plan chose as defines, the
 * tracepoint records as this host lays them out, then the texts of probes/.
 * Everything a user may set at run time (filters, sizes) stays out of it, so
 * that one text per kernel and set of streams serves every run.
 */
#pragma once

#include "plan/plan.h"

/*
 * The text, to be freed; NULL without memory or when a tracepoint's format is unreadable
 * (reported).
 */
char *source_make(const struct plan *plan);
