/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording does with its rows: to the disk, to the summaries (--summary), or to both. */
#pragma once

#include "analysis/summary/summaries.h"
#include "write/write.h"

struct digest {
	struct summaries *summaries; /* NULL: none are wanted */
	struct writer *writer;
	bool no_rows;
	uint64_t not_kept[N_STREAMS]; /* rows that were added up alone */
};

/* Zeroed. Returns 0 or -errno (reported). */
int digest_open(struct digest *digest, const struct summaries_options *options, bool no_rows,
		struct writer *writer, const char *dir);
void digest_row(struct digest *digest, enum stream_id stream, const char *row, size_t len,
		uint64_t real_ns);
/* Every turn */
void digest_tick(struct digest *digest);
/* "summary" and "not_kept", when there is news of them. */
void digest_add_news(struct digest *digest, json_t *members);
/* Another recording writes the metrics meanwhile, or does not any more. */
void digest_hand_over(struct digest *digest, bool over);
/* When all rows have come. Returns 0 or -errno (reported). */
int digest_end(struct digest *digest);
void digest_close(struct digest *digest);
