/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The use of files as tables: sums, histograms, errors, in any format. */
#pragma once

#include "analysis/files/files_answer.h"
#include "analysis/files/files_view.h"
#include "read/read_session.h"

/* The fields of the view's table, as a Table Schema; a new reference. */
json_t *files_print_schema(const struct files_answer *answer, const struct files_view *view);
/* Sorts the answer and prints it; sessions are those of its sources. Returns 0 or -ENOMEM. */
int files_print(FILE *out, const struct files_answer *answer, const struct files_view *view,
		const struct read_session *const *sessions, unsigned n_sessions);
/* The next entry; false: that was the last one. */
typedef bool files_next_fn(void *arg, struct files_entry *entry);
/* The same for entries that come one after the other, in their order; answer says what they are. */
int files_print_each(FILE *out, const struct files_answer *answer, const struct files_view *view,
		     files_next_fn *next, void *arg);
/* The same with the times on the wall of the entries' sources. */
int files_print_walls(FILE *out, const struct files_answer *answer, const struct files_view *view,
		      const struct read_session *const *sessions, unsigned n_sessions,
		      files_next_fn *next, void *arg);
