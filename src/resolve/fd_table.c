/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the count of descriptors of each description. */
#include "resolve/fd_table.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FD (1 << 20)

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

void desc_put(struct desc *desc)
{
	if (desc && !--desc->refs)
		desc_free(desc);
}

/* Gives the reference of a descriptor back that was closed without a call to close. */
static void close_desc(const struct fd_table *table, struct desc *desc, int fd)
{
	struct desc_close closed = { .desc = desc, .fd = fd };
	const struct desc_listener *listener = table->listener;

	if (!desc || --desc->refs)
		return;
	if (!desc->held && listener->closed)
		listener->closed(listener->arg, &closed);
	desc_free(desc);
}

struct fd_table *fd_table_new(const struct desc_listener *listener)
{
	struct fd_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->refs = 1;
	table->listener = listener;
	return table;
}

struct fd_table *fd_table_copy(const struct fd_table *from)
{
	struct fd_table *table = fd_table_new(from->listener);

	if (!table || !from->n_slots)
		return table;
	table->slots = malloc(from->n_slots * sizeof(*table->slots));
	if (!table->slots)
		return table;
	table->n_slots = from->n_slots;
	memcpy(table->slots, from->slots, from->n_slots * sizeof(*table->slots));
	for (uint32_t fd = 0; fd < table->n_slots; fd++)
		if (table->slots[fd].desc)
			table->slots[fd].desc->refs++;
	return table;
}

struct fd_table *fd_table_get(struct fd_table *table)
{
	table->refs++;
	return table;
}

void fd_table_put(struct fd_table *table)
{
	if (!table || --table->refs)
		return;
	for (uint32_t fd = 0; fd < table->n_slots; fd++)
		close_desc(table, table->slots[fd].desc, fd);
	free(table->slots);
	free(table);
}

void fd_table_discard(struct fd_table *table)
{
	if (!table || --table->refs)
		return;
	for (uint32_t fd = 0; fd < table->n_slots; fd++)
		desc_put(table->slots[fd].desc);
	free(table->slots);
	free(table);
}

struct fd_slot *fd_table_slot(struct fd_table *table, int fd)
{
	return table && fd >= 0 && (uint32_t)fd < table->n_slots ? &table->slots[fd] : NULL;
}

struct desc *fd_table_find(struct fd_table *table, int fd)
{
	return table && fd >= 0 && (uint32_t)fd < table->n_slots ? table->slots[fd].desc : NULL;
}

/* NULL without memory, or for a number that no descriptor has */
static struct fd_slot *make_slot(struct fd_table *table, int fd)
{
	uint32_t n = table && table->n_slots ? table->n_slots : 32;
	struct fd_slot *grown;

	if (!table || fd < 0 || fd >= MAX_FD)
		return NULL;
	if ((uint32_t)fd < table->n_slots)
		return &table->slots[fd];
	while (n <= (uint32_t)fd)
		n *= 2;
	grown = realloc(table->slots, n * sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + table->n_slots, 0, (n - table->n_slots) * sizeof(*grown));
	table->slots = grown;
	table->n_slots = n;
	return &table->slots[fd];
}

/* Zero is nobody's; after four thousand million they begin again. */
static void number_desc(const struct fd_table *table, struct desc *desc)
{
	uint32_t *last = table->listener->last_ofd;

	if (!desc || desc->ofd || !last)
		return;
	if (!++*last)
		++*last;
	desc->ofd = *last;
}

struct desc *fd_table_set(struct fd_table *table, int fd, struct desc *desc, bool cloexec)
{
	struct fd_slot *slot = make_slot(table, fd);
	struct desc *old;

	if (!slot) {
		desc_put(desc);
		return NULL;
	}
	old = slot->desc;
	slot->desc = desc;
	if (desc && desc->refs == 1 && table->listener->moves)
		desc->moves = *table->listener->moves;
	number_desc(table, desc);
	slot->cloexec = cloexec;
	close_desc(table, old, fd);
	return desc;
}

void fd_table_exec(struct fd_table *table)
{
	for (uint32_t fd = 0; fd < table->n_slots; fd++)
		if (table->slots[fd].desc && table->slots[fd].cloexec)
			fd_table_set(table, fd, NULL, false);
}
