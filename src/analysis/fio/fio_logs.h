/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The logs of jobs that fio reads, written side by side: a buffer for each, and no descriptor.
 *
 * Format 3 has times in microseconds in each line, and fio waits between the beginnings of two
 * actions what lies between their times. In 3.33 and 3.39 a time of 0 counts as none, and there is no
 * waiting before the first line, which must be about a file; so it is one, with time 1. Format 2 (the only one before 3.31) has lines
 * that wait until a time, in milliseconds, since fio was started: measured with 3.25, 3.33 and 3.39,
 * whatever its manual says of microseconds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/common/pool.h"

enum { FIO_FORMAT_OLD = 2, FIO_FORMAT = 3, FIO_LOG_NAME = 32 };

struct fio_log {
	char *text; /* not written yet */
	uint32_t len;
	bool begun;
	uint64_t us; /* of the last line */
	uint64_t reads, writes, syncs, datasyncs, opens;
	uint64_t added_opens; /* of these */
};

struct fio_logs {
	int dir_fd;
	unsigned format;
	uint64_t first_ns;
	struct fio_log *list;
	uint64_t n;
	const char *into;
	int err; /* the first one: -errno */
};

/* Returns 0 or -ENOMEM; n is that of jobs. dir_fd -1: nothing is written. */
int fio_logs_open(struct fio_logs *logs, int dir_fd, uint64_t n);
void fio_log_name(uint64_t job, char name[FIO_LOG_NAME]);
/* A line; slot: which of a job's open files of that name. action without offset and bytes: bytes UINT64_MAX. */
void fio_log_line(struct fio_logs *logs, uint32_t job, uint64_t ns, const char *file, uint32_t slot,
		  const char *action, uint64_t offset, uint64_t bytes);
/* Nothing of it is left. */
void fio_log_drop(struct fio_logs *logs, uint64_t job);
/* What is left in buffers. Returns err. */
int fio_logs_flush(struct fio_logs *logs);
void fio_logs_free(struct fio_logs *logs);
