/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the members of sockets are. */
#ifndef IOT_LEARN_NET_H
#define IOT_LEARN_NET_H

#include "compat/learn/learn_object.h"

/* For the calling process, in one of up to LEARN_MAX_ROUNDS rounds. */
void learn_sockets(struct learn *learn, unsigned round);

#endif
