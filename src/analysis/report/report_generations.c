/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns what becomes of items that have an inode in common. Each is of one name that rows gave it: a
 * number that is used again, and a file with several links, have several. Only a file that was
 * renamed has one, its last.
 */
#include "analysis/report/report_generations.h"

#include <stdlib.h>
#include <string.h>

struct report_item *report_pages_of(struct report_tally *tally, const struct report_key *key,
				    uint64_t mono_ns)
{
	struct report_item *item = report_item(tally, key);

	if (item && mono_ns > item->label_ns)
		item->label_ns = mono_ns;
	return item;
}

void report_renamed(struct report_tally *tally, const char *both, size_t len, uint64_t mono_ns)
{
	static const char arrow[] = " -> /";
	const char *at = memmem(both, len, arrow, sizeof(arrow) - 1);
	struct report_key key = { .kind = REPORT_RENAMED, .name = both };
	struct report_item *item;

	if (!at)
		return;
	key.len = (size_t)(at - both);
	item = report_item(tally, &key);
	at += sizeof(arrow) - 2;
	if (item)
		report_item_label(tally, item, at, len - (size_t)(at - both), mono_ns);
}

/* ---- those of one inode ---- */

struct inodes {
	struct report_item **items; /* of one kind and inode side by side */
	uint64_t n;
};

static int compare(const void *x, const void *y)
{
	const struct report_item *a = *(struct report_item *const *)x;
	const struct report_item *b = *(struct report_item *const *)y;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->second != b->second)
		return a->second < b->second ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static bool inodes_make(struct inodes *inodes, struct report_tally *tally)
{
	inodes->items = malloc((tally->n_items + 1) * sizeof(*inodes->items));
	inodes->n = 0;
	tally->no_memory = tally->no_memory || !inodes->items;
	for (uint64_t i = 0; inodes->items && i < tally->n_slots; i++)
		for (struct report_item *item = tally->slots[i]; item; item = item->next)
			if (item->kind == REPORT_CACHED)
				inodes->items[inodes->n++] = item;
	if (inodes->items)
		qsort(inodes->items, inodes->n, sizeof(*inodes->items), compare);
	return inodes->items;
}

struct report_item *report_doubtful(const struct report_tally *tally, uint64_t inode,
				    uint64_t device)
{
	const struct report_key key = { REPORT_DOUBTFUL, inode, device, "", 0 };

	return (struct report_item *)report_find(tally, &key);
}

bool report_forget_doubtful(struct report_tally *tally)
{
	struct inodes inodes;
	bool any = false;
	uint64_t end;

	if (!inodes_make(&inodes, tally))
		return false;
	for (uint64_t i = 0; i < inodes.n; i = end) {
		const struct report_item *first = inodes.items[i];
		const struct report_key key = { .kind = REPORT_DOUBTFUL,
						.number = first->number,
						.second = first->second };
		bool named = true;

		for (end = i; end < inodes.n && !compare(&first, &inodes.items[end]); end++)
			named = named && inodes.items[end]->name_len;
		if (named && end == i + 1)
			continue;
		any = report_item(tally, &key) || any;
		for (uint64_t j = i; j < end; j++)
			inodes.items[j]->kind = REPORT_JOINED;
	}
	free(inodes.items);
	return any;
}

/* ---- renamed ---- */

/* All pages of one are the other's. */
static void join(struct report_item *to, struct report_item *from)
{
	report_item_add(to, from);
	if (from->label_ns > to->label_ns)
		to->label_ns = from->label_ns;
	from->kind = REPORT_JOINED;
}

void report_join_renamed(struct report_tally *tally)
{
	struct inodes inodes;

	if (!inodes_make(&inodes, tally))
		return;
	for (uint64_t i = 0; i < inodes.n; i++) {
		struct report_item *item = inodes.items[i], *to;
		const struct report_key before = { REPORT_RENAMED, 0, 0, item->name,
						   item->name_len };
		const struct report_item *renamed = report_find(tally, &before);
		struct report_key after = { (enum report_kind)item->kind, item->number,
					    item->second, NULL, 0 };

		/* something came under the first name after the file had the second one */
		if (!renamed || item->label_ns > renamed->label_ns)
			continue;
		after.name = renamed->label;
		after.len = renamed->label_len;
		to = (struct report_item *)report_find(tally, &after);
		if (to && to != item)
			join(to, item);
	}
	free(inodes.items);
}
