/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects that are read, and the offsets that fit them. */
#pragma once

#include "compat/learn/learn_object.h"

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

/*
 * One more object: these offsets fit, no other. n of 0: none fits, which ends the search for
 * this member.
 */
void learn_fits(struct learn *learn, enum layout_member_id id, const uint32_t *offsets, unsigned n);

/* The same: all offsets from "from" to "to" where the object has these bytes. */
void learn_value(struct learn *learn, enum layout_member_id id, const struct learn_object *object,
		 size_t from, size_t to, const void *value, size_t size);

/* The one offset that fits so far, or -1. */
int32_t learn_offset(const struct learn *learn, enum layout_member_id id);

/* The pointer in that member of the object at this address, 0 when its place is not known. */
uint64_t learn_follow(struct learn *learn, enum layout_member_id id, uint64_t at);
