/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns that say which file, directory, process … an entry is, before and behind its numbers. */
#pragma once

#include "analysis/files/files_answer.h"
#include "analysis/files/files_view.h"
#include "analysis/common/wall.h"

enum { FILES_MAX_IDENTITY = 9 };

/* host and time where they are wanted, and what tells entries apart: returns how many. */
unsigned files_identity_columns(const struct files_answer *answer, const struct files_view *view,
				bool with_device, struct table_column *columns);
/* time: room for the text of that column */
void files_identity_values(const struct files_answer *answer, const struct files_view *view,
			   const struct wall *walls, const struct files_entry *entry,
			   bool with_device, char time[WALL_TEXT_SIZE], struct table_value *values);
/* A time of the entry's trace as the view wants it. */
struct table_value files_time_value(const struct files_view *view, const struct wall *wall,
				    uint64_t mono_ns, char text[WALL_TEXT_SIZE]);
/* By the key of what is added up. */
int files_key_compare(const struct files_entry *a, const struct files_entry *b);
/* Which entry comes first when all else is equal. */
int files_identity_compare(const struct files_entry *a, const struct files_entry *b);
