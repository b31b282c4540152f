/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Column given of stream fs (--given): names as programs gave them to their calls. Where the kernel
 * found no file they come with the record that is handled; else they were sent before it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "row/format.h"
#include "row/records.h"

struct events;
struct path;
struct plan;

/* As stream_ops.open and close: there is no state where the plan does without given names. */
int fs_given_open(void **state, const struct plan *plan);
void fs_given_close(void *state);

/* A text of IOT_TEXT_GIVEN or IOT_TEXT_GIVEN2, of whose thread a record follows; takes the reference. */
void fs_given_sent(struct events *ev, const struct iot_text *text, struct path *path);
/* A record is handled next that began at that time: what was sent for it is its own, all else is not. */
void fs_given_begin(struct events *ev, uint32_t tid, uint64_t start);
/* The first or second name, which came with the record that is handled; borrowed. */
void fs_given_came(struct events *ev, bool second, struct path *path);
/*
 * What the program gave, if shown, the path of the row (NULL: none), has another text; pair: as two names;
 * directory: a slash at its end is no other text. The text is borrowed until the next record.
 */
struct format_text fs_given_cell(struct events *ev, const struct path *shown, bool pair,
				 bool directory);
