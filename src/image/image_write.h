/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An image to an ELF object. */
#pragma once

#include "image/image.h"

/* Returns 0 or -errno, reported. */
int image_write(const struct image *image, int fd);
