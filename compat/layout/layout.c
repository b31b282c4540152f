/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the table in memory and its text. Where a number came from, its callers know. */
#include "compat/layout/layout.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "compat/layout/btf_declare.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define TYPE(tag)
#define MEMBER(tag, member, decl)
#define CALL(name)
#define WORD(name)
#define FLAGS(enumeration, prefix)

#undef TYPE
#define TYPE(tag) #tag,
static const char *const type_names[] = {
#include "compat/layout/layout.def"
};
#undef TYPE
#define TYPE(tag)

#undef MEMBER
#define MEMBER(tag, member, decl) { LAYOUT_TYPE_##tag, #tag "." #member, #member, decl },
static const struct member_row {
	enum layout_type_id type;
	const char *path;
	const char *name;
	const char *decl;
} member_rows[] = {
#include "compat/layout/layout.def"
};
#undef MEMBER
#define MEMBER(tag, member, decl)

#undef CALL
#define CALL(name) #name,
static const char *const call_names[] = {
#include "compat/layout/layout.def"
};
#undef CALL
#define CALL(name)

#undef WORD
#define WORD(name) #name,
static const char *const word_names[] = {
#include "compat/layout/layout.def"
};
#undef WORD
#define WORD(name)

#undef FLAGS
#define FLAGS(enumeration, prefix) { #enumeration, "__" #prefix },
static const struct {
	const char *enumeration;
	const char *prefix;
} flag_rows[] = {
#include "compat/layout/layout.def"
};

const char *layout_member_name(enum layout_member_id id)
{
	return member_rows[id].path;
}

enum layout_type_id layout_type_of(enum layout_member_id id)
{
	return member_rows[id].type;
}

static bool is_declared(const struct member_row *row)
{
	return row->decl && !row->decl[0];
}

