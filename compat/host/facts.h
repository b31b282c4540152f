/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of facts about a host, kernel.def, answered. */
#pragma once

#include "compat/host/kernel.h"

/* Answers every fact of a host whose config, tracefs and layouts have been found. */
void facts_read(struct host *host);

/* Name of a fact ("PROBE_READ_KERNEL") and the kernel version and commit it came with. */
const char *fact_name(enum fact fact);
const char *fact_since(enum fact fact);
