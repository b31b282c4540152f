/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describes the network interfaces of a host. */
#pragma once

#include <jansson.h>

struct spec;

json_t *spec_network(const struct spec *spec);
