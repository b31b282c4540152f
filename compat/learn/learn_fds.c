/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From our own task to our own files: a descriptor table is known by its
 * pattern of open, equal and closed descriptors, first in the small table that a
 * process begins with, which lies in its files_struct, then in a larger one.
 */
#include <linux/types.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "compat/learn/learn_fds.h"

#include "compat/learn/learn_fits.h"

enum {
	FIRST_FD = 20,
	TASK_SIZE = 4096,
	FILES_SIZE = 1024, /* the table in it included */
	TABLE_SIZE = 64,
	SMALL_TABLE = 64, /* entries: bits of a long */
	MAX_WAYS = 16
};

/* From a files_struct to the array of descriptors. */
struct way {
	uint32_t task;  /* where the task has its files_struct */
	uint32_t fdt;   /* in files_struct: the table in use … */
	uint32_t fdtab; /* … and the first one */
	uint32_t fd;    /* in a table: its array */
	uint64_t at;    /* of the files_struct */
};

/* Descriptors that nobody else has so: two of one file, one of another, closed ones between. */
struct pattern {
	int one, same, other;
};

static int make_file(const char *name, int fd)
{
	int made = syscall(__NR_memfd_create, name, 0);

	if (made < 0 || dup2(made, fd) != fd)
		return -1;
	return close(made);
}

static bool make_pattern(struct pattern *p, unsigned round)
{
	*p = (struct pattern){ .one = FIRST_FD + 7 * (int)round };
	p->same = p->one + 2;
	p->other = p->one + 5;
	return !make_file("one", p->one) && dup2(p->one, p->same) == p->same &&
	       !make_file("other", p->other);
}

static bool has_pattern(const struct learn *learn, const struct learn_object *object, size_t array,
			const struct pattern *p)
{
	uint64_t words[8];

	for (int i = 0; i < 8; i++)
		words[i] = learn_word(object, array + 8 * (size_t)(p->one - 1 + i));
	return peek_is_object(learn->peek, words[1]) && words[1] && words[3] == words[1] &&
	       peek_is_object(learn->peek, words[6]) && words[6] && words[6] != words[1] &&
	       !words[0] && !words[2] && !words[4] && !words[5] && !words[7];
}

/* All ways through what may be a files_struct whose table lies in itself. */
static unsigned find_ways(struct learn *learn, uint64_t at, uint32_t task, const struct pattern *p,
			  struct way *ways, unsigned n)
{
	struct learn_object files;

	if (!learn_read(learn, &files, at, FILES_SIZE))
		return n;
	for (uint32_t fdt = 0; fdt < 256; fdt += 8) {
		uint64_t fdtab = learn_word(&files, fdt) - at;

		if (!fdtab || fdtab >= 256 || fdtab % 8)
			continue;
		for (uint32_t fd = 0; fd < TABLE_SIZE && n < MAX_WAYS; fd += 8) {
			uint64_t array = learn_word(&files, fdtab + fd) - at;

			if (array && array < FILES_SIZE && has_pattern(learn, &files, array, p))
				ways[n++] = (struct way){ task, fdt, fdtab, fd, at };
		}
	}
	return n;
}

static unsigned find_all_ways(struct learn *learn, const struct pattern *p, struct way *ways)
{
	struct learn_object task;
	unsigned n = 0;

	if (!learn_read(learn, &task, learn->task, TASK_SIZE))
		return 0;
	for (uint32_t at = 0; at < task.size; at += 8) {
		uint64_t pointer = learn_lead(learn, LAYOUT_task_struct_files, &task, at);

		if (pointer)
			n = find_ways(learn, pointer, at, p, ways, n);
	}
	return n;
}

/* With a descriptor beyond the first table: the way leads to another one now. */
static bool leads_to(struct learn *learn, const struct way *way, uint64_t file, int fd,
		     struct learn_object *table)
{
	uint64_t fdt = learn_pointer(learn, way->at + way->fdt);

