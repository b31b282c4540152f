/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory while it is verified or repaired: facts about it so far,
 * problems found, and the words for it. Stands on scan and segments; the
 * checks and the repair stand on it.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "read/scan.h"

struct verify {
	const char *dir;
	int dir_fd;
	json_t *manifest;  /* NULL: there is none that can be read */
	bool ended;        /* the manifest says that recording has ended */
	bool counted;      /* and its account goes up to the end: a killed run's is seconds old */
	bool recording;    /* a tracer holds the directory at this moment */
	json_t *listed;    /* every segment of the manifest by its file; an object */
	json_t *lost;      /* counts of stream lost by "stream reason" */
	uint64_t slack_us; /* how far a row's time may be from the manifest's */
	unsigned n_damages;
	unsigned n_unfinished;
	uint64_t n_segments;
	uint64_t n_rows;
	uint64_t n_bytes;
};

/* One line each: what is wrong, and what is merely not closed. */
void verify_damage(struct verify *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void verify_unfinished(struct verify *v, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A line of the result, on stdout. */
void verify_print(const struct verify *v, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The manifest's entry for a stream, or NULL. Borrowed. */
json_t *verify_stream(const struct verify *v, const char *name);

/* Columns that its rows do not have, by the manifest. */
uint64_t verify_omitted(const struct verify *v, int stream);

/* Without a manifest it may still be one of ours: files of streams say so. */
bool verify_has_segments(const struct verify *v);

/*
 * A file at the top of the directory as JSON, or NULL and -errno, 0 when it is damaged (error says
 * where).
 */
json_t *verify_read_json(const struct verify *v, const char *name, json_error_t *error, int *err);

/* Reads a file of rows of the stream that its directory names. Returns 0 or -errno. */
int verify_scan(const struct verify *v, const char *file, uint64_t high_ns, struct scan *scan);
/* The same, of a file at the top of the directory. */
int verify_scan_as(const struct verify *v, const char *file, int stream, uint64_t high_ns,
		   struct scan *scan);
/* Its rows can be read. */
void verify_count(struct verify *v, const struct scan *scan);
