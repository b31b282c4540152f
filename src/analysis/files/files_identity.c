/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which of these columns a key needs. Numbers are those of files_columns.c. */
#include "analysis/files/files_identity.h"

#include <string.h>

#include "analysis/common/compare_text.h"
#include "analysis/files/files_followed.h"

/* For people only where there are several. */
static bool has_mntns(const struct files_answer *answer, const struct files_view *view)
{
	return (files_by_is_file(answer->by) || answer->by == FILES_BY_DIR) &&
	       !(view->format == TABLE_TEXT && !answer->several_mntns);
}

static bool has_host_path(const struct files_answer *answer, const struct files_view *view)
{
	return view->host_paths && files_by_is_file(answer->by);
}

unsigned files_identity_columns(const struct files_answer *answer, const struct files_view *view,
				bool with_device, struct table_column *columns)
{
	static const struct table_column by[N_FILES_BY] = {
		[FILES_BY_FILE] = { "filename", TABLE_NAME },
		[FILES_BY_DIR] = { "dir", TABLE_NAME },
		[FILES_BY_EXT] = { "ext", TABLE_NAME },
		[FILES_BY_COMM] = { "comm", TABLE_NAME },
		[FILES_BY_PROCESS] = { "pid", TABLE_COUNT },
		[FILES_BY_MNTNS] = { "mntns", TABLE_COUNT },
		[FILES_BY_DEVICE] = { "device", TABLE_DEVICE },
		[FILES_BY_FILE_AND_COMM] = { "filename", TABLE_NAME },
		[FILES_BY_FILE_AND_PROCESS] = { "filename", TABLE_NAME },
		[FILES_BY_CONTAINERS] = { "container", TABLE_NAME },
		[FILES_BY_FILE_AND_CONTAINER] = { "filename", TABLE_NAME },
		[FILES_BY_IDENTITY] = { "filename", TABLE_NAME },
	};
	unsigned n = 0;

	if (view->hosts || answer->by == FILES_BY_HOST)
		columns[n++] = (struct table_column){ "host", TABLE_NAME };
	if (view->interval_ns)
		columns[n++] = (struct table_column){ "time",
						      view->wall ? TABLE_NAME : TABLE_COUNT };
	if (has_mntns(answer, view))
		columns[n++] = (struct table_column){ "mntns", TABLE_COUNT };
	/* the path comes last: it is the longest */
	if (answer->by == FILES_BY_FILE_AND_COMM)
		columns[n++] = by[FILES_BY_COMM];
	if (answer->by == FILES_BY_FILE_AND_CONTAINER)
		columns[n++] = by[FILES_BY_CONTAINERS];
	if (answer->by == FILES_BY_FILE_AND_PROCESS)
		columns[n++] = by[FILES_BY_PROCESS];
	if (answer->by == FILES_BY_IDENTITY)
		columns[n++] = (struct table_column){ "names", TABLE_COUNT };
	if (has_host_path(answer, view))
		columns[n++] = (struct table_column){ "host_path", TABLE_NAME };
	if (answer->by != FILES_BY_HOST)
		columns[n++] = by[answer->by];
	if (with_device && files_by_is_file(answer->by)) {
		columns[n++] = (struct table_column){ "device", TABLE_DEVICE };
		columns[n++] = (struct table_column){ "inode", TABLE_COUNT };
	}
	return n;
}

/* 0 is what is not known, for all numbers here. */
static struct table_value number_value(uint64_t number)
{
	return (struct table_value){ .known = number != 0, .u = number };
}

struct table_value files_time_value(const struct files_view *view, const struct wall *wall,
				    uint64_t mono_ns, char text[WALL_TEXT_SIZE])
{
	if (!view->wall)
		return (struct table_value){ .known = true, .u = mono_ns };
	wall_text(wall, mono_ns, text);
	return table_bytes(text, strlen(text));
}

void files_identity_values(const struct files_answer *answer, const struct files_view *view,
			   const struct wall *walls, const struct files_entry *entry,
			   bool with_device, char time[WALL_TEXT_SIZE], struct table_value *values)
{
	bool numbered = answer->by == FILES_BY_PROCESS || answer->by == FILES_BY_MNTNS ||
			answer->by == FILES_BY_DEVICE;

	if (view->hosts || answer->by == FILES_BY_HOST)
		*values++ = table_bytes(entry->host, strlen(entry->host));
	if (view->interval_ns)
		*values++ = files_time_value(view, &walls[entry->source],
					     entry->interval * view->interval_ns, time);
	if (has_mntns(answer, view))
		*values++ = number_value(entry->mntns);
	if (entry->comm)
		*values++ = table_bytes(entry->comm, strlen(entry->comm));
	if (answer->by == FILES_BY_FILE_AND_PROCESS)
		*values++ = number_value(entry->pid);
	if (answer->by == FILES_BY_IDENTITY)
		*values++ = number_value(
			view->follows ? files_follow_names(view->follows[entry->source],
							   entry->mntns, entry->name, entry->len) :
					1);
	if (has_host_path(answer, view))
		*values++ = table_text(host_paths_find(&view->host_paths[entry->source],
						       entry->mntns, entry->name, entry->len));
	if (numbered)
		*values++ = number_value(entry->number);
	else if (answer->by != FILES_BY_HOST)
		*values++ = table_bytes(entry->name, entry->len);
	if (with_device && files_by_is_file(answer->by)) {
		*values++ = number_value(entry->device);
		*values++ = number_value(entry->inode);
	}
}

#define COMPARE(a, b)                                                                              \
	if ((a) != (b))                                                                            \
	return (a) < (b) ? -1 : 1

int files_key_compare(const struct files_entry *a, const struct files_entry *b)
{
	int order = strcmp(a->host, b->host);

	if (order)
		return order;
	COMPARE(a->interval, b->interval);
	COMPARE(a->mntns, b->mntns);
	order = compare_text(a->name, a->len, b->name, b->len);
	if (order)
		return order;
	COMPARE(a->number, b->number);
	COMPARE(a->pid, b->pid);
	return a->comm && b->comm ? strcmp(a->comm, b->comm) : 0;
}

int files_identity_compare(const struct files_entry *a, const struct files_entry *b)
{
	int order = files_key_compare(a, b);

	if (order)
		return order;
	COMPARE(a->device, b->device);
	COMPARE(a->inode, b->inode);
	return 0;
}
