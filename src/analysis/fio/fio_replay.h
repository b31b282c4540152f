/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From rows to the lines of logs, and what is not among them. */
#pragma once

#include "analysis/fio/fio.h"
#include "analysis/fio/fio_files.h"
#include "analysis/fio/fio_logs.h"
#include "analysis/fio/fio_shape.h"

/* A file in a job, which may have it open several times at once. */
enum { FIO_MAX_SLOTS = 32 };

struct fio_use {
	uint32_t file, job;
	uint32_t added, open;    /* a bit for each */
	struct fio_shape *shape; /* NULL: nothing was done with it */
};

struct fio_replay {
	const struct fio *fio;
	struct fio_files files;
	struct fio_opens opens;
	struct fio_logs logs;
	struct fio_use *uses;
	uint64_t n_uses, max_uses;
	struct hash_index by_use;
	/* what is other than it was */
	uint64_t left[IOT_N_OPS][N_FIO_LEFT];
	uint64_t short_calls;  /* ask for what they got */
	uint64_t others;       /* sendfile …, done as a read or a write */
	uint64_t second_files; /* what these wrote is left out */
	uint64_t added_opens;  /* of files that another job had opened, or nobody since the start */
	uint64_t crowded;      /* opens of a file that was open too often already */
	uint64_t n_rows;       /* so far */
	uint64_t n;            /* reads, writes and syncs in the logs */
	bool no_memory;
};

/* The rows of fio_add() again, and those that it passes over. */
void fio_replay_row(struct fio_replay *replay, const struct fio_row *row);
/* After the last one. Returns 0 or -errno. */
int fio_replay_end(struct fio_replay *replay);
static inline bool fio_log_moves(const struct fio_log *log)
{
	return log->reads || log->writes;
}
void fio_replay_free(struct fio_replay *replay);
