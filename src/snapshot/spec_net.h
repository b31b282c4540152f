/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describes the network interfaces of a host. */
#ifndef IOT_SPEC_NET_H
#define IOT_SPEC_NET_H

#include <jansson.h>

struct spec;

json_t *spec_network(const struct spec *spec);

#endif
