/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns what each row means for the file that it names. Per row there is no
 * allocation, once the file, its caller and the buckets are known.
 */
#include "analysis/files/files_model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/thinning.h"
#include "analysis/files/files_names.h"
#include "analysis/files/files_open.h"
#include "row/effects.h"
#include "row/fs_ops.h"

enum row_kind {
	ROW_OTHER,
	ROW_IGNORED,
	ROW_OPEN,
	ROW_CLOSE,
	ROW_DATA,
	ROW_SYNC,
	ROW_LOCK,
	ROW_FAULT,
	ROW_METADATA
};

static enum row_kind kind_of(const struct files_row *row)
{
	if (row->op == FILES_FAULT)
		return ROW_FAULT;
	if (row->op >= IOT_N_OPS || (fs_ops[row->op].traits & FS_SYNTHETIC))
		return ROW_IGNORED;
	if (row->effects & (READS | WRITES))
		return ROW_DATA;
	if (row->effects & SYNCS)
		return ROW_SYNC;
	if (row->effects & LOCKS)
		return ROW_LOCK;
	if (fs_ops[row->op].traits & FS_METADATA)
		return ROW_METADATA;
	return row->op == IOT_OPEN ? ROW_OPEN : row->op == IOT_CLOSE ? ROW_CLOSE : ROW_OTHER;
}

/* ---- cells ---- */

static struct files_use *find_use(struct files_file *file, uint64_t interval, uint64_t who)
{
	struct files_use **at = &file->uses, *use;

	/* rows come in time order: of an interval that was never reached there is none */
	if (interval > file->last_interval)
		return NULL;
	while (*at && ((*at)->interval != interval || (*at)->who != who))
		at = &(*at)->next;
	use = *at;
	if (use && use != file->uses) {
		*at = use->next;
		use->next = file->uses;
		file->uses = use;
	}
	return use;
}

static struct files_cell *cell_of(struct files_model *model, struct files_file *file,
				  const struct files_row *row)
{
	const struct files_options *o = &model->options;
	uint64_t interval = o->interval_ns ? row->mono_ns / o->interval_ns : 0;
	uint64_t who = o->split == FILES_BY_PID ? row->pid : 0;
	struct files_use *use;

	if (o->split == FILES_BY_COMMAND)
		who = (uintptr_t)files_name(model, &row->command);
	if (o->split == FILES_BY_CONTAINER)
		who = (uintptr_t)files_name(model, &row->container);
	use = find_use(file, interval, who);
	if (use)
		return &use->cell;
	use = pool_take(&model->pool, sizeof(*use));
	if (!use)
		return NULL;
	use->interval = interval;
	use->who = who;
	use->next = file->uses;
	file->uses = use;
	if (interval > file->last_interval)
		file->last_interval = interval;
	return &use->cell;
}

static bool note_who(struct files_model *model, struct files_cell *cell,
		     const struct files_row *row)
{
	const char *name = NULL;

	for (unsigned i = 0; i < FILES_COMMANDS && cell->commands[i].name; i++) {
		name = cell->commands[i].name;
		if (cell->commands[i].first_ns <= row->mono_ns &&
		    !strncmp(name, row->command.text, row->command.len) && !name[row->command.len])
			return files_cell_pid(cell, row->pid);
	}
	name = row->command.len ? files_name(model, &row->command) : NULL;
	if (name)
		files_cell_command(cell, name, row->mono_ns);
	return files_cell_pid(cell, row->pid) && (name || !row->command.len);
}

/* ---- what a row means ---- */

static bool sample(struct files_cell *cell, enum files_metric metric, unsigned call, uint64_t value)
{
	return histogram_add(&cell->histogram, files_tag(metric, call), value);
}

static uint64_t stands_for(const struct files_row *row)
{
	return row->stands ? row->stands : THINNING_ONE;
}

static void add_call(struct files_calls *calls, const struct files_row *row)
{
	calls->stands += stands_for(row);
	if (!calls->calls++ || row->mono_ns < calls->first_ns)
		calls->first_ns = row->mono_ns;
	if (row->result < 0)
		calls->errors++;
	if (row->latency == FILES_UNKNOWN)
		return;
	calls->timed++;
	calls->ns += row->latency;
	if (row->latency > calls->max_ns)
		calls->max_ns = row->latency;
	if (row->result >= 0 && row->mono_ns + row->latency > calls->last_ns)
		calls->last_ns = row->mono_ns + row->latency;
}

