/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manifest.json and datapackage.json: what is in a session directory, kept up
 * to date while it fills. Belongs to one thread at a time.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "row/schema.h"
#include "write/segment.h"
#include "write/write_options.h"

#define MANIFEST_MAX_EVICTED 256 /* latest removed segments that are listed, per stream */

#define MANIFEST_NAME "manifest.json"
#define MANIFEST_PACKAGE "datapackage.json"

struct manifest_segment {
	enum stream_id stream;
	char file[SEGMENT_PATH_SIZE]; /* below the session directory */
	uint64_t rows;
	uint64_t bytes;     /* of the file as it lies there */
	uint64_t csv_bytes; /* before compression */
	uint64_t first_ns;  /* CLOCK_REALTIME */
	uint64_t last_ns;
	bool compressed;
	char sha256[65]; /* of the file as it lies there */
};

/* What the writing thread knows of each stream. */
struct manifest_counts {
	bool on[N_STREAMS];
	uint64_t rows[N_STREAMS]; /* written, evicted ones included */
	uint64_t unwritable[N_STREAMS];
};

struct manifest;

/* NULL without memory. The name of the directory is not kept: others open it. */
struct manifest *manifest_new(const struct write_options *options);
void manifest_free(struct manifest *manifest);

/* What the next manifest says of each stream; copied. */
void manifest_counts(struct manifest *manifest, const struct manifest_counts *counts);
/* In the order of closing: manifest_evict takes the first one of its stream. */
void manifest_add(struct manifest *manifest, const struct manifest_segment *segment);

/* The oldest segment of the stream was removed from the directory. */
void manifest_evict(struct manifest *manifest, enum stream_id stream);

/* A segment that was removed before it was ever added. */
void manifest_add_evicted(struct manifest *manifest, const struct manifest_segment *segment);

/* Merged over the top level of everything written from now on. */
void manifest_members(struct manifest *manifest, json_t *members);

/* "recording", "stopped" (with a reason); the end time is that of this call when ended. */
void manifest_state(struct manifest *manifest, const char *state, const char *reason, bool ended);

/*
 * Both files, each replaced atomically; datapackage.json exists only while
 * there are segments, because an empty package is not valid. *n_bytes is what
 * they take on disk. Returns 0 or -errno, silently.
 */
int manifest_write(struct manifest *manifest, int dir_fd, uint64_t *n_bytes);

/* ---- the parts of which both consist, for who mends a directory; new references ---- */

/* The entry of a segment; times are those of the local zone. */
json_t *manifest_segment_json(const struct manifest_segment *segment);
/*
 * datapackage.json, of the streams' lists of entries and of the manifest's member "summary" (or
 * NULL); NULL when there is nothing.
 */
json_t *manifest_package_json(json_t *const segments[N_STREAMS],
			      const struct schema_omitted *omitted, const json_t *summary);
/* Takes the reference to json; adds what the file takes to *n_bytes. Returns 0 or -errno. */
int manifest_replace(int dir_fd, const char *name, json_t *json, uint64_t *n_bytes);

/* "2026-11-20 23:59:59.123456", local time, as in the timestamp column. */
#define MANIFEST_TIME_SIZE 48
void manifest_time(uint64_t real_ns, char text[MANIFEST_TIME_SIZE]);
/* "2026-11-20T23:59:59.123456789+01:00" */
void manifest_time_rfc3339(uint64_t real_ns, char text[MANIFEST_TIME_SIZE]);
