/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bounds the memory of a model: when it has too many files, the half that was not used for
 * longest is written to a shelf and comes back when it is named again. The answer is the
 * same as if all had stayed. Of models with FILES_TOGETHER that are never asked for files
 * without a name: those are forgotten for good.
 */
#pragma once

#include "analysis/files/files_answer.h"
#include "analysis/files/files_pack.h"
#include "analysis/files/files_store.h"

struct files_evict {
	struct files_keeper keeper; /* for the model */
	int dir_fd;
	const char *folder; /* below it, for the shelf */
	uint64_t max_files; /* in memory */

	struct files_store *shelf; /* NULL: all files fitted so far */
	struct files_packed packed;
	uint64_t due;         /* how many files are too many; 0: max_files */
	uint64_t n_written;   /* files that were written out, those that came back counted again */
	uint64_t n_back;      /* files that came back */
	uint64_t written_row; /* what was used up to there is on the shelf as it is */
	int full;             /* -errno: could not be written out; they stayed in memory */
	int err;              /* -errno: what is on the shelf cannot be read */

	/* while files are handed out */
	bool failures;           /* all with a name, as files_answer has it */
	struct files_model told; /* one of them */
	bool telling;
};

/* Borrows folder. Nothing is made before there are too many files. */
void files_evict_open(struct files_evict *forget, int dir_fd, const char *folder,
		      uint64_t max_files);
/* Writes what the model has, which stays in memory, so that all are on the shelf. 0 or -errno. */
int files_evict_all(struct files_evict *forget, struct files_model *model);
/*
 * Named regular files, the one with the most bytes first, then by mount namespace and path, after
 * files_evict_all(); valid until the next call. False at the end: err says whether it is one.
 */
void files_evict_rewind(struct files_evict *forget);
bool files_evict_next(struct files_evict *forget, const struct files_model *model,
		      struct files_entry *entry);
void files_evict_close(struct files_evict *forget);
