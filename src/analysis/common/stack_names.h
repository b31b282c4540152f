/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of rows as people read them: names of functions in place of files and offsets, as far as they are
 * known: first all stacks are added, then the names are asked for, then they can be put.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* As the columns user_stack, modules and kernel_stack of a row have it; not NUL-terminated. */
struct stack_cells {
	const char *user, *modules, *kernel;
	size_t user_len, modules_len, kernel_len;
};

struct stack_names;

struct stack_names *stack_names_new(void); /* NULL without memory */
void stack_names_free(struct stack_names *names);

/* False without memory. */
bool stack_names_add(struct stack_names *names, const struct stack_cells *stack);

/* Rows of stream symbols: what the recording has looked up itself. 0 or -errno, reported. */
struct read_session;
int stack_names_read(struct stack_names *names, const struct read_session *session);

/* Reports, once, why there are none. */
void stack_names_ask(struct stack_names *names);

/* Whether a stack begins where threads begin: else frames are missing, or nobody knows, as its first has no name. */
enum stack_begins { STACK_BEGUN, STACK_CUT, STACK_UNNAMED };

/*
 * The frames, the outermost first, separated by semicolons as tools for flame graphs take them: functions of the
 * kernel end in _[k], those that a program made in _[j]; a file in brackets stands for a function in it that
 * has no name.
 */
enum stack_begins stack_names_put(const struct stack_names *names, const struct stack_cells *stack,
				  FILE *out);
