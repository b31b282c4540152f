/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a request counts as that no program saw complete: decided as the programs do, by their tables. */
#pragma once

#include <stdbool.h>

#include "row/records.h"

struct trace;

/*
 * One request of all its bytes, without a time. Returns false when it is nobody's, or no read and no
 * write, and without the stream layers.
 */
bool trace_count_request(const struct trace *trace, struct iot_rq *rq, struct iot_count_key *key,
			 struct iot_count *counted);
