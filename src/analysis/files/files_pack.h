/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that a model knows of a file, as bytes: how it is kept outside of the memory
 * (files_store.h). For the process that wrote them; of models with FILES_TOGETHER.
 */
#pragma once

#include "analysis/files/files_model.h"

/* Grows as it is needed; zeroed it is empty. Free bytes. */
struct files_packed {
	char *bytes;
	size_t len, max;
};

/* Replaces what is in out. False without memory. */
bool files_pack(struct files_packed *out, const struct files_file *file);
/*
 * The file again, in the model's memory and with its open files, but not yet found by name there.
 * The model knows the calls by the numbers that they had. NULL without memory.
 */
struct files_file *files_unpack(struct files_model *model, const char *bytes, size_t len);
