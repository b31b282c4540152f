/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maps and programs of an image in the kernel: load.c owns them, load_programs.c adds
 * programs.
 */
#pragma once

#include "image/image.h"

/* Programs call iot_X by the array that is called this and X. */
#define LOAD_WAY "iot_to_"

struct loaded {
	const struct image *image; /* borrowed; must outlive this */
	int *map_fd;               /* per image map; -1 when closed */
	int *prog_fd;              /* per image program; -1 when rejected or not needed */
	int *probe_fd;             /* per probe: the program loaded for its function alone, or -1 */
	unsigned n_probes;
	unsigned n_rejected;
};
