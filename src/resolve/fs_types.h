/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which types of file systems are traced: the rules of --fs-type and
 * --exclude-fs-type, and what they make of one type. Reads nothing of /proc but the
 * list of types that this host has.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scope {
	SCOPE_UNKNOWN,
	SCOPE_IN, /* regular file, directory, symbolic link or block device on a file system asked for */
	SCOPE_OUT, /* socket, pipe, device, pseudo or other file system */
};

enum { FS_TYPES_MAX = 64, FS_TYPE_SIZE = 16 };

/* Zero-filled: every type but the pseudo ones. */
struct fs_types {
	struct fs_type_rule {
		char type[FS_TYPE_SIZE]; /* filled up with zeros: a key of the kernel's map */
		uint8_t rule;            /* IOT_FS_* */
	} rules[FS_TYPES_MAX];
	unsigned n_rules;
	uint32_t kinds; /* IOT_FS_* that rules have or had */
};

/*
 * Of a type that is named by both, exclusion wins. False when the name is too
 * long or there is no room for it.
 */
bool fs_types_add(struct fs_types *types, const char *type, uint8_t rule);
/* Whether the rules leave anything to be traced. */
bool fs_types_any(const struct fs_types *types);
/* Whether they leave this type; by_default: where no rule names a type to trace. */
bool fs_types_wants(const struct fs_types *types, const char *type, bool by_default);

/* Whether this host knows the type; when not, those it knows are listed. proc: "/proc" */
bool fs_types_known(const char *proc, const char *type, char *known, size_t size);
