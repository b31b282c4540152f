/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of learning a layout share: objects of our own, and what fits them. */
#ifndef IOT_COMPAT_LEARN_PRIVATE_H
#define IOT_COMPAT_LEARN_PRIVATE_H

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

/* Returns false when not even its first bytes can be read. */
bool learn_read(struct learn *learn, struct learn_object *object, uint64_t at, size_t size);
uint64_t learn_word(const struct learn_object *object, size_t offset); /* 0 outside */
uint64_t learn_pointer(struct learn *learn, uint64_t at);              /* 0: cannot be read */
bool learn_string_is(struct learn *learn, uint64_t at, const char *text);

/* Whether this offset is still an answer: where it is none, there is no need to look. */
bool learn_may_be(const struct learn *learn, enum layout_member_id id, uint32_t offset);

/* The pointer there, if it leads to an object and the offset is still an answer; or 0. */
uint64_t learn_lead(const struct learn *learn, enum layout_member_id id,
		    const struct learn_object *object, uint32_t offset);

/* One more object: these offsets fit, no other. */
void learn_fits(struct learn *learn, enum layout_member_id id, const uint32_t *offsets, unsigned n);

/* The same: all offsets from "from" to "to" where the object has these bytes. */
void learn_value(struct learn *learn, enum layout_member_id id, const struct learn_object *object,
		 size_t from, size_t to, const void *value, size_t size);

/* The one offset that fits so far, or -1. */
int32_t learn_offset(const struct learn *learn, enum layout_member_id id);

/* The pointer in that member of the object at this address, 0 when its place is not known. */
uint64_t learn_follow(struct learn *learn, enum layout_member_id id, uint64_t at);

/* The parts, each for the calling process in one of up to LEARN_MAX_ROUNDS rounds. */
bool learn_descriptors(struct learn *learn, unsigned round); /* false: no sense in going on */
uint64_t learn_file(struct learn *learn, int fd);            /* struct file of a descriptor */
void learn_files(struct learn *learn, unsigned round);
void learn_directories(struct learn *learn, unsigned round);
void learn_namespaces(struct learn *learn, unsigned round);
void learn_task(struct learn *learn, unsigned round);
void learn_sockets(struct learn *learn, unsigned round);

enum { LEARN_EXIT_CODE = 0x35, LEARN_EXIT_STEP = 0x11 };

/* Of the round's process, which has exited and is not waited for yet; it is then. */
bool learn_end(struct learn *learn, unsigned round, int pid);

/* The member of signal_struct that counts the threads which have not ended, by processes of its own. */
void learn_threads(struct learn *learn, unsigned round);

/* Shared by those about tasks: numbers of a line of /proc/PID/stat, as proc(5) counts them. */
enum { LEARN_STAT_STATE = 3, LEARN_STAT_MAX = 52, LEARN_SECONDS = 5 };
bool learn_stat(uint64_t numbers[LEARN_STAT_MAX + 1], const char *path);
bool learn_read_task(struct learn *learn,
		     struct learn_object *task); /* struct task_struct of learn->task */

#endif
