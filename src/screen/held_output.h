/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * While a screen is shown nobody else may write to its terminal: messages wait until it ends,
 * and a traced command that would use the terminal gets /dev/null.
 */
#pragma once

#include <stdio.h>

struct held_output {
	int in, out; /* the terminal */
	int err;     /* what standard error was; -1: it was no terminal and stays */
	FILE *messages;
};

/* Returns 0 or -errno; then nothing has changed. */
int held_output_begin(struct held_output *held);
/* All as it was before; then what was held. */
void held_output_end(struct held_output *held);
