/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks into kernel memory: a BPF program of twenty instructions copies what
 * this process asks for, when it gives itself the name that it has already. The
 * only use is to find out where the members of the kernel's structures are, by
 * objects of our own.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct peek;

/*
 * tracefs: where event task:task_rename is. NULL with the reason in why when the
 * kernel does not allow it. Processes forked later share it, one at a time.
 */
struct peek *peek_open(const char *tracefs, char *why, size_t why_size);

/* The kernel takes some 10 ms to detach a program. */
void peek_close(struct peek *peek);

/*
 * Address of the calling thread's own task_struct; 0 when the program did not run.
 * Comes first in each process and thread that looks.
 */
uint64_t peek_task(struct peek *peek);

/* Copies what can be read from there on; returns how many bytes that were, up to size. */
size_t peek_read(struct peek *peek, uint64_t address, void *out, size_t size);

/* Where an object of the kernel may lie: aligned, and not far from our own task_struct. */
int peek_is_object(const struct peek *peek, uint64_t address);
