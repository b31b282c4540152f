/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream fs: operations on files to rows. */
#pragma once

#include <stddef.h>

#include "row/flags.h"
#include "row/format.h"
#include "row/records.h"

struct fs_row {
	u64 start;
	const char *operation;
	u32 pid;
	u32 tid;
	const char *comm;
	struct format_text path;
	u64 size;
	u64 ino;
	struct flags flags;
	struct format_text word; /* behind flags: the name of an attribute, a device */
	s64 offset;              /* -1: not known */
	struct flags mmap_prot;
	struct flags mmap_flags;
	u64 address;     /* FORMAT_UNKNOWN: none */
	u64 new_address; /* of a mapping that moved */
	u64 ino2;        /* of the second file, 0: none or not known */
	u64 latency;     /* FORMAT_UNKNOWN */
	s64 ret;
	u32 dev;
	s32 fd;
	u32 mntns;
	const char *path_status;
	u32 ofd;          /* 0: none or not known */
	const char *call; /* "": nobody's */
	struct format_text given;
};

/* Writes the row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t fs_row(char *out, const struct fs_row *row);
