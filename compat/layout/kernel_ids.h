/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What programs name by its number in the running kernel's BTF: functions and types. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/layout/btf_kinds.h"

struct kernel_id {
	enum btf_kind kind;
	const char *name; /* NULL: not looked for */
	uint32_t id;      /* out; 0: the kernel has none */
};

/*
 * One pass over 5 MB of types, without a table of names, which takes five times as long to
 * make. Returns whether all of them were found.
 */
bool kernel_ids_find(struct kernel_id *ids, size_t n);
