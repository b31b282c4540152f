/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describes the processors and the memory of a host. */
#ifndef IOT_SPEC_CPU_H
#define IOT_SPEC_CPU_H

#include <jansson.h>

struct spec;

json_t *spec_cpu(const struct spec *spec);
json_t *spec_memory(const struct spec *spec);

#endif
