/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of an image on disk, shared by its writer and its reader and by
 * nobody else.
 */
#pragma once

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#ifndef EM_BPF
#define EM_BPF 247
#endif
#ifndef BPF_PSEUDO_MAP_FD
#define BPF_PSEUDO_MAP_FD 1
#endif

#define IMAGE_PROG_PREFIX "prog/"
#define IMAGE_MAPS_SECTION "maps"
#define IMAGE_LICENSE_SECTION "license"
#define IMAGE_PLAN_SECTION ".iotracer.plan"
#define IMAGE_NOTE_SECTION ".note.iotracer"
#define IMAGE_NOTE_NAME "iotracer"
#define IMAGE_FORMAT "1"

enum {
	IMAGE_NOTE_TYPE = 1,
	IMAGE_R_BPF_64_64 = 1,
	IMAGE_MAX_MAPS = 4096,
	IMAGE_MAX_PROGS = 4096,
	IMAGE_MAX_INSNS = 1 << 20,
	IMAGE_MAX_BYTES = 64 << 20,
};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define IMAGE_DATA ELFDATA2LSB
#else
#define IMAGE_DATA ELFDATA2MSB
#endif

/* A map definition in the section "maps"; its name is its symbol's. */
struct image_map_def {
	uint32_t type;
	uint32_t key_size;
	uint32_t value_size;
	uint32_t max_entries;
	uint32_t flags;
};
