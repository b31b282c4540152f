/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the list: some 10 MB, read when the first stack of the kernel comes. */
#include "code/kernel_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"

struct name {
	uint64_t address;
	/* place in text, which moves as it grows */
	uint32_t text;
};

struct kernel_names {
	struct name *list;
	size_t n, room;
	char *text;
	size_t len, size;
};

static bool add(struct kernel_names *k, uint64_t address, const char *name)
{
	size_t len = strlen(name) + 1;
	void *more;

	if (k->n == k->room) {
		k->room = k->room ? k->room * 2 : 65536;
		more = realloc(k->list, k->room * sizeof(*k->list));
		if (!more)
			return false;
		k->list = more;
	}
	if (k->len + len > k->size) {
		k->size = k->size ? k->size * 2 : 1 << 20;
		more = realloc(k->text, k->size);
		if (!more)
			return false;
		k->text = more;
	}
	k->list[k->n++] = (struct name){ address, (uint32_t)k->len };
	memcpy(k->text + k->len, name, len);
	k->len += len;
	return true;
}

/* Of several names of one address the order of the file decides, so that each run takes the same. */
static int by_address(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->text < y->text ? -1 : 1;
}

/*
 * Who may not see addresses (kptr_restrict) reads zeros: kernel/kallsyms.c, s_show(). Code is of type t, T,
 * w or W; behind the name of a function of a module stands the module, which is left out.
 */
struct kernel_names *kernel_names_read(const char *proc)
{
	struct kernel_names *k = calloc(1, sizeof(*k));
	char path[300], line[512], name[256], type;
	unsigned long long address;
	bool ok = k;
	FILE *in;

	snprintf(path, sizeof(path), "%s/kallsyms", proc);
	in = k ? fopen(path, "re") : NULL;
	while (in && ok && fgets(line, sizeof(line), in))
		if (sscanf(line, "%llx %c %255s", &address, &type, name) == 3 && address &&
		    strchr("tTwW", type))
			ok = add(k, address, name);
	if (in)
		fclose(in);
	if (!ok || !k->n) {
		kernel_names_free(k);
		return NULL;
	}
	qsort(k->list, k->n, sizeof(*k->list), by_address);
	return k;
}

void kernel_names_free(struct kernel_names *names)
{
	if (!names)
		return;
	free(names->list);
	free(names->text);
	free(names);
}

static bool begins_before(const void *list, uint64_t i, uint64_t key)
{
	return ((const struct name *)list)[i].address <= key;
}

/* The list has no sizes: what lies behind a function, and in no other, counts as its own. */
const char *kernel_names_find(const struct kernel_names *names, uint64_t address, uint64_t *offset)
{
	uint64_t after = names ? search_first(names->list, 0, names->n, begins_before, address) : 0;

	if (!after)
		return NULL;
	*offset = address - names->list[after - 1].address;
	return names->text + names->list[after - 1].text;
}
