/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the copy and its index by name; every offset is checked against the copy's size before
 * it is used.
 */
#include "compat/layout/btf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/layout/btf_format.h"

#define MAX_DEPTH 32    /* of references, and of structs in structs */
#define MAX_STEPS 20000 /* members looked at for one name */
#define N_BUCKETS 32768u

struct btf {
	const struct btf *base;
	char *types;
	char *strings;
	uint32_t types_len;
	uint32_t strings_len;
	uint32_t first_id;     /* of this table: 1, or the first after the base's */
	uint32_t first_string; /* offset of its strings: 0, or the length of the base's */
	uint32_t n;
	uint32_t *at;                /* [n]: offset in types */
	uint32_t *next;              /* [n]: index + 1 of the next one of the same hash */
	uint32_t buckets[N_BUCKETS]; /* index + 1 */
};

/* What an id that is damaged, or 0, leads to: so no caller has to ask. */
static const struct type void_type;

static const char *string_at(const struct btf *btf, uint32_t offset)
{
	while (btf && offset < btf->first_string)
		btf = btf->base;
	if (!btf || offset - btf->first_string >= btf->strings_len)
		return "";
	return btf->strings + (offset - btf->first_string);
}

static const struct type *type_of(const struct btf *btf, uint32_t id)
{
	while (btf && id < btf->first_id)
		btf = btf->base;
	if (!btf || id - btf->first_id >= btf->n)
		return &void_type;
	return (const struct type *)(btf->types + btf->at[id - btf->first_id]);
}

static bool flag(const struct type *t)
{
	return t->info >> 31;
}

static uint32_t hash_of(enum btf_kind kind, const char *name)
{
	uint32_t hash = 2166136261u ^ kind;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash % N_BUCKETS;
}

/* Finds where each type begins. Returns why it cannot, or NULL. */
static const char *walk_types(struct btf *btf)
{
	uint32_t room = btf->types_len / sizeof(struct type);

	btf->at = calloc(room + 1, sizeof(*btf->at));
	btf->next = calloc(room + 1, sizeof(*btf->next));
	if (!btf->at || !btf->next)
		return "no memory";
	for (uint32_t at = 0; at < btf->types_len; btf->n++) {
		const struct type *t = (const struct type *)(btf->types + at);
		int64_t tail;

		if (btf->types_len - at < sizeof(*t))
			return "last type truncated";
		tail = tail_size(t);
		if (tail < 0)
			return "unknown kind of type";
		if (btf->types_len - at - sizeof(*t) < (uint64_t)tail)
			return "last type truncated";
		btf->at[btf->n] = at;
		at += sizeof(*t) + tail;
	}
	return NULL;
}

/* From the last to the first, so that the first of a name is found first. */
static void index_names(struct btf *btf)
{
	for (uint32_t i = btf->n; i-- > 0;) {
		const struct type *t = (const struct type *)(btf->types + btf->at[i]);
		const char *name = string_at(btf, t->name);
		uint32_t bucket;

		if (!name[0])
			continue;
		bucket = hash_of(kind_of(t), name);
		btf->next[i] = btf->buckets[bucket];
		btf->buckets[bucket] = i + 1;
	}
}

static uint32_t end_of_ids(const struct btf *btf)
{
	return btf->first_id + btf->n;
}

static bool in_range(uint64_t offset, uint64_t len, uint64_t size)
{
	return offset <= size && len <= size - offset;
}

static const char *copy_parts(struct btf *btf, const char *data, size_t size)
{
	struct header h;

	if (size < sizeof(h))
		return "file too short";
	memcpy(&h, data, sizeof(h));
	if (h.magic != BTF_MAGIC || h.version != 1)
		return "not BTF version 1 in this machine's byte order";
	if (h.header_len < sizeof(h) || h.header_len > size)
		return "invalid header length";
	data += h.header_len;
	size -= h.header_len;
	if (!in_range(h.type_off, h.type_len, size) || !in_range(h.str_off, h.str_len, size) ||
	    h.type_off % 4 || h.type_len % 4)
		return "sections beyond the end of the file";
	if (h.str_len && data[h.str_off + h.str_len - 1])
		return "string section not terminated";
	btf->types = malloc(h.type_len + sizeof(struct type));
	btf->strings = malloc(h.str_len + 1);
	if (!btf->types || !btf->strings)
		return "no memory";
	memcpy(btf->types, data + h.type_off, h.type_len);
	memcpy(btf->strings, data + h.str_off, h.str_len);
	btf->types_len = h.type_len;
	btf->strings_len = h.str_len;
	return NULL;
}

