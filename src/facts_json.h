/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a session adds to manifest.json: the host, the plan, clocks and the account of losses. */
#ifndef IO_FACTS_JSON_H
#define IO_FACTS_JSON_H

#include <jansson.h>

#include "events.h"
#include "format.h"
#include "plan.h"
#include "trace.h"

/* A new object, or NULL without memory. */
json_t *facts_manifest(const struct plan *plan, const struct trace *trace, struct events *events,
		       const struct format_clock *clocks, unsigned n_clocks);

#endif
