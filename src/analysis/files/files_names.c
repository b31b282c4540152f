/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the files by their names, and the one copy of each name of a thread or a call. */
#include "analysis/files/files_names.h"

#include <stdlib.h>

#include "analysis/common/hash.h"

enum { FIRST_SLOTS = 1024 };

/* ---- names ---- */

uint64_t files_row_hash(const struct files_row *row)
{
	uint64_t hash = row->mntns;

	if (!row->path.len)
		hash = hash_mix(hash_mix(hash, row->device), row->inode);
	return hash_text(hash, row->path.text, row->path.len);
}

unsigned files_call(struct files_model *model, const struct files_text *call)
{
	unsigned i = 0;

	for (; i < model->n_calls; i++)
		if (!strncmp(model->calls[i], call->text, call->len) && !model->calls[i][call->len])
			return i;
	if (i == FILES_MAX_CALLS)
		return i - 1;
	model->calls[i] = i + 1 == FILES_MAX_CALLS ?
				  "(others)" :
				  pool_text(&model->words, call->text, call->len);
	if (!model->calls[i]) {
		model->no_memory = true;
		return 0;
	}
	model->n_calls++;
	return i;
}

const char *files_name(struct files_model *model, const struct files_text *name)
{
	return interned_text(&model->names, &model->words, name->text, name->len);
}

/* ---- files ---- */

static bool is_file(const struct files_file *file, const struct files_row *row)
{
	if (file->hash != row->hash || file->path_len != row->path.len || file->mntns != row->mntns)
		return false;
	if (!row->path.len)
		return file->device == row->device && file->inode == row->inode;
	return !row->path.len || !memcmp(file->path, row->path.text, row->path.len);
}

static bool grow_files(struct files_model *model)
{
	uint64_t n = model->n_slots ? 2 * model->n_slots : FIRST_SLOTS;
	struct files_file **slots = calloc(n, sizeof(*slots));

	if (!slots)
		return false;
	for (uint64_t i = 0; i < model->n_slots; i++) {
		struct files_file *file = model->slots[i];
		uint64_t at = file ? file->hash & (n - 1) : 0;

		while (file && slots[at])
			at = (at + 1) & (n - 1);
		if (file)
			slots[at] = file;
	}
	free(model->slots);
	model->slots = slots;
	model->n_slots = n;
	return true;
}

static struct files_file *make_file(struct files_model *model, const struct files_row *row)
{
	struct files_file *file = pool_take(&model->pool, sizeof(*file));

	if (!file)
		return NULL;
	file->path = row->path.len ? pool_text(&model->pool, row->path.text, row->path.len) : "";
	file->path_len = row->path.len;
	file->mntns = row->mntns;
	file->hash = row->hash;
	return file->path ? file : NULL;
}

bool files_place(struct files_model *model, struct files_file *file)
{
	uint64_t at;

	if (2 * model->n_files >= model->n_slots && !grow_files(model))
		return false;
	at = file->hash & (model->n_slots - 1);
	while (model->slots[at])
		at = (at + 1) & (model->n_slots - 1);
	model->slots[at] = file;
	model->n_files++;
	return true;
}

struct files_file *files_file_of(struct files_model *model, const struct files_row *row)
{
	struct files_file *file;
	uint64_t at;

	if (2 * model->n_files >= model->n_slots && !grow_files(model))
		return NULL;
	at = row->hash & (model->n_slots - 1);
	while (model->slots[at] && !is_file(model->slots[at], row))
		at = (at + 1) & (model->n_slots - 1);
	file = model->slots[at];
	if (!file) {
		file = model->keeper ? model->keeper->find(model->keeper, model, row) : NULL;
		if (!file)
			file = make_file(model, row);
		model->slots[at] = file;
		model->n_files += file != NULL;
	}
	if (file)
		file->used = model->n_rows;
	if (file && row->inode && !row->second) {
		file->inode = row->inode;
		file->device = row->device;
	}
	return file;
}

/* ---- directories ---- */

static struct files_file *find_file(const struct files_model *model, const struct files_row *row)
{
	uint64_t at = row->hash & (model->n_slots - 1);

	while (model->n_slots && model->slots[at] && !is_file(model->slots[at], row))
		at = (at + 1) & (model->n_slots - 1);
	return model->n_slots ? model->slots[at] : NULL;
}

bool files_knows(const struct files_model *model, const struct files_row *row)
{
	return find_file(model, row);
}

static void find_parents(struct files_model *models, unsigned n, const struct files_file *file)
{
	struct files_row row = { .mntns = file->mntns,
				 .path = { .text = file->path, .len = file->path_len } };

	if (!file->path_len || file->path[0] != '/')
		return;
	while (row.path.len > 1) {
		struct files_file *parent;

		do
			row.path.len--;
		while (row.path.len && file->path[row.path.len] != '/');
		if (!row.path.len)
			return;
		row.hash = files_row_hash(&row);
		parent = find_file(&models[files_shard(row.hash, n)], &row);
		if (!parent)
			continue;
		/* those above it have been seen to then */
		if (parent->kind & FILES_DIRECTORY && parent->above_known)
			return;
		parent->kind |= FILES_DIRECTORY;
		parent->above_known = true;
	}
}

void files_find_directories(struct files_model *models, unsigned n)
{
	/* since the last time there may be more of them */
	for (unsigned m = 0; m < n; m++)
		for (uint64_t i = 0; i < models[m].n_slots; i++)
			if (models[m].slots[i])
				models[m].slots[i]->above_known = false;
	for (unsigned m = 0; m < n; m++)
		for (uint64_t i = 0; i < models[m].n_slots; i++)
			if (models[m].slots[i])
				find_parents(models, n, models[m].slots[i]);
}
