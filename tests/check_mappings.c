/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File mappings: against a model that keeps one entry per page, as /proc tells
 * them in text with odd names, and as this process has them itself.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "mapped.h"

#include <check.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture_proc.h"
#include "procfs.h"

#define P 4096ULL
#define SHARE_VM 0x100 /* CLONE_VM */

enum { TGID = 5000001, CHILD = 5000002, OTHER = 5000003, GONE = 5000099 };

static struct mappings *maps;
static struct path *paths[4];

static void setup(void)
{
	static const char *const names[] = { "/a", "/b", "/c", "/a" };

	maps = mappings_new(P);
	ck_assert(maps != NULL);
	for (int i = 0; i < 4; i++)
		paths[i] = path_new(names[i], 2, PATH_FULL);
}

/* Nobody may keep a path when the mappings are gone. */
static void teardown(void)
{
	mappings_free(maps);
	for (int i = 0; i < 4; i++) {
		ck_assert_uint_eq(paths[i]->refs, 1);
		path_put(paths[i]);
	}
}

/* Pages [start, start + n) show file number ino (1 …) from page at. */
static struct mapping file_pages(uint64_t start, uint64_t n, uint64_t ino, uint64_t at)
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

static void add(uint64_t start, uint64_t n, uint64_t ino, uint64_t at)
{
	struct mapping mapping = file_pages(start, n, ino, at);

	mappings_add(maps, &mapping);
}

static void add_told(uint64_t start, uint64_t n, uint64_t ino, uint64_t at, uint64_t as_of)
{
	struct mapping mapping = file_pages(start, n, ino, at);

	mapping.as_of = as_of;
	mappings_add(maps, &mapping);
}

static void move(uint64_t from, uint64_t n, uint64_t to, uint64_t n_to, uint64_t ts, bool keep)
{
	struct mappings_move moved = {
		.from = from * P,
		.from_len = n * P,
		.to = to * P,
		.to_len = n_to * P,
		.ts = ts,
		.keep_old = keep,
	};

	mappings_move(maps, &moved);
}

/* All as "start+pages:ino@page", blank-separated. */
static const char *all_of(const struct mappings *which)
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

#define ALL(expected) ck_assert_str_eq(all_of(maps), expected)

/* ---- adding and removing ---- */

START_TEST(nothing_is_found_in_nothing)
{
	ck_assert(!mappings_find(maps, 0, UINT64_MAX));
	mappings_remove(maps, 0, UINT64_MAX);
	move(1, 1, 2, 1, 0, false);
	ALL("");
	mappings_free(NULL);
}
END_TEST

START_TEST(new_mapping_gives_way_to_newer_ones)
{
	add(10, 10, 1, 0);
	add(12, 2, 2, 5);
	ALL("10+2:1@0 12+2:2@5 14+6:1@4");
	add(11, 4, 3, 0);
	ALL("10+1:1@0 11+4:3@0 15+5:1@5");
	add(0, 100, 2, 1);
	ALL("0+100:2@1");
}
END_TEST

START_TEST(neighbours_join_only_when_the_file_goes_on)
{
	add(10, 2, 1, 0);
	add(14, 2, 1, 4);
	add(12, 2, 1, 2);
	ALL("10+6:1@0");
	add(16, 1, 1, 5);
	ALL("10+6:1@0 16+1:1@5");
	add(17, 1, 2, 6);
	ALL("10+6:1@0 16+1:1@5 17+1:2@6");
	add(9, 1, 1, 0);
	ALL("9+1:1@0 10+6:1@0 16+1:1@5 17+1:2@6");
}
END_TEST

START_TEST(neighbours_of_other_name_device_state_or_time_stay_apart)
{
	struct mapping next = file_pages(11, 1, 1, 1);

	add(10, 1, 1, 0);
	next.path = paths[1];
	mappings_add(maps, &next);
	ALL("10+1:1@0 11+1:1@1");
	next.path = NULL;
	mappings_add(maps, &next);
	ALL("10+1:1@0 11+1:1@1");
	next = file_pages(11, 1, 1, 1);
	next.dev++;
	mappings_add(maps, &next);
	ALL("10+1:1@0 11+1:1@1");
	next = file_pages(11, 1, 1, 1);
	next.deleted = true;
	mappings_add(maps, &next);
	ALL("10+1:1@0 11+1:1@1");
	add_told(11, 1, 1, 1, 5);
	ALL("10+1:1@0 11+1:1@1");
	/* the same name in other memory is the same name */
	next = file_pages(11, 1, 1, 1);
	next.path = paths[3];
	mappings_add(maps, &next);
	ALL("10+2:1@0");
}
END_TEST

START_TEST(hole_trims_and_splits)
{
	add(10, 10, 1, 0);
	add(30, 2, 2, 0);
	mappings_remove(maps, 14 * P, 15 * P);
	ALL("10+4:1@0 15+5:1@5 30+2:2@0");
	mappings_remove(maps, 12 * P, 16 * P);
	ALL("10+2:1@0 16+4:1@6 30+2:2@0");
	mappings_remove(maps, 19 * P, 31 * P);
	ALL("10+2:1@0 16+3:1@6 31+1:2@1");
	mappings_remove(maps, 0, 10 * P);
	mappings_remove(maps, 13 * P, 13 * P);
	mappings_remove(maps, 17 * P, 17 * P);
	ALL("10+2:1@0 16+3:1@6 31+1:2@1");
}
END_TEST

