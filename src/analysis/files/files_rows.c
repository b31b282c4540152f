/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the step from a row of fs, as its columns tell it, to the files that it names. */
#include "analysis/files/files_rows.h"

#include <string.h>

#include "analysis/files/files_names.h"
#include "row/effects.h"
#include "row/fs_ops.h"
#include "row/row_words.h"

/* In the order of the fields that files_rows is given. */
enum files_column {
	OPERATION,
	PID,
	COMMAND,
	FILENAME,
	SIZE,
	INODE,
	FLAGS,
	OFFSET,
	ADDRESS,
	LATENCY,
	RESULT,
	DEVICE,
	FD,
	MNTNS,
	CALL,
	OFD,
	MONO,
};

static const struct read_column wanted[] = {
	[OPERATION] = { .name = "operation", .kind = PARSE_TEXT, .words = fs_operations },
	[PID] = { .name = "pid", .kind = PARSE_UINT },
	[COMMAND] = { .name = "command", .kind = PARSE_TEXT },
	[FILENAME] = { .name = "filename", .kind = PARSE_PATH },
	[SIZE] = { .name = "size", .kind = PARSE_UINT },
	[INODE] = { .name = "inode", .kind = PARSE_UINT },
	[FLAGS] = { .name = "flags", .kind = PARSE_TEXT },
	[OFFSET] = { .name = "offset", .kind = PARSE_UINT },
	[ADDRESS] = { .name = "address", .kind = PARSE_ADDRESSES },
	[LATENCY] = { .name = "latency_ns", .kind = PARSE_UINT },
	[RESULT] = { .name = "return_value", .kind = PARSE_INT },
	[DEVICE] = { .name = "device", .kind = PARSE_DEV },
	[FD] = { .name = "fd", .kind = PARSE_UINT },
	[MNTNS] = { .name = "mntns", .kind = PARSE_UINT },
	[CALL] = { .name = "call", .kind = PARSE_TEXT },
	[OFD] = { .name = "ofd", .kind = PARSE_UINT },
	[MONO] = { .name = "mono_ns", .kind = PARSE_UINT },
};

enum { N_WANTED = sizeof(wanted) / sizeof(wanted[0]) };

/* What stands for the system call in traces that have no column for it. */
static const char *const calls[IOT_N_OPS] = {
	[IOT_READ] = "read",         [IOT_WRITE] = "write",
	[IOT_OPEN] = "open",         [IOT_CLOSE] = "close",
	[IOT_FSYNC] = "fsync",       [IOT_FDATASYNC] = "fdatasync",
	[IOT_MMAP] = "mmap",         [IOT_MUNMAP] = "munmap",
	[IOT_MREMAP] = "mremap",     [IOT_MSYNC] = "msync",
	[IOT_MADVISE] = "madvise",   [IOT_GETATTR] = "getattr",
	[IOT_SETATTR] = "setattr",   [IOT_CHDIR] = "chdir",
	[IOT_UNLINK] = "unlink",     [IOT_TRUNCATE] = "truncate",
	[IOT_RENAME] = "rename",     [IOT_MKDIR] = "mkdir",
	[IOT_RMDIR] = "rmdir",       [IOT_LINK] = "link",
	[IOT_SYMLINK] = "symlink",   [IOT_READDIR] = "readdir",
	[IOT_SYNC] = "sync",         [IOT_FALLOCATE] = "fallocate",
	[IOT_SENDFILE] = "sendfile", [IOT_SPLICE] = "splice",
	[IOT_VMSPLICE] = "vmsplice", [IOT_COPY_FILE_RANGE] = "copy_file_range",
	[IOT_TEE] = "tee",           [IOT_SYNC_FILE_RANGE] = "sync_file_range",
	[IOT_FADVISE] = "fadvise",   [IOT_READAHEAD] = "readahead",
};

unsigned files_columns(struct read_column columns[LAYOUT_MAX_COLUMNS])
{
	memcpy(columns, wanted, sizeof(wanted));
	return N_WANTED;
}

