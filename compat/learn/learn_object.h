/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of learning a layout share: objects of our own, and what fits them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/layout/layout.h"
#include "compat/learn/peek.h"

enum {
	LEARN_ROUNDS = 3,
	LEARN_MAX_ROUNDS = 6,
	LEARN_ENOUGH = 3,
	LEARN_MAX_FITS = 96,
	LEARN_OBJECT_SIZE = 4096
};

/* The offsets at which a member can be, by all objects so far. */
struct learn_guess {
	uint32_t offsets[LEARN_MAX_FITS];
	unsigned n;
	unsigned objects; /* by which it was judged */
	bool failed;      /* an object at which nothing fits, or too much */
};

/* Shared by the processes that are made for it. */
struct learn {
	struct peek *peek;
	struct learn_guess guesses[LAYOUT_N_MEMBERS];
	bool is_check;       /* of what is known already: one round */
	unsigned rounds;     /* that came to their end */
	unsigned opened;     /* files with FMODE_OPENED in their mode */
	unsigned not_opened; /* and without it */
	unsigned walks;      /* mounts whose parent is where the texts look for it */
	uint64_t task;       /* of the process that is looked at */
};

/* An object and the memory behind it. */
struct learn_object {
	uint64_t at;
	size_t size;
	unsigned char bytes[LEARN_OBJECT_SIZE];
};

enum { LEARN_EXIT_CODE = 0x35, LEARN_EXIT_STEP = 0x11 };

/* Shared by those about tasks: numbers of a line of /proc/PID/stat, as proc(5) counts them. */
enum { LEARN_STAT_STATE = 3, LEARN_STAT_MAX = 52, LEARN_SECONDS = 5 };
