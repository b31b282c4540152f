/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Open files, and the runs through them. */
#pragma once

#include "analysis/files/files_used.h"

/* A run of calls through one open file. */
struct files_run {
	bool known; /* where the last call ended */
	uint64_t end;
	uint64_t bytes;
	struct files_cell *cell; /* of its last call */
};

/* An open file description, or what comes nearest to one in traces that do not tell them apart. */
struct files_open {
	struct files_file *file;
	uint64_t key;
	struct files_open *next_slot;
	struct files_open *newer, *older; /* of the same file */
	bool writes_only;
	bool closed; /* a descriptor of it was, and nothing came through another since */
	struct files_run runs[2];
};

/* Its description, found or made (NULL without memory). */
struct files_open *files_open_of(struct files_model *model, struct files_file *file,
				 const struct files_row *row);
/* A new one, the one used last of its file. */
struct files_open *files_open_make(struct files_model *model, struct files_file *file,
				   uint64_t key);
/* Found, or NULL. */
struct files_open *files_open_find(const struct files_model *model, const struct files_file *file,
				   const struct files_row *row);
/* What was open under its number is not any more. */
void files_open_close(struct files_model *model, struct files_file *file,
		      const struct files_row *row);
/*
 * A descriptor was closed. A description may have others, which no row tells: its runs go on
 * when it is used again. Of a file only the last few such ones are remembered.
 */
void files_open_close_one(struct files_model *model, struct files_file *file,
			  const struct files_row *row);
void files_open_close_all(struct files_model *model, struct files_file *file);
/* Counts the runs that are still going on as if they ended here, or takes this back. */
void files_open_show_runs(struct files_model *model, const struct files_file *file, bool shown);
/* A completed call at row's offset. */
void files_open_move(struct files_model *model, struct files_open *open, struct files_cell *cell,
		     enum files_direction direction, int64_t offset, uint64_t bytes);