const struct column_meaning files_column_meanings[] = {
	{ "call", "calls are told apart by operation alone" },
	{ "ofd", "sequential access and runs go by process and descriptor, "
		 "which dup, fork and passed descriptors confuse" },
	{ "offset", "no rewrites, sequential shares and runs" },
	{ "latency_ns", "no times of calls" },
	{ "mntns", "files of several mount namespaces count as one" },
	{ NULL, NULL },
};

static struct files_text text_of(const struct field *field)
{
	return (struct files_text){ .text = field->text, .len = field->len };
}

static void take_call(struct files_row *row, const struct field *call)
{
	row->call = text_of(call);
	if (layout_lacks(call) && calls[row->op]) {
		row->call.text = calls[row->op];
		row->call.len = (uint32_t)strlen(calls[row->op]);
	}
}

static unsigned take_two(struct files_row rows[FILES_MAX_ROWS], const struct field *fields)
{
	const struct files_text both = rows[0].path;
	const char *second = second_path(both.text, both.len);

	if (!second)
		return 1;
	rows[0].path.len = (uint32_t)(second - both.text) - PATHS_BETWEEN;
	rows[0].hash = files_row_hash(&rows[0]);
	if (!(rows[0].effects & WRITES_SECOND))
		return 1;
	rows[1] = rows[0];
	rows[1].path = (struct files_text){ second, (uint32_t)(both.text + both.len - second) };
	rows[1].effects = WRITES;
	rows[1].second = true;
	rows[1].inode = fields[ADDRESS].u;
	rows[1].device = 0;
	rows[1].fd = -1;
	rows[1].offset = -1;
	rows[1].description = FILES_UNKNOWN;
	rows[1].hash = files_row_hash(&rows[1]);
	return 2;
}

unsigned files_rows(const struct field *f, struct files_row rows[FILES_MAX_ROWS])
{
	struct files_row *row = &rows[0];
	unsigned traits;

	if (!f[OPERATION].known || !f[MONO].known || f[OPERATION].u >= IOT_N_OPS)
		return 0;
	*row = (struct files_row){
		.mono_ns = f[MONO].u,
		.latency = f[LATENCY].known ? f[LATENCY].u : FILES_UNKNOWN,
		.size = f[SIZE].u,
		.result = f[RESULT].s,
		.offset = f[OFFSET].known ? (int64_t)f[OFFSET].u : -1,
		.inode = f[INODE].u,
		.description = f[OFD].known ? f[OFD].u : FILES_UNKNOWN,
		.path = text_of(&f[FILENAME]),
		.command = text_of(&f[COMMAND]),
		.device = (uint32_t)f[DEVICE].u,
		.mntns = (uint32_t)f[MNTNS].u,
		.pid = (uint32_t)f[PID].u,
		.fd = f[FD].known ? (int32_t)f[FD].u : -1,
		.op = (uint8_t)f[OPERATION].u,
	};
	traits = fs_ops[row->op].traits;
	if (traits & (FS_NO_FILE | FS_SYNTHETIC))
		return 0;
	take_call(row, &f[CALL]);
	row->effects = (uint8_t)fs_row_effects(row->op, &f[FLAGS], &f[FILENAME]);
	row->writes = traits & FS_OPEN_FLAGS && f[FLAGS].len >= 8 &&
		      !memcmp(f[FLAGS].text, "O_WRONLY", 8);
	if (row->result >= 0)
		row->directory = traits & FS_DIRECTORY ||
				 (row->op == IOT_OPEN && field_has(&f[FLAGS], "O_DIRECTORY"));
	if (traits & FS_DIRECTORY && row->path.len > 1 && row->path.text[row->path.len - 1] == '/')
		row->path.len--;
	/* a transfer to something that is no file has one name, whatever is in it */
	if ((traits & FS_TWO) || ((traits & FS_TWO_FILES) && f[ADDRESS].u))
		return take_two(rows, f);
	row->hash = files_row_hash(row);
	return 1;
}