static int index_of(const char *const *names, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

static int index_of_member(const char *path)
{
	for (unsigned i = 0; i < LAYOUT_N_MEMBERS; i++)
		if (!strcmp(member_rows[i].path, path))
			return i;
	return -1;
}

/* ---- from BTF ---- */

/*
 * Bit-fields are left out: the texts read whole bytes. What has no size that a C integer has
 * cannot be one.
 */
static void member_from_btf(struct layout *layout, unsigned i, const struct btf *btf, uint32_t type)
{
	const struct member_row *row = &member_rows[i];
	struct btf_place place;
	int64_t size;

	if (!btf_member(btf, type, row->name, &place) || place.bits || place.bit % 8)
		return;
	size = btf_size(btf, place.type);
	if (size < 0 || (!row->decl && size != 1 && size != 2 && size != 4 && size != 8))
		return;
	if (is_declared(row) &&
	    btf_declare(btf, place.type, row->name, layout->decls[i], sizeof(layout->decls[i])))
		return;
	layout->members[i] = (struct layout_member){
		.known = true,
		.is_signed = btf_is_signed(btf, place.type),
		.offset = place.bit / 8,
		.size = size,
	};
}

static void words_from_btf(struct layout *layout, const struct btf *btf)
{
	struct layout_word *opened = &layout->words[LAYOUT_WORD_FMODE_OPENED];

	for (unsigned i = 0; i < LAYOUT_N_WORDS; i++) {
		struct layout_word *word = &layout->words[i];

		word->known = btf_find(btf, BTF_TYPEDEF, word_names[i]) != 0;
		if (word->known)
			continue;
		word->has_value = btf_enumerator(btf, 0, word_names[i], &word->value);
		word->known = word->has_value;
	}
	/* a macro, of which BTF says nothing: 4.19 and el8.1 have it, and BTF came later to both */
	*opened = (struct layout_word){ .known = true, .has_value = true, .value = 0x80000 };
}

struct flag_sink {
	struct layout *layout;
	const char *prefix;
};

static void add_flag(void *arg, const char *name, int64_t value)
{
	struct flag_sink *sink = arg;
	struct layout *layout = sink->layout;
	struct layout_flag *flag = &layout->flags[layout->n_flags];

	if (strncmp(name, sink->prefix, strlen(sink->prefix)) != 0 || value < 0 || value > 63 ||
	    strlen(name) - 2 >= sizeof(flag->name) || layout->n_flags == LAYOUT_MAX_FLAGS)
		return;
	strcpy(flag->name, name + 2);
	flag->bit = value;
	layout->n_flags++;
}

void layout_from_btf(struct layout *layout, const struct btf *btf)
{
	uint32_t ids[LAYOUT_N_TYPES];

	memset(layout, 0, sizeof(*layout));
	for (unsigned i = 0; i < LAYOUT_N_TYPES; i++) {
		int64_t size;

		ids[i] = btf_find(btf, BTF_STRUCT, type_names[i]);
		size = ids[i] ? btf_size(btf, ids[i]) : -1;
		if (size >= 0)
			layout->types[i] = (struct layout_type){ .known = true, .size = size };
	}
	for (unsigned i = 0; i < LAYOUT_N_MEMBERS; i++)
		if (layout->types[member_rows[i].type].known)
			member_from_btf(layout, i, btf, ids[member_rows[i].type]);
	for (unsigned i = 0; i < LAYOUT_N_CALLS; i++) {
		uint32_t id = btf_find(btf, BTF_FUNC, call_names[i]);

		if (id &&
		    btf_declare(btf, id, call_names[i], layout->calls[i], sizeof(layout->calls[i])))
			layout->calls[i][0] = '\0';
	}
	words_from_btf(layout, btf);
	for (size_t i = 0; i < ARRAY_SIZE(flag_rows); i++) {
		struct flag_sink sink = { .layout = layout, .prefix = flag_rows[i].prefix };

		btf_each_enumerator(btf, btf_find(btf, BTF_ENUM, flag_rows[i].enumeration),
				    add_flag, &sink);
	}
}

/* ---- as text ---- */

void layout_write(const struct layout *layout, FILE *out)
{
	if (layout->is_partial)
		fprintf(out, "partial layout\n");
	for (unsigned i = 0; i < LAYOUT_N_TYPES; i++)
		if (layout->types[i].known)
			fprintf(out, "type %s %u\n", type_names[i], layout->types[i].size);
	for (unsigned i = 0; i < LAYOUT_N_MEMBERS; i++) {
		const struct layout_member *m = &layout->members[i];

		if (m->known)
			fprintf(out, "member %s %u %u %d%s%s\n", member_rows[i].path, m->offset,
				m->size, m->is_signed, layout->decls[i][0] ? " " : "",
				layout->decls[i]);
	}
	for (unsigned i = 0; i < LAYOUT_N_CALLS; i++)
		if (layout->calls[i][0])
			fprintf(out, "call %s %s\n", call_names[i], layout->calls[i]);
	for (unsigned i = 0; i < LAYOUT_N_WORDS; i++)
		if (layout->words[i].has_value)
			fprintf(out, "word %s %" PRId64 "\n", word_names[i],
				layout->words[i].value);
		else if (layout->words[i].known)
			fprintf(out, "word %s\n", word_names[i]);
	for (unsigned i = 0; i < layout->n_flags; i++)
		fprintf(out, "flag %s %" PRId64 "\n", layout->flags[i].name, layout->flags[i].bit);
}

/* What goes into C text: no more than declarations are made of. */
static bool is_declaration(const char *text)
{
	return text[0] &&
	       text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				 "_*()[], .")] == '\0';
}

static bool read_partial(struct layout *layout, const char *name, const char *rest)
{
	(void)name;
	(void)rest;
	layout->is_partial = true;
	return true;
}

static bool read_member(struct layout *layout, const char *name, const char *rest)
{
	int i = index_of_member(name), is_signed, at = 0;
	struct layout_member m = { .known = true };

	if (i < 0) /* of a newer version */
		return true;
	if (sscanf(rest, "%u %u %d%n", &m.offset, &m.size, &is_signed, &at) != 3 ||
	    m.offset > 1u << 20 || m.size > 1u << 20)
		return false;
	m.is_signed = is_signed;
	rest += at;
	rest += *rest == ' ';
	if (is_declared(&member_rows[i])) {
		if (!is_declaration(rest) || strlen(rest) >= sizeof(layout->decls[i]))
			return false;
		strcpy(layout->decls[i], rest);
	}
	layout->members[i] = m;
	return true;
}

