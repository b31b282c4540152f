/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An image to an ELF object. */
#ifndef IOT_IMAGE_WRITE_H
#define IOT_IMAGE_WRITE_H

#include "image/image.h"

/* Returns 0 or -errno, reported. */
int image_write(const struct image *image, int fd);

#endif
