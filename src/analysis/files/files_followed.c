/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which file a row is of, and the table of names. */
#include "analysis/files/files_followed.h"

#include <string.h>

#include "analysis/common/cells.h"
#include "analysis/files/files_follow_private.h"

/* Whose it was at that time; 0: nobody's. before: the first one that has it later will do, too. */
static uint32_t bound_at(const struct history *of, uint64_t key, uint64_t ns, bool before)
{
	uint64_t i = history_find(of, key, ns + 1);
	const struct binding *b = i ? history_at(of, i - 1, key) : NULL;

	/* a name that was first seen when a file got it may have been that of one before */
	if (!b && before)
		b = history_at(of, i, key);
	return b ? b->file : 0;
}

void files_follow_row(const struct files_follow *f, struct files_row *row)
{
	uint64_t path = path_key(row->mntns, row->path.text, row->path.len);
	uint64_t inode = row->second ? 0 : inode_key(row->device, row->inode);
	uint64_t description = description_key(!row->second && row->description != FILES_UNKNOWN,
					       row->description);
	bool is_named = f->n_slots && row->path.len && slot_of(f, path)->hash;
	uint32_t file = inode ? bound_at(&f->inodes, inode, row->mono_ns, false) : 0;
	const char *shown;

	/* what is open keeps its file, whatever has its name now */
	if (!file && is_named && description)
		file = bound_at(&f->descriptions, description, row->mono_ns, false);
	if (!file && is_named)
		file = bound_at(&f->paths, path, row->mono_ns, true);
	if (!file)
		return;
	shown = f->files[whole_of(f, file)].shown;
	row->path = (struct files_text){ shown, (uint32_t)strlen(shown) };
}

uint64_t files_follow_names(const struct files_follow *f, uint32_t mntns, const char *shown,
			    size_t len)
{
	const struct place *place = f->n_slots ? slot_of(f, path_key(mntns, shown, len)) : NULL;

	return place && place->file ? f->files[whole_of(f, place->file)].n_names : 1;
}

static void print_names(struct cells *c, const struct followed *file, const char *host)
{
	for (const struct name *name = file->first; name; name = name->next) {
		if (host)
			cell(c, "host", TABLE_NAME, table_text(host));
		cell(c, "mntns", TABLE_COUNT, table_number_if(file->mntns, file->mntns));
		cell(c, "since_ns", TABLE_COUNT, table_number_if(name->since_ns, name->since_ns));
		cell(c, "filename", TABLE_NAME, table_text(file->shown));
		cell(c, "name", TABLE_NAME, table_text(name->text));
		cells_row(c);
	}
}

int files_follow_print(const struct files_follow *const *follows, const char *const *hosts,
		       unsigned n, const struct row_filter *filter, enum table_format format,
		       FILE *out)
{
	struct name nothing = { .text = "" };
	struct cells c;

	cells_begin(&c, out, format);
	for (unsigned i = 0; i < n; i++)
		for (uint32_t k = 1; k < follows[i]->n_files; k++) {
			const struct followed *file = &follows[i]->files[k];

			if (file->parent == k && file->n_names > 1 &&
			    row_filter_has_path(filter, file->shown, strlen(file->shown)))
				print_names(&c, file, hosts ? hosts[i] : NULL);
		}
	if (cells_none(&c))
		print_names(&c, &(struct followed){ .first = &nothing }, hosts ? "" : NULL);
	return cells_end(&c);
}
