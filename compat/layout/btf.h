/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF as a table of types: structs, members, enumerators and function
 * prototypes by name. The format is that of Documentation/bpf/btf.rst; our own
 * reader because libbpf is missing on some of the distributions we build for,
 * and the half of the format that is needed here is small. Owns a copy of the
 * data, checks every reference before it follows it, and knows nothing of what
 * the types are needed for.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/layout/btf_kinds.h"

struct btf;

/*
 * Reads the types in data (size bytes, copied). base: BTF of the kernel when
 * this is a module's, to stay open as long, else NULL. Returns NULL with a
 * reason in why (why_size bytes) when the data are not BTF or contradict
 * themselves.
 */
struct btf *btf_open(const void *data, size_t size, const struct btf *base, char *why,
		     size_t why_size);
/* Names that were given away go with it. NULL is allowed. */
void btf_close(struct btf *btf);

/* Id of the first type of this kind and name, 0: none. */
uint32_t btf_find(const struct btf *btf, enum btf_kind kind, const char *name);

/* Of any id; BTF_VOID for one that does not exist. */
enum btf_kind btf_kind(const struct btf *btf, uint32_t id);
const char *btf_name(const struct btf *btf, uint32_t id); /* "" for none */

/* Without typedefs, qualifiers and tags; 0 (void) where they lead nowhere. */
uint32_t btf_plain(const struct btf *btf, uint32_t id);

/* What a pointer, typedef, array or function refers to; its result for a prototype. */
uint32_t btf_target(const struct btf *btf, uint32_t id);

/* Size in bytes, -1 for what has none (functions, forward declarations). */
int64_t btf_size(const struct btf *btf, uint32_t id);

uint32_t btf_array_length(const struct btf *btf, uint32_t id); /* 0: no array, or an open one */

/* Type of the i-th parameter of a prototype; 0 for "...". -ENOENT behind the last. */
int btf_param(const struct btf *btf, uint32_t id, uint32_t i, uint32_t *type);

bool btf_is_union(const struct btf *btf, uint32_t id);  /* declared only, too */
bool btf_is_signed(const struct btf *btf, uint32_t id); /* of an integer or enumeration */

struct btf_place {
	uint64_t bit;  /* from the beginning of the outer struct */
	uint32_t bits; /* of a bit-field; 0: none */
	uint32_t type;
};

/*
 * Member of a struct or union, also of unnamed ones in it; path may go through
 * embedded structs ("thread_info.flags"). Returns false if there is no such member.
 */
bool btf_member(const struct btf *btf, uint32_t id, const char *path, struct btf_place *place);

/* An enumerator of any enumeration, or of the one of this id (not 0). */
bool btf_enumerator(const struct btf *btf, uint32_t id, const char *name, int64_t *value);

/* Calls fn for each enumerator of an enumeration. */
typedef void btf_enumerator_fn(void *arg, const char *name, int64_t value);
/* Of both widths; a value of 64 bits comes as a signed number. */
void btf_each_enumerator(const struct btf *btf, uint32_t id, btf_enumerator_fn *fn, void *arg);
