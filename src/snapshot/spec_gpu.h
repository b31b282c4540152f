/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds the graphics devices of a host to its description. */
#pragma once

#include <jansson.h>

struct spec;

/* "gpus": names, "gpu_devices": more of them */
void spec_add_gpus(const struct spec *spec, json_t *disk);
