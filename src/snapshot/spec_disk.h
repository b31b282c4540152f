/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describes the disks, file systems and graphics of a host. */
#pragma once

#include <jansson.h>

struct spec;

json_t *spec_disk(const struct spec *spec); /* graphics as well */
