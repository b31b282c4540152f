/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds the graphics devices of a host to its description. */
#ifndef IOT_SPEC_GPU_H
#define IOT_SPEC_GPU_H

#include <jansson.h>

struct spec;

/* "gpus": names, "gpu_devices": more of them */
void spec_add_gpus(const struct spec *spec, json_t *disk);

#endif
