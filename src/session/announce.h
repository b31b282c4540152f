/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording says of itself before it begins. */
#pragma once

#include "session/recording_options.h"

/*
 * That the whole machine is traced, where that is so. Compiling may take a while: who forgot the
 * command or -p reads it before.
 */
void recording_announce(const struct recording_options *options);
