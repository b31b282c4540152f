/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock of a trace's rows (mono_ns) and the one on the wall of the host that it comes from. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "read/read_session.h"

enum { WALL_TEXT_SIZE = 32 };

struct wall {
	const struct read_session *session;
	int64_t offset;    /* seconds east of UTC, at the start */
	uint64_t start_ns; /* mono_ns; 0: not known */
	uint64_t end_ns;
};

void wall_make(struct wall *wall, const struct read_session *session);
/* "2026-11-20 23:59:59.123456789"; false, and empty: not known. */
bool wall_text(const struct wall *wall, uint64_t mono_ns, char text[WALL_TEXT_SIZE]);
/*
 * From "+10s", "-10s" (of start or end), "YYYY-MM-DD HH:MM:SS[.f]" or "HH:MM:SS[.f]" (of the day it
 * began on) to mono_ns. False: *why says what is wrong.
 */
bool wall_parse(const struct wall *wall, const char *text, uint64_t *mono_ns, const char **why);
