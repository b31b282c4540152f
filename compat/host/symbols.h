/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text symbols of one kernel by name, with what ftrace and the kprobe
 * blacklist say of each. Names only: 5 MB for 170,000 symbols, one pass over
 * kallsyms.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;

/* Reads kallsyms, available_filter_functions and the blacklist. NULL without memory. */
struct symbols *symbols_load(const char *root, const char *tracefs);
void symbols_free(struct symbols *symbols);

/* How many text symbols were read; 0: kallsyms cannot be read. */
unsigned symbols_total(const struct symbols *symbols);

enum symbol_state {
	SYMBOL_MISSING,
	SYMBOL_OK,
	SYMBOL_AMBIGUOUS,   /* the name occurs twice */
	SYMBOL_UNTRACEABLE, /* not in available_filter_functions */
	SYMBOL_BLACKLISTED,
};

enum symbol_state symbols_find(const struct symbols *symbols, const char *name);
const char *symbol_state_text(enum symbol_state state);

/*
 * "function+0xoffset" of an address of text, in one pass over root's kallsyms;
 * false when it has none before it, or hides where they are.
 */
bool symbols_place(const char *root, uint64_t address, char *out, size_t size);

enum symbol_variant {
	VARIANT_COPY, /* NAME.isra.N, NAME.constprop.N: the function with fewer arguments */
	VARIANT_PART, /* NAME.part.N: a split-off body that callers may enter directly */
};

/* Fills names with the distinct variants of stem, sorted; returns how many there are. */
unsigned symbols_variants(const struct symbols *symbols, const char *stem,
			  enum symbol_variant variant, const char **names, unsigned max);