START_TEST(ranges_are_rounded_out_to_pages)
{
	struct mapping odd = file_pages(10, 1, 1, 3);

	odd.end = odd.start + P + 1;
	mappings_add(maps, &odd);
	ALL("10+2:1@3");
	ck_assert(mappings_find(maps, 12 * P - 1, 12 * P));
	ck_assert(mappings_find(maps, 9 * P, 10 * P + 1));
	ck_assert(!mappings_find(maps, 9 * P, 10 * P));
	ck_assert(!mappings_find(maps, 11 * P, 11 * P));
	ck_assert(!mappings_find(maps, 11 * P + 5, 11 * P + 5));
	mappings_remove(maps, 11 * P, 11 * P + 1);
	ALL("10+1:1@3");
	mappings_remove(maps, 10 * P + 9, 10 * P + 10);
	ALL("");
}
END_TEST

START_TEST(page_size_is_the_machines_unless_given)
{
	struct mappings *big = mappings_new(65536), *own = mappings_new(0);
	struct mapping mapping = file_pages(0, 1, 1, 0);

	mappings_add(big, &mapping);
	mappings_add(own, &mapping);
	ck_assert_uint_eq(mappings_find(big, 0, 1)->end, 65536);
	ck_assert_uint_eq(mappings_find(own, 0, 1)->end, sysconf(_SC_PAGESIZE));
	mappings_free(big);
	mappings_free(own);
}
END_TEST

START_TEST(end_below_the_start_is_the_end_of_all)
{
	struct mapping last = file_pages(0, 1, 1, 0);

	last.start = ~(P - 1) - P;
	last.end = ~(P - 1);
	mappings_add(maps, &last);
	ck_assert(mappings_find(maps, 5 * P, 4 * P));
	ck_assert(mappings_find(maps, 5 * P, 0));
	ck_assert(mappings_find(maps, last.start, UINT64_MAX));
	ck_assert(!mappings_find(maps, last.end, UINT64_MAX));
	ck_assert(!mappings_find(maps, UINT64_MAX, UINT64_MAX));
	mappings_remove(maps, P, 0);
	ALL("");
}
END_TEST

START_TEST(borrowed_path_survives_what_it_was_borrowed_from)
{
	struct path *own = path_new("/own", 4, PATH_FULL);
	struct mapping mapping = file_pages(10, 2, 1, 0);

	mapping.path = own;
	mappings_add(maps, &mapping);
	path_put(own);
	mapping = *mappings_find(maps, 10 * P, 11 * P);
	mapping.offset = 7 * P;
	mappings_add(maps, &mapping);
	ck_assert_str_eq(mappings_find(maps, 10 * P, 11 * P)->path->raw, "/own");
	ALL("10+2:1@7");
}
END_TEST

START_TEST(copy_lives_on_its_own)
{
	struct mappings *copy;

	add(10, 2, 1, 0);
	copy = mappings_copy(maps);
	mappings_remove(maps, 10 * P, 11 * P);
	ck_assert_str_eq(all_of(copy), "10+2:1@0");
	ALL("11+1:1@1");
	mappings_free(copy);
}
END_TEST

START_TEST(first_of_many_is_found)
{
	for (uint64_t i = 0; i < 65530; i++)
		add(2 * i, 1, 1 + i % 3, i);
	for (uint64_t i = 0; i < 65530; i++) {
		const struct mapping *found = mappings_find(maps, 2 * i * P, (2 * i + 4) * P);

		ck_assert(found && found->start == 2 * i * P && found->offset == i * P);
		ck_assert(!mappings_find(maps, (2 * i + 1) * P, (2 * i + 2) * P));
	}
	mappings_remove(maps, 3 * P, 131057 * P);
	ALL("0+1:1@0 2+1:2@1 131058+1:1@65529");
}
END_TEST

/* ---- mremap ---- */

static const struct {
	uint64_t from, n, to, n_to;
	bool keep;
	const char *all;
} moves[] = {
	/* before: "10+4:1@0 14+2:2@8 20+2:3@0" */
	{ 10, 4, 40, 4, false, "14+2:2@8 20+2:3@0 40+4:1@0" },
	{ 11, 2, 40, 2, false, "10+1:1@0 13+1:1@3 14+2:2@8 20+2:3@0 40+2:1@1" },
	{ 10, 4, 40, 6, false, "14+2:2@8 20+2:3@0 40+6:1@0" },
	{ 10, 4, 40, 1, false, "14+2:2@8 20+2:3@0 40+1:1@0" },
	{ 20, 2, 20, 5, false, "10+4:1@0 14+2:2@8 20+5:3@0" },
	{ 10, 4, 10, 2, false, "10+2:1@0 14+2:2@8 20+2:3@0" },
	{ 20, 2, 13, 2, false, "10+3:1@0 13+2:3@0 15+1:2@9" },
	{ 10, 4, 40, 4, true, "10+4:1@0 14+2:2@8 20+2:3@0 40+4:1@0" },
	{ 12, 4, 40, 4, false, "10+2:1@0 20+2:3@0 40+2:1@2 42+2:2@8" },
	{ 12, 4, 40, 5, false, "10+2:1@0 20+2:3@0 40+2:1@2 42+3:2@8" },
	{ 11, 0, 40, 2, false, "10+4:1@0 14+2:2@8 20+2:3@0 40+2:1@1" },
	{ 30, 2, 20, 1, false, "10+4:1@0 14+2:2@8 21+1:3@1" }, /* memory over a file */
	{ 15, 3, 40, 5, false, "10+4:1@0 14+1:2@8 20+2:3@0 40+1:2@9" },
};

