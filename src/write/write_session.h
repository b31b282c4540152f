/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session directory from its first manifest to its last one. */
#pragma once

#include "write/write.h"

/*
 * Creates the directory (parents not) and writes a first manifest (state
 * "recording"). Refuses, with a message, a directory that already holds a
 * session or other files, a read-only or missing place. NULL on failure, *err
 * is -errno.
 */
struct writer *write_open(const struct write_options *options, int *err);

/*
 * Members that the rest of the program adds to the manifest (plan, clocks, lost
 * …): merged over the top level; takes its own reference.
 */
void write_manifest_members(struct writer *writer, json_t *members);

const struct write_totals *write_totals(const struct writer *writer);

/*
 * Closes all segments, waits for compression, writes the final manifest (state
 * "complete") and frees. Returns 0 or -errno of the first thing that failed.
 */
int write_finish(struct writer *writer);

/* The same, and the totals as they are then (NULL: not wanted), for the closing summary. */
int write_end(struct writer *writer, struct write_totals *totals);

/* For a session that never began: leaves the place as write_open found it. */
void write_abandon(struct writer *writer);
