/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "compat/layout/btf.h"
#include "compat/layout/btf_declare.h"
#include "compat/layout/layout.h"

enum { TYPES = 64 };

static void see(void *arg, const char *name, int64_t value)
{
	*(uint64_t *)arg += strlen(name) + (uint64_t)value;
}

static void ask(const struct btf *btf, uint32_t id)
{
	static const char *const paths[] = { "a", "a.b", "", ".", "f_path.dentry" };
	char text[256];
	struct btf_place place;
	uint64_t sum = 0;
	uint32_t type;
	int64_t value;

	btf_find(btf, btf_kind(btf, id), btf_name(btf, id));
	btf_target(btf, btf_plain(btf, id));
	btf_size(btf, id);
	btf_array_length(btf, id);
	for (uint32_t i = 0; i < 8; i++)
		btf_param(btf, id, i, &type);
	btf_is_union(btf, id);
	btf_is_signed(btf, id);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		btf_member(btf, id, paths[i], &place);
	btf_enumerator(btf, id, "a", &value);
	btf_each_enumerator(btf, id, see, &sum);
	btf_declare(btf, id, "x", text, sizeof(text));
	btf_declare(btf, id, "x", text, 8);
}

void fuzz_btf(const uint8_t *data, size_t size)
{
	static struct layout layout;
	char why[256];
	struct btf *btf = btf_open(data, size, NULL, why, sizeof(why));

	if (!btf)
		return;
	for (uint32_t id = 0; id < TYPES; id++)
		ask(btf, id);
	ask(btf, UINT32_MAX);
	memset(&layout, 0, sizeof(layout));
	layout_from_btf(&layout, btf);
	btf_close(btf);
}