struct btf *btf_open(const void *data, size_t size, const struct btf *base, char *why,
		     size_t why_size)
{
	struct btf *btf = calloc(1, sizeof(*btf));
	const char *wrong = btf ? NULL : "no memory";

	if (btf) {
		btf->base = base;
		btf->first_id = base ? end_of_ids(base) : 1;
		btf->first_string = base ? base->first_string + base->strings_len : 0;
		wrong = copy_parts(btf, data, size);
	}
	if (!wrong)
		wrong = walk_types(btf);
	if (wrong) {
		snprintf(why, why_size, "%s", wrong);
		btf_close(btf);
		return NULL;
	}
	index_names(btf);
	return btf;
}

void btf_close(struct btf *btf)
{
	if (!btf)
		return;
	free(btf->types);
	free(btf->strings);
	free(btf->at);
	free(btf->next);
	free(btf);
}

uint32_t btf_find(const struct btf *btf, enum btf_kind kind, const char *name)
{
	uint32_t bucket = hash_of(kind, name);

	for (; btf; btf = btf->base)
		for (uint32_t i = btf->buckets[bucket]; i; i = btf->next[i - 1]) {
			const struct type *t = type_of(btf, btf->first_id + i - 1);

			if (kind_of(t) == kind && !strcmp(string_at(btf, t->name), name))
				return btf->first_id + i - 1;
		}
	return 0;
}

enum btf_kind btf_kind(const struct btf *btf, uint32_t id)
{
	return kind_of(type_of(btf, id));
}

const char *btf_name(const struct btf *btf, uint32_t id)
{
	return string_at(btf, type_of(btf, id)->name);
}

static bool is_alias(enum btf_kind kind)
{
	return kind == BTF_TYPEDEF || kind == BTF_VOLATILE || kind == BTF_CONST ||
	       kind == BTF_RESTRICT || kind == BTF_TYPE_TAG;
}

uint32_t btf_plain(const struct btf *btf, uint32_t id)
{
	/* damaged data may lead round in a circle */
	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		const struct type *t = type_of(btf, id);

		if (!is_alias(kind_of(t)))
			return id;
		id = t->size_or_type;
	}
	return 0;
}

static const void *tail_of(const struct type *t)
{
	return t + 1;
}

uint32_t btf_target(const struct btf *btf, uint32_t id)
{
	const struct type *t = type_of(btf, id);

	switch (kind_of(t)) {
	case BTF_ARRAY:
		return ((const struct array *)tail_of(t))->type;
	case BTF_PTR:
	case BTF_FUNC:
	case BTF_FUNC_PROTO:
	case BTF_VAR:
		return t->size_or_type;
	default:
		return is_alias(kind_of(t)) ? t->size_or_type : 0;
	}
}

static int64_t size_below(const struct btf *btf, uint32_t id, int depth)
{
	const struct type *t = type_of(btf, btf_plain(btf, id));
	const struct array *array = tail_of(t);
	int64_t each;

	switch (kind_of(t)) {
	case BTF_INT:
	case BTF_STRUCT:
	case BTF_UNION:
	case BTF_ENUM:
	case BTF_ENUM64:
	case BTF_FLOAT:
		return t->size_or_type;
	case BTF_PTR:
		return sizeof(void *);
	case BTF_ARRAY:
		each = depth < MAX_DEPTH ? size_below(btf, array->type, depth + 1) : -1;
		/* no object of the kernel is as large; a product of any two would not fit */
		return each < 0 || (array->n && each > UINT32_MAX / array->n) ? -1 :
										each * array->n;
	default:
		return -1;
	}
}

int64_t btf_size(const struct btf *btf, uint32_t id)
{
	return size_below(btf, id, 0);
}