static bool count_call(struct files_cell *cell, struct files_calls *calls,
		       const struct files_row *row, enum files_metric latency)
{
	add_call(calls, row);
	return row->latency == FILES_UNKNOWN || sample(cell, latency, FILES_NO_CALL, row->latency);
}

static bool lock_file(struct files_cell *cell, const struct files_row *row)
{
	add_call(&cell->locks, row);
	cell->lock_waits += row->latency != FILES_UNKNOWN && row->latency >= FILES_LOCK_WAIT_NS;
	return true;
}

static void note_write(struct files_file *file, struct files_cell *cell,
		       const struct files_row *row)
{
	cell->completed_writes++;
	file->unsynced += (uint64_t)row->result;
	if (row->offset >= 0) {
		cell->located_writes++;
		cell->rewrites += file->written && file->last_write == row->offset;
		file->last_write = row->offset;
	}
	file->written = row->offset >= 0;
}

static bool move_data(struct files_model *model, struct files_file *file, struct files_cell *cell,
		      const struct files_row *row, enum files_direction direction)
{
	bool write = direction == FILES_WRITE;
	struct files_transfers *moved = &cell->moved[direction];
	unsigned call = files_call(model, &row->call);
	struct files_open *open;
	bool ok;

	files_add_requested(moved, row->size);
	ok = count_call(cell, &moved->calls, row,
			write ? FILES_WRITE_LATENCY : FILES_READ_LATENCY) &&
	     sample(cell, write ? FILES_WRITE_REQUEST : FILES_READ_REQUEST, call, row->size);
	if (row->result < 0)
		return ok;
	moved->bytes += (uint64_t)row->result;
	if (write)
		note_write(file, cell, row);
	open = files_open_of(model, file, row);
	if (!open)
		return false;
	open->writes_only |= row->writes;
	files_open_move(model, open, cell, direction, row->offset, (uint64_t)row->result);
	return sample(cell, write ? FILES_WRITE_COMPLETE : FILES_READ_COMPLETE, call,
		      (uint64_t)row->result) &&
	       ok;
}

static bool sync_file(struct files_file *file, struct files_cell *cell, const struct files_row *row)
{
	bool ok = count_call(cell, &cell->syncs, row, FILES_SYNC_LATENCY);

	if (row->result < 0)
		return ok;
	cell->synced_bytes += file->unsynced;
	ok = sample(cell, FILES_SYNC_GAP, FILES_NO_CALL, file->unsynced) && ok;
	file->unsynced = 0;
	return ok;
}

static bool open_file(struct files_model *model, struct files_file *file, struct files_cell *cell,
		      const struct files_row *row)
{
	struct files_open *open;

	if (row->result < 0)
		return true;
	cell->opens++;
	files_open_close(model, file, row);
	open = files_open_of(model, file, row);
	if (open)
		open->writes_only = row->writes;
	return open != NULL;
}

static enum files_direction direction_of(const struct files_model *model,
					 const struct files_file *file, const struct files_row *row)
{
	const struct files_open *open;

	if (row->effects & WRITES)
		return FILES_WRITE;
	if (row->op != IOT_SPLICE)
		return FILES_READ;
	/* recordings of old have no word for it: what was open for writing alone was written */
	open = files_open_find(model, file, row);
	return open && open->writes_only ? FILES_WRITE : FILES_READ;
}

static bool count(struct files_model *model, struct files_file *file, struct files_cell *cell,
		  const struct files_row *row, enum row_kind kind)
{
	switch (kind) {
	case ROW_DATA:
		return move_data(model, file, cell, row, direction_of(model, file, row));
	case ROW_SYNC:
		return sync_file(file, cell, row);
	case ROW_LOCK:
		return lock_file(cell, row);
	case ROW_OPEN:
		return open_file(model, file, cell, row);
	case ROW_CLOSE:
		cell->closes += row->result >= 0;
		files_open_close_one(model, file, row);
		return true;
	case ROW_METADATA:
		cell->metadata++;
		return true;
	default:
		return true;
	}
}

