/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In which containers processes are: by events of exec where these are recorded, else by /proc, of which
 * a process is asked once in an interval.
 */
#pragma once

#include "analysis/common/operation.h"

struct top_containers;

/* proc: "/proc", root: "" for this machine; both borrowed. NULL without memory. */
struct top_containers *top_containers_open(const char *proc, const char *root);
void top_containers_close(struct top_containers *containers);

/* Of the process that an operation is of, as reports name it: valid until the next interval begins. */
const char *top_containers_of(struct top_containers *containers, const struct operation *op);
/* A new interval begins. */
void top_containers_reset(struct top_containers *containers);
