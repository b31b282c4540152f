/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a model of the use of files is: rows that it is fed with, files, and what is kept of each. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/common/interned.h"
#include "analysis/common/pool.h"
#include "analysis/files/files_cell.h"

static const uint64_t FILES_UNKNOWN = UINT64_MAX;

/* Behind the operations of fs */
enum { FILES_FAULT = 255 };

struct files_text {
	const char *text;
	uint32_t len;
};

/* A row of fs that names one file; valid during the call. */
struct files_row {
	uint64_t mono_ns; /* entry */
	uint64_t latency; /* FILES_UNKNOWN */
	uint64_t size;
	int64_t result;
	int64_t offset; /* -1: not known */
	uint64_t inode;
	uint64_t description; /* ofd; FILES_UNKNOWN */
	uint64_t hash;        /* files_row_hash() */
	struct files_text path;
	struct files_text command;
	struct files_text call;
	struct files_text container; /* where cells are split by it */
	uint32_t device;
	uint32_t mntns;
	uint32_t pid;
	int32_t fd;      /* -1: not known */
	uint8_t op;      /* enum iot_op, or FILES_FAULT: size bytes through a mapping */
	uint8_t effects; /* of enum effect, what it does to this file */
	uint64_t stands; /* for so many rows of all files, as THINNING_ONE has it; 0: for itself */
	bool directory;  /* is one, by the row */
	bool writes;     /* open for writing alone */
	bool faults;     /* they were recorded */
	bool second;     /* the second file of a row: its name and its bytes are known, no more */
};

enum files_split {
	FILES_TOGETHER,
	FILES_BY_PID,     /* a cell for each process */
	FILES_BY_COMMAND, /* or name of a thread */
	FILES_BY_CONTAINER,
};

enum { FILES_MEMORY = 256 << 20 };

struct files_options {
	enum files_split split;
	bool identity;        /* files are followed through all of their names */
	uint64_t interval_ns; /* a cell for each; 0: one for the whole time */
	uint64_t memory;      /* of the files of a directory, in bytes; 0: FILES_MEMORY */
};

/* A part of the use of a file. */
struct files_use {
	struct files_cell cell;
	struct files_use *next; /* of the same file, the one used last comes first */
	uint64_t interval;      /* number of it */
	uint64_t who;           /* pid, or the place of a name in the model */
};

struct files_open;

enum files_kind {
	FILES_REGULAR = 1, /* something was done to its content, or it was opened */
	FILES_DIRECTORY = 2,
};

struct files_file {
	const char *path; /* in the pool; "" : no name */
	uint32_t path_len;
	uint32_t mntns;
	uint64_t hash;
	uint64_t used; /* number of the row that named it last */
	uint64_t inode;
	uint32_t device;
	uint8_t kind;     /* enum files_kind, both for what changed */
	bool written;     /* last_write is known */
	bool above_known; /* the directories above this one are known to be some */
	int64_t last_write;
	uint64_t unsynced;
	uint64_t last_interval;
	struct files_use *uses;
	struct files_open *opens; /* the one used last comes first */
	unsigned n_opens;
	unsigned n_closed; /* of these, where a descriptor was closed last */
};

enum { FILES_MAX_CALLS = 255 };

struct files_model;

/* Who has the files that are not in the memory of a model (files_evict.h). */
struct files_keeper {
	/* Before a row: no pointer to a file of the model is held. */
	void (*make_room)(struct files_keeper *keeper, struct files_model *model);
	/* The one that row names, in the model's memory again; NULL: it is not there. */
	struct files_file *(*find)(struct files_keeper *keeper, struct files_model *model,
				   const struct files_row *row);
};

struct files_model {
	struct files_options options;
	struct files_file **slots;
	uint64_t n_slots; /* a power of two */
	uint64_t n_files;
	const char *calls[FILES_MAX_CALLS];
	unsigned n_calls;
	struct interned names; /* of threads and containers */
	struct files_open **open_slots;
	uint64_t n_open_slots, n_open;
	struct files_open *free_opens;
	struct pool pool;
	struct pool words;           /* calls and names of threads, which stay when files go */
	uint64_t n_rows;             /* fed so far */
	uint64_t n_unnamed;          /* rows that were counted for files without a name */
	struct files_keeper *keeper; /* borrowed; NULL: all files stay in memory */
	bool no_memory;              /* the sums are not complete */
};

/* Which of n models has a file. */
static inline unsigned files_shard(uint64_t hash, unsigned n)
{
	return (unsigned)((hash >> 40) % n);
}