static bool read_type(struct layout *layout, const char *name, const char *rest)
{
	int i = index_of(type_names, LAYOUT_N_TYPES, name);
	unsigned size;

	if (i < 0)
		return true;
	if (sscanf(rest, "%u", &size) != 1 || size > 1u << 20)
		return false;
	layout->types[i] = (struct layout_type){ .known = true, .size = size };
	return true;
}

static bool read_call(struct layout *layout, const char *name, const char *rest)
{
	int i = index_of(call_names, LAYOUT_N_CALLS, name);

	if (i < 0)
		return true;
	if (!is_declaration(rest) || strlen(rest) >= sizeof(layout->calls[i]))
		return false;
	strcpy(layout->calls[i], rest);
	return true;
}

static bool read_word(struct layout *layout, const char *name, const char *rest)
{
	int i = index_of(word_names, LAYOUT_N_WORDS, name);

	if (i < 0)
		return true;
	layout->words[i].known = true;
	layout->words[i].has_value = rest[0] != '\0';
	return !rest[0] || sscanf(rest, "%" SCNd64, &layout->words[i].value) == 1;
}

static bool read_flag(struct layout *layout, const char *name, const char *rest)
{
	struct layout_flag *flag = &layout->flags[layout->n_flags];

	if (layout->n_flags == LAYOUT_MAX_FLAGS || strlen(name) >= sizeof(flag->name) ||
	    !is_declaration(name) || sscanf(rest, "%" SCNd64, &flag->bit) != 1 || flag->bit < 0 ||
	    flag->bit > 63)
		return false;
	strcpy(flag->name, name);
	layout->n_flags++;
	return true;
}

static bool read_line(struct layout *layout, char *line)
{
	static const struct {
		const char *kind;
		bool (*read)(struct layout *layout, const char *name, const char *rest);
	} kinds[] = {
		{ "type", read_type }, { "member", read_member }, { "call", read_call },
		{ "word", read_word }, { "flag", read_flag },     { "partial", read_partial },
	};
	char *name = strchr(line, ' '), *rest;

	if (!name)
		return !line[0];
	*name++ = '\0';
	rest = strchr(name, ' ');
	if (rest)
		*rest++ = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(line, kinds[i].kind))
			return kinds[i].read(layout, name, rest ? rest : "");
	return true;
}

int layout_read(struct layout *layout, const char *text, unsigned *line)
{
	memset(layout, 0, sizeof(*layout));
	for (*line = 1; *text; ++*line) {
		size_t len = strcspn(text, "\n");
		char copy[512];

		/* no line that layout_write() makes is as long */
		if (len >= sizeof(copy))
			return -EINVAL;
		memcpy(copy, text, len);
		copy[len] = '\0';
		if (!read_line(layout, copy))
			return -EINVAL;
		text += len + (text[len] == '\n');
	}
	return 0;
}

/* ---- as C ---- */

/*
 * A member whose place is not known is put where no kernel has memory, so that
 * reading it fails and leaves zeros: this far behind any address of the kernel,
 * no address is valid on x86-64 or arm64.
 */
#define NOWHERE (1ull << 54)

static void put_unknown(const struct member_row *row, FILE *out)
{
	fprintf(out, "\tstruct { char iot_before_%s[%lluu]; ", row->name, NOWHERE);
	if (is_declared(row))
		fprintf(out, "void *%s", row->name);
	else if (row->decl)
		fprintf(out, "%s", row->decl);
	else
		fprintf(out, "u64 %s", row->name);
	fprintf(out, "; };\n");
}