START_TEST(move_takes_its_file_along)
{
	add(10, 4, 1, 0);
	add(14, 2, 2, 8);
	add(20, 2, 3, 0);
	move(moves[_i].from, moves[_i].n, moves[_i].to, moves[_i].n_to, 0, moves[_i].keep);
	ALL(moves[_i].all);
}
END_TEST

START_TEST(move_that_proc_has_told_of_already_is_kept)
{
	add_told(40, 2, 1, 0, 1000);
	move(10, 2, 40, 2, 999, false);
	ALL("40+2:1@0");
	/* afterwards it is memory that comes there */
	move(10, 2, 40, 2, 1001, false);
	ALL("");
}
END_TEST

START_TEST(what_came_to_the_old_place_later_is_not_moved)
{
	add_told(10, 2, 2, 0, 1000);
	add_told(40, 2, 1, 0, 1000);
	move(10, 2, 40, 2, 999, false);
	ck_assert_uint_eq(mappings_find(maps, 40 * P, 41 * P)->ino, 1);
}
END_TEST

START_TEST(removed_range_is_not_what_proc_told_later)
{
	add_told(10, 2, 1, 0, 1000);
	add(12, 2, 2, 0);
	ck_assert_uint_eq(mappings_find(maps, 10 * P, 14 * P)->ino, 1);
	ck_assert_uint_eq(mappings_find_old(maps, 10 * P, 14 * P, 1000)->ino, 1);
	ck_assert_uint_eq(mappings_find_old(maps, 10 * P, 14 * P, 999)->ino, 2);
	ck_assert(!mappings_find_old(maps, 10 * P, 12 * P, 999));
}
END_TEST

/* ---- the model ---- */

enum { N_PAGES = 48 };

struct page {
	uint64_t ino; /* 0: no file */
	uint64_t at;
};
static struct page model[N_PAGES];
static uint32_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

static void model_move(uint64_t from, uint64_t n, uint64_t to, uint64_t n_to, bool keep)
{
	struct page taken[N_PAGES] = { { .ino = 0 } };
	uint64_t whole = n ? n : 1;

	for (uint64_t i = 0; i < n_to; i++) {
		if (i < whole)
			taken[i] = model[from + i];
		else if (taken[whole - 1].ino)
			taken[i] = (struct page){ taken[i - 1].ino, taken[i - 1].at + 1 };
	}
	for (uint64_t i = 0; i < n && !keep; i++)
		model[from + i].ino = 0;
	memcpy(model + to, taken, n_to * sizeof(*taken));
}

static void random_move(void)
{
	uint64_t from = draw(N_PAGES), n = draw(N_PAGES - from < 9 ? N_PAGES - from : 9);
	uint64_t to = draw(3) ? draw(N_PAGES) : from;
	uint64_t n_to = draw(N_PAGES - to < 9 ? N_PAGES - to : 9) + 1;
	bool keep = draw(4) == 0, in_place = to == from && n;

	if (to + n_to > N_PAGES)
		return;
	/* what the kernel refuses */
	if ((!in_place && from < to + n_to && to < from + (n ? n : 1)) || (in_place && keep))
		return;
	model_move(from, n, to, n_to, keep);
	move(from, n, to, n_to, 0, keep);
}

static void random_change(void)
{
	uint64_t start = draw(N_PAGES), n = draw(N_PAGES - start) % 12 + 1;
	uint64_t ino = draw(3) + 1, at = draw(2) ? start : draw(8);

	switch (draw(4)) {
	case 0:
		mappings_remove(maps, start * P, (start + n) * P - draw(P));
		memset(model + start, 0, n * sizeof(*model));
		break;
	case 1:
		random_move();
		break;
	default:
		add(start, n, ino, at);
		for (uint64_t i = 0; i < n; i++)
			model[start + i] = (struct page){ ino, at + i };
	}
}

/* As all_of tells it. Equal texts are equal pages, and joined as far as can be. */
static const char *model_text(void)
{
	static char text[4096];
	size_t at = 0;

	text[0] = '\0';
	for (uint64_t i = 0, n; i < N_PAGES; i += n) {
		for (n = 1; i + n < N_PAGES && model[i].ino && model[i + n].ino == model[i].ino &&
			    model[i + n].at == model[i].at + n;)
			n++;
		if (model[i].ino)
			at += sprintf(text + at, "%s%llu+%llu:%llu@%llu", at ? " " : "",
				      (unsigned long long)i, (unsigned long long)n,
				      (unsigned long long)model[i].ino,
				      (unsigned long long)model[i].at);
	}
	return text;
}

