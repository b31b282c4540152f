/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the mappings of a test, and the paths that they borrow. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "fixture_mappings.h"

#include <check.h>
#include <stdio.h>

#include "fixture_proc.h"

struct mappings *maps;
struct path *paths[4];
uint32_t seed;

void fixture_mappings_setup(void)
{
	static const char *const names[] = { "/a", "/b", "/c", "/a" };

	maps = mappings_new(P);
	ck_assert(maps != NULL);
	for (int i = 0; i < 4; i++)
		paths[i] = path_new(names[i], 2, PATH_FULL);
}

void fixture_mappings_teardown(void)
{
	mappings_free(maps);
	for (int i = 0; i < 4; i++) {
		ck_assert_uint_eq(paths[i]->refs, 1);
		path_put(paths[i]);
	}
}

void fixture_mappings_setup_proc(void)
{
	fixture_mappings_setup();
	fixture_proc_open();
	fixture_process(TGID, 1, "name");
}

void fixture_mappings_teardown_proc(void)
{
	fixture_proc_close();
	fixture_mappings_teardown();
}

struct mapping file_pages(uint64_t start, uint64_t n, uint64_t ino, uint64_t at)
{
	return (struct mapping){
		.start = start * P,
		.end = (start + n) * P,
		.offset = at * P,
		.ino = ino,
		.dev = 8 << 20,
		.path = paths[ino - 1],
	};
}

void add(uint64_t start, uint64_t n, uint64_t ino, uint64_t at)
{
	struct mapping mapping = file_pages(start, n, ino, at);

	mappings_add(maps, &mapping);
}

const char *all_of(const struct mappings *which)
{
	static char text[4096];
	const struct mapping *found;
	uint64_t from = 0;
	size_t at = 0;

	text[0] = '\0';
	while ((found = mappings_find(which, from, UINT64_MAX)) && at < sizeof(text) - 100) {
		ck_assert(found->start >= from && found->end > found->start);
		at += sprintf(text + at, "%s%llu+%llu:%llu@%llu", at ? " " : "",
			      (unsigned long long)(found->start / P),
			      (unsigned long long)((found->end - found->start) / P),
			      (unsigned long long)found->ino,
			      (unsigned long long)(found->offset / P));
		from = found->end;
	}
	return text;
}

uint32_t draw(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}
