/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An image without a compiler: programs that count their calls in an array map
 * "counts", for the tests of what comes after compilation.
 */
#ifndef IO_TEST_COUNTER_H
#define IO_TEST_COUNTER_H

#include "image.h"
#include "plan.h"

enum { COUNTER_SLOTS = 8 };

/* Maps: counts, ring (a perf array without a size). No programs. */
void counter_image(struct image *image);
/* A program that adds one to counts[slot]; the name decides the type as in any image. */
void counter_add(struct image *image, const char *name, unsigned slot);
/* A program that no verifier accepts. */
void counter_add_bad(struct image *image, const char *name);

/* An empty plan over a zeroed host; both static. */
struct plan *counter_plan(struct host *host);
void counter_probe(struct plan *plan, enum probe_kind kind, const char *target,
		   const char *program);

#endif