static void compare_find(void)
{
	uint64_t start = draw(N_PAGES), end = start + 1 + draw(N_PAGES - start), first = start;
	const struct mapping *found = mappings_find(maps, start * P, end * P);

	while (first < end && !model[first].ino)
		first++;
	ck_assert_int_eq(found != NULL, first < end);
	if (found)
		ck_assert(found->start <= first * P && found->end > first * P &&
			  found->ino == model[first].ino && found->path == paths[found->ino - 1]);
}

START_TEST(random_changes_are_those_of_a_model)
{
	seed = _i;
	memset(model, 0, sizeof(model));
	for (int i = 0; i < 5000; i++) {
		random_change();
		ck_assert_str_eq(all_of(maps), model_text());
		compare_find();
	}
}
END_TEST

/* ---- /proc ---- */

static char told[8192];

static void tell(void *arg, const struct procfs_mapping *mapping)
{
	size_t at = strlen(told);

	(void)arg;
	snprintf(told + at, sizeof(told) - at, "%llx-%llx %llx %x %llu %d%s %s|",
		 (unsigned long long)mapping->start, (unsigned long long)mapping->end,
		 (unsigned long long)mapping->offset, mapping->dev,
		 (unsigned long long)mapping->ino, mapping->scope, mapping->deleted ? "d" : "",
		 mapping->path);
}

static void setup_proc(void)
{
	setup();
	told[0] = '\0';
	fixture_proc_open();
	fixture_process(TGID, 1, "name");
}

static void teardown_proc(void)
{
	fixture_proc_close();
	teardown();
}

/* A saved text as the maps of the process. */
static void maps_are(const char *name)
{
	const char *top = getenv("srcdir");
	char path[PATH_MAX], text[8192];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s/tests/maps/%s", top ? top : ".", name);
	file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s", path);
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	fixture_proc_text(TGID, "maps", text);
}

START_TEST(odd_names_are_told_as_they_are)
{
	maps_are("odd.txt");
	ck_assert(procfs_each_mapping(TGID, tell, NULL));
	ck_assert_str_eq(told,
			 "400000-401000 0 fe00001 101 0 /opt/a b|"
			 "401000-402000 1000 fe00001 101 0 /opt/a b|"
			 "600000-601000 0 fe00001 102 0 /opt/new\nline: 5 [x]|"
			 "601000-603000 7ffffffff000 103abcde 18446744073709551615 0d /opt/gone|"
			 "603000-604000 0 fe00001 104 0d /opt/twice (deleted)|"
			 "604000-605000 0 fe00001 105 0 /opt/back\\slash\\|"
			 "605000-606000 0 fe00001 106 0 /opt/x|"
			 "7f0000002000-7f0000003000 0 1 1025 0d /memfd:ring: 1|"
			 "7f0000003000-7f0000004000 0 e 11 2 |"
			 "7f0000004000-7f0000005000 0 a 12 2 |"
			 "7f0000005000-7f0000006000 0 15 13 2 /sys/kernel/btf/vmlinux|"
			 "7f0000006000-7f0000007000 0 5 14 0 /dev/shm/é|"
			 "ffffffffff700000-ffffffffff701000 0 fe00001 108 0 /opt/last|");
}
END_TEST

START_TEST(process_that_is_gone_has_no_mappings)
{
	add(1, 1, 1, 0);
	ck_assert(!procfs_each_mapping(GONE, tell, NULL));
	ck_assert_str_eq(told, "");
	ck_assert(!mappings_read(maps, GONE));
	ALL("");
}
END_TEST

START_TEST(no_text_is_no_mappings)
{
	fixture_proc_text(TGID, "maps", "");
	ck_assert(procfs_each_mapping(TGID, tell, NULL));
	fixture_proc_text(TGID, "maps", "1000-2000 r--s 00000000 fe:01 101 /without/its/end");
	ck_assert(procfs_each_mapping(TGID, tell, NULL));
	ck_assert_str_eq(told, "");
}
END_TEST

static void length_of_path(void *arg, const struct procfs_mapping *mapping)
{
	size_t *sum = arg;

	*sum = *sum * 10 + strlen(mapping->path);
}

/* Longer than any buffer to start with, and lines on its borders. */
START_TEST(line_of_any_length_is_read)
{
	static const size_t lengths[] = { 5000, 65450, 65486, 65487, 65535, 65536, 300000 };
	size_t len = lengths[_i], sum = 0;
	char *text = malloc(len + 400), *at = text;

	at += sprintf(at, "1000-2000 r--s 00000000 fe:01 101 /ab\n2000-3000 r--s 0 fe:01 102 /");
	memset(at, 'x', len - 1);
	at += len - 1;
	sprintf(at, "\n3000-4000 r--s 00000000 fe:01 103 /abcd e\n");
	fixture_proc_text(TGID, "maps", text);
	ck_assert(procfs_each_mapping(TGID, length_of_path, &sum));
	ck_assert_uint_eq(sum, 3 * 100 + len * 10 + 7);
	free(text);
}
END_TEST

START_TEST(file_that_is_called_deleted_is_not)
{
	char text[PATH_MAX + 300];
	struct stat st;

	fixture_file_stat("is (deleted)", &st);
	snprintf(text, sizeof(text), "1000-2000 r--s 00000000 fe:01 %llu %s\n",
		 (unsigned long long)st.st_ino, fixture_file("is (deleted)"));
	fixture_proc_text(TGID, "maps", text);
	ck_assert(mappings_read(maps, TGID));
	ck_assert(!mappings_find(maps, P, 2 * P)->deleted);
	ck_assert_str_eq(mappings_find(maps, P, 2 * P)->path->raw, fixture_file("is (deleted)"));
}
END_TEST

