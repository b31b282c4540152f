/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls on sockets, faults of pages, and programs that begin and end, on a timeline. */
#pragma once

#include "analysis/timeline/timeline_rows.h"

extern const struct timeline_source timeline_threads[TIMELINE_THREADS];
