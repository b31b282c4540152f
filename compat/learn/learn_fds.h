/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From our own task to our own files: the table of descriptors. */
#pragma once

#include "compat/learn/learn_object.h"

/*
 * For the calling process, in one of up to LEARN_MAX_ROUNDS rounds. First of all: from files
 * nearly everything else is found.
 */
bool learn_descriptors(struct learn *learn, unsigned round); /* false: no sense in going on */
uint64_t learn_file(struct learn *learn, int fd);            /* struct file of a descriptor */