static void link_mapping(const char *range, const char *target)
{
	char name[PATH_MAX];

	fixture_proc_text(TGID, "map_files/.keep", "");
	snprintf(name, sizeof(name), "%.4000s/%.50s", fixture_file("proc/5000001/map_files"),
		 range);
	ck_assert_int_eq(symlink(target, name), 0);
}

START_TEST(link_of_a_mapping_tells_more_than_its_line)
{
	const struct mapping *found;
	struct stat st;

	fixture_proc_text(TGID, "maps",
			  "00001000-00002000 r--s 00000000 fe:01 101 /a\\012b\n"
			  "00002000-00003000 r--s 00001000 fe:01 101 /a\\012b\n"
			  "00006000-00007000 r--s 00002000 fe:01 101 /other/name\n"
			  "00003000-00004000 r--s 00000000 00:05 102 /dev/null\n"
			  "00004000-00005000 r--s 00000000 fe:01 101 /c\n"
			  "00005000-00006000 r--s 00000000 fe:01 101 /d (deleted)\n");
	fixture_file_stat("a\\012b", &st);
	link_mapping("1000-2000", fixture_file("a\\012b"));
	link_mapping("3000-4000", "/dev/null");
	ck_assert(mappings_read(maps, TGID));
	found = mappings_find(maps, P, 3 * P);
	ck_assert_uint_eq(found->ino, st.st_ino);
	ck_assert_uint_eq(found->dev, fixture_dev(&st));
	ck_assert_str_eq(found->path->raw, fixture_file("a\\012b"));
	ck_assert_uint_eq(found->end, 3 * P);
	ck_assert(!mappings_find(maps, 3 * P, 4 * P));
	ck_assert_str_eq(mappings_find(maps, 4 * P, 5 * P)->path->raw, "/c");
	found = mappings_find(maps, 5 * P, 6 * P);
	ck_assert_str_eq(found->path->raw, "/d");
	ck_assert(found->deleted);
	ck_assert_str_eq(mappings_find(maps, 6 * P, 7 * P)->path->raw, "/other/name");
}
END_TEST

START_TEST(many_files_are_taken_by_their_text)
{
	enum { N = 5000 };
	char *text = malloc(N * 80), *at = text;

	for (int i = 1; i <= N; i++)
		at += sprintf(at, "%x-%x r--s 00000000 fe:01 %d /f%d\n", i << 12, (i + 1) << 12, i,
			      i);
	fixture_proc_text(TGID, "maps", text);
	link_mapping("2000-3000", "/dev/null");
	link_mapping("1388000-1389000", "/dev/null");
	ck_assert(mappings_read(maps, TGID));
	ck_assert(mappings_find(maps, P, 2 * P));
	ck_assert(!mappings_find(maps, 2 * P, 3 * P));
	ck_assert_str_eq(mappings_find(maps, N * P, (N + 1) * P)->path->raw, "/f5000");
	free(text);
}
END_TEST

START_TEST(reading_replaces_all_and_leaves_out_what_is_no_file)
{
	const struct mapping *found;

	add(1, 1, 1, 0);
	maps_are("odd.txt");
	ck_assert(mappings_read(maps, TGID));
	ck_assert(!mappings_find(maps, P, 2 * P));
	found = mappings_find(maps, 0, UINT64_MAX);
	ck_assert_uint_eq(found->start, 0x400000);
	ck_assert_uint_eq(found->end, 0x402000);
	ck_assert_uint_eq(found->dev, 0xfe << 20 | 1);
	ck_assert_uint_ne(found->as_of, 0);
	ck_assert_uint_eq(found->path->flags, PATH_FULL | PATH_PROC);
	ck_assert(!mappings_find(maps, 0x7f0000003000, 0x7f0000006000));
	ck_assert(!mappings_find(maps, 0x1000000, 0x1021000));
	ck_assert(mappings_find(maps, 0x7f0000002000, 0x7f0000003000)->deleted);
}
END_TEST

/* ---- this process ---- */

static char scratch[PATH_MAX];
static int scratch_fd;

static void setup_own(void)
{
	const char *tmp = getenv("TMPDIR");

	setup();
	procfs_set_root("/proc");
	snprintf(scratch, sizeof(scratch), "%.4000s/iotracer-maps\n-XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	scratch_fd = mkstemp(scratch);
	ck_assert_int_ge(scratch_fd, 0);
	ck_assert_int_eq(ftruncate(scratch_fd, 1 << 20), 0);
}

static void teardown_own(void)
{
	close(scratch_fd);
	unlink(scratch);
	teardown();
}

START_TEST(own_mapping_is_told_with_its_file)
{
	uint64_t page = sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, 8 * page, PROT_READ, MAP_SHARED, scratch_fd, 2 * page);
	uint64_t start = (uintptr_t)at;
	const struct mapping *found;
	struct stat st;

	ck_assert(at != MAP_FAILED && !munmap(at + 3 * page, page));
	ck_assert_int_eq(fstat(scratch_fd, &st), 0);
	ck_assert(mappings_read(maps, getpid()));
	found = mappings_find(maps, start, start + 1);
	ck_assert(found && found->start == start && found->end == start + 3 * page);
	ck_assert_uint_eq(found->ino, st.st_ino);
	ck_assert_uint_eq(found->offset, 2 * page);
	ck_assert_str_eq(found->path->raw, scratch);
	ck_assert(!found->deleted);
	ck_assert(!mappings_find(maps, start + 3 * page, start + 4 * page));
	found = mappings_find(maps, start + 4 * page, start + 5 * page);
	ck_assert(found && found->end == start + 8 * page && found->offset == 6 * page);
	unlink(scratch);
	ck_assert(mappings_read(maps, getpid()));
	found = mappings_find(maps, start, start + 1);
	ck_assert(found && found->deleted);
	ck_assert_str_eq(found->path->raw, scratch);
	munmap(at, 8 * page);
}
END_TEST

