/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers that a recording keeps up to date (--summary): rows on their way to the
 * disk are handed to a thread, which adds them up and from time to time writes
 * each table into summary/ of the session directory, whole.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/amp/amp_alert.h"
#include "analysis/common/summary_kind.h"

/* The first ones are words of --summary, the last one is --metrics. */
enum summary_kind_id { SUMMARY_FILES, SUMMARY_AMP, SUMMARY_METRICS, N_SUMMARY_KINDS };
extern const struct summary_kind *const summary_kinds[N_SUMMARY_KINDS];

struct summaries_options {
	bool wanted[N_SUMMARY_KINDS];
	unsigned interval_s; /* 0: only at the end */
	uint64_t max_files;  /* in memory, the others are on the disk; 0: all of them */
	struct amp_alert_options alerts;
	const char *metrics; /* the file; NULL: none */
	const char *host;    /* for kinds, see struct summary_room */
	bool vfs;
	bool faults; /* pagefault is recorded */
};

struct summaries;

/* Some are made of several streams, whose rows must then come in one order. */
bool summaries_need_order(const struct summaries_options *options);
/* Borrows dir (for messages) and dir_fd. NULL, and reported, when it cannot be. */
struct summaries *summaries_open(const struct summaries_options *options, const char *dir,
				 int dir_fd);
/* A row that is written now; with its line end. */
void summaries_row(struct summaries *summaries, enum stream_id stream, const char *row, size_t len);
/* A few times a second: what came so far goes to the thread. */
void summaries_tick(struct summaries *summaries);
/* What the manifest should say of the tables as they are by now, a new reference; NULL: no news. */
json_t *summaries_news(struct summaries *summaries);
/* Bytes that the tables take on the disk, and what memory had no room for. */
uint64_t summaries_bytes(struct summaries *summaries);
/* Another recording writes the file of metrics meanwhile, or does not any more. */
void summaries_hand_over(struct summaries *summaries, bool over);
/* Writes all tables for the last time. Returns 0 or -errno of what failed last (reported then). */
int summaries_end(struct summaries *summaries);
/* Once ended. */
void summaries_free(struct summaries *summaries);
