/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hash FNV-1a of bytes. Each begins with a seed, or with what came before; not for keys that somebody may choose. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FNV_32 2166136261u
#define FNV_64 0xcbf29ce484222325u

static inline uint32_t fnv_32(uint32_t hash, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 16777619u;
	return hash;
}

static inline uint64_t fnv_64(uint64_t hash, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
	return hash;
}
