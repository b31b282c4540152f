/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an image to live kernel objects. Maps are created at the sizes asked
 * for here (the image holds defaults), map loads are patched, programs loaded
 * with the type that their probe in the plan needs.
 */
#ifndef IOT_LOAD_H
#define IOT_LOAD_H

#include "image/image.h"
#include "plan/plan.h"

/* Programs call iot_X by the array that is called this and X. */
#define LOAD_WAY "iot_to_"

struct load_map_size {
	const char *name; /* NULL ends the list */
	uint32_t max_entries;
};

struct loaded {
	const struct image *image; /* borrowed; must outlive this */
	int *map_fd;               /* per image map; -1 when closed */
	int *prog_fd;              /* per image program; -1 when rejected or not needed */
	int *probe_fd;             /* per probe: the program loaded for its function alone, or -1 */
	unsigned n_probes;
	unsigned n_rejected;
};

/*
 * Program types: that of the plan's probe with this program name; a program
 * without a probe whose name ends in _kp, _tp or _sc (others call it) is a
 * kprobe or tracepoint program, or as those of system calls are. That of a function that calls it itself is loaded for
 * each such function. PERF_EVENT_ARRAY maps with max_entries 0 or 1
 * get the number of possible CPUs. A program that the verifier rejects is
 * counted, reported once (last lines of the log with -v) and left at -1.
 * Returns 0, or -errno when a map cannot be created or no program loads
 * (-EPERM names the missing privilege, lockdown or memlock limit).
 */
int load_image(struct loaded *loaded, const struct image *image, const struct plan *plan,
	       const struct load_map_size *sizes);
void load_close(struct loaded *loaded);

/*
 * LINUX_VERSION_CODE of the running kernel, as compiled in: before 5.0 (6c4fc209fcf9) it takes
 * kprobe programs only that name it. Nothing else is decided by it.
 */
uint32_t load_kern_version(void);

int load_map(const struct loaded *loaded, const char *name);  /* fd or -ENOENT */
int load_prog(const struct loaded *loaded, const char *name); /* fd or -ENOENT */
/* The program of the plan's probe: fd or -ENOENT */
int load_probe(const struct loaded *loaded, const struct plan *plan, unsigned probe);

#endif
