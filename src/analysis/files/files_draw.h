/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms that people look at. */
#pragma once

#include "analysis/files/files_print.h"

/* The histograms of the entries, drawn. */
int files_draw(FILE *out, const struct files_answer *answer, const struct files_view *view);
int files_draw_each(FILE *out, files_next_fn *next, void *arg);
