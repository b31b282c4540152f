/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Says which operations of stream fs are made of completed requests of io_uring, by the plan. */
#pragma once

#include <stdint.h>

struct plan;

/*
 * A bit for each operation of fs (enum iot_op) whose rows are made of completed requests of
 * io_uring.
 */
uint64_t fs_of_requests(const struct plan *plan);
