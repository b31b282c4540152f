/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests of devices on a timeline. */
#pragma once

#include "analysis/timeline/timeline_rows.h"

extern const struct timeline_source timeline_device;

/* Throughput that was not told yet. */
void timeline_devices_end(struct timeline *timeline);
