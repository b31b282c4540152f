/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of the streams that are looked at now and then. */
#pragma once

#include <stddef.h>

#include "row/format.h"
#include "row/records.h"

struct process_row {
	const char *when;
	u32 pid;
	const char *name;
	struct format_text cmdline;
	u64 virtual_kb;
	u64 rss_kb;
	const char *created;
	s32 cpu[3]; /* hundredths of a per cent; negative: not known */
	const char *status;
	u32 ppid;
	u64 uid; /* FORMAT_UNKNOWN */
	u32 threads;
	const char *container_id;
	struct format_text cgroup;
	struct format_text container;
	struct format_text pod;
	struct format_text image;
	u32 ns[7]; /* 0: not known */
	u64 mono_ns;
};

/* Times are texts, "" when not known. */
struct filesystem_snapshot_row {
	const char *when;
	struct format_text path;
	u64 size;
	const char *birth;
	const char *modified;
	const char *accessed;
	const char *changed;
	const char *path_status;
	u64 ino;
	u32 dev;
	const char *type;
	u32 mode;
	u32 nlink;
	u32 uid;
	u32 gid;
	u64 mono_ns;
};

/* Each writes its row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t process_row(char *out, const struct process_row *row);
size_t filesystem_snapshot_row(char *out, const struct filesystem_snapshot_row *row);
