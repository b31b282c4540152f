/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the members of sockets are. */
#pragma once

#include "compat/learn/learn_object.h"

/* For the calling process, in one of up to LEARN_MAX_ROUNDS rounds. */
void learn_sockets(struct learn *learn, unsigned round);
