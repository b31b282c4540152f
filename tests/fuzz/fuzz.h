/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes from outside, each target to the parser that reads them. Any bytes are fine: a target ends
 * the program only where a parser broke its own word.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef void fuzz_fn(const uint8_t *data, size_t size);

struct fuzz_target {
	const char *name;
	fuzz_fn *run;
};

/* Up to one without a name. */
extern const struct fuzz_target fuzz_targets[];

#define TARGET(name, reads) fuzz_fn fuzz_##name;
#include "fuzz/targets.def"
#undef TARGET

/* A parser broke its word: the program ends. */
#define FUZZ_CLAIM(claim) ((claim) ? (void)0 : fuzz_broken(#claim, __FILE__, __LINE__))
_Noreturn void fuzz_broken(const char *claim, const char *file, int line);

/* Whether this input is for part i of n, all of which are slow. A stored input is for each. */
bool fuzz_turn(size_t size, size_t n, size_t i);

/* The bytes as a text with its end, to be freed. */
char *fuzz_text(const uint8_t *data, size_t size);

/* The bytes in a file without a name; its descriptor. */
int fuzz_file(const uint8_t *data, size_t size);

/*
 * A directory of this process, in memory, empty but for the files of an input: a line "@NAME" begins one, "@NAME -> TARGET"
 * is a link. Names stay below it. Valid until the next call.
 */
const char *fuzz_tree(const uint8_t *data, size_t size);