	return fdt != way->at + way->fdtab && peek_is_object(learn->peek, fdt) &&
	       learn_read(learn, table, fdt, TABLE_SIZE) &&
	       learn_pointer(learn, learn_word(table, way->fd) + 8 * (uint64_t)fd) == file;
}

static uint32_t number_at(const struct learn_object *object, size_t at)
{
	return (uint32_t)(learn_word(object, at & ~7u) >> (at % 8 * 8));
}

/* Entries of both tables: a power of two, which has the descriptor and is no four times as large. */
static void learn_entries(struct learn *learn, const struct way *way,
			  const struct learn_object *large, int fd)
{
	struct learn_object small;
	uint32_t fits[TABLE_SIZE / 4];
	unsigned n = 0;

	if (!learn_read(learn, &small, way->at + way->fdtab, TABLE_SIZE))
		return;
	for (uint32_t at = 0; at < TABLE_SIZE; at += 4) {
		uint32_t entries = number_at(large, at);

		if (number_at(&small, at) == SMALL_TABLE && entries > (uint32_t)fd &&
		    entries <= 4 * (uint32_t)fd && !(entries & (entries - 1)))
			fits[n++] = at;
	}
	learn_fits(learn, LAYOUT_fdtable_max_fds, fits, n);
}

static void take_ways(struct learn *learn, const struct way *ways, unsigned n)
{
	static const struct {
		enum layout_member_id id;
		size_t in_way;
	} members[] = {
		{ LAYOUT_task_struct_files, offsetof(struct way, task) },
		{ LAYOUT_files_struct_fdt, offsetof(struct way, fdt) },
		{ LAYOUT_files_struct_fdtab, offsetof(struct way, fdtab) },
		{ LAYOUT_fdtable_fd, offsetof(struct way, fd) },
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		uint32_t offsets[MAX_WAYS];

		unsigned n_offsets = 0;

		for (unsigned k = 0; k < n; k++) {
			const char *way = (const char *)&ways[k];
			uint32_t offset = *(const uint32_t *)(way + members[i].in_way);

			/* one offset of several ways is one answer */
			if (!n_offsets || offsets[n_offsets - 1] != offset)
				offsets[n_offsets++] = offset;
		}
		learn_fits(learn, members[i].id, offsets, n_offsets);
	}
}

bool learn_descriptors(struct learn *learn, unsigned round)
{
	struct way ways[MAX_WAYS];
	struct learn_object table;
	struct pattern p;
	unsigned n, kept = 0;
	int fd = 100 * (int)(round + 1);
	uint64_t file;

	learn->task = peek_task(learn->peek);
	if (!learn->task || !make_pattern(&p, round))
		return false;
	n = find_all_ways(learn, &p, ways);
	if (!n || dup2(p.other, fd) != fd)
		return false;
	for (unsigned i = 0; i < n; i++) {
		struct learn_object first;
		uint64_t array;

		if (!learn_read(learn, &first, ways[i].at + ways[i].fdtab, TABLE_SIZE))
			continue;
		array = learn_word(&first, ways[i].fd);
		file = learn_pointer(learn, array + 8 * (uint64_t)p.other);
		if (!leads_to(learn, &ways[i], file, fd, &table))
			continue;
		learn_entries(learn, &ways[i], &table, fd);
		ways[kept++] = ways[i];
	}
	take_ways(learn, ways, kept);
	file = learn_file(learn, p.one);
	return file && file == learn_file(learn, p.same) &&
	       learn_file(learn, p.other) == learn_file(learn, fd);
}

uint64_t learn_file(struct learn *learn, int fd)
{
	uint64_t files = learn_follow(learn, LAYOUT_task_struct_files, learn->task);
	uint64_t table = learn_follow(learn, LAYOUT_files_struct_fdt, files);
	uint64_t array = learn_follow(learn, LAYOUT_fdtable_fd, table);

	return array ? learn_pointer(learn, array + 8 * (uint64_t)fd) : 0;
}
