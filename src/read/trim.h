/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace that has ended gives back room: its oldest segments go, as --max-disk takes them from one that goes on. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct trim {
	uint64_t freed; /* bytes */
	uint64_t rows;
	bool all; /* nothing is left of it, and its directory is gone */
};

/*
 * Removes segments until so many bytes are free, and the directory when no rows of events are
 * left. Its manifest says what went. Returns 0 or -errno (reported); -EBUSY, not reported:
 * somebody writes or reads there. It may free less than that with one call, because names of
 * what goes are kept in bounded memory.
 */
int trim_directory(const char *dir, uint64_t bytes, struct trim *trim);
/* Bytes of all files below it; 0 where it has none. */
uint64_t trim_bytes_of(const char *dir);
