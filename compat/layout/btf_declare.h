/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types of BTF as C writes them. */
#pragma once

#include "compat/layout/btf.h"

/*
 * The type as C would write it with every typedef resolved ("struct inode *",
 * "unsigned long", "int (*)(struct sock *, int)"), name in its place (may be
 * ""). Returns 0, or -E2BIG when it does not fit.
 */
int btf_declare(const struct btf *btf, uint32_t id, const char *name, char *out, size_t size);
