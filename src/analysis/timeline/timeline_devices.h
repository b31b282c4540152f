/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests of devices on a timeline. */
#ifndef IOT_TIMELINE_DEVICES_H
#define IOT_TIMELINE_DEVICES_H

#include "analysis/timeline/timeline_rows.h"

extern const struct timeline_source timeline_device;

/* Throughput that was not told yet. */
void timeline_devices_end(struct timeline *timeline);

#endif
