/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slowest operation of a stream, for the closing lines: no allocation, no system call. */
#pragma once

#include <string.h>

#include "row/format.h"

struct slowest {
	uint64_t latency_ns; /* 0: there is none */
	uint64_t mono_ns;    /* when it began */
	uint32_t pid;
	uint32_t path_len;
	const char *operation; /* stays where it is */
	char comm[16];
	char path[256]; /* as in the row, or the beginning of it */
};

/* Of two that took as long the earlier one stays, as a report has it. */
static inline bool slowest_is(const struct slowest *s, uint64_t latency_ns, uint64_t mono_ns)
{
	return latency_ns != FORMAT_UNKNOWN && latency_ns >= s->latency_ns && latency_ns &&
	       (latency_ns > s->latency_ns || mono_ns < s->mono_ns);
}

static inline void slowest_set(struct slowest *s, const struct slowest *other,
			       const struct format_text *path)
{
	*s = *other;
	s->path_len = path ? (uint32_t)path->len : 0;
	if (s->path_len > sizeof(s->path))
		s->path_len = sizeof(s->path);
	/* not within a character */
	while (path && s->path_len < path->len && s->path_len &&
	       ((unsigned char)path->text[s->path_len] & 0xc0) == 0x80)
		s->path_len--;
	if (s->path_len)
		memcpy(s->path, path->text, s->path_len);
}
