/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An ELF object to an image; nothing in it is trusted. */
#pragma once

#include "image/image.h"

/* Returns 0 or -errno (-EBADMSG: it is not as image_write makes it), reported. */
int image_read(struct image *image, int fd, const char *name_for_messages);
/*
 * The same without a message, for files that may be replaced: the reason goes to *why. fd is
 * read from where it stands, and stays open. On an error there is nothing to free.
 */
int image_read_why(struct image *image, int fd, const char **why);
/* Its key and its plan alone, without a look at the rest. Returns 0 or -errno. */
int image_peek(struct image *image, int fd);
