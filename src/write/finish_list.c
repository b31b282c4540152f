/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of finishing segments share: their lists, and how it went. */
#include "write/finish_list.h"

#include <stdlib.h>

void finish_list_init(struct list *list)
{
	list->first = NULL;
	list->end = &list->first;
}

void finish_list_push(struct list *list, struct item *item)
{
	item->next = NULL;
	*list->end = item;
	list->end = &item->next;
}

struct item *finish_list_pop(struct list *list)
{
	struct item *item = list->first;

	if (item) {
		list->first = item->next;
		if (!list->first)
			list->end = &list->first;
	}
	return item;
}

void finish_remember(struct finish *f, int err)
{
	if (err && !f->err)
		f->err = err;
}

bool finish_stop_changed(const struct finish *f)
{
	return (f->progress.stop_reason[0] != '\0') != f->stop_seen;
}
