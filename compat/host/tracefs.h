/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events a host has, and where their fields lie. */
#pragma once

#include "compat/host/kernel.h"

/* For host_close. */
void host_forget_formats(struct host *host);

/* target is "category:event" */
bool host_has_tracepoint(const struct host *host, const char *target);

/*
 * Parses the event's format file into fields (common_* included). Returns the
 * number of fields, or -errno (-ENOENT no such event, -E2BIG more than max).
 */
int host_tp_fields(const struct host *host, const char *target, struct tp_field *fields, int max);
bool host_tp_has_field(const struct host *host, const char *target, const char *field);

int host_tp_words(const struct host *host, const char *target, const char *field, host_word_fn *fn,
		  void *arg);
