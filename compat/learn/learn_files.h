/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the members of open files, inodes, super blocks, names and mounts are. */
#pragma once

#include "compat/learn/learn_object.h"

/* For the calling process, in one of up to LEARN_MAX_ROUNDS rounds. */
void learn_files(struct learn *learn, unsigned round);
void learn_directories(struct learn *learn, unsigned round);
