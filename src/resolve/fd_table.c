/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open file descriptions and the tables of descriptors that refer to them.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "resolve/procs_private.h"

#include <stdlib.h>
#include <string.h>

struct desc *desc_new(enum scope scope, struct path *path)
{
	struct desc *desc = calloc(1, sizeof(*desc));

	if (!desc)
		return NULL;
	desc->refs = 1;
	desc->scope = scope;
	desc->path = path_get(path);
	desc->flags = FORMAT_NO_FLAGS;
	desc->pos = -1;
	return desc;
}

void desc_free(struct desc *desc)
{
	path_put(desc->path);
	free(desc->ends);
	free(desc);
}

/* A descriptor goes without a close call: by dup2, exec or exit. */
static void desc_drop(struct procs *procs, struct desc *desc, int fd)
{
	struct procs_close closed = { .desc = desc, .fd = fd };

	if (!desc || --desc->refs)
		return;
	if (!desc->kept)
		procs->closed(procs->arg, &closed);
	desc_free(desc);
}

struct slot *files_slot(struct files *files, int fd, bool make)
{
	uint32_t n = files ? files->n_slots : 0;
	struct slot *grown;

	if (!files || fd < 0 || fd >= MAX_FD)
		return NULL;
	if ((uint32_t)fd < n)
		return &files->slots[fd];
	if (!make)
		return NULL;
	n = n ? n : 32;
	while (n <= (uint32_t)fd)
		n *= 2;
	grown = realloc(files->slots, n * sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + files->n_slots, 0, (n - files->n_slots) * sizeof(*grown));
	files->slots = grown;
	files->n_slots = n;
	return &files->slots[fd];
}

void files_put(struct procs *procs, struct files *files)
{
	if (!files || --files->refs)
		return;
	for (uint32_t fd = 0; fd < files->n_slots; fd++)
		desc_drop(procs, files->slots[fd].desc, fd);
	free(files->slots);
	free(files);
}

/* Of a table that others tell the end of. */
void files_forget(struct files *files)
{
	for (uint32_t fd = 0; files && fd < files->n_slots; fd++)
		if (files->slots[fd].desc && !--files->slots[fd].desc->refs)
			desc_free(files->slots[fd].desc);
	if (files)
		free(files->slots);
	free(files);
}

struct files *files_new(void)
{
	struct files *files = calloc(1, sizeof(*files));

	if (files)
		files->refs = 1;
	return files;
}

struct files *files_copy(const struct files *from)
{
	struct files *files = files_new();

	if (!files || !from || !from->n_slots)
		return files;
	files->slots = malloc(from->n_slots * sizeof(*files->slots));
	if (!files->slots)
		return files;
	files->n_slots = from->n_slots;
	memcpy(files->slots, from->slots, from->n_slots * sizeof(*files->slots));
	for (uint32_t fd = 0; fd < files->n_slots; fd++)
		if (files->slots[fd].desc)
			files->slots[fd].desc->refs++;
	return files;
}

/*
 * Puts a description (its reference moves) into a slot; what was there goes.
 * Returns it, or NULL when there is no slot: it may be gone then.
 */
struct desc *files_set(struct procs *procs, struct files *files, int fd, struct desc *desc,
		       bool cloexec)
{
	struct slot *slot = files_slot(files, fd, true);
	struct desc *old;

	if (!slot) {
		if (desc && !--desc->refs)
			desc_free(desc);
		return NULL;
	}
	old = slot->desc;
	slot->desc = desc;
	slot->cloexec = cloexec;
	desc_drop(procs, old, fd);
	return desc;
}