static void put_member(const struct layout *layout, unsigned i, FILE *out)
{
	const struct layout_member *m = &layout->members[i];
	const struct member_row *row = &member_rows[i];

	if (!m->known && layout->is_partial)
		put_unknown(row, out);
	if (!m->known)
		return;
	fprintf(out, "\tstruct { char iot_before_%s[%u]; ", row->name, m->offset);
	if (is_declared(row))
		fprintf(out, "%s", layout->decls[i]);
	else if (row->decl)
		fprintf(out, "%s", row->decl);
	else
		fprintf(out, "%c%u %s", m->is_signed ? 's' : 'u', m->size * 8, row->name);
	fprintf(out, "; };\n");
}

static bool has_members(unsigned type)
{
	for (unsigned i = 0; i < LAYOUT_N_MEMBERS; i++)
		if (member_rows[i].type == type)
			return true;
	return false;
}

/* Each member lies in a structure of its own behind its padding: they may overlap. */
static void put_type(const struct layout *layout, unsigned type, FILE *out)
{
	bool known = layout->types[type].known;

	if (known && !has_members(type))
		fprintf(out, "#define IOT_SIZE_%s %u\n", type_names[type],
			layout->types[type].size);
	if (!has_members(type) || (!known && !layout->is_partial))
		return;
	fprintf(out, "struct %s { union {\n\tchar iot_size[%u];\n", type_names[type],
		layout->types[type].size);
	for (unsigned i = 0; i < LAYOUT_N_MEMBERS; i++)
		if (member_rows[i].type == type)
			put_member(layout, i, out);
	fprintf(out, "}; };\n");
}

/*
 * "struct x" of every parameter, declared beforehand: in a prototype alone it
 * would be another type than the structure of that name.
 */
static void put_forward(const char *decl, FILE *out)
{
	while ((decl = strstr(decl, "struct "))) {
		int len = strcspn(decl + 7, " *,)");

		fprintf(out, "struct %.*s;\n", len, decl + 7);
		decl += 7 + len;
	}
}

static void put_forwards(const struct layout *layout, FILE *out)
{
	for (unsigned i = 0; i < LAYOUT_N_TYPES; i++)
		fprintf(out, "struct %s;\n", type_names[i]);
	for (unsigned i = 0; i < LAYOUT_N_MEMBERS; i++)
		put_forward(layout->decls[i], out);
	for (unsigned i = 0; i < LAYOUT_N_CALLS; i++)
		put_forward(layout->calls[i], out);
}

void layout_put_source(const struct layout *layout, FILE *out)
{
	for (unsigned i = 0; i < LAYOUT_N_WORDS; i++)
		if (layout->words[i].has_value)
			fprintf(out, "#define %s (%" PRId64 ")\n", word_names[i],
				layout->words[i].value);
	for (unsigned i = 0; i < layout->n_flags; i++)
		fprintf(out, "#define %s (1ULL << %" PRId64 ")\n", layout->flags[i].name,
			layout->flags[i].bit);
	if (layout->is_partial)
		fprintf(out, "#define IOT_LEARNED 1\n");
	put_forwards(layout, out);
	for (unsigned i = 0; i < LAYOUT_N_TYPES; i++)
		put_type(layout, i, out);
	for (unsigned i = 0; i < LAYOUT_N_CALLS; i++)
		if (layout->calls[i][0])
			fprintf(out, "extern %s;\n", layout->calls[i]);
}

/* ---- questions ---- */

bool layout_has_type(const struct layout *layout, const char *tag)
{
	int i = index_of(type_names, LAYOUT_N_TYPES, tag);

	return i >= 0 && layout->types[i].known;
}

bool layout_has_member(const struct layout *layout, const char *tag, const char *member)
{
	char path[128];
	int i;

	if (snprintf(path, sizeof(path), "%s.%s", tag, member) >= (int)sizeof(path))
		return false;
	i = index_of_member(path);
	return i >= 0 && layout->members[i].known;
}

bool layout_has_word(const struct layout *layout, const char *word)
{
	int i = index_of(word_names, LAYOUT_N_WORDS, word);

	return i >= 0 && layout->words[i].known;
}
