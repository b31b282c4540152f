/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the table of text symbols: an arena of names, each behind a byte of
 * flags, in hash chains by the name's stem (what stands before the first dot),
 * so that a function and what the compiler made of it are found together.
 */
#include "compat/host/symbols.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"
#include "compat/sys/root.h"

#define N_CHAINS 65536

enum { FLAG_TRACEABLE = 1, FLAG_BLACKLISTED = 2 };

struct entry {
	uint32_t name; /* offset into names; the flags are the byte before */
	uint32_t next; /* index + 1 */
};

struct symbols {
	char *names;
	size_t used, room;
	struct entry *entries;
	uint32_t n, n_room;
	uint32_t chains[N_CHAINS]; /* index + 1 */
	bool filtered;             /* available_filter_functions could be read */
	bool failed;               /* no memory */
};

static size_t stem_length(const char *name)
{
	size_t len = strcspn(name, ".");

	return len ? len : strlen(name); /* ".text.x" has no stem */
}

static uint32_t chain_of(const char *name)
{
	size_t len = stem_length(name);
	uint32_t hash = fnv_32(FNV_32, name, len);

	return (hash ^ hash >> 16) % N_CHAINS;
}

static bool make_room(struct symbols *s, size_t len)
{
	if (s->used + len > s->room) {
		size_t room = s->room ? 2 * s->room : 1 << 20;
		char *names = realloc(s->names, room);

		if (!names)
			return false;
		s->names = names;
		s->room = room;
	}
	if (s->n == s->n_room) {
		uint32_t room = s->n_room ? 2 * s->n_room : 1 << 16;
		struct entry *entries = realloc(s->entries, room * sizeof(*entries));

		if (!entries)
			return false;
		s->entries = entries;
		s->n_room = room;
	}
	return true;
}

static void add_symbol(struct symbols *s, const char *name)
{
	size_t len = strlen(name) + 1;
	uint32_t chain = chain_of(name);

	if (s->failed || s->used + len + 1 > UINT32_MAX || !make_room(s, len + 1)) {
		s->failed = true;
		return;
	}
	s->names[s->used] = 0;
	memcpy(s->names + s->used + 1, name, len);
	s->entries[s->n].name = (uint32_t)s->used + 1;
	s->entries[s->n].next = s->chains[chain];
	s->chains[chain] = ++s->n;
	s->used += len + 1;
}

/* The name in "ffffffff81000000 T name" (or with "\t[module]" behind), or NULL when it is no function's. */
static char *function_name(char *line)
{
	char *type = strchr(line, ' ');
	char *name = type && type[1] && type[2] == ' ' ? type + 3 : NULL;

	if (!name || !strchr("tTwW", type[1]))
		return NULL;
	name[strcspn(name, " \t")] = '\0';
	/* padding before functions: half of all symbols of some kernels, never a target */
	if (!name[0] || !strncmp(name, "__pfx_", 6) || !strncmp(name, "__cfi_", 6))
		return NULL;
	return name;
}

static void kallsyms_line(void *arg, char *line)
{
	char *name = function_name(line);

	if (name)
		add_symbol(arg, name);
}

static void set_flag(struct symbols *s, const char *name, char flag)
{
	for (uint32_t i = s->chains[chain_of(name)]; i; i = s->entries[i - 1].next) {
		char *known = s->names + s->entries[i - 1].name;

		if (!strcmp(known, name))
			known[-1] |= flag;
	}
}

static void filter_line(void *arg, char *line)
{
	line[strcspn(line, " \t")] = '\0';
	set_flag(arg, line, FLAG_TRACEABLE);
}

/* "0x…-0x…\tname" */
static void blacklist_line(void *arg, char *line)
{
	char *name = strchr(line, '\t');

	if (!name)
		return;
	name++;
	name[strcspn(name, " \t")] = '\0';
	set_flag(arg, name, FLAG_BLACKLISTED);
}

struct symbols *symbols_load(const char *root, const char *tracefs)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	root_each_line(root, "proc/kallsyms", kallsyms_line, s);
	if (s->n && tracefs[0])
		s->filtered = root_each_line(tracefs, "available_filter_functions", filter_line,
					     s) > 0;
	if (s->n)
		root_each_line(root, "sys/kernel/debug/kprobes/blacklist", blacklist_line, s);
	if (!s->failed)
		return s;
	symbols_free(s);
	return NULL;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	free(s->names);
	free(s->entries);
	free(s);
}

