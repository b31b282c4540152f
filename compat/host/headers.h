/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a host's kernel headers are, whether they are its own, and questions
 * about their text.
 */
#pragma once

#include "compat/host/kernel.h"

/* Fills headers, headers_source and headers_why of host; by_hand may be NULL. */
void headers_find(struct host *host, const char *by_hand);

/*
 * Takes this tree of the machine at hand, if it is complete and the host's own; else says why not.
 */
bool headers_take(struct host *host, const char *dir);

/* name is as in #include <…>; all false without headers. */
bool headers_have(const struct host *host, const char *name);
bool headers_have_word(const struct host *host, const char *name, const char *word);
bool headers_have_member(const struct host *host, const char *name, const char *type,
			 const char *member);
