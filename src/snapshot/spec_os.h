/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describes the operating system of a host and where the host stands. */
#pragma once

#include <jansson.h>

struct spec;

json_t *spec_os(const struct spec *spec);
/* timezone, country */
void spec_add_place(const struct spec *spec, json_t *os);
