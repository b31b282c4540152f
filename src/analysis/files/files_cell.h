/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is counted for a file, or for a part of its use (an interval, a process),
 * or for several files together: cells can be joined.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/files/histogram.h"

enum files_direction { FILES_READ, FILES_WRITE };

enum files_metric {
	FILES_READ_REQUEST,
	FILES_WRITE_REQUEST,
	FILES_READ_COMPLETE,
	FILES_WRITE_COMPLETE,
	FILES_READ_RUN,
	FILES_WRITE_RUN,
	FILES_SYNC_GAP,
	FILES_READ_LATENCY,
	FILES_WRITE_LATENCY,
	FILES_SYNC_LATENCY,
	N_FILES_METRICS
};

/* From here on a lock was waited for: on a local file system one that is free takes some microseconds. */
enum { FILES_LOCK_WAIT_NS = 1000000 };

enum { FILES_NO_CALL = 255, FILES_COMMANDS = 4 };

/* A tag of the cell's histogram: metric and call, FILES_NO_CALL of metrics that are not per call. */
static inline uint32_t files_tag(enum files_metric metric, unsigned call)
{
	return (uint32_t)metric << 8 | call;
}

/* Of calls, where --budget left out others: how many each of them stands for is known for each kind. */
enum files_call_kind {
	FILES_OF_OTHERS,
	FILES_OF_READS,
	FILES_OF_WRITES,
	FILES_OF_SYNCS,
	FILES_OF_LOCKS,
	N_FILES_CALL_KINDS
};

/* Calls of one kind. */
struct files_calls {
	uint64_t calls;
	uint64_t stands; /* for so many, in units of 1 / THINNING_ONE */
	uint64_t errors;
	uint64_t ns;
	uint64_t max_ns;
	uint64_t timed;    /* calls whose latency is known */
	uint64_t first_ns; /* entry of the first one */
	uint64_t last_ns;  /* return of the last successful one; 0: none, or not known */
};

struct files_transfers {
	struct files_calls calls;
	uint64_t requested;
	uint64_t bytes;
	uint64_t located;    /* bytes of which the offset is known */
	uint64_t sequential; /* of these, where the call before had ended */
	uint64_t reach;      /* the end of the furthest of them */
};

/* Programs ask copy_file_range for 2^63 bytes and take what comes: the sum ends at 2^64 - 1. */
static inline void files_add_requested(struct files_transfers *moved, uint64_t bytes)
{
	if (__builtin_add_overflow(moved->requested, bytes, &moved->requested))
		moved->requested = UINT64_MAX;
}

struct files_error {
	uint64_t count;
	uint16_t number;
	uint8_t call;
	uint8_t kind; /* enum files_call_kind */
};

struct files_command {
	const char *name; /* NUL-terminated, of the model's pool */
	uint64_t first_ns;
};

struct files_cell {
	uint64_t opens;
	uint64_t closes;
	struct files_transfers moved[2]; /* by enum files_direction */
	uint64_t rewrites;
	uint64_t located_writes; /* that moved bytes or not, with a known offset */
	uint64_t completed_writes;
	struct files_calls syncs;
	uint64_t synced_bytes;
	/* bytes of pages that faults mapped, and that they made dirty: files_faults.h */
	uint64_t mapped[2];
	uint64_t faults_known;    /* not 0: faults were recorded */
	struct files_calls locks; /* that were asked for, whether they were got or not */
	uint64_t lock_waits;      /* of them, those that took FILES_LOCK_WAIT_NS */
	uint64_t metadata;        /* calls that got or set attributes of the file */
	uint64_t n_rows;          /* of the file, each THINNING_ONE, */
	uint64_t
		stands; /* and rows of all files that these stand for: more, where others were left out (--budget) */
	struct histogram histogram;

	struct files_error *errors;
	unsigned n_errors;

	struct files_command commands[FILES_COMMANDS]; /* the first ones, by time */
	bool more_commands;
	bool pid_0;     /* the kernel's idle thread is no slot */
	uint32_t *pids; /* a table of hash slots, 0: free */
	uint64_t n_pids;
	uint32_t max_pids; /* slots, a power of two */
	uint32_t last_pid;
};

/* These return false without memory. */
bool files_cell_error(struct files_cell *cell, const struct files_error *error);
bool files_cell_pid(struct files_cell *cell, uint32_t pid);
/* name stays where it is. */
void files_cell_command(struct files_cell *cell, const char *name, uint64_t first_ns);
/*
 * Adds what other has beside sums (files_sums_add), with its histogram or without; calls[] has the
 * number that each of its calls has here.
 */
bool files_cell_join(struct files_cell *cell, const struct files_cell *other,
		     const uint8_t calls[256], bool histogram);
/* What it takes besides itself, about: each allocation has a head. */
uint64_t files_cell_bytes(const struct files_cell *cell);
void files_cell_free(struct files_cell *cell);
