/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where symbolic links lead, so that a file has one name whichever way it was named. What a
 * directory of a path is (a link, or not) is asked once, and again a second later; what traced
 * calls made, removed and renamed is known from their records. Bounded, and no more than a look
 * into a table when a name comes again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "resolve/mountinfo.h"
#include "row/path.h"

struct links;

/* NULL without memory. */
struct links *links_open(void);
void links_close(struct links *links);

enum links_how {
	LINKS_CUT = 1,    /* the text is not whole */
	LINKS_LAST = 2,   /* a link at the end is followed, too */
	LINKS_KNOWN = 4,  /* ... if a call is known to have made it: nothing is asked for it */
	LINKS_FAILED = 8, /* the call failed: what is not there may never have been */
};

/* Who gives a text, and from where it starts. */
struct links_from {
	const char
		*below; /* its names are looked for below: "" for ours; NULL: where look() says */
	/*
	 * Sets below, and again to another place when that one is gone; false, or NULL: there is
	 * none.
	 */
	bool (*look)(struct links_from *from);
	/*
	 * As those names are; what lies where an answer may be waited for is not asked. NULL: all
	 * is.
	 */
	const struct mountinfo *mounts;
	uint32_t mntns;          /* whose names they are; 0: ours */
	const struct path *root; /* of the process; NULL: / */
	const struct path *base; /* where a relative text starts; NULL: not known */
	uint64_t ts;             /* of the call; CLOCK_MONOTONIC ns */
};

/*
 * The name of what a text leads to. It is not certain (PATH_REST) where a part of it is not there
 * any more, and the call found it, or was not asked for. NULL: it has a ".." behind what cannot be
 * looked at, or links that go round. A new reference.
 */
struct path *links_path(struct links *links, struct links_from *from, const char *text,
			unsigned how);

/*
 * A call made what is no link, or a link to target; at a name without links in it, in a namespace
 * as above.
 */
void links_made(struct links *links, uint32_t mntns, const struct path *name,
		const struct path *target, uint64_t ts);
/* A call removed it, or put something else there. */
void links_removed(struct links *links, uint32_t mntns, const struct path *name);
/* It has another name from now on, or (stays) two. */
void links_renamed(struct links *links, uint32_t mntns, const struct path *name,
		   const struct path *to, bool stays);
void links_exchanged(struct links *links, uint32_t mntns, const struct path *one,
		     const struct path *other);
/* Anything may have changed. */
void links_forget(struct links *links);
