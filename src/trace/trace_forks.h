/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Children of traced processes whose forks the kernel did not show. */
#pragma once

struct trace;

/* Before tracing is switched on: what the kernel skipped until now is nobody's. */
void trace_forks_begin(struct trace *trace);

/*
 * Often, while tracing is on: where the kernel skipped the program that sees forks, follows the children that were
 * made since the last time, and theirs. They are counted as lost of exec: each lacks its FORK, and what it did
 * until now. One that has ended by now is not found.
 */
void trace_find_forks(struct trace *trace);
