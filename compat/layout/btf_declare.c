/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types of BTF as C writes them, from the inside out. */
#include "compat/layout/btf_declare.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 32 };

static int put(char *out, size_t size, const char *before, const char *inner, const char *after)
{
	int n = snprintf(out, size, "%s%s%s", before, inner, after);

	return n < 0 || (size_t)n >= size ? -E2BIG : 0;
}

static int declare(const struct btf *btf, uint32_t id, const char *name, char *out, size_t size,
		   int depth);

/* "(A, B)" behind a function's name */
static int put_params(const struct btf *btf, uint32_t proto, char *out, size_t size, int depth)
{
	uint32_t type;
	size_t at = 0;
	int n;

	if (btf_param(btf, proto, 0, &type))
		return put(out, size, "(", "void", ")");
	for (uint32_t i = 0; !btf_param(btf, proto, i, &type); i++) {
		char one[256] = "...";

		if (type && declare(btf, type, "", one, sizeof(one), depth + 1))
			return -E2BIG;
		n = snprintf(out + at, size - at, "%s%s", i ? ", " : "(", one);
		if (n < 0 || (size_t)n >= size - at)
			return -E2BIG;
		at += n;
	}
	return put(out + at, size - at, ")", "", "");
}

static int declare_function(const struct btf *btf, uint32_t proto, const char *name, char *out,
			    size_t size, int depth)
{
	char params[768], whole[1024];

	if (put_params(btf, proto, params, sizeof(params), depth) ||
	    put(whole, sizeof(whole), name, params, ""))
		return -E2BIG;
	return declare(btf, btf_target(btf, proto), whole, out, size, depth + 1);
}

/* In C, [] and () bind more tightly than the star: a pointer to an array or function needs brackets. */
static int declare_pointer(const struct btf *btf, uint32_t target, const char *name, char *out,
			   size_t size, int depth)
{
	enum btf_kind kind = btf_kind(btf, btf_plain(btf, target));
	bool inner = kind == BTF_FUNC_PROTO || kind == BTF_ARRAY;
	char whole[256];

	if (put(whole, sizeof(whole), inner ? "(*" : "*", name, inner ? ")" : ""))
		return -E2BIG;
	return declare(btf, target, whole, out, size, depth + 1);
}

static int declare_array(const struct btf *btf, uint32_t id, const char *name, char *out,
			 size_t size, int depth)
{
	char whole[300];

	if (snprintf(whole, sizeof(whole), "%s[%u]", name, btf_array_length(btf, id)) >=
	    (int)sizeof(whole))
		return -E2BIG;
	return declare(btf, btf_target(btf, id), whole, out, size, depth + 1);
}

/* By size and sign: BTF's names are the compiler's. */
static const char *integer_name(const struct btf *btf, uint32_t id)
{
	static const struct {
		int64_t size;
		const char *names[2];
	} sizes[] = {
		{ 1, { "unsigned char", "signed char" } },
		{ 2, { "unsigned short", "short" } },
		{ 4, { "unsigned int", "int" } },
		{ 8, { "unsigned long", "long" } },
	};
	const char *name = btf_name(btf, id);

	/* types of their own, whatever their sign and size are */
	if (!strcmp(name, "char") || !strcmp(name, "_Bool"))
		return name;
	if (strstr(name, "long long"))
		return btf_is_signed(btf, id) ? "long long" : "unsigned long long";
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (btf_size(btf, id) == sizes[i].size)
			return sizes[i].names[btf_is_signed(btf, id)];
	return "void";
}

/* "struct tag name" */
static int declare_tagged(const struct btf *btf, uint32_t id, const char *name, char *out,
			  size_t size)
{
	enum btf_kind kind = btf_kind(btf, id);
	bool is_enum = kind == BTF_ENUM || kind == BTF_ENUM64;
	int n = snprintf(out, size, "%s %s%s%s",
			 is_enum               ? "enum" :
			 btf_is_union(btf, id) ? "union" :
						 "struct",
			 btf_name(btf, id), name[0] ? " " : "", name);

	return n < 0 || (size_t)n >= size ? -E2BIG : 0;
}

static int declare(const struct btf *btf, uint32_t id, const char *name, char *out, size_t size,
		   int depth)
{
	uint32_t plain = btf_plain(btf, id);
	const char *space = name[0] && name[0] != '[' ? " " : "";

	if (depth > MAX_DEPTH)
		return -E2BIG;
	switch (btf_kind(btf, plain)) {
	case BTF_INT:
		return put(out, size, integer_name(btf, plain), space, name);
	case BTF_STRUCT:
	case BTF_UNION:
	case BTF_FWD:
	case BTF_ENUM:
	case BTF_ENUM64:
		return declare_tagged(btf, plain, name, out, size);
	case BTF_PTR:
		return declare_pointer(btf, btf_target(btf, plain), name, out, size, depth);
	case BTF_ARRAY:
		return declare_array(btf, plain, name, out, size, depth);
	case BTF_FUNC_PROTO:
		return declare_function(btf, plain, name, out, size, depth);
	default:
		return put(out, size, "void", space, name);
	}
}

int btf_declare(const struct btf *btf, uint32_t id, const char *name, char *out, size_t size)
{
	uint32_t plain = btf_plain(btf, id);

	if (btf_kind(btf, plain) == BTF_FUNC)
		plain = btf_target(btf, plain);
	return declare(btf, plain, name, out, size, 0);
}
