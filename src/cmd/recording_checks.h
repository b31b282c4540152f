/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completes the options of a recording and refuses those that do not go together. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "plan/filter.h"
#include "row/anon.h"
#include "row/schema.h"

struct recording_options;

/* What all that trace have in common: completes it, or reports what does not go together. */
int options_check_recording(struct recording_options *options);

/* Where the trace goes when nobody said it; an anonymised one has no host in its name. */
void options_default_dir(char *out, size_t size, const struct anon_options *anon);

/* Any option of anonymised mode switches it on. */
void options_complete_anon(struct anon_options *anon);
