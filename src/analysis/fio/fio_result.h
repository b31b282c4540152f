/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What fio says of its jobs: its output with --output-format=json. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIO_TIMES = 3 /* reads, writes, syncs */, FIO_PERCENTILES = 3 };

/* 500, 950, 990 */
extern const unsigned fio_percentiles[FIO_PERCENTILES];

/* Of one kind of operation; n 0: there was none, and no time means anything. */
struct fio_told {
	uint64_t n, max;
	uint64_t percentile[FIO_PERCENTILES]; /* ns */
};

struct fio_result_job {
	const char *name;
	const char *files; /* option filename; NULL: they have the job's name */
	unsigned clone;    /* the how many-th of that name */
	bool all_clones;   /* with group_reporting one stands for all */
	struct fio_told told[FIO_TIMES];
};

/* All zero is empty. */
struct fio_result {
	json_t *json;
	struct fio_result_job *jobs;
	uint64_t n;
};

/* Returns 0, -EBADMSG: no JSON, -EINVAL: no jobs with names, or -ENOMEM. To be freed in any case. */
int fio_result_parse(struct fio_result *result, const char *text, size_t len);
/* The same of a file: 0, or -errno, reported. */
int fio_result_read(struct fio_result *result, const char *file);
/* The job that a file with this path belongs to, as fio names it; -1: none. */
int64_t fio_result_job_of(const struct fio_result *result, const char *path, size_t len);
void fio_result_free(struct fio_result *result);
