/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the choice of files that leave the memory, and their way out and back. */
#include "analysis/files/files_evict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/compare_text.h"
#include "analysis/files/files_columns.h"
#include "analysis/files/files_open.h"
#include "analysis/files/files_names.h"

/* Files between two commits: so many records a journal in memory must be able to take back. */
enum { BATCH = 256 };

/* ---- out ---- */

static int put(struct files_evict *forget, const struct files_file *file)
{
	struct files_store_record record = { .mntns = file->mntns,
					     .path = file->path,
					     .path_len = file->path_len };
	bool told = file->uses && (file->kind == FILES_REGULAR || file->uses->cell.n_errors);

	if (!files_pack(&forget->packed, file))
		return -ENOMEM;
	record.bytes = forget->packed.bytes;
	record.len = forget->packed.len;
	return files_store_put(forget->shelf, &record, told,
			       told ? files_sum_bytes(&file->uses->cell) : 0);
}

/* As it is on the shelf, or not to be told at all. */
static bool is_there(const struct files_evict *forget, const struct files_file *file)
{
	return !file->path_len || file->used <= forget->written_row;
}

static int compare_names(const void *a, const void *b)
{
	const struct files_file *x = *(struct files_file *const *)a;
	const struct files_file *y = *(struct files_file *const *)b;

	if (x->mntns != y->mntns)
		return x->mntns < y->mntns ? -1 : 1;
	return compare_text(x->path, x->path_len, y->path, y->path_len);
}

/* In the order of the shelf: neighbours share its pages. */
static int put_all(struct files_evict *forget, const struct files_file **files, uint64_t n)
{
	int err = files_store_begin(forget->shelf);

	qsort(files, n, sizeof(const struct files_file *), compare_names);
	for (uint64_t i = 0; i < n && !err; i++) {
		err = put(forget, files[i]);
		if (!err && (i + 1) % BATCH == 0) {
			err = files_store_commit(forget->shelf);
			err = err ? err : files_store_begin(forget->shelf);
		}
	}
	if (!err)
		err = files_store_commit(forget->shelf);
	if (err)
		files_store_rollback(forget->shelf);
	return err;
}

/* Those that were used up to a row. Returns 0 or -errno: some are not there then. */
static int put_used_until(struct files_evict *forget, const struct files_model *model, uint64_t row,
			  uint64_t *n_put)
{
	const struct files_file **files =
		malloc((model->n_files + 1) * sizeof(const struct files_file *));
	uint64_t n = 0;
	int err;

	if (!files)
		return -ENOMEM;
	for (uint64_t i = 0; i < model->n_slots; i++) {
		const struct files_file *file = model->slots[i];

		if (file && file->used <= row && !is_there(forget, file))
			files[n++] = file;
	}
	err = put_all(forget, files, n);
	free(files);
	*n_put = n;
	return err;
}

