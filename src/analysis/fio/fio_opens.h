/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The open files of a trace, by a key of which each has one for everybody who uses it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/common/pool.h"

#define FIO_NOBODY UINT32_MAX

struct fio_open {
	uint64_t key;
	uint32_t file;
	uint32_t user;          /* a thread, and later a job, or FIO_NOBODY */
	uint32_t slot;          /* the how many-th of the file that is open in the job at a time */
	uint64_t end[2];        /* of its last read and write */
	uint64_t n, n_overlaps; /* uses, and those that began within one by another thread */
	uint64_t end_ns;        /* of all uses */
	uint64_t first_row;
	bool handed, mixed; /* from thread to thread; in several ways */
	bool written;       /* by one that is not its first user */
	bool together;      /* it stays with its job, whoever uses it */
	struct fio_open *next;
};

/* All zero is empty. */
struct fio_opens {
	struct fio_open **buckets;
	uint64_t n, n_buckets; /* a power of two */
	struct fio_open *spare;
	struct pool pool;
};

/* The first with that key; the others by fio_opens_next(). NULL: there is none (more). */
struct fio_open *fio_opens_find(const struct fio_opens *opens, uint64_t key);
struct fio_open *fio_opens_next(const struct fio_open *open);
/* One more; NULL without memory. */
struct fio_open *fio_opens_add(struct fio_opens *opens, uint64_t key);
void fio_opens_remove(struct fio_opens *opens, struct fio_open *open);
void fio_opens_free(struct fio_opens *opens);
