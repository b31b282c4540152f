/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many times as much one layer did as the one above it. */
#pragma once

#include "analysis/amp/amp.h"

/* In millionths: (VFS + BLK) / SYS by count; false: not known, or division by nothing. */
bool amp_by_count(const struct amp_group *group, enum amp_direction direction, uint64_t *ratio);
/* ns which so many of a thousand do not exceed; false: no time is known. */
bool amp_percentile(const struct amp_group *group, enum amp_layer layer,
		    enum amp_direction direction, unsigned per_mille, uint64_t *ns);
/* Device bytes for each byte of system calls. */
bool amp_by_bytes(const struct amp_group *group, enum amp_direction direction, uint64_t *ratio);
/* Bytes sent to other hosts for each byte received from them. */
bool amp_by_net(const struct amp_group *group, uint64_t *ratio);
/* Most of what was written may not have reached a device yet: a factor would say nothing. */
bool amp_waits(const struct amp_group *group, enum amp_direction direction);
/* "perfect" (up to 1), "good" (3), "moderate" (10), "high". */
const char *amp_band(uint64_t ratio);
