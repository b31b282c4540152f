/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files by their names, and names that are kept once. */
#pragma once

#include "analysis/files/files_used.h"

/* Which file it is; a file without a name is known by device and inode. */
uint64_t files_row_hash(const struct files_row *row);

/* What has files below it is a directory. Of models that share the files by files_shard(). */
void files_find_directories(struct files_model *models, unsigned n);

/* The file that the row names is there. */
bool files_knows(const struct files_model *model, const struct files_row *row);

/* The call's number; one more than the table has room for is the last one. */
unsigned files_call(struct files_model *model, const struct files_text *call);
/* The one copy of a thread's name; NULL without memory. */
const char *files_name(struct files_model *model, const struct files_text *name);
/* The file that a row names, found or made; NULL without memory. */
struct files_file *files_file_of(struct files_model *model, const struct files_row *row);

/* A file that the model does not have is now found by its name. False without memory. */
bool files_place(struct files_model *model, struct files_file *file);