static int compare_rows(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Up to which row files are the older half; 0 without memory. */
static uint64_t middle_row(const struct files_model *model)
{
	uint64_t *rows = malloc(model->n_files * sizeof(*rows)), n = 0, middle = 0;

	for (uint64_t i = 0; rows && i < model->n_slots; i++)
		if (model->slots[i])
			rows[n++] = model->slots[i]->used;
	if (rows) {
		qsort(rows, n, sizeof(*rows), compare_rows);
		middle = rows[n / 2];
	}
	free(rows);
	return middle;
}

/* The model with the files alone that were used after row, in memory of their own. */
static bool keep_used_after(struct files_evict *forget, struct files_model *model, uint64_t row)
{
	struct files_model kept = { .options = model->options,
				    .n_rows = model->n_rows,
				    .n_unnamed = model->n_unnamed,
				    .keeper = model->keeper,
				    .no_memory = model->no_memory };
	bool ok = true;

	for (; ok && kept.n_calls < model->n_calls; kept.n_calls += ok) {
		const char *name = model->calls[kept.n_calls];

		kept.calls[kept.n_calls] = pool_text(&kept.words, name, strlen(name));
		ok = kept.calls[kept.n_calls] != NULL;
	}
	for (uint64_t i = 0; i < model->n_slots && ok; i++) {
		struct files_file *file = model->slots[i];

		if (!file || file->used <= row)
			continue;
		ok = files_pack(&forget->packed, file);
		file = ok ? files_unpack(&kept, forget->packed.bytes, forget->packed.len) : NULL;
		ok = file && files_place(&kept, file);
	}
	if (!ok) {
		files_free(&kept);
		return false;
	}
	files_free(model);
	*model = kept;
	return true;
}

static void make_room(struct files_keeper *keeper, struct files_model *model)
{
	struct files_evict *forget = (struct files_evict *)keeper;
	uint64_t row, n_put = 0;
	int err = 0;

	if (model->n_files < (forget->due ? forget->due : forget->max_files))
		return;
	row = middle_row(model);
	if (!forget->shelf)
		err = files_store_open(&forget->shelf, forget->dir_fd, forget->folder);
	if (!err)
		err = put_used_until(forget, model, row, &n_put);
	forget->n_written += err ? 0 : n_put;
	if (!err && (!row || !keep_used_after(forget, model, row)))
		err = -ENOMEM;
	forget->full = err;
	/* not with every row again */
	forget->due = err ? model->n_files + forget->max_files / 2 : 0;
}

/* ---- and back ---- */

static struct files_file *find(struct files_keeper *keeper, struct files_model *model,
			       const struct files_row *row)
{
	struct files_evict *forget = (struct files_evict *)keeper;
	struct files_store_record record = { .mntns = row->mntns,
					     .path = row->path.text,
					     .path_len = row->path.len };
	struct files_file *file;
	int found = forget->shelf && row->path.len ? files_store_find(forget->shelf, &record) : 0;

	if (found < 0)
		forget->err = found;
	if (found != 1)
		return NULL;
	file = files_unpack(model, record.bytes, record.len);
	if (!file)
		forget->err = -ENOMEM;
	forget->n_back += file != NULL;
	return file;
}

void files_evict_open(struct files_evict *forget, int dir_fd, const char *folder,
		      uint64_t max_files)
{
	*forget = (struct files_evict){ .keeper = { make_room, find },
					.dir_fd = dir_fd,
					.folder = folder,
					.max_files = max_files };
}

/* ---- telling ---- */

int files_evict_all(struct files_evict *forget, struct files_model *model)
{
	uint64_t n_put = 0;
	int err = put_used_until(forget, model, UINT64_MAX, &n_put);

	if (!err)
		forget->written_row = model->n_rows;
	return err ? err : forget->err;
}

static void drop_told(struct files_evict *forget)
{
	/* its calls are those of the model */
	if (forget->telling)
		files_free(&forget->told);
	forget->telling = false;
}

void files_evict_rewind(struct files_evict *forget)
{
	drop_told(forget);
	files_store_rewind(forget->shelf);
}

/* Whether it has a place in the table; or -errno. Directories are known by what is below them, too. */
static int is_told(struct files_evict *forget, const struct files_store_record *record,
		   const struct files_file *file)
{
	int below;

	if (forget->failures)
		return true;
	if (file->kind != FILES_REGULAR)
		return false;
	below = files_store_has_below(forget->shelf, record);
	return below < 0 ? below : !below;
}

/* 1: it is in forget->told; 0: it is not to be told; or -errno. */
static int take_record(struct files_evict *forget, const struct files_model *model,
		       const struct files_store_record *record, struct files_file **file)
{
	int told;

	drop_told(forget);
	forget->told = (struct files_model){ .options = model->options };
	forget->telling = true;
	*file = files_unpack(&forget->told, record->bytes, record->len);
	if (!*file || !files_place(&forget->told, *file))
		return -ENOMEM;
	told = is_told(forget, record, *file);
	if (told == 1)
		files_show_runs(&forget->told, true);
	return (*file)->uses && !forget->told.no_memory ? told : -ENOMEM;
}

bool files_evict_next(struct files_evict *forget, const struct files_model *model,
		      struct files_entry *entry)
{
	struct files_store_record record;
	struct files_file *file = NULL;
	int found;

	do {
		found = files_store_next(forget->shelf, &record);
		if (found == 1)
			found = take_record(forget, model, &record, &file) ?: 2;
	} while (found == 2);
	forget->err = found < 0 ? found : forget->err;
	if (found != 1)
		return false;
	*entry = (struct files_entry){ .host = "",
				       .name = file->path,
				       .len = file->path_len,
				       .mntns = file->mntns,
				       .device = file->device,
				       .inode = file->inode,
				       .cell = &file->uses->cell,
				       .calls = model->calls };
	return true;
}

void files_evict_close(struct files_evict *forget)
{
	drop_told(forget);
	files_store_close(forget->shelf);
	forget->shelf = NULL;
	free(forget->packed.bytes);
}
