/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream stacks: where in the program operations of fs were called, and where in the kernel they slept. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "row/format.h"
#include "row/records.h"

struct events;

/* Texts are borrowed; times are in ns. */
struct stacks_row {
	u64 start;
	const char *operation;
	u32 pid;
	u32 tid;
	const char *comm;
	struct format_text path;
	u64 latency; /* FORMAT_UNKNOWN */
	u64 id;      /* 0: no stack */
	struct format_text user;
	struct format_text modules;
	u64 n_frames;
	/* letters, as the schema lists them; "": nothing is missing */
	const char *status;
	/* the longest time that the thread slept in the operation, and kernel where; 0: it did not */
	u64 wait;
	struct format_text kernel;
};

/* Writes the row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t stacks_row(char *out, const struct stacks_row *row);

/*
 * A row of fs goes to its place, whose thread, times and texts these are: the one of its stack with it, if there is
 * one.
 */
void stacks_of(struct events *ev, const struct stacks_row *operation);

/* The process runs another program from now on, or ended. */
void stacks_forget(struct events *ev, uint32_t tgid);
