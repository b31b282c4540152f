/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A segment of a session for who reads it, and reports of what is wrong with it. */
#pragma once

#include "read/read_session.h"

/*
 * Opens a segment, under the name that it has by now. Returns a descriptor or
 * -errno, reported unless it was evicted meanwhile (-ENOENT while recording).
 */
int read_segment_open(const struct read_session *session, const struct read_segment *segment,
		      enum packing *packing);

/* An error while it was read: reports it. */
void read_segment_failed(const struct read_session *session, const struct read_segment *segment,
			 int err);
/* The file ends early, or has other rows than the manifest says. */
bool read_segment_is_short(const struct read_segment *segment, const struct rows_file *file);
/*
 * Reports what of the file could not be read: bad rows (the first with its reason), and a missing
 * end.
 */
void read_segment_report(const struct read_session *session, const struct read_segment *segment,
			 const struct rows_file *file, const char *first_bad);
