/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a trace as they lie in the scratch directory: under names of our own, which no name
 * of the trace leads out of, and with what must be in them before the first call.
 */
#pragma once

#include "analysis/common/hash_index.h"
#include "analysis/common/pool.h"

enum { FIO_MAX_EXTENTS = 64, FIO_NAME_SIZE = 64 };

/* Bytes of a file; end is the first one that is not in it. */
struct fio_extent {
	uint64_t start, end;
};

struct fio_file {
	const char *path; /* as recorded */
	uint32_t path_len;
	uint32_t job;         /* that used it first */
	bool shared;          /* others did, too */
	bool created;         /* by its first open */
	bool used;            /* it is in a log */
	uint64_t written_end; /* by one job alone: */
	uint32_t writer;
	uint32_t n_extents;         /* that are read before that job wrote them */
	struct fio_extent *extents; /* in their order, apart from one another; NULL: none */
	char name[FIO_NAME_SIZE];   /* in the scratch directory */
};

/* All zero is empty. */
struct fio_files {
	struct fio_file *list;
	uint64_t n, max;
	struct hash_index by_path;
	struct pool pool;
};

/* Number of the file; -1 without memory. */
int64_t fio_file_at(struct fio_files *files, const char *path, uint32_t len);
/* Both: of that many bytes. False without memory. */
bool fio_file_read(struct fio_files *files, struct fio_file *file, uint32_t job, uint64_t offset,
		   uint64_t bytes);
void fio_file_written(struct fio_file *file, uint32_t job, uint64_t offset, uint64_t bytes);
void fio_files_free(struct fio_files *files);
