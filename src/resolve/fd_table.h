/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open file descriptions, and the tables of descriptors that refer to them. Knows
 * neither whose they are nor where what it holds came from.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "resolve/fs_types.h"
#include "row/path.h"
#include "row/records.h"

/* One open file description, shared by descriptors and processes. */
struct desc {
	uint32_t refs;
	enum scope scope;
	struct path *path; /* NULL when not known */
	uint64_t ino;
	uint32_t dev;
	uint32_t flags;       /* O_*; FORMAT_NO_FLAGS when not known */
	uint32_t ofd;         /* as the kernel's record has it, or a running number; 0: not known */
	int64_t pos;          /* -1 when not known */
	uint32_t moves;       /* of mounts, that there had been when its name was read */
	uint64_t known_since; /* CLOCK_MONOTONIC ns: opened then, or seen in /proc */
	uint64_t asked, as_of; /* the position is of a moment between these */
	bool overlapped; /* ... which was read while a call moved it: pos is -1 for no other reason */
	bool deleted;
	bool untracked_pos;    /* others, who are not followed, move its position */
	bool held;             /* by the tracer, too: nobody who is traced closes it */
	struct iot_ends *ends; /* of a socket that a network stream asked about; or NULL */
};

struct desc *desc_new(enum scope scope, struct path *path);
void desc_free(struct desc *desc);
/* Gives a reference back that no table has; silent. */
void desc_put(struct desc *desc);

/* A description lost its last descriptor, without a call to close: by dup2, exec or exit. */
struct desc_close {
	const struct desc *desc;
	int fd;
};
typedef void desc_close_fn(void *arg, const struct desc_close *closed);
struct desc_listener {
	desc_close_fn *closed; /* NULL: nobody wants to know */
	void *arg;
	uint32_t *
		last_ofd; /* what gets into a table is numbered here; NULL: the kernel's records do that */
	const uint32_t *moves; /* of mounts until now; NULL: nobody counts them */
};

struct fd_slot {
	struct desc *desc;
	bool cloexec;
};

/* Shared by processes made with CLONE_FILES. */
struct fd_table {
	uint32_t refs;
	uint32_t n_slots;
	struct fd_slot *slots;
	const struct desc_listener *listener;
};

/* The listener is borrowed. NULL without memory. */
struct fd_table *fd_table_new(const struct desc_listener *listener);
struct fd_table *fd_table_copy(const struct fd_table *from);
/* Another process shares it; each gives its own back with one of the two below. */
struct fd_table *fd_table_get(struct fd_table *table);
/* The last to go closes what is in it. */
void fd_table_put(struct fd_table *table);
/* The same without a word to the listener: what is in it may be wrong, or is open elsewhere. */
void fd_table_discard(struct fd_table *table);

/* The place of a descriptor; NULL (also of no table) when there is none. */
struct fd_slot *fd_table_slot(struct fd_table *table, int fd);
/* What the descriptor refers to, or NULL. */
struct desc *fd_table_find(struct fd_table *table, int fd);

/*
 * Puts a description (its reference moves) into a slot; what was there is closed.
 * Returns it, or NULL when there is no slot: it may be gone then.
 */
struct desc *fd_table_set(struct fd_table *table, int fd, struct desc *desc, bool cloexec);

/* What exec does: closes what is marked. */
void fd_table_exec(struct fd_table *table);
