/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the members of the kernel's structures are, when no header text says
 * it: one table (layout.def), filled from BTF or from what was learned, kept as
 * text, and written out as C that stands in for kernel headers. The BPF texts
 * see no difference.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "compat/layout/btf.h"

#define LAYOUT_DECLARED ""

enum layout_type_id {
#define TYPE(tag) LAYOUT_TYPE_##tag,
#define MEMBER(tag, member, decl)
#define CALL(name)
#define WORD(name)
#define FLAGS(enumeration, prefix)
#include "compat/layout/layout.def"
#undef TYPE
	LAYOUT_N_TYPES
};

enum layout_member_id {
#define TYPE(tag)
#undef MEMBER
#define MEMBER(tag, member, decl) LAYOUT_##tag##_##member,
#include "compat/layout/layout.def"
#undef MEMBER
	LAYOUT_N_MEMBERS
};

enum layout_call_id {
#define MEMBER(tag, member, decl)
#undef CALL
#define CALL(name) LAYOUT_CALL_##name,
#include "compat/layout/layout.def"
#undef CALL
	LAYOUT_N_CALLS
};

enum layout_word_id {
#define CALL(name)
#undef WORD
#define WORD(name) LAYOUT_WORD_##name,
#include "compat/layout/layout.def"
#undef WORD
#undef CALL
#undef MEMBER
#undef TYPE
#undef FLAGS
	LAYOUT_N_WORDS
};

enum { LAYOUT_MAX_FLAGS = 64, LAYOUT_DECL_SIZE = 256, LAYOUT_NAME_SIZE = 48 };

struct layout {
	bool is_partial; /* what it does not know is there all the same, nobody knows where */
	struct layout_type {
		bool known;
		uint32_t size; /* bytes */
	} types[LAYOUT_N_TYPES];
	struct layout_member {
		bool known;
		bool is_signed;
		uint32_t offset; /* bytes, in its own struct */
		uint32_t size;
	} members[LAYOUT_N_MEMBERS];
	struct layout_word {
		bool known;
		bool has_value; /* an enumerator */
		int64_t value;
	} words[LAYOUT_N_WORDS];
	struct layout_flag {
		char name[LAYOUT_NAME_SIZE];
		int64_t bit;
	} flags[LAYOUT_MAX_FLAGS];
	unsigned n_flags;
	char calls[LAYOUT_N_CALLS][LAYOUT_DECL_SIZE];   /* "": not known */
	char decls[LAYOUT_N_MEMBERS][LAYOUT_DECL_SIZE]; /* of members with LAYOUT_DECLARED */
};

/* Everything that the table names and the BTF has. */
void layout_from_btf(struct layout *layout, const struct btf *btf);

/*
 * The same as text, one line each, and back: 0, or -EINVAL with the number of the bad line in
 * *line.
 */
void layout_write(const struct layout *layout, FILE *out);
int layout_read(struct layout *layout, const char *text, unsigned *line);

/* C text in place of kernel headers: padded structures, prototypes, constants. */
void layout_put_source(const struct layout *layout, FILE *out);

/* Whether it knows of them; false for what the table does not name. */
bool layout_has_type(const struct layout *layout, const char *tag);
/* Of a partial one false means not known, and not that the kernel lacks it. */
bool layout_has_member(const struct layout *layout, const char *tag, const char *member);
bool layout_has_word(const struct layout *layout, const char *word);

/* The structure that the member belongs to. */
enum layout_type_id layout_type_of(enum layout_member_id id);

/* For tables of offsets: "struct.member" of any id. */
const char *layout_member_name(enum layout_member_id id);
