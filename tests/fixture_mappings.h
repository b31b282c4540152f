/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mappings of made-up files, in pages, and a text to compare them by. */
#ifndef IO_TESTS_FIXTURE_MAPPINGS_H
#define IO_TESTS_FIXTURE_MAPPINGS_H

#include <stdint.h>

#include "mappings.h"

#define P 4096ULL

enum { TGID = 5000001, CHILD = 5000002, OTHER = 5000003, GONE = 5000099 };

extern struct mappings *maps;
extern struct path *paths[4]; /* the first and the last are of one name */

/* Checked fixtures. Nobody may keep a path when the mappings are gone. */
void fixture_mappings_setup(void);
void fixture_mappings_teardown(void);
/* The same, with a made-up /proc that has process TGID */
void fixture_mappings_setup_proc(void);
void fixture_mappings_teardown_proc(void);

/* Pages [start, start + n) show file number ino (1 …) from page at. */
struct mapping file_pages(uint64_t start, uint64_t n, uint64_t ino, uint64_t at);
void add(uint64_t start, uint64_t n, uint64_t ino, uint64_t at);

/* All as "start+pages:ino@page", blank-separated. */
const char *all_of(const struct mappings *which);
#define ALL(expected) ck_assert_str_eq(all_of(maps), expected)

/* The same numbers below that limit after the same seed */
extern uint32_t seed;
uint32_t draw(uint32_t below);

#endif
