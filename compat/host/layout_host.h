/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout of one host: its source, and the facts that depend on it. */
#pragma once

#include "compat/host/kernel.h"
#include "compat/layout/layout.h"

#define LAYOUT_SAVED "iotracer/layout" /* in the files of a saved host: layout_write() */

/* Finds the best source and fills headers…, layout… of the host. */
void layout_find(struct host *host, const struct host_options *options);

/* A fact of kernel.def of kind HEADER, MEMBER or WORD, by host->layout. */
bool layout_fact_holds(const struct host *host, const char *arg);

/* The host's layout as text (see layout_write()), to be freed; NULL if unknown or out of memory. */
char *layout_text(const struct host *host, size_t *size);