START_TEST(own_memory_and_devices_are_no_files)
{
	uint64_t page = sysconf(_SC_PAGESIZE);
	void *shared = mmap(NULL, page, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t local = (uintptr_t)&page, at = (uintptr_t)shared;
	int fd = open("/dev/zero", O_RDWR);
	void *zero = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);

	ck_assert(shared != MAP_FAILED && zero != MAP_FAILED);
	ck_assert(mappings_read(maps, getpid()));
	ck_assert(!mappings_find(maps, at, at + 1));
	ck_assert(!mappings_find(maps, local, local + 1));
	ck_assert(geteuid() || !mappings_find(maps, (uintptr_t)zero, (uintptr_t)zero + 1));
	/* the text of this very function is a file's */
	at = (uintptr_t)setup_own;
	ck_assert(mappings_find(maps, at, at + 1));
	munmap(shared, page);
	munmap(zero, page);
	close(fd);
}
END_TEST

/* Every change is done for real and followed; in the end /proc says the same. */
START_TEST(followed_changes_lead_to_what_proc_says)
{
	uint64_t page = sysconf(_SC_PAGESIZE);
	char *base = mmap(NULL, 64 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct mappings *followed = mappings_new(0), *read = mappings_new(0);
	uint64_t start = (uintptr_t)base;

	seed = _i + 77;
	ck_assert(base != MAP_FAILED && mappings_read(followed, getpid()));
	for (int i = 0; i < 300; i++) {
		uint64_t at = draw(60), n = draw(4) + 1, offset = draw(2) ? at : draw(100);
		struct mapping *fresh = &(struct mapping){
			.start = start + at * page,
			.end = start + (at + n) * page,
			.offset = offset * page,
		};

		if (draw(3)) {
			ck_assert(mmap(base + at * page, n * page, PROT_READ,
				       MAP_SHARED | MAP_FIXED, scratch_fd,
				       offset * page) != MAP_FAILED);
			mappings_add(followed, fresh);
		} else {
			ck_assert(!munmap(base + at * page, n * page));
			mappings_remove(followed, start + at * page, start + (at + n) * page);
		}
	}
	ck_assert(mappings_read(read, getpid()));
	for (uint64_t i = 0; i < 64; i++) {
		uint64_t at = start + i * page;
		const struct mapping *a = mappings_find(followed, at, at + 1);
		const struct mapping *b = mappings_find(read, at, at + 1);

		ck_assert_int_eq(a != NULL, b != NULL);
		if (a)
			ck_assert_uint_eq(at - a->start + a->offset, at - b->start + b->offset);
	}
	mappings_free(followed);
	mappings_free(read);
	munmap(base, 64 * page);
}
END_TEST

/* ---- processes ---- */

static struct mapped *mapped;

static void setup_mapped(void)
{
	setup_proc();
	fixture_process(CHILD, TGID, "child");
	fixture_process(OTHER, 1, "other");
	mapped = mapped_open(0, P);
	ck_assert(mapped != NULL);
}

static void teardown_mapped(void)
{
	mapped_close(mapped);
	teardown_proc();
}

/* The process has file ino at page 1 and nothing else, says /proc. */
static void proc_says(uint32_t tgid, int ino)
{
	char text[200];

	snprintf(text, sizeof(text), "1000-2000 r--s 00000000 fe:01 %d /f%d\n", ino, ino);
	fixture_proc_text(tgid, "maps", text);
}

static uint64_t ino_at(uint32_t tgid, uint64_t page)
{
	const struct mapping *found = mapped_find(mapped, tgid, page * P, (page + 1) * P, 0);

	return found ? found->ino : 0;
}

static void process_maps(uint32_t tgid, uint64_t page, uint64_t ino)
{
	struct mapping mapping = file_pages(page, 1, ino, 0);

	mappings_add(mapped_of(mapped, tgid), &mapping);
}

START_TEST(process_is_read_at_first_sight_only)
{
	proc_says(TGID, 7);
	ck_assert_uint_eq(ino_at(TGID, 1), 7);
	proc_says(TGID, 8);
	ck_assert_uint_eq(ino_at(TGID, 1), 7);
	ck_assert_uint_eq(ino_at(TGID, 2), 0);
	process_maps(TGID, 2, 1);
	ck_assert_uint_eq(ino_at(TGID, 2), 1);
	mapped_exit(mapped, TGID);
	ck_assert_uint_eq(ino_at(TGID, 1), 8);
	ck_assert_uint_eq(ino_at(TGID, 2), 0);
}
END_TEST

START_TEST(process_that_is_gone_is_followed_from_nothing)
{
	ck_assert_uint_eq(ino_at(GONE, 1), 0);
	process_maps(GONE, 1, 2);
	ck_assert_uint_eq(ino_at(GONE, 1), 2);
	mapped_exit(mapped, GONE);
	mapped_exit(mapped, GONE);
}
END_TEST

START_TEST(child_has_a_copy)
{
	proc_says(TGID, 7);
	proc_says(CHILD, 8);
	ck_assert_uint_eq(ino_at(TGID, 1), 7);
	mapped_fork(mapped, TGID, CHILD, 0, UINT64_MAX);
	process_maps(TGID, 2, 1);
	process_maps(CHILD, 3, 2);
	ck_assert_uint_eq(ino_at(CHILD, 1), 7);
	ck_assert_uint_eq(ino_at(CHILD, 2), 0);
	ck_assert_uint_eq(ino_at(TGID, 3), 0);
	mapped_exit(mapped, TGID);
	ck_assert_uint_eq(ino_at(CHILD, 1), 7);
}
END_TEST

START_TEST(child_that_shares_memory_shares_mappings_until_exec)
{
	proc_says(TGID, 7);
	ck_assert_uint_eq(ino_at(TGID, 1), 7);
	mapped_fork(mapped, TGID, CHILD, SHARE_VM, 0);
	process_maps(CHILD, 2, 1);
	ck_assert_uint_eq(ino_at(TGID, 2), 1);
	proc_says(CHILD, 9);
	mapped_exec(mapped, CHILD);
	ck_assert_uint_eq(ino_at(CHILD, 2), 0);
	ck_assert_uint_eq(ino_at(CHILD, 1), 9);
	ck_assert_uint_eq(ino_at(TGID, 1), 7);
	ck_assert_uint_eq(ino_at(TGID, 2), 1);
	mapped_fork(mapped, TGID, CHILD, SHARE_VM, 0);
	mapped_fork(mapped, TGID, CHILD, SHARE_VM, 0);
	mapped_fork(mapped, TGID, TGID, SHARE_VM, 0);
	mapped_exit(mapped, TGID);
	ck_assert_uint_eq(ino_at(CHILD, 2), 1);
}
END_TEST

START_TEST(child_of_an_unknown_parent_is_read_itself)
{
	proc_says(CHILD, 8);
	mapped_fork(mapped, TGID, CHILD, 0, UINT64_MAX);
	ck_assert_uint_eq(ino_at(CHILD, 1), 8);
	/* and one from before its parent was read: that one may have changed since */
	proc_says(TGID, 7);
	ck_assert_uint_eq(ino_at(TGID, 1), 7);
	mapped_fork(mapped, TGID, OTHER, 0, 1);
	proc_says(OTHER, 9);
	ck_assert_uint_eq(ino_at(OTHER, 1), 9);
}
END_TEST

START_TEST(exec_is_read_only_for_what_no_record_told)
{
	proc_says(TGID, 7);
	mapped_exec(mapped, TGID);
	process_maps(TGID, 2, 1);
	ck_assert_uint_eq(ino_at(TGID, 2), 1);
	/* what a call removed cannot be found there any more */
	ck_assert(!mapped_find(mapped, TGID, P, 2 * P, 1000));
	proc_says(TGID, 8);
	ck_assert_uint_eq(ino_at(TGID, 1), 8);
	ck_assert_uint_eq(ino_at(TGID, 2), 1);
	ck_assert_uint_eq(ino_at(TGID, 3), 0);
	proc_says(TGID, 9);
	ck_assert_uint_eq(ino_at(TGID, 3), 0);
	ck_assert_uint_eq(ino_at(TGID, 1), 8);
}
END_TEST

START_TEST(records_stay_above_what_proc_told_later)
{
	proc_says(TGID, 7);
	mapped_exec(mapped, TGID);
	process_maps(TGID, 1, 3);
	ck_assert_uint_eq(ino_at(TGID, 5), 0);
	ck_assert_uint_eq(ino_at(TGID, 1), 3);
}
END_TEST

START_TEST(children_of_an_exec_are_read_as_late)
{
	proc_says(TGID, 7);
	mapped_exec(mapped, TGID);
	mapped_fork(mapped, TGID, CHILD, SHARE_VM, UINT64_MAX);
	mapped_fork(mapped, TGID, OTHER, 0, UINT64_MAX);
	ck_assert_uint_eq(ino_at(TGID, 1), 7);
	mapped_exit(mapped, TGID);
	ck_assert_uint_eq(ino_at(CHILD, 1), 7);
	proc_says(OTHER, 8);
	ck_assert_uint_eq(ino_at(OTHER, 1), 8);
}
END_TEST

START_TEST(removal_before_the_reading_was_of_another)
{
	proc_says(TGID, 7);
	ck_assert(!mapped_find(mapped, TGID, P, 2 * P, 1));
	ck_assert(mapped_find(mapped, TGID, P, 2 * P, UINT64_MAX));
}
END_TEST

START_TEST(loss_forgets_all)
{
	proc_says(TGID, 7);
	mapped_exec(mapped, TGID);
	mapped_exec(mapped, OTHER);
	process_maps(TGID, 2, 1);
	mapped_lost(mapped);
	ck_assert_uint_eq(ino_at(TGID, 2), 0);
	ck_assert_uint_eq(ino_at(TGID, 1), 7);
	mapped_close(NULL);
}
END_TEST

START_TEST(process_used_longest_ago_gives_way)
{
	mapped_close(mapped);
	mapped = mapped_open(3, P);
	for (uint32_t i = 0; i < 3; i++) {
		mapped_exec(mapped, TGID + i);
		process_maps(TGID + i, 2, 1);
	}
	ck_assert_uint_eq(mapped_n_forgotten(mapped), 0);
	ck_assert_uint_eq(ino_at(TGID, 2), 1);
	mapped_exec(mapped, GONE);
	ck_assert_uint_eq(mapped_n_forgotten(mapped), 1);
	ck_assert_uint_eq(ino_at(TGID, 2), 1);
	ck_assert_uint_eq(ino_at(OTHER, 2), 1);
	ck_assert_uint_eq(ino_at(CHILD, 2), 0);
	ck_assert_uint_eq(mapped_n_forgotten(mapped), 2);
	for (uint32_t i = 0; i < 20000; i++)
		mapped_fork(mapped, CHILD, 6000000 + i * 4096, i & 1 ? SHARE_VM : 0, UINT64_MAX);
	ck_assert_uint_eq(mapped_n_forgotten(mapped), 20002);
}
END_TEST

static TCase *array_case(void)
{
	TCase *tcase = tcase_create("array");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, nothing_is_found_in_nothing);
	tcase_add_test(tcase, new_mapping_gives_way_to_newer_ones);
	tcase_add_test(tcase, neighbours_join_only_when_the_file_goes_on);
	tcase_add_test(tcase, neighbours_of_other_name_device_state_or_time_stay_apart);
	tcase_add_test(tcase, hole_trims_and_splits);
	tcase_add_test(tcase, ranges_are_rounded_out_to_pages);
	tcase_add_test(tcase, page_size_is_the_machines_unless_given);
	tcase_add_test(tcase, end_below_the_start_is_the_end_of_all);
	tcase_add_test(tcase, borrowed_path_survives_what_it_was_borrowed_from);
	tcase_add_test(tcase, copy_lives_on_its_own);
	tcase_add_test(tcase, first_of_many_is_found);
	tcase_add_loop_test(tcase, move_takes_its_file_along, 0, sizeof(moves) / sizeof(moves[0]));
	tcase_add_test(tcase, move_that_proc_has_told_of_already_is_kept);
	tcase_add_test(tcase, what_came_to_the_old_place_later_is_not_moved);
	tcase_add_test(tcase, removed_range_is_not_what_proc_told_later);
	tcase_add_loop_test(tcase, random_changes_are_those_of_a_model, 0, 8);
	return tcase;
}

