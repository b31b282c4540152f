/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file of rows, plain or compressed, read once from its start to its end: its
 * checksum, its rows and their times, and the first thing that is wrong with it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"
#include "read/rows_file.h"

#define SCAN_TIME_SIZE 27 /* "2026-11-20 23:59:59.123456" */

struct scan_options {
	const char *header; /* with its line end; NULL: any */
	enum packing packing;
	uint64_t high_ns; /* highest mono_ns of the files before this one */
	/* of which every value is checked; NULL: timestamp and mono_ns alone */
	const struct read_column *columns;
	unsigned n_columns;
	/* each good row, with the fields of these columns (may be NULL) */
	void (*row)(void *arg, const struct field *fields);
	void *arg;
};

enum scan_trouble {
	SCAN_OK,
	SCAN_CUT,     /* only the end is missing: of the last row, or of the compressed bytes */
	SCAN_DAMAGED, /* a row, the header or the compression is not what it must be */
};

struct scan {
	enum scan_trouble trouble;      /* the worst of all */
	char why[LAYOUT_WHY_SIZE + 32]; /* of the first that is as bad: "row 12: …" */
	uint64_t bytes;                 /* of the file */
	uint64_t csv_bytes;             /* of its text */
	uint64_t rows;                  /* good ones */
	uint64_t good_bytes;            /* of the text, up to the first trouble */
	char first[SCAN_TIME_SIZE];     /* earliest and latest timestamp; empty: there is none */
	char last[SCAN_TIME_SIZE];
	uint64_t first_ns; /* lowest and highest mono_ns */
	uint64_t last_ns;
	uint64_t disorder; /* rows with a lower mono_ns than one before them */
	char sha256[SHA256_HEX_SIZE];
};

/*
 * Returns 0, whatever is in the file, or -errno when it cannot be read. fd stays the
 * caller's. Cut or damaged, the checksum is that of the whole file all the same.
 */
int scan_file(int fd, const struct scan_options *options, struct scan *scan);
