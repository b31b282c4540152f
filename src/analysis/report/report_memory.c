/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns how much of what applications read was in memory. Of each file, what devices were read for (by a
 * read, ahead of it, or directly) was not, up to what applications read of it: the rest was read
 * ahead in vain, or through a mapping. Pages that are written are not looked up by anybody: of what
 * was written since the last sync of a file, what no request carried may wait in memory.
 */
#include "analysis/report/report_memory.h"

#include "analysis/report/report_fields.h"

static uint64_t moved_of(const struct files_file *file, enum files_direction direction)
{
	uint64_t bytes = 0;

	for (const struct files_use *use = file->uses; use; use = use->next)
		bytes += use->cell.moved[direction].bytes;
	return bytes;
}

static uint64_t on_device(const struct report *r, const char *path, size_t len,
			  enum report_measure measure)
{
	const struct report_key key = { .kind = REPORT_ON_DEVICE, .name = path, .len = len };
	const struct report_item *item = report_find(&r->tally, &key);

	return item ? item->values[measure] : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void take_file(const struct report *r, const struct files_file *file,
		      struct report_memory *memory)
{
	uint64_t asked = moved_of(file, FILES_READ), written = moved_of(file, FILES_WRITE);
	uint64_t there = on_device(r, file->path, file->path_len, REPORT_WRITE_BYTES);

	memory->asked += asked;
	memory->came += least(asked, on_device(r, file->path, file->path_len, REPORT_READ_BYTES));
	memory->written += written;
	/* a file system without a disk may be in memory alone */
	if (file->device >> 20 && written > there)
		memory->waiting += least(written - there, file->unsynced);
}

bool report_memory(const struct report *r, struct report_memory *memory)
{
	const uint64_t needed = 1ull << DS_CAUSE | 1ull << DS_FILE;

	*memory = (struct report_memory){ 0 };
	if (!r->has_files || !r->on[STREAM_ds] || gaps_rows_chosen_apart(r->session.manifest) ||
	    (r->tally.streams[STREAM_ds].seen.columns & needed))
		return false;
	memory->unnamed = on_device(r, "", 0, REPORT_READ_BYTES);
	for (unsigned i = 0; i < r->files.n_models; i++) {
		const struct files_model *model = &r->files.models[i];

		for (uint64_t k = 0; k < model->n_slots; k++)
			if (model->slots[k] && model->slots[k]->path_len)
				take_file(r, model->slots[k], memory);
	}
	memory->waiting -= least(memory->waiting, on_device(r, "", 0, REPORT_WRITE_BYTES));
	return true;
}
