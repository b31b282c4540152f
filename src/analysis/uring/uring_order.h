/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order in which groups are shown. */
#pragma once

#include "analysis/uring/uring.h"

/*
 * Whole groups by a column of uring_print_exact(), behind each of them its opcodes; NULL: those
 * with the most requests first, by host.
 */
void uring_sort(struct uring *uring, const char *column);
