/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames as texts: files and places in them, functions of the kernel. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "code/code_maps.h"
#include "code/kernel_names.h"
#include "code/symbols.h"

/* Bytes of a stack, or of its files, before they are quoted */
enum { STACK_TEXT_MAX = 8192 };

/* A field of rows, quoted; all zero is empty. */
struct stack_field {
	char *text;
	uint32_t len;
};

struct stack_text {
	struct stack_field frames, modules;
	uint64_t id;       /* a hash of both, never 0 */
	uint16_t n_frames; /* that are in it */
	bool gone;         /* nobody could say what was at the addresses */
	bool cut;          /* the outermost ones are not in it */
};

/* What stacks are made of, and what is to be named when the recording ends. */
struct stack_sources {
	struct code_maps *maps;
	struct code_symbols *symbols; /* NULL: nothing is named */
	uint32_t n_places;            /* in it */
};

/* frames: the innermost first. False without memory. */
bool stack_text_make(struct stack_text *text, struct stack_sources *sources, uint32_t tgid,
		     const uint64_t *frames, unsigned n);
void stack_text_free(struct stack_text *text);

/* The same of the kernel, from where the thread slept outwards. */
bool stack_text_kernel(struct stack_field *field, const struct kernel_names *names,
		       const uint64_t *frames, unsigned n);
