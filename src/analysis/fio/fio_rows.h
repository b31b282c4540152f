/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a row of fs is to fio: an action of its logs, or the reason why there is none. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "read/read_parallel.h"
#include "row/records.h"

enum fio_does {
	FIO_NOTHING, /* left says why */
	FIO_OPEN,
	FIO_CLOSE,
	FIO_READ,
	FIO_WRITE,
	FIO_SYNC,
	FIO_DATASYNC,
	N_FIO_DOES
};

/* Why it cannot be repeated, or not as it was. */
enum fio_left {
	FIO_NO_ACTION, /* fio's logs have none for it */
	FIO_FAILED,
	FIO_AT_END, /* a read that found no more: fio takes it for an error */
	FIO_NO_NAME,
	FIO_NO_FILE, /* of /proc, a terminal … */
	FIO_NO_OFFSET,
	FIO_IDLE, /* of threads that neither read nor write: such a log is refused by fio */
	N_FIO_LEFT
};

/* Which of fio's jobs can do it: options are those of a whole job. */
enum fio_class {
	FIO_DIRECT = 1,
	FIO_O_SYNC = 2,
	FIO_O_DSYNC = 4,
	FIO_AIO = 8,
	FIO_URING = 16,
	N_FIO_CLASSES = 32,
};

struct fio_row {
	/* mono_ns, and the end of the call, which is the same where the latency is not known */
	uint64_t ns, end_ns;
	uint64_t key;           /* of the open file */
	uint64_t offset, bytes; /* moved */
	const char *path, *command;
	uint32_t path_len, command_len;
	uint32_t pid, tid;
	uint8_t op; /* enum iot_op */
	uint8_t does, left, klass;
	bool is_short;  /* moved less than it asked for */
	bool is_other;  /* sendfile …, done as a read or a write */
	bool creates;   /* OPEN with O_CREAT */
	bool no_second; /* what it wrote to a second file is left out */
};

extern const struct read_query fio_query;
static inline bool fio_row_syncs(const struct fio_row *row)
{
	return row->does == FIO_SYNC || row->does == FIO_DATASYNC;
}

/* False: the row is not whole, or of another kind than calls on files. */
bool fio_row(const struct field *fields, struct fio_row *row);
