/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which member counts the threads of a process that have not ended. */
#pragma once

#include "compat/learn/learn_object.h"

/*
 * The member of signal_struct that counts the threads which have not ended, by processes of its
 * own.
 */
void learn_threads(struct learn *learn, unsigned round);
