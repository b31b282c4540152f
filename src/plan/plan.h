/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From host facts and wishes to a plan: for every capability the chosen probes
 * and their tier, or why there are none. A pure function, so that saved hosts
 * can be planned offline. Holds pointers into static tables and the host only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan/planned.h"

/* Returns 0, or -ENOENT when nothing at all can be traced (plan is filled all the same). */
int plan_make(struct plan *plan, const struct host *host, const struct plan_request *request);

/* The same from any table, for tests of the rules. */
int plan_make_from(struct plan *plan, const struct host *host, const struct plan_request *request,
		   const struct capability *table, size_t n);

/*
 * What the request wants of a plan that was made for more, probes and all.
 * Returns 0, or -ENOENT when nothing is left.
 */
int plan_narrow(struct plan *plan, const struct plan_request *request);

/* The choice for a capability; NULL in a plan that was made from another table. */
const struct plan_choice *plan_find(const struct plan *plan, enum capability_id id);

/* Whether a candidate that uses any of this (enum use) is chosen for a wanted capability. */
bool plan_needs(const struct plan *plan, unsigned uses);

/* Whether another candidate could take the place of the one that is chosen. */
bool plan_has_next(const struct plan *plan, unsigned choice, const struct plan_request *request);

/* Whether a wanted choice is off because the self-test heard nothing of its candidates. */
bool plan_lost_to_silence(const struct plan *plan, unsigned choice,
			  const struct plan_request *request);

/* What the kernel must have for any candidate of the choice; NULL: nothing in particular. */
const struct feature *plan_feature(const struct plan_choice *choice);

/*
 * NULL when a capability of the stream is on, or none wanted; else why not, in the words of
 * the first. The text is the plan's.
 */
const char *plan_stream_off(const struct plan *plan, enum stream_id stream);

/* True when any wanted capability of the stream is on. */
bool plan_has_stream(const struct plan *plan, enum stream_id stream);

/*
 * Whether the capability sees its operation inside the kernel, where it reaches a file system: tier
 * a.
 */
bool plan_sees_kernel(const struct plan *plan, enum capability_id id);

/* Whether the choice needs, or has, the plan's probe of this index. */
bool plan_uses_probe(const struct plan_choice *choice, unsigned probe);

/* True for any stream with one of these traits. */
bool plan_has_trait(const struct plan *plan, unsigned traits);

char tier_letter(enum tier tier); /* 'a', 'b', 'c', '-' */
