/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way from a directory to what fio runs: once to see who did what, and once to write it down. */
#pragma once

#include "analysis/common/row_filter.h"
#include "analysis/fio/fio_write.h"

/* All zero is not opened. */
struct fio_reading {
	struct read_session session;
	char host[READ_HOST_SIZE];
	struct gaps gaps;
	struct fio fio;
	struct fio_replay replay;
	struct fio_laid laid;
};

/* Reads it the first time. 0 or -errno, reported; to be closed in any case. */
int fio_reading_open(struct fio_reading *reading, const char *dir, const struct row_filter *filter);
/* Reads it again and writes everything; the same. */
int fio_reading_write(struct fio_reading *reading, const struct row_filter *filter,
		      const struct fio_plan *plan);
/* Reads it again and writes nothing; the same. */
int fio_reading_count(struct fio_reading *reading, const struct row_filter *filter);
/* A fio_reading, opened or not; untyped for reader_command. */
void fio_reading_close(void *reading);
