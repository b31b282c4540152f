/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds what a host runs in and on: virtualization and containers. */
#pragma once

#include <jansson.h>

struct spec;

/* virtualization, container, container_runtimes */
void spec_add_surroundings(const struct spec *spec, json_t *os);
