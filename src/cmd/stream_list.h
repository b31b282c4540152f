/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the list of streams of option -e, and knows which are on without it. */
#pragma once

#include <stdbool.h>

#include "row/schema.h"

/* Those that are recorded when -e is not given. */
void options_default_streams(bool streams[N_STREAMS]);
/* "fs,ds", "!exec" or "+sched": sets the streams; false (reported) for an unknown one. */
bool options_streams(const char *text, bool streams[N_STREAMS]);
/* The same for a command with another default. */
bool options_streams_of(const char *text, void (*set_default)(bool streams[N_STREAMS]),
			bool streams[N_STREAMS]);

/* Those that watch and top show when -e is not given. */
void options_streams_shown(bool streams[N_STREAMS]);
