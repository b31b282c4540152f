/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text to image, through the helper program (the only one linked to libbcc)
 * and a cache of earlier results. A cached start needs no LLVM.
 */
#pragma once

#include "image/compile_key.h"

/*
 * Where images and layouts are kept: $IOTRACER_CACHE (ignored when set-id), else
 * /var/cache/iotracer.
 */
const char *compile_cache_dir(void);

/*
 * The image for text on this host: from the cache when the key fits or, with a
 * plan, one for more streams does the same (*cached set), else compiled and cached. Reports and
 * returns -errno: -ENOENT helper missing, -ETIMEDOUT, -ECHILD helper crashed, -ENOEXEC text does
 * not compile (compiler output shown with -v, its first error always).
 */
int compile_image(struct image *image, const struct host *host, const char *text,
		  const struct compile_options *options, bool *cached);
