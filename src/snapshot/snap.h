/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every snapshot of files, processes or the system is given, and what it
 * returns. Each is a function that looks, writes and publishes, called by
 * `iotracer snapshot` directly and by a thread of its own while a trace runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/packing.h"
#include "row/zone.h"

enum snap_kind { SNAP_SYSTEM, SNAP_PROCESS, SNAP_FS, N_SNAP_KINDS };

enum { SNAP_MAX_DEPTH = 128 };

struct snap_options {
	bool off;               /* --no-snapshots */
	const char *root;       /* of the walk */
	unsigned depth;         /* 0: no limit but SNAP_MAX_DEPTH */
	bool all_mounts;        /* other file systems as well, pseudo ones never */
	unsigned fs_interval_s; /* 0: at the start only */
	unsigned process_interval_s;
};

/* What came of one. */
struct snap_done {
	uint32_t kind;
	int32_t err;         /* -errno; -ECANCELED: the trace ended */
	uint64_t started_ns; /* CLOCK_REALTIME */
	uint64_t started_mono_ns;
	uint64_t duration_ns;
	uint64_t rows;
	uint64_t parts;
	uint64_t newest_bytes; /* of what is kept beside the segments */
	/* files */
	uint64_t unreadable; /* directories */
	uint64_t vanished;
	uint64_t other_fs; /* mount points that were not entered */
	uint64_t loops;
	uint64_t too_deep; /* directories below SNAP_MAX_DEPTH, paths beyond what a row takes */
	char why[160];     /* of a failure */
};

enum snap_message { SNAP_MESSAGE_NAME, SNAP_MESSAGE_SEGMENT, SNAP_MESSAGE_DONE };

/* Before the path, which is the rest of the message. */
struct snap_name {
	uint64_t ino;
	uint32_t dev;
};

struct snap_cpu;

/* What every snapshot is given. */
struct snap_job {
	struct snap_options options;
	const char *host_root; /* "" or a saved host, for SNAP_SYSTEM */
	const char *proc;      /* "/proc" */
	int dir_fd;            /* the session's directory, borrowed */
	const char *dir;       /* its name, for messages */
	enum packing packing;  /* of segments of processes; those of files are always gz */
	uint64_t min_free;
	uint64_t max_disk;
	uint64_t spare;     /* bytes to leave to the trace on top of min_free */
	uint64_t part_size; /* of files, before compression; 0: 64 MiB */
	bool names;         /* the receiver wants SNAP_MESSAGE_NAME */
	const struct zone *zone;
	struct snap_cpu *cpu;            /* NULL: no samples were taken */
	uint64_t n_process;              /* snapshots of processes that were kept */
	bool (*may_continue)(void *arg); /* asked again and again; false gives up */
	/* kind is an enum snap_message */
	void (*send)(void *arg, uint32_t kind, const void *head, size_t head_len, const void *body,
		     size_t body_len);
	void *arg;
	struct snap_done done; /* of the one that is being taken */
};
