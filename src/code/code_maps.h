/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What code is at an address of a process: which file, and where in it, or what the process says
 * that it made there. From /proc/PID/maps, read when the first stack of a process comes, and
 * again when an address is in nothing that was there then (dlopen).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "code/build_id.h"
#include "resolve/procfs.h"

/* A program or a library; stays until code_maps_close(). */
struct code_file {
	struct path *path; /* as the process sees it */
	uint64_t ino;
	uint32_t dev;
	char build_id[BUILD_ID_HEX]; /* "": none, or it cannot be read */
	int fd; /* the file itself, wherever its name leads by now; -1: not kept */
};

enum code_kind {
	CODE_FILE,
	CODE_MADE,    /* named in its perf map */
	CODE_MEMORY,  /* of no file, and without a name */
	CODE_KERNELS, /* [vdso]: the kernel's, for programs */
	CODE_UNKNOWN, /* nothing executable is there */
	CODE_GONE,    /* the process ended before it was looked at */
};

struct code_place {
	enum code_kind kind;
	const struct code_file *file; /* CODE_FILE */
	const char *name;             /* CODE_MADE; valid until the next call of these */
	uint64_t offset;              /* in the file, or from the start of the named code */
};

struct code_maps;

/* Borrows proc. NULL without memory. */
struct code_maps *code_maps_open(const struct procfs *proc);
void code_maps_close(struct code_maps *maps);

/*
 * address: of the innermost frame, or where a call returns to. Always an answer: kind says how much is
 * known.
 */
struct code_place code_maps_find(struct code_maps *maps, uint32_t tgid, uint64_t address);

/*
 * Of the innermost frame: so many bytes above the stack pointer lies what is behind the address that it returns to;
 * 0: it has a frame pointer, or nobody knows.
 */
uint32_t code_maps_above_sp(struct code_maps *maps, uint32_t tgid, uint64_t address);

/* Another one each time that what was said of the process may not be so any more. */
uint32_t code_maps_version(struct code_maps *maps, uint32_t tgid);

/* It runs another program from now on, or ended. */
void code_maps_forget(struct code_maps *maps, uint32_t tgid);
