/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the running kernel calls the numbers in its records of dropped packets:
 * reasons, which mean something else in each version, and addresses of its code.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "compat/host/kernel.h"

struct drops;

/* host must outlive it. NULL without memory. */
struct drops *drops_open(const struct host *host);
void drops_close(struct drops *drops);

/*
 * "NETFILTER_DROP"; "" when the kernel has no word for the number, as for those of its parts
 * (mac80211 …).
 */
const char *drops_reason(const struct drops *drops, uint32_t reason);

/* False for the numbers below the first reason: not dropped, or consumed. */
bool drops_is_drop(const struct drops *drops, uint32_t reason);

/*
 * "function+0xoffset", "" when that is not known; valid until the next call. Where the function is the one
 * that frees packets, its caller dropped this one (0: not known).
 */
const char *drops_place(struct drops *drops, uint64_t address, uint64_t caller);
