/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording from its first fact to its account, in one call.
 */
#pragma once

#include "session/recording_options.h"

/* Returns the exit status of the command, or of a failure (base/status.h). */
int recording_run(const struct recording_options *options);
