/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiled images on disk, one file per key. A cache is only used when nobody
 * else can have written to it; whatever is wrong with an entry makes it absent.
 */
#pragma once

#include <stdbool.h>

#include "image/image.h"

/* What all images in a directory may take together; one of all streams is about 2 MB. */
#define CACHE_MAX_BYTES (256ull << 20)

/*
 * The directory, made when missing: a descriptor, or -errno. Warns when it is
 * there and must not be trusted (-EPERM): a link, another's, open to others.
 */
int cache_open(const char *dir);

/* The image with this key, or -ENOENT. Marks it as used now, by its time stamp. */
int cache_get(int dir_fd, const struct image_key *key, struct image *image);

/* Whether an image of this key, which was made for this plan (plan_text.h), will do as well. */
typedef bool cache_accept_fn(void *arg, const struct image_key *key, const char *plan);

/*
 * The image last used of those that this host could have made (keys differ in the text alone), have
 * a plan and are accepted; or -ENOENT.
 */
int cache_find(int dir_fd, const struct image_key *key, cache_accept_fn *accept, void *arg,
	       struct image *image);

/*
 * Stores it under its own key and drops, beyond CACHE_MAX_BYTES, those not used for longest.
 * Returns 0 or -errno (not reported: a start without a cache is only slower).
 */
int cache_put(int dir_fd, const struct image *image);

/* Drops those not used for longest, until the others take no more than this. */
void cache_prune(int dir_fd, uint64_t max_bytes);
