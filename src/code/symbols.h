/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions by file and place, asked for all at once: iotracer-symbols, a program of its
 * own, looks them up in symbol tables and debug files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file by its name and its build id; texts are the caller's, of any length. */
struct code_module {
	const char *path, *id;
	size_t path_len, id_len;
	const char *
		file; /* where it surely is, whatever its id; NULL: at its path, if it has that id there */
};

struct code_symbols;

struct code_symbols *code_symbols_new(void); /* NULL without memory */
void code_symbols_free(struct code_symbols *symbols);

/* False without memory. The same place may be added several times. */
bool code_symbols_add(struct code_symbols *symbols, const struct code_module *module,
		      uint64_t offset);

/* A name that is known already is not asked for. */
bool code_symbols_know(struct code_symbols *symbols, const struct code_module *module,
		       uint64_t offset, const char *name, size_t name_len);

/* Looks up all that were added. 0; -ENOENT: that program is not there; another -errno: it failed. */
int code_symbols_ask(struct code_symbols *symbols);

/* Warns of what that returned, if it is an error. */
void code_symbols_warn(int err);

/* NULL: not known */
const char *code_symbols_find(const struct code_symbols *symbols, const struct code_module *module,
			      uint64_t offset);

/* All that are known, by file and place. */
void code_symbols_each(const struct code_symbols *symbols,
		       void (*fn)(void *arg, const struct code_module *module, uint64_t offset,
				  const char *name),
		       void *arg);
