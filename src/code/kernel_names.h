/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of the running kernel by address: for stacks, whose addresses mean nothing elsewhere. */
#pragma once

#include <stdint.h>

struct kernel_names;

/* Reads /proc/kallsyms below root. NULL: it cannot be read, hides addresses, or there is no memory. */
struct kernel_names *kernel_names_read(const char *proc);
void kernel_names_free(struct kernel_names *names);

/* The function that an address is in; NULL: none begins before it. */
const char *kernel_names_find(const struct kernel_names *names, uint64_t address, uint64_t *offset);