static TCase *proc_case(void)
{
	TCase *tcase = tcase_create("proc");

	tcase_add_checked_fixture(tcase, setup_proc, teardown_proc);
	tcase_add_test(tcase, odd_names_are_told_as_they_are);
	tcase_add_test(tcase, process_that_is_gone_has_no_mappings);
	tcase_add_test(tcase, no_text_is_no_mappings);
	tcase_add_loop_test(tcase, line_of_any_length_is_read, 0, 7);
	tcase_add_test(tcase, file_that_is_called_deleted_is_not);
	tcase_add_test(tcase, link_of_a_mapping_tells_more_than_its_line);
	tcase_add_test(tcase, many_files_are_taken_by_their_text);
	tcase_add_test(tcase, reading_replaces_all_and_leaves_out_what_is_no_file);
	return tcase;
}

static TCase *own_case(void)
{
	TCase *tcase = tcase_create("own");

	tcase_add_checked_fixture(tcase, setup_own, teardown_own);
	tcase_add_test(tcase, own_mapping_is_told_with_its_file);
	tcase_add_test(tcase, own_memory_and_devices_are_no_files);
	tcase_add_loop_test(tcase, followed_changes_lead_to_what_proc_says, 0, 4);
	return tcase;
}

static TCase *process_case(void)
{
	TCase *tcase = tcase_create("processes");

	tcase_add_checked_fixture(tcase, setup_mapped, teardown_mapped);
	tcase_add_test(tcase, process_is_read_at_first_sight_only);
	tcase_add_test(tcase, process_that_is_gone_is_followed_from_nothing);
	tcase_add_test(tcase, child_has_a_copy);
	tcase_add_test(tcase, child_that_shares_memory_shares_mappings_until_exec);
	tcase_add_test(tcase, child_of_an_unknown_parent_is_read_itself);
	tcase_add_test(tcase, exec_is_read_only_for_what_no_record_told);
	tcase_add_test(tcase, records_stay_above_what_proc_told_later);
	tcase_add_test(tcase, children_of_an_exec_are_read_as_late);
	tcase_add_test(tcase, removal_before_the_reading_was_of_another);
	tcase_add_test(tcase, loss_forgets_all);
	tcase_add_test(tcase, process_used_longest_ago_gives_way);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("mappings");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, array_case());
	suite_add_tcase(suite, proc_case());
	suite_add_tcase(suite, own_case());
	suite_add_tcase(suite, process_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
