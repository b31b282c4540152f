/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the opening of a segment, and what is said of one that cannot be read or is not what the
 * manifest says. Its rows are those of who reads them.
 */
#include "read/read_segment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "read/segments.h"

/* An open file gets its final name at any time, compressed or not. */
static int open_closed(const struct read_session *s, const struct read_segment *segment,
		       enum packing *packing)
{
	char final[SEGMENT_NAME_MAX + PACKING_ENDING];
	const char *slash = strchr(segment->file, '/');
	size_t len = strlen(segment->file) - strlen(".part");
	int fd = -ENOENT;

	/* "fs/.X.csv.part" without its dot and its end */
	snprintf(final, sizeof(final), "%.*s/%.*s", (int)(slash - segment->file), segment->file,
		 (int)(len - (size_t)(slash - segment->file) - 2), slash + 2);
	len = strlen(final);
	for (int p = 0; fd == -ENOENT && p < N_PACKINGS; p++) {
		strcpy(final + len, packings[p].ending);
		*packing = (enum packing)p;
		fd = segment_open(s->fd, final);
	}
	return fd;
}

int read_segment_open(const struct read_session *s, const struct read_segment *segment,
		      enum packing *packing)
{
	int fd = segment_open(s->fd, segment->file);

	*packing = packing_of(segment->file);
	if (fd == -ENOENT && segment->open)
		fd = open_closed(s, segment, packing);
	if (fd < 0 && !(fd == -ENOENT && s->state == READ_RECORDING)) {
		read_session_wrong(s);
		log_error("%s/%s: %s", s->dir, segment->file, segment_why(fd));
	}
	return fd;
}

void read_segment_failed(const struct read_session *s, const struct read_segment *segment, int err)
{
	read_session_wrong(s);
	log_error("%s/%s: %s", s->dir, segment->file, strerror(-err));
}

bool read_segment_is_short(const struct read_segment *segment, const struct rows_file *file)
{
	return file->state == ROWS_DAMAGED || (file->state == ROWS_CUT && !segment->open) ||
	       (segment->listed && !segment->open && file->n != segment->rows);
}

void read_segment_report(const struct read_session *s, const struct read_segment *segment,
			 const struct rows_file *file, const char *first_bad)
{
	bool is_short = read_segment_is_short(segment, file);

	if (is_short || file->n_bad)
		read_session_wrong(s);
	if (file->n_bad)
		log_warn("%s/%s: %s: %" PRIu64 " of %" PRIu64 " rows left out", s->dir,
			 segment->file, first_bad, file->n_bad, file->n);
	if (file->state == ROWS_DAMAGED || (file->state == ROWS_CUT && !segment->open))
		log_warn("%s/%s: %s", s->dir, segment->file, file->why);
	else if (is_short)
		log_warn("%s/%s: %" PRIu64 " rows, the manifest says %" PRIu64, s->dir,
			 segment->file, file->n, segment->rows);
}
