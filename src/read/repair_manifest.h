/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The manifest of a directory under repair. */
#pragma once

#include "read/segments.h"
#include "read/verify_context.h"

struct repair {
	struct verify *v;
	unsigned n_changes;
	uint64_t cut_bytes;
	uint64_t n_parts;   /* that were closed */
	uint64_t n_waiting; /* rows that waited for their order */
	const char *reason; /* why recording ended */
	bool moved;         /* the damaged manifest is aside */
};

/* Reads it, or begins a new one. Returns 0, or -errno: leave the directory alone. */
int repair_manifest_open(struct repair *r);

/* Nothing is changed: the manifest is what it was. */
void repair_manifest_keep(struct repair *r);

/* A segment by its path, after those with lower numbers. */
void repair_enter(struct repair *r, const struct segment_file *file, const char *path,
		  const struct scan *scan);

/* Counts everything again and writes the manifest and the data package, if anything changed. */
void repair_manifest_close(struct repair *r);

/* The first segment of a stream leaves the manifest, which counts it as removed for --max-disk. */
void repair_evict_first(json_t *stream);
/* Manifest and data package as they are now. Returns 0 or -errno. */
int repair_manifest_write(struct verify *v);

bool repair_exists(const struct verify *v, const char *path);
