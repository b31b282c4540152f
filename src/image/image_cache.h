/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiled images on disk, one file per key. A cache is only used when nobody
 * else can have written to it; whatever is wrong with an entry makes it absent.
 */
#ifndef IOT_IMAGE_CACHE_H
#define IOT_IMAGE_CACHE_H

#include "image/image.h"

enum { CACHE_MAX_ENTRIES = 16 };

/*
 * The directory, made when missing: a descriptor, or -errno. Warns when it is
 * there and must not be trusted (-EPERM): a link, another's, open to others.
 */
int cache_open(const char *dir);

/* The image with this key, or -ENOENT. */
int cache_get(int dir_fd, const struct image_key *key, struct image *image);

/* Stores it under its own key and drops the oldest above CACHE_MAX_ENTRIES. */
int cache_put(int dir_fd, const struct image *image);

#endif