bool btf_is_signed(const struct btf *btf, uint32_t id)
{
	const struct type *t = type_of(btf, btf_plain(btf, id));

	switch (kind_of(t)) {
	case BTF_INT:
		/* BTF_INT_SIGNED of its encoding */
		return *(const uint32_t *)tail_of(t) >> 24 & 1;
	case BTF_ENUM:
	case BTF_ENUM64:
		return flag(t);
	default:
		return false;
	}
}

static bool is_record(const struct type *t)
{
	return kind_of(t) == BTF_STRUCT || kind_of(t) == BTF_UNION;
}

/*
 * One step: the member whose name is the first len bytes of name. steps: how many
 * members may still be looked at, as damaged data can have structs without end.
 */
static bool find_member(const struct btf *btf, uint32_t id, const char *name, size_t len,
			struct btf_place *place, unsigned *steps)
{
	const struct type *t = type_of(btf, btf_plain(btf, id));
	const struct member *m = tail_of(t);

	if (!is_record(t))
		return false;
	for (uint32_t i = 0; i < vlen(t) && *steps; i++) {
		const char *its = string_at(btf, m[i].name);
		uint64_t bit = flag(t) ? m[i].offset & 0xffffff : m[i].offset;

		--*steps;
		if (!its[0]) {
			if (!find_member(btf, m[i].type, name, len, place, steps))
				continue;
			place->bit += bit;
			return true;
		}
		if (strncmp(its, name, len) != 0 || its[len])
			continue;
		*place = (struct btf_place){
			.bit = bit,
			.bits = flag(t) ? m[i].offset >> 24 : 0,
			.type = m[i].type,
		};
		return true;
	}
	return false;
}

bool btf_member(const struct btf *btf, uint32_t id, const char *path, struct btf_place *place)
{
	struct btf_place step = { .type = id };
	uint64_t bit = 0;

	while (*path) {
		size_t len = strcspn(path, ".");
		unsigned steps = MAX_STEPS;

		if (!find_member(btf, step.type, path, len, &step, &steps))
			return false;
		bit += step.bit;
		path += len + (path[len] == '.');
	}
	*place = step;
	place->bit = bit;
	return true;
}

void btf_each_enumerator(const struct btf *btf, uint32_t id, btf_enumerator_fn *fn, void *arg)
{
	const struct type *t = type_of(btf, id);
	const struct enumerator *narrow = tail_of(t);
	const struct enumerator64 *wide = tail_of(t);

	for (uint32_t i = 0; kind_of(t) == BTF_ENUM && i < vlen(t); i++)
		fn(arg, string_at(btf, narrow[i].name), narrow[i].value);
	for (uint32_t i = 0; kind_of(t) == BTF_ENUM64 && i < vlen(t); i++)
		fn(arg, string_at(btf, wide[i].name),
		   (int64_t)((uint64_t)wide[i].high << 32 | wide[i].low));
}

struct search {
	const char *name;
	int64_t value;
	bool found;
};

static void compare_enumerator(void *arg, const char *name, int64_t value)
{
	struct search *search = arg;

	if (search->found || strcmp(name, search->name) != 0)
		return;
	search->value = value;
	search->found = true;
}

bool btf_enumerator(const struct btf *btf, uint32_t id, const char *name, int64_t *value)
{
	struct search search = { .name = name };

	if (id)
		btf_each_enumerator(btf, id, compare_enumerator, &search);
	for (uint32_t i = 1; !id && !search.found && i < end_of_ids(btf); i++)
		btf_each_enumerator(btf, i, compare_enumerator, &search);
	*value = search.value;
	return search.found;
}

uint32_t btf_array_length(const struct btf *btf, uint32_t id)
{
	const struct type *t = type_of(btf, id);

	return kind_of(t) == BTF_ARRAY ? ((const struct array *)tail_of(t))->n : 0;
}

int btf_param(const struct btf *btf, uint32_t id, uint32_t i, uint32_t *type)
{
	const struct type *t = type_of(btf, id);

	if (kind_of(t) != BTF_FUNC_PROTO || i >= vlen(t))
		return -ENOENT;
	*type = ((const struct param *)tail_of(t))[i].type;
	return 0;
}

bool btf_is_union(const struct btf *btf, uint32_t id)
{
	const struct type *t = type_of(btf, id);

	return kind_of(t) == BTF_UNION || (kind_of(t) == BTF_FWD && flag(t));
}
