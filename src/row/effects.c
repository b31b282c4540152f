/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what each kind of row counts as. */
#include "row/effects.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>

#include "row/fs_ops.h"
#include "row/row_words.h"

/* ---- fs ---- */

/* Which side of a splice is the pipe, whether msync waits, and what is done with a lock, only flags tell. */
static unsigned effects_of(unsigned op, bool to_file, bool waits, bool locks)
{
	unsigned traits = op < IOT_N_OPS ? fs_ops[op].traits : 0;

	if ((traits & FS_READS) && (traits & FS_WRITES))
		return to_file ? WRITES : READS;
	return (traits & FS_READS ? READS : 0u) | (traits & FS_WRITES ? WRITES : 0u) |
	       (traits & FS_WRITES_SECOND ? WRITES_SECOND : 0u) |
	       ((traits & FS_SYNCS) && (op != IOT_MSYNC || waits) ? SYNCS : 0u) |
	       (op == IOT_LOCK && locks ? LOCKS : 0u);
}

/* As flags_lock has them: LOCK_SH or LOCK_EX, or a command other than those that only look, with F_RDLCK or F_WRLCK */
static bool asks_for_lock(unsigned flags)
{
	unsigned command = flags / IOT_LOCK_COMMAND & 7, type = flags / IOT_LOCK_TYPE & 3;

	return (flags & (LOCK_SH | LOCK_EX)) ||
	       (command % 3 != 1 && type != 0 && type != F_UNLCK + 1);
}

static bool asks_in_words(const struct field *flags)
{
	return field_has(flags, "LOCK_SH") || field_has(flags, "LOCK_EX") ||
	       ((field_has(flags, "F_RDLCK") || field_has(flags, "F_WRLCK")) &&
		!field_has(flags, "F_GETLK") && !field_has(flags, "F_OFD_GETLK"));
}

unsigned fs_effects(unsigned op, unsigned flags)
{
	return effects_of(op, flags & IOT_SPLICE_TO_FILE, flags & MS_SYNC, asks_for_lock(flags));
}

unsigned fs_row_effects(unsigned op, const struct field *flags, const struct field *filename)
{
	unsigned effects = effects_of(op, op == IOT_SPLICE && field_has(flags, "TO_FILE"),
				      op == IOT_MSYNC && field_has(flags, "MS_SYNC"),
				      op == IOT_LOCK && asks_in_words(flags));

	if ((effects & WRITES_SECOND) && !(fs_ops[op].traits & FS_TWO) &&
	    !second_path(filename->text, filename->len))
		effects &= ~(unsigned)WRITES_SECOND;
	return effects;
}

const char *second_path(const char *filename, size_t len)
{
	static const char arrow[] = " -> /";
	const char *at = len ? memmem(filename, len, arrow, sizeof(arrow) - 1) : NULL;

	return at ? at + PATHS_BETWEEN : NULL;
}

/* ---- ds, iouring ---- */

unsigned ds_effects(unsigned operation)
{
	if (operation == DS_OP_READ)
		return READS;
	return operation == DS_OP_WRITE || operation == DS_OP_ZONE_APPEND ? WRITES : 0;
}

unsigned uring_effects(const struct field *opcode)
{
	if (field_begins(opcode, "READ"))
		return READS;
	if (field_begins(opcode, "WRITE"))
		return WRITES;
	return field_is(opcode, "FSYNC") || field_is(opcode, "SYNC_FILE_RANGE") ? SYNCS : 0;
}

unsigned uring_socket_effects(const struct field *opcode)
{
	if (field_begins(opcode, "RECV"))
		return READS;
	return field_begins(opcode, "SEND") ? WRITES : 0;
}

/* ---- what is a file ---- */

bool is_file_or_disk(const char *path, size_t len)
{
	static const char devices[] = "/dev/";
	static const char *const others[] = { "null",    "zero",    "full",   "random",
					      "urandom", "tty",     "pts/",   "ptmx",
					      "kmsg",    "console", "fuse",   "net/",
					      "stdin",   "stdout",  "stderr", "fd/" };
	const size_t before = sizeof(devices) - 1;

	if (!len || path[0] != '/')
		return false;
	if (len < before || memcmp(path, devices, before) != 0)
		return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		size_t n = strlen(others[i]);

		if (len - before >= n && !memcmp(path + before, others[i], n))
			return false;
	}
	return true;
}
