/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns how much of what applications read was in memory. Of each file, what devices were read for (by a
 * read, ahead of it, or directly) was not, up to what applications read of it: the rest was read
 * ahead in vain, or through a mapping. Pages that are written are not looked up by anybody.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/report_rows_private.h"
#include "analysis/report_sections.h"

static uint64_t read_of(const struct files_file *file)
{
	uint64_t bytes = 0;

	for (const struct files_use *use = file->uses; use; use = use->next)
		bytes += use->cell.moved[FILES_READ].bytes;
	return bytes;
}

static uint64_t read_in(const struct report *r, const char *path, size_t len)
{
	const struct report_key key = { .kind = REPORT_READ_IN, .name = path, .len = len };
	const struct report_item *item = report_find(&r->tally, &key);

	return item ? item->values[REPORT_READ_BYTES] : 0;
}

bool report_memory(const struct report *r, struct report_memory *memory)
{
	const uint64_t needed = 1ull << DS_CAUSE | 1ull << DS_FILE;

	*memory = (struct report_memory){ 0 };
	if (!r->has_files || !r->on[STREAM_ds] || (r->tally.streams[STREAM_ds].columns & needed))
		return false;
	memory->unnamed = read_in(r, "", 0);
	for (unsigned i = 0; i < r->files.n_models; i++) {
		const struct files_model *model = &r->files.models[i];

		for (uint64_t k = 0; k < model->n_slots; k++) {
			const struct files_file *file = model->slots[k];
			uint64_t asked = file && file->path_len ? read_of(file) : 0;
			uint64_t came = asked ? read_in(r, file->path, file->path_len) : 0;

			memory->asked += asked;
			memory->came += came < asked ? came : asked;
		}
	}
	return memory->asked > 0;
}
