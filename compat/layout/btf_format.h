/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How types lie in BTF (Documentation/bpf/btf.rst), for those who read it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "compat/layout/btf_kinds.h"

#define BTF_MAGIC 0xeb9f

struct header {
	uint16_t magic;
	uint8_t version;
	uint8_t flags;
	uint32_t header_len;
	uint32_t type_off; /* from the end of the header */
	uint32_t type_len;
	uint32_t str_off;
	uint32_t str_len;
};

struct type {
	uint32_t name;
	uint32_t info; /* vlen 0-15, kind 24-28, flag 31 */
	uint32_t size_or_type;
};

struct member {
	uint32_t name;
	uint32_t type;
	uint32_t offset; /* with the struct's flag: bits 24-31 are the width of a bit-field */
};

struct array {
	uint32_t type;
	uint32_t index_type;
	uint32_t n;
};

struct enumerator {
	uint32_t name;
	int32_t value;
};

struct enumerator64 {
	uint32_t name;
	uint32_t low;
	uint32_t high;
};

struct param {
	uint32_t name;
	uint32_t type;
};

static inline enum btf_kind kind_of(const struct type *t)
{
	return t->info >> 24 & 0x1f;
}

static inline uint32_t vlen(const struct type *t)
{
	return t->info & 0xffff;
}

/* What follows the three words of a type, in bytes; -1 for an unknown kind. */
static inline int64_t tail_size(const struct type *t)
{
	static const struct {
		bool known;
		uint8_t fixed, each;
	} tails[BTF_N_KINDS] = {
		[BTF_INT] = { true, 4, 0 },
		[BTF_PTR] = { true, 0, 0 },
		[BTF_ARRAY] = { true, sizeof(struct array), 0 },
		[BTF_STRUCT] = { true, 0, sizeof(struct member) },
		[BTF_UNION] = { true, 0, sizeof(struct member) },
		[BTF_ENUM] = { true, 0, sizeof(struct enumerator) },
		[BTF_FWD] = { true, 0, 0 },
		[BTF_TYPEDEF] = { true, 0, 0 },
		[BTF_VOLATILE] = { true, 0, 0 },
		[BTF_CONST] = { true, 0, 0 },
		[BTF_RESTRICT] = { true, 0, 0 },
		[BTF_FUNC] = { true, 0, 0 },
		[BTF_FUNC_PROTO] = { true, 0, sizeof(struct param) },
		[BTF_VAR] = { true, 4, 0 },
		[BTF_DATASEC] = { true, 0, 12 },
		[BTF_FLOAT] = { true, 0, 0 },
		[BTF_DECL_TAG] = { true, 4, 0 },
		[BTF_TYPE_TAG] = { true, 0, 0 },
		[BTF_ENUM64] = { true, 0, sizeof(struct enumerator64) },
	};
	enum btf_kind kind = kind_of(t);

	if (kind >= BTF_N_KINDS || !tails[kind].known)
		return -1;
	return tails[kind].fixed + (int64_t)tails[kind].each * vlen(t);
}
