/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the functions in stacks, looked up when the recording ends. */
#pragma once

#include "events/events.h"
#include "session/session_output.h"

/* Rows of stream symbols, if there were stacks; where names cannot be looked up, says so. */
void session_symbols(struct output *output, struct events *events);
