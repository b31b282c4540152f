/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces of one recorder beside each other (--sessions), for a service: each start has a directory, what a killed one
 * left is repaired, and the oldest gives room to the newest.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sessions {
	const char *dir; /* NULL: none */
	const char *own; /* the directory of this recording */
	uint64_t max_disk;
	uint64_t others; /* bytes of those before it, as far as they have ended */
	uint64_t counted_ns;
};

/* A new name below dir. Returns 0 or -errno (reported). */
int sessions_name(const char *dir, char *name, size_t size);
/*
 * Before the recording: repairs those that nobody writes any more. wait: nobody should, and who was killed may have to
 * be waited for.
 */
void sessions_repair(const char *dir, const char *own, bool wait);
/* Once a second, and at the end: own_bytes are what this recording takes; with those before it at most max_disk. */
void sessions_keep(struct sessions *sessions, uint64_t own_bytes, uint64_t now_ns);