static bool note_error(struct files_model *model, const struct files_file *file,
		       struct files_cell *cell, const struct files_row *row, enum row_kind kind)
{
	struct files_error error = { .count = 1 };

	if (row->result >= 0)
		return true;
	error.number = (uint16_t)-row->result;
	error.call = files_call(model, &row->call);
	error.kind = kind == ROW_SYNC                              ? FILES_OF_SYNCS :
		     kind == ROW_LOCK                              ? FILES_OF_LOCKS :
		     kind != ROW_DATA                              ? FILES_OF_OTHERS :
		     direction_of(model, file, row) == FILES_WRITE ? FILES_OF_WRITES :
								     FILES_OF_READS;
	return files_cell_error(cell, &error);
}

static void note_kind(struct files_file *file, const struct files_row *row, enum row_kind kind)
{
	bool through_open = kind == ROW_DATA || kind == ROW_SYNC;

	if (row->directory || (through_open && row->result == -EISDIR))
		file->kind |= FILES_DIRECTORY;
	else if (kind != ROW_OTHER && kind != ROW_METADATA && (through_open || row->result >= 0))
		file->kind |= FILES_REGULAR;
}

/* No call, so that nothing else of the file depends on whether faults were recorded. */
static void count_fault(struct files_model *model, struct files_file *file,
			const struct files_row *row)
{
	struct files_cell *cell = cell_of(model, file, row);

	file->kind |= FILES_REGULAR;
	if (cell) {
		cell->faults_known++;
		cell->mapped[row->effects & WRITES ? FILES_WRITE : FILES_READ] += row->size;
	} else {
		model->no_memory = true;
	}
}

void files_feed(struct files_model *model, const struct files_row *row)
{
	enum row_kind kind = kind_of(row);
	struct files_file *file;
	struct files_cell *cell;

	if (kind == ROW_IGNORED)
		return;
	model->n_rows++;
	if (model->keeper)
		model->keeper->make_room(model->keeper, model);
	file = files_file_of(model, row);
	if (!file) {
		model->no_memory = true;
		return;
	}
	if (kind == ROW_FAULT) {
		count_fault(model, file, row);
		return;
	}
	note_kind(file, row, kind);
	if (kind == ROW_OTHER && row->result >= 0)
		return;
	model->n_unnamed += !row->path.len;
	cell = cell_of(model, file, row);
	if (cell) {
		cell->n_rows += THINNING_ONE;
		cell->faults_known += row->faults;
		cell->stands += stands_for(row);
	}
	/* who only asks about a file is none of those who use it */
	if (!cell || ((kind != ROW_METADATA || row->result < 0) && !note_who(model, cell, row)) ||
	    !count(model, file, cell, row, kind) || !note_error(model, file, cell, row, kind))
		model->no_memory = true;
}

void files_show_runs(struct files_model *model, bool shown)
{
	for (uint64_t i = 0; i < model->n_slots; i++)
		if (model->slots[i])
			files_open_show_runs(model, model->slots[i], shown);
}

void files_end(struct files_model *model)
{
	for (uint64_t i = 0; i < model->n_slots; i++)
		if (model->slots[i])
			files_open_close_all(model, model->slots[i]);
}

uint64_t files_bytes(const struct files_model *model)
{
	uint64_t bytes = model->pool.total + model->words.total + model->n_slots * 8 +
			 model->n_open_slots * 8;

	for (uint64_t i = 0; i < model->n_slots; i++)
		for (struct files_use *use = model->slots[i] ? model->slots[i]->uses : NULL; use;
		     use = use->next)
			bytes += files_cell_bytes(&use->cell);
	return bytes;
}

void files_reset(struct files_model *model)
{
	for (uint64_t i = 0; i < model->n_slots; i++)
		for (struct files_use *use = model->slots[i] ? model->slots[i]->uses : NULL; use;
		     use = use->next)
			files_cell_free(&use->cell);
	free(model->slots);
	free(model->open_slots);
	pool_free(&model->pool);
	model->slots = NULL;
	model->open_slots = NULL;
	model->free_opens = NULL;
	model->n_slots = model->n_files = model->n_open_slots = model->n_open = 0;
}

void files_free(struct files_model *model)
{
	files_reset(model);
	interned_free(&model->names);
	pool_free(&model->words);
	*model = (struct files_model){ .n_slots = 0 };
}
