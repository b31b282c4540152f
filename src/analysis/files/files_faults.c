/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns what a fault counts as. One that writes to a shared mapping makes a page of the file dirty. All others bring
 * pages into the process: as many as the kernel says, at least the one that was asked for.
 */
#include "analysis/files/files_faults.h"

#include <string.h>

#include "analysis/files/files_names.h"
#include "row/effects.h"

enum { TYPE_WRITE = 1 };
static const char *const types[] = { "READ", "WRITE", NULL };
enum { MAPPING_SHARED = 1 };
static const char *const mappings[] = { "PRIVATE", "SHARED", NULL };

enum { TYPE, PID, COMMAND, INODE, FILENAME, DEVICE, MONO, MAPPING, PAGES, MNTNS, N_WANTED };

static const struct read_column wanted[N_WANTED] = {
	[TYPE] = { .name = "fault_type", .kind = PARSE_TEXT, .words = types },
	[PID] = { .name = "pid", .kind = PARSE_UINT },
	[COMMAND] = { .name = "command", .kind = PARSE_TEXT },
	[INODE] = { .name = "inode", .kind = PARSE_UINT },
	[FILENAME] = { .name = "filename", .kind = PARSE_PATH },
	[DEVICE] = { .name = "device", .kind = PARSE_DEV },
	[MONO] = { .name = "mono_ns", .kind = PARSE_UINT },
	[MAPPING] = { .name = "mapping", .kind = PARSE_TEXT, .words = mappings },
	[PAGES] = { .name = "pages", .kind = PARSE_UINT },
	[MNTNS] = { .name = "mntns", .kind = PARSE_UINT },
};

const struct column_meaning files_fault_meanings[] = {
	{ "mapping", "no bytes through mappings" },
	{ NULL, NULL },
};

unsigned files_fault_columns(struct read_column columns[LAYOUT_MAX_COLUMNS])
{
	memcpy(columns, wanted, sizeof(wanted));
	return N_WANTED;
}

static struct files_text text_of(const struct field *field)
{
	return (struct files_text){ .text = field->text, .len = field->len };
}

unsigned files_fault_row(const struct field *f, uint64_t page_size, struct files_row *row)
{
	bool dirties = f[TYPE].u == TYPE_WRITE && f[MAPPING].u == MAPPING_SHARED;

	if (!f[TYPE].known || !f[MAPPING].known || !f[MONO].known || !f[FILENAME].len)
		return 0;
	*row = (struct files_row){
		.mono_ns = f[MONO].u,
		.latency = FILES_UNKNOWN,
		.size = page_size * (dirties || !f[PAGES].known ? 1 : f[PAGES].u),
		.offset = -1,
		.inode = f[INODE].u,
		.description = FILES_UNKNOWN,
		.path = text_of(&f[FILENAME]),
		.command = text_of(&f[COMMAND]),
		.device = (uint32_t)f[DEVICE].u,
		.mntns = (uint32_t)f[MNTNS].u,
		.pid = (uint32_t)f[PID].u,
		.fd = -1,
		.op = FILES_FAULT,
		.effects = dirties ? WRITES : READS,
	};
	row->hash = files_row_hash(row);
	return 1;
}
