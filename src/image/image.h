/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A compiled program set as plain data: map definitions and instructions. On
 * disk it is an ELF64 EM_BPF object (a section per program, map definitions, a
 * relocation per map reference, a note with the key), so that readelf and
 * llvm-objdump can look into it.
 */
#pragma once

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_NAME_SIZE 64

struct image_map {
	char name[IMAGE_NAME_SIZE];
	uint32_t type;
	uint32_t key_size;
	uint32_t value_size;
	uint32_t max_entries;
	uint32_t flags;
};

struct image_reloc {
	uint32_t insn; /* index of the first half of the 16-byte load */
	uint32_t map;  /* index into maps */
};

struct image_prog {
	char name[IMAGE_NAME_SIZE];
	struct bpf_insn *insns; /* map loads carry imm 0 until load time */
	uint32_t n_insns;
	struct image_reloc *relocs;
	uint32_t n_relocs;
};

/* What must be equal for an image to fit; strings, NUL-terminated, empty when unknown. */
struct image_key {
	char tool[32]; /* iotracer version */
	char release[128];
	char version[256];
	char machine[32];
	char build_id[41];
	char headers[65]; /* stamp of the header tree, "none" for tier c */
	char text[65];    /* SHA-256 of the whole BPF text and compiler flags */
	char libbcc[32];  /* informative: not compared */
};

struct image {
	struct image_key key;
	struct image_map *maps;
	uint32_t n_maps;
	struct image_prog *progs;
	uint32_t n_progs;
	char *plan; /* what it was made for (plan_text.h), lines of text; NULL: not told */
};

/* Leaves it zeroed, which is an image of nothing. */
void image_free(struct image *image);

/* The name of the first member in which the keys differ, or NULL when they fit. */
const char *image_key_differs(const struct image_key *a, const struct image_key *b);

/* Member i and its name, NULL after the last; set refuses (-1) what is unknown or too long. */
const char *image_key_get(const struct image_key *key, size_t i, const char **name);
int image_key_set(struct image_key *key, const char *name, const char *value);

/* The image's own, or NULL. */
const struct image_prog *image_find_prog(const struct image *image, const char *name);
int image_find_map(const struct image *image, const char *name); /* index or -1 */

struct image_key_member {
	const char *name;
	size_t offset;
	size_t size;
};

extern const struct image_key_member image_key_members[];
extern const size_t n_image_key_members;

/* A C identifier that fits its field: names go into file and kernel as they are. */
int image_name_ok(const char *name);

/* Checksum of everything but the key: tells damage that still parses. */
uint32_t image_checksum(const struct image *image);
