/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happened in the last interval, added up by file, process, device, connection, layer,
 * ring and kind of operation: in bounded memory, begun again with each interval.
 */
#pragma once

#include "analysis/common/operation.h"
#include "analysis/top/top_containers.h"
#include "analysis/top/top_rows.h"

struct top_model;

/* containers: borrowed. NULL without memory */
struct top_model *top_model_open(struct top_containers *containers);
void top_model_close(struct top_model *model);

void top_model_feed(struct top_model *model, const struct operation *op);
/*
 * The highest first, valid until the next interval begins; nothing is fed before. What there
 * was no room for is one row, "(others)".
 */
unsigned top_model_rows(struct top_model *model, enum top_view view, enum top_sort sort,
			const struct top_row **rows);
/* What the kernel says of rows of devices; of those that were busy there is one in any case. */
void top_model_add_disks(struct top_model *model, const struct top_disk_use *uses, unsigned n);
/*
 * Rows of devices get their names ("vda") in place of their numbers. name: of a number as in the
 * rows, to at most 32 bytes; false: it has none.
 */
void top_model_name_devices(struct top_model *model,
			    bool (*name)(const char *number, size_t len, char out[32]));
struct top_sums top_model_sums(const struct top_model *model);
/* A new interval begins. */
void top_model_reset(struct top_model *model);
