/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the open files and the runs through them. They belong to their file, so
 * that the result does not depend on which files a model has beside it; each
 * file has a limited number, of which the one not used for longest ends.
 */
#include "analysis/files/files_open.h"

#include <stdlib.h>

#include "analysis/common/hash.h"

enum { MAX_OF_A_FILE = 1024, MAX_CLOSED = 4, FIRST_SLOTS = 256 };

/* Of traces without descriptions: the descriptor of the process. */
static uint64_t key_of(const struct files_row *row)
{
	if (row->description != FILES_UNKNOWN)
		return row->description | 1ull << 63;
	return (uint64_t)row->pid << 31 | (uint32_t)(row->fd < 0 ? INT32_MAX : row->fd);
}

static uint64_t slot_of(const struct files_model *model, const struct files_file *file,
			uint64_t key)
{
	return hash_mix(file->hash, key) & (model->n_open_slots - 1);
}

static bool grow(struct files_model *model)
{
	uint64_t n = model->n_open_slots, more = n ? 2 * n : FIRST_SLOTS;
	struct files_open **old = model->open_slots, *open, *next;

	model->open_slots = calloc(more, sizeof(*old));
	if (!model->open_slots) {
		model->open_slots = old;
		return false;
	}
	model->n_open_slots = more;
	for (uint64_t i = 0; i < n; i++)
		for (open = old[i]; open; open = next) {
			uint64_t slot = slot_of(model, open->file, open->key);

			next = open->next_slot;
			open->next_slot = model->open_slots[slot];
			model->open_slots[slot] = open;
		}
	free(old);
	return true;
}

static void unlink_open(struct files_open *open)
{
	if (open->newer)
		open->newer->older = open->older;
	else
		open->file->opens = open->older;
	if (open->older)
		open->older->newer = open->newer;
}

static void link_newest(struct files_open *open)
{
	open->newer = NULL;
	open->older = open->file->opens;
	if (open->older)
		open->older->newer = open;
	open->file->opens = open;
}

struct files_open *files_open_find(const struct files_model *model, const struct files_file *file,
				   const struct files_row *row)
{
	uint64_t key = key_of(row);
	struct files_open *open;

	if (file->opens && file->opens->key == key)
		return file->opens;
	open = model->n_open_slots ? model->open_slots[slot_of(model, file, key)] : NULL;
	while (open && (open->file != file || open->key != key))
		open = open->next_slot;
	return open;
}

static void end_run(struct files_model *model, struct files_run *run,
		    enum files_direction direction)
{
	enum files_metric metric = direction == FILES_READ ? FILES_READ_RUN : FILES_WRITE_RUN;

	if (run->bytes &&
	    !histogram_add(&run->cell->histogram, files_tag(metric, FILES_NO_CALL), run->bytes))
		model->no_memory = true;
	run->bytes = 0;
}

static void close_open(struct files_model *model, struct files_open *open)
{
	struct files_open **at = &model->open_slots[slot_of(model, open->file, open->key)];

	end_run(model, &open->runs[FILES_READ], FILES_READ);
	end_run(model, &open->runs[FILES_WRITE], FILES_WRITE);
	while (*at != open)
		at = &(*at)->next_slot;
	*at = open->next_slot;
	unlink_open(open);
	open->file->n_opens--;
	open->file->n_closed -= open->closed;
	model->n_open--;
	open->next_slot = model->free_opens;
	model->free_opens = open;
}

static struct files_open *take(struct files_model *model)
{
	struct files_open *open = model->free_opens;

	if (!open)
		return pool_take(&model->pool, sizeof(*open));
	model->free_opens = open->next_slot;
	*open = (struct files_open){ .key = 0 };
	return open;
}

static void close_oldest(struct files_model *model, struct files_file *file)
{
	struct files_open *oldest = file->opens;

	while (oldest->older)
		oldest = oldest->older;
	close_open(model, oldest);
}

struct files_open *files_open_make(struct files_model *model, struct files_file *file, uint64_t key)
{
	struct files_open *open;
	uint64_t slot;

	if (file->n_opens == MAX_OF_A_FILE)
		close_oldest(model, file);
	if (model->n_open >= model->n_open_slots && !grow(model))
		return NULL;
	open = take(model);
	if (!open)
		return NULL;
	open->file = file;
	open->key = key;
	slot = slot_of(model, file, key);
	open->next_slot = model->open_slots[slot];
	model->open_slots[slot] = open;
	link_newest(open);
	file->n_opens++;
	model->n_open++;
	return open;
}

struct files_open *files_open_of(struct files_model *model, struct files_file *file,
				 const struct files_row *row)
{
	struct files_open *open = files_open_find(model, file, row);

	if (open) {
		/* it was a duplicate that was closed */
		file->n_closed -= open->closed;
		open->closed = false;
		if (open->newer) {
			unlink_open(open);
			link_newest(open);
		}
		return open;
	}
	return files_open_make(model, file, key_of(row));
}

void files_open_close(struct files_model *model, struct files_file *file,
		      const struct files_row *row)
{
	struct files_open *open = files_open_find(model, file, row);

	if (open)
		close_open(model, open);
}

void files_open_close_one(struct files_model *model, struct files_file *file,
			  const struct files_row *row)
{
	struct files_open *open = files_open_find(model, file, row);

	if (!open || row->description == FILES_UNKNOWN) {
		files_open_close(model, file, row);
		return;
	}
	if (!open->closed && ++file->n_closed <= MAX_CLOSED) {
		open->closed = true;
		return;
	}
	if (open->closed)
		return;
	open->closed = true;
	for (open = file->opens; open->older;)
		open = open->older;
	while (!open->closed)
		open = open->newer;
	close_open(model, open);
}

void files_open_close_all(struct files_model *model, struct files_file *file)
{
	while (file->opens)
		close_open(model, file->opens);
}

void files_open_show_runs(struct files_model *model, const struct files_file *file, bool shown)
{
	for (const struct files_open *open = file->opens; open; open = open->older)
		for (int i = FILES_READ; i <= FILES_WRITE; i++) {
			const struct files_run *run = &open->runs[i];
			enum files_metric metric = i == FILES_READ ? FILES_READ_RUN :
								     FILES_WRITE_RUN;
			uint32_t tag = files_tag(metric, FILES_NO_CALL);

			if (run->bytes && !shown)
				histogram_remove(&run->cell->histogram, tag, run->bytes);
			else if (run->bytes &&
				 !histogram_add(&run->cell->histogram, tag, run->bytes))
				model->no_memory = true;
		}
}

void files_open_move(struct files_model *model, struct files_open *open, struct files_cell *cell,
		     enum files_direction direction, int64_t offset, uint64_t bytes)
{
	struct files_run *run = &open->runs[direction];
	struct files_transfers *moved = &cell->moved[direction];
	bool follows = offset >= 0 && (uint64_t)offset == (run->known ? run->end : 0);

	if (!follows)
		end_run(model, run, direction);
	run->known = offset >= 0;
	if (!run->known)
		return;
	moved->located += bytes;
	moved->sequential += follows ? bytes : 0;
	run->end = (uint64_t)offset + bytes;
	if (bytes && run->end > moved->reach)
		moved->reach = run->end;
	run->bytes += bytes;
	run->cell = cell;
}
