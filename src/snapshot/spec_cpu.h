/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describes the processors and the memory of a host. */
#pragma once

#include <jansson.h>

struct spec;

json_t *spec_cpu(const struct spec *spec);
json_t *spec_memory(const struct spec *spec);
