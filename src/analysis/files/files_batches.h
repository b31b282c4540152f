/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a directory in batches that fit in memory: those that came first are in the models
 * when all rows have been read, and each call of files_reading_next() puts others in their place.
 */
#pragma once

#include "analysis/files/files_reading.h"
#include "analysis/files/files_runs.h"

/* For each model, of the options' memory. Returns 0 or -ENOMEM. */
int files_batches_open(struct files_reading *reading, const struct files_options *options);
void files_batches_close(struct files_reading *reading);
/* A row of a model's; never by two threads at once for one model. */
void files_batches_feed(struct files_reading *reading, unsigned model, const struct files_row *row);
/* After the last row. Returns 0 or -errno, reported. */
int files_batches_end(struct files_reading *reading);
/* That not all files fitted, if so; which files_batches_end() says as well. */
void files_batches_say(const struct files_reading *reading);
/*
 * Puts other files into the models in place of those that are there, whose calls and names of threads
 * stay valid. 1: there were some; 0: none, or -errno (reported).
 */
int files_reading_next(struct files_reading *reading);

/*
 * The answer of all batches of the readings, whose sources these are. The entries of files that do not
 * fit in memory go to the runs instead, if there is no need to add them up. Returns 0 or -errno.
 */
int files_batches_answer(struct files_answer *answer, struct files_runs *runs,
			 const struct files_source *sources, struct files_reading *readings,
			 unsigned n);
