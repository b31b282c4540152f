/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For how many files, requests or threads one stands that has rows: what `record --budget` left out
 * changes while it goes on, and stream lost tells each change.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "read/read_session.h"

/* Weights are in units of 1 / THINNING_ONE. */
enum { THINNING_ONE = 1024 };

struct thinning {
	struct thinning_span {
		uint64_t to; /* mono_ns, exclusive; from where the one before ends */
		uint64_t weight;
		uint64_t factor;    /* from then on */
	} * spans[N_EVENT_STREAMS]; /* by time */
	uint64_t n[N_EVENT_STREAMS], max[N_EVENT_STREAMS];
	bool no_memory;
};

/* Whether anything was left out, as far as the manifest tells. */
bool thinning_is_on(const struct read_session *session);

/* Zeroed. Without a budget nothing is read. 0 or -errno, reported. */
int thinning_read(struct thinning *thinning, const struct read_session *session);
/*
 * How many rows of all a row of this time stands for: as many as were left out for each that was kept, or, where
 * that is not known or more than twice the factor (the larger one, where it changes), as the factor says (most was
 * done to a few files, and none of them was kept: the others are no sample of them). THINNING_ONE: for itself.
 */
uint64_t thinning_weight(const struct thinning *thinning, enum stream_id stream, uint64_t mono_ns);
void thinning_free(struct thinning *thinning);
