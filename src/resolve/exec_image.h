/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel's loader maps at an exec: the program and the dynamic linker.
 * No call shows that, and /proc cannot when the process has ended. But the
 * files say what goes where, except one number each, and that number follows from
 * where execution begins and where the linker reads the program's headers.
 * x86-64 only, as the event of faults is.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "resolve/mappings.h"

enum { EXEC_IMAGE_LOADS = 8 };

struct exec_file {
	struct path *path; /* NULL: there is none, or it is not traced */
	uint64_t ino;
	uint32_t dev;
	bool wanted; /* on a file system that is traced */
	bool moves;  /* ET_DYN: anywhere */
	bool placed;
	uint64_t entry;
	uint64_t headers; /* of the program, in the file: first byte and those that follow */
	uint64_t headers_len;
	uint64_t align;
	unsigned n_loads;
	struct {
		uint64_t address, offset, bytes;
	} loads[EXEC_IMAGE_LOADS];
};

/* Zero-filled: nothing is known. */
struct exec_image {
	struct path *program; /* of the last exec; NULL: nobody knows */
	enum { EXEC_IMAGE_UNREAD, EXEC_IMAGE_READ, EXEC_IMAGE_UNKNOWN } state;
	bool has_linker;
	struct exec_file file;
	struct exec_file linker;
};

void exec_image_set(struct exec_image *image,
		    struct path *program); /* takes a reference of its own */
void exec_image_copy(struct exec_image *to, const struct exec_image *from);
void exec_image_clear(struct exec_image *image);

/*
 * A fault at an address of no known mapping; fetch: of an instruction. Adds to maps what it
 * reveals.
 */
void exec_image_fault(struct exec_image *image, const struct procfs *proc, struct mappings *maps,
		      uint64_t address, bool fetch);

/* Whether a part of the image that is not placed yet may be there. */
bool exec_image_may_hold(const struct exec_image *image, uint64_t address);
