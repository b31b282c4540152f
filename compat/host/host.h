/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host opened: the running one, or what was saved of another. */
#pragma once

#include "compat/host/kernel.h"

/*
 * Reads the facts; never fails for a missing file, whose absence is a fact.
 * NULL only without memory or when root is not a directory (reported).
 */
struct host *host_open(const struct host_options *options);
void host_close(struct host *host);
