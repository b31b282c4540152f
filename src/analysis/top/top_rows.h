/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Views of an interval, and what a row of one is. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/common/latencies.h"
#include "analysis/top/top_disks.h"

enum top_view {
	TOP_FILES,
	TOP_PROCESSES,
	TOP_DEVICES,
	TOP_CONNECTIONS,
	TOP_LAYERS,  /* streams */
	TOP_RINGS,   /* of io_uring: completed requests */
	TOP_LATENCY, /* by kind of operation, of those whose latency is known */
	TOP_CONTAINERS,
	N_TOP_VIEWS
};
extern const char *const top_view_names[N_TOP_VIEWS + 1]; /* "files" … */

enum { TOP_FILE_MAX = 8192 }; /* bytes of a name */

enum top_sort { TOP_BY_BYTES, TOP_BY_OPS, TOP_BY_ERRORS, TOP_BY_TIME, TOP_BY_MAX, N_TOP_SORTS };
extern const char *const top_sort_names[N_TOP_SORTS + 1];

struct top_row {
	const char *key; /* of the row in its view, not NUL-terminated: number, if any, and name, */
	uint32_t key_len;
	uint32_t name_at; /* which begins here */
	uint64_t number;  /* mount namespace of a file, pid of a process; 0: none */
	uint64_t ops, errors;
	uint64_t reads, read_bytes; /* of connections: what was received */
	uint64_t writes, write_bytes;
	uint64_t timed, ns, max_ns;      /* of those whose latency is known */
	struct latencies *latencies;     /* TOP_LATENCY; else NULL */
	const struct top_disk_use *disk; /* TOP_DEVICES, by the kernel's counters; else NULL */
	uint32_t id;                     /* of the row in its view and interval */
	uint32_t file, pid;              /* of who uses a file: id of its row; process */
};

/* A file, of which those who use it are shown in place of all files. */
struct top_file {
	bool chosen;
	bool threads; /* one by one */
	uint64_t mntns;
	uint32_t len;
	char path[TOP_FILE_MAX];
};

struct top_sums {
	uint64_t ops;
	uint64_t lost;   /* that were lost in the kernel */
	bool many_mntns; /* files are of more than one mount namespace */
};
