/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the step from a row of fs, as its columns tell it, to an action of fio. */
#include "analysis/fio/fio_rows.h"

#include <string.h>

#include "analysis/common/hash.h"
#include "row/effects.h"
#include "row/fs_ops.h"
#include "row/row_words.h"

/* clang-format off */
#define COLUMNS(COLUMN) \
	COLUMN(OPERATION, "operation", TEXT, .words = fs_operations) \
	COLUMN(PID, "pid", UINT) \
	COLUMN(COMMAND, "command", TEXT) \
	COLUMN(FILENAME, "filename", PATH) \
	COLUMN(SIZE, "size", UINT) \
	COLUMN(FLAGS, "flags", TEXT) \
	COLUMN(OFFSET, "offset", UINT) \
	COLUMN(TID, "tid", UINT) \
	COLUMN(LATENCY, "latency_ns", UINT) \
	COLUMN(RESULT, "return_value", INT) \
	COLUMN(FD, "fd", UINT) \
	COLUMN(OFD, "ofd", UINT) \
	COLUMN(CALL, "call", TEXT) \
	COLUMN(MONO, "mono_ns", UINT)
/* clang-format on */
READ_COLUMNS(columns, N_COLUMNS, COLUMNS);

const struct read_query fio_query = { STREAM_fs, columns, N_COLUMNS };

static uint8_t class_of(const struct field *f)
{
	unsigned klass = 0;

	if (field_has(&f[FLAGS], "O_DIRECT"))
		klass |= FIO_DIRECT;
	if (field_has(&f[FLAGS], "O_SYNC"))
		klass |= FIO_O_SYNC;
	else if (field_has(&f[FLAGS], "O_DSYNC"))
		klass |= FIO_O_DSYNC;
	if (field_is(&f[CALL], "aio"))
		klass |= FIO_AIO;
	else if (field_is(&f[CALL], "io_uring"))
		klass |= FIO_URING;
	return (uint8_t)klass;
}

/* Of a call that copies, what it does to the file that its row names first. */
static enum fio_does does(unsigned op, unsigned effects)
{
	switch (op) {
	case IOT_OPEN:
		return FIO_OPEN;
	case IOT_CLOSE:
		return FIO_CLOSE;
	case IOT_FSYNC:
		return FIO_SYNC;
	case IOT_FDATASYNC:
		return FIO_DATASYNC;
	default:
		return effects & READS ? FIO_READ : effects & WRITES ? FIO_WRITE : FIO_NOTHING;
	}
}

/* folder: with its last slash */
static bool is_below(const struct fio_row *row, const char *folder)
{
	size_t len = strlen(folder);

	return row->path_len > len && !memcmp(row->path, folder, len);
}

/* What stands against it; what it is, then, stays as it is. */
static void judge(struct fio_row *row, const struct field *f)
{
	bool moves = row->does == FIO_READ || row->does == FIO_WRITE;

	if (row->does == FIO_NOTHING)
		row->left = FIO_NO_ACTION;
	else if (f[RESULT].s < 0)
		row->left = FIO_FAILED;
	else if (!row->path_len || row->path[0] != '/')
		row->left = row->path_len ? FIO_NO_FILE : FIO_NO_NAME;
	else if (!is_file_or_disk(row->path, row->path_len) || is_below(row, "/proc/") ||
		 is_below(row, "/sys/"))
		row->left = FIO_NO_FILE;
	else if (row->does == FIO_OPEN && field_has(&f[FLAGS], "O_DIRECTORY"))
		row->left = FIO_NO_FILE;
	else if (moves && !row->bytes)
		row->left = FIO_AT_END;
	else if (moves && (!f[OFFSET].known || row->offset > INT64_MAX - row->bytes))
		row->left = FIO_NO_OFFSET;
	else
		return;
	row->does = FIO_NOTHING;
}

bool fio_row(const struct field *f, struct fio_row *row)
{
	unsigned op = (unsigned)f[OPERATION].u, effects;
	const char *second;

	if (!f[OPERATION].known || !f[MONO].known || op >= IOT_N_OPS ||
	    fs_ops[op].traits & FS_SYNTHETIC)
		return false;
	effects = fs_row_effects(op, &f[FLAGS], &f[FILENAME]);
	*row = (struct fio_row){
		.ns = f[MONO].u,
		.end_ns = f[MONO].u + (f[LATENCY].known ? f[LATENCY].u : 0),
		.offset = f[OFFSET].u,
		.bytes = f[RESULT].s > 0 ? f[RESULT].u : 0,
		.path = f[FILENAME].text,
		.path_len = f[FILENAME].len,
		.command = f[COMMAND].text,
		.command_len = f[COMMAND].len,
		.pid = (uint32_t)f[PID].u,
		.tid = (uint32_t)f[TID].u,
		.op = (uint8_t)op,
		.does = (uint8_t)does(op, effects),
		.klass = class_of(f),
		.creates = op == IOT_OPEN && field_has(&f[FLAGS], "O_CREAT"),
		.no_second = effects & WRITES_SECOND,
		.is_other = !(fs_ops[op].traits & FS_DATA),
	};
	/* one bit keeps them apart from what other traces have instead */
	row->key = f[OFD].known ? f[OFD].u | 1ull << 63 : (uint64_t)row->pid << 31 | f[FD].u;
	row->is_short = row->bytes < f[SIZE].u;
	if (fs_ops[op].traits & (FS_TWO | FS_TWO_FILES)) {
		second = second_path(row->path, row->path_len);
		if (second)
			row->path_len = (uint32_t)(second - row->path) - PATHS_BETWEEN;
		/* of two descriptors the row has but one */
		row->key = hash_text(row->key, row->path, row->path_len) | 1ull << 63;
	}
	judge(row, f);
	return true;
}
