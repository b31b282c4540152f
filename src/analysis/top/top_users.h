/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who used a file in the last interval. */
#pragma once

#include "analysis/top/top_model.h"

/* As top_model_rows(), of the processes, or threads, that used a file; none, when nobody did. */
unsigned top_model_users(struct top_model *model, const struct top_file *file, enum top_sort sort,
			 const struct top_row **rows);
