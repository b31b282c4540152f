/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mounts as our namespace sees them, and which types of file systems are asked
 * for: the reader's side of what iot_fs_wanted() decides in the BPF programs.
 * The table is read again when the kernel says that it changed, which is asked
 * at most every 10 ms.
 */
#ifndef IOT_MOUNTS_H
#define IOT_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "resolve/mountinfo.h"
#include "resolve/procfs.h"

enum { MOUNTS_MAX_TYPES = 64 };

/* --fs-type and --exclude-fs-type. Zero-filled: every type but the pseudo ones. */
struct fs_types {
	struct fs_type_rule {
		char type[MOUNTS_TYPE_SIZE]; /* filled up with zeros: a key of the kernel's map */
		uint8_t rule;                /* IOT_FS_* */
	} rules[MOUNTS_MAX_TYPES];
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

/* All read below this folder; "/proc" unless a test says otherwise. Borrowed. */
void mounts_set_root(const char *proc);

/* Whether this host knows the type; when not, those it knows are listed. */
bool mounts_known_type(const char *type, char *known, size_t size);

/* Reads the table. Returns 0 or -errno, reported; without a table only scopes of descriptors are known. */
int mounts_open(void);
void mounts_close(void);

/* Reads it again if it changed; pointers that were handed out are void then. */
void mounts_refresh(void);

/*
 * The mount that an absolute path of our namespace lies on, NULL when there is
 * no table. It goes by names: a path through a symbolic link, or below a mount
 * that another one covers, is taken for what it looks like.
 */
const struct mount_point *mounts_of_path(const char *path);

/* The (last) mount of a device, NULL when our namespace has none. */
const struct mount_point *mounts_of_dev(uint32_t dev);

/* The filter, copied, and whether pseudo file systems count where it does not name them. */
void mounts_filter(const struct fs_types *types);
void mounts_all_fs(bool all);

/*
 * Scope of what an operation does at a path, whatever is there, and the device
 * (0: not known). SCOPE_UNKNOWN when the path is not absolute or there is no table.
 */
enum scope mounts_scope(const char *path, uint32_t *dev);

/* The same of a device; SCOPE_UNKNOWN when our namespace has no mount of it. */
enum scope mounts_scope_of_dev(uint32_t dev);

/* A file, as stat, statfs and the descriptor of a process tell of it. */
struct mounts_file {
	uint32_t dev;
	uint32_t magic;
	uint32_t tgid;      /* whose mount namespace it is in */
	const char *fdinfo; /* names its mount; read only if the device does not tell. Or NULL */
};

/* Whether its file system is among those asked for. */
bool mounts_wants(const struct mounts_file *file);

#endif
