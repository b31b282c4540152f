/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an image to live kernel objects. Maps are created at the sizes asked
 * for here (the image holds defaults), map loads are patched, programs loaded
 * with the type that their probe in the plan needs.
 */
#pragma once

#include "image/image.h"
#include "plan/plan.h"
#include "trace/loaded.h"

struct load_map_size {
	const char *name; /* NULL ends the list */
	uint32_t max_entries;
};

/*
 * Program types: that of the plan's probe with this program name; a program
 * without a probe whose name ends in _kp, _tp or _sc (others call it) is a
 * kprobe or tracepoint program, or as those of system calls are. That of a function that calls it
 * itself is loaded for each such function. PERF_EVENT_ARRAY maps with max_entries 0 or 1 get the
 * number of possible CPUs. A program that the verifier rejects is counted, reported once (last
 * lines of the log with -v) and left at -1. Returns 0, or -errno when a map cannot be created or no
 * program loads (-EPERM names the missing privilege, lockdown or memlock limit).
 */
int load_image(struct loaded *loaded, const struct image *image, const struct plan *plan,
	       const struct load_map_size *sizes);
void load_close(struct loaded *loaded);

int load_map(const struct loaded *loaded, const char *name);  /* fd or -ENOENT */
int load_prog(const struct loaded *loaded, const char *name); /* fd or -ENOENT */
/* The program of the plan's probe: fd or -ENOENT */
int load_probe(const struct loaded *loaded, const struct plan *plan, unsigned probe);
