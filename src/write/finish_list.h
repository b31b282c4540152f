/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of what waits to be finished, and how it went. */
#pragma once

#include "write/finish_state.h"

/* The first error is the one that finish_close returns. Background thread only. */
void finish_remember(struct finish *finish, int err);
void finish_list_init(struct list *list);
void finish_list_push(struct list *list, struct item *item);
struct item *finish_list_pop(struct list *list);

/* Call locked: writing stopped, or goes on, and the manifest does not say so yet. */
bool finish_stop_changed(const struct finish *finish);
