/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fio's own times of its jobs beside those of the calls and of the device's requests that they made. */
#pragma once

#include "analysis/common/gaps.h"
#include "analysis/common/latency_set.h"
#include "analysis/common/row_filter.h"
#include "analysis/common/table.h"
#include "analysis/fio/fio_files.h"
#include "analysis/fio/fio_result.h"

/* Kinds of times: FIO_TIMES of calls, and behind them reads and writes of devices. */
enum { FIO_DEVICE = FIO_TIMES, FIO_KINDS = FIO_TIMES + 2 };

struct fio_seen {
	struct latency_set times;
	uint64_t n[FIO_KINDS], max[FIO_KINDS];
};

/* All zero is empty. */
struct fio_against {
	struct fio_result result;
	struct fio_seen *seen; /* of each of its jobs */
	struct fio_files files;
	int64_t *job_of; /* each of them */
	uint64_t max_files;
	char host[READ_HOST_SIZE];
	struct gaps gaps; /* of fs */
	bool no_memory;
};

/* Session is opened, and to be closed in any case. Returns 0 or -errno, reported. */
int fio_against_open(struct fio_against *against, const char *file, struct read_session *session,
		     const char *dir, const struct row_filter *filter);
int fio_against_print(FILE *out, const struct fio_against *against, enum table_format format);
void fio_against_free(struct fio_against *against);