unsigned symbols_total(const struct symbols *s)
{
	return s->n;
}

enum symbol_state symbols_find(const struct symbols *s, const char *name)
{
	const char *found = NULL;

	for (uint32_t i = s->chains[chain_of(name)]; i; i = s->entries[i - 1].next) {
		const char *known = s->names + s->entries[i - 1].name;

		if (strcmp(known, name))
			continue;
		/* 6.7 refuses to choose, older kernels silently take the first: both are no use */
		if (found)
			return SYMBOL_AMBIGUOUS;
		found = known;
	}
	if (!found)
		return SYMBOL_MISSING;
	if (found[-1] & FLAG_BLACKLISTED)
		return SYMBOL_BLACKLISTED;
	return s->filtered && !(found[-1] & FLAG_TRACEABLE) ? SYMBOL_UNTRACEABLE : SYMBOL_OK;
}

const char *symbol_state_text(enum symbol_state state)
{
	static const char *const text[] = {
		[SYMBOL_MISSING] = "is not in this kernel (or inlined)",
		[SYMBOL_OK] = "can be probed",
		[SYMBOL_AMBIGUOUS] = "is ambiguous (several functions share the name)",
		[SYMBOL_UNTRACEABLE] = "cannot be traced (notrace or inlined)",
		[SYMBOL_BLACKLISTED] = "is on the kprobe blacklist",
	};

	return text[state];
}

/* Length of ".word.digits" at s, 0 when it is something else. */
static size_t suffix_length(const char *s, const char *word)
{
	size_t len = strlen(word), digits;

	if (s[0] != '.' || strncmp(s + 1, word, len) || s[1 + len] != '.')
		return 0;
	digits = strspn(s + len + 2, "0123456789");
	return digits ? len + 2 + digits : 0;
}

/* Any chain of known suffixes: one .part among them makes it a part. */
static bool is_variant(const char *suffixes, enum symbol_variant variant)
{
	bool part = false;

	if (!suffixes[0])
		return false;
	while (suffixes[0]) {
		size_t len = suffix_length(suffixes, "part");

		part |= len > 0;
		if (!len)
			len = suffix_length(suffixes, "isra");
		if (!len)
			len = suffix_length(suffixes, "constprop");
		if (!len)
			return false; /* .cold, .llvm.…, … */
		suffixes += len;
	}
	return part == (variant == VARIANT_PART);
}

/* Inserts in order; a name that is there already is the same variant again. */
static unsigned insert_name(const char **names, unsigned n, unsigned max, const char *name)
{
	unsigned at = 0;

	while (at < n && at < max && strcmp(names[at], name) < 0)
		at++;
	if (at < n && at < max && !strcmp(names[at], name))
		return n;
	for (unsigned i = n < max ? n : max - 1; i > at && max; i--)
		names[i] = names[i - 1];
	if (at < max)
		names[at] = name;
	return n + 1;
}

unsigned symbols_variants(const struct symbols *s, const char *stem, enum symbol_variant variant,
			  const char **names, unsigned max)
{
	size_t len = strlen(stem);
	unsigned n = 0;

	for (uint32_t i = s->chains[chain_of(stem)]; i; i = s->entries[i - 1].next) {
		const char *known = s->names + s->entries[i - 1].name;

		if (!strncmp(known, stem, len) && is_variant(known + len, variant))
			n = insert_name(names, n, max, known);
	}
	return n;
}

#define MAX_FUNCTION (1 << 20) /* farther than this from a symbol is no part of it */

struct place {
	uint64_t address, found;
	char name[128];
};

/* The kernel's own choice among names of one address is the first, too. */
static void place_line(void *arg, char *line)
{
	struct place *p = arg;
	uint64_t at = strtoull(line, NULL, 16);
	char *name;

	if (at <= p->found || at > p->address)
		return;
	name = function_name(line);
	if (!name || strlen(name) >= sizeof(p->name))
		return;
	p->found = at;
	strcpy(p->name, name);
}

bool symbols_place(const char *root, uint64_t address, char *out, size_t size)
{
	struct place p = { .address = address };

	root_each_line(root, "proc/kallsyms", place_line, &p);
	if (!p.found || address - p.found >= MAX_FUNCTION)
		return false;
	return snprintf(out, size, "%s+0x%llx", p.name, (unsigned long long)(address - p.found)) <
	       (int)size;
}
