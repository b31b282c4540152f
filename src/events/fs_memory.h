/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes rows of stream fs of calls on mappings of files. */
#pragma once

struct events;
struct iot_more;

void fs_memory_map(struct events *ev, struct iot_more *more);
/* A call on a range of memory: the first mapping of a file in it, if there is one. */
void fs_memory_call(struct events *ev, struct iot_more *more);
