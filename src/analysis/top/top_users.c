/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns who used a file: rows of its threads, added up by process, and their names. */
#include "analysis/top/top_users.h"

#include <stdlib.h>

#include "analysis/top/top_views.h"
#include "row/format.h"

/* One by one, because rows may have been sorted by now, and slots then lead nowhere. */
static uint32_t file_id(const struct view *files, const struct top_file *file)
{
	const struct key key = { file->mntns, NULL, file->mntns, file->path, file->len };

	for (uint32_t i = 0; i < files->n; i++)
		if (is_key_of(&files->rows[i], &key))
			return files->rows[i].id;
	return 0;
}

static void add_row(struct top_row *to, const struct top_row *row)
{
	to->ops += row->ops;
	to->errors += row->errors;
	to->reads += row->reads;
	to->read_bytes += row->read_bytes;
	to->writes += row->writes;
	to->write_bytes += row->write_bytes;
	to->timed += row->timed;
	to->ns += row->ns;
	to->max_ns = row->max_ns > to->max_ns ? row->max_ns : to->max_ns;
}

static uint32_t thread_of(const struct top_row *row)
{
	return (uint32_t)row->number;
}

/* The first thread of a process first: its name is that of the process. */
static int by_thread(const void *x, const void *y)
{
	const struct top_row *a = x, *b = y;
	bool first_a = thread_of(a) == a->pid, first_b = thread_of(b) == b->pid;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (first_a != first_b)
		return first_a ? -1 : 1;
	return thread_of(a) < thread_of(b) ? -1 : thread_of(a) > thread_of(b);
}

/* "4711 python3", "4711/4712 worker" */
static bool name_user(struct view *users, struct top_row *row, bool threads)
{
	char number[48], *end = put_u(number, row->pid);
	const char *name = row->key;
	uint32_t len = row->key_len;

	if (threads && thread_of(row) != row->pid) {
		*end++ = '/';
		end = put_u(end, thread_of(row));
	}
	*end++ = ' ';
	if (users->used + (size_t)(end - number) + len > TEXT_SIZE)
		return false;
	row->key = users->text + users->used;
	row->name_at = (uint32_t)(end - number);
	row->key_len = row->name_at + len;
	row->number = row->pid;
	memcpy(users->text + users->used, number, row->name_at);
	if (len)
		memcpy(users->text + users->used + row->name_at, name, len);
	users->used += row->key_len;
	return true;
}

unsigned top_model_users(struct top_model *model, const struct top_file *file, enum top_sort sort,
			 const struct top_row **rows)
{
	const struct view *all = &model->views[TOP_USERS];
	struct view *users = &model->users;
	uint32_t id = file_id(&model->views[TOP_FILES], file), n = 0, last = 0;

	users->used = 0;
	for (uint32_t i = 0; id && i < all->n; i++)
		if (all->rows[i].file == id)
			users->rows[n++] = all->rows[i];
	qsort(users->rows, n, sizeof(users->rows[0]), by_thread);
	for (uint32_t i = 1; i < n; i++) {
		const struct top_row *row = &users->rows[i], *before = &users->rows[last];

		if (row->pid == before->pid &&
		    (!file->threads || thread_of(row) == thread_of(before)))
			add_row(&users->rows[last], row);
		else
			users->rows[++last] = *row;
	}
	n = n ? last + 1 : 0;
	for (uint32_t i = 0; i < n; i++)
		if (!name_user(users, &users->rows[i], file->threads))
			n = i;
	top_sort_rows(users->rows, n, sort);
	*rows = users->rows;
	return n;
}
