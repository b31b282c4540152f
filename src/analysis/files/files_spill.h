/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of files that a model has no room for: they wait in a temporary file, in parts by the hash of their
 * file, each of which is fed to a model of its own when the rows before are dealt with. So a file's
 * rows stay in their order, and the answer is the one that enough memory would have given.
 */
#pragma once

#include "analysis/files/files_model.h"
#include "base/parts_file.h"

enum { FILES_SPILL_LEVELS = 6 };

/* Zeroed it is closed; of one shard, for one thread at a time. */
struct files_spill {
	struct parts_file file;
	unsigned level; /* how often its rows were spilled before */
	uint64_t n_rows;
};

void files_spill_open(struct files_spill *spill, unsigned level);
void files_spill_close(struct files_spill *spill);
void files_spill_put(struct files_spill *spill, const struct files_row *row);
/* The rows of a part, in their order. Returns 0 or -errno. */
int files_spill_read(struct files_spill *spill, unsigned part,
		     void (*take)(void *arg, const struct files_row *row), void *arg);

/* ---- directories: what has files below it, in whatever part these are ---- */

struct files_dirs {
	uint64_t *hashes; /* of names as files_row_hash() has them; 0: free */
	uint64_t n, max;
	uint64_t last; /* the one that was added last */
	bool no_memory;
};

void files_dirs_add(struct files_dirs *dirs, uint32_t mntns, const char *path, size_t len);
void files_dirs_join(struct files_dirs *dirs, const struct files_dirs *other);
/* Marks those of the model's files. */
void files_dirs_mark(const struct files_dirs *dirs, struct files_model *model);
void files_dirs_free(struct files_dirs *dirs);
