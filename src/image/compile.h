/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text to image, through the helper program (the only one linked to libbcc)
 * and a cache of earlier results. A cached start needs no LLVM.
 */
#ifndef IOT_COMPILE_H
#define IOT_COMPILE_H

#include "compat/kernel.h"
#include "image/image.h"

struct compile_options {
	const char
		*helper; /* path, NULL: the installed one, or $IOTRACER_BCC (ignored when set-id) */
	const char *cache_dir; /* NULL: compile_cache_dir(); "": no cache */
	bool with_headers;     /* false: tier c, our stub headers are the kernel tree */
	const char *stub_dir;  /* NULL: the installed one, or $IOTRACER_STUB */
	unsigned timeout_s;    /* 0: 900 */
};

/* Where images and layouts are kept: $IOTRACER_CACHE (ignored when set-id), else /var/cache/iotracer. */
const char *compile_cache_dir(void);

/*
 * Fills the key for this host and text. Returns 0 or -errno.
 */
int compile_key(struct image_key *key, const struct host *host, const char *text,
		const struct compile_options *options);

/*
 * The image for text on this host: from the cache when the key fits (*cached
 * set), else compiled and cached. Reports and returns -errno: -ENOENT helper
 * missing, -ETIMEDOUT, -ECHILD helper crashed, -ENOEXEC text does not compile
 * (compiler output shown with -v, its first error always).
 */
int compile_image(struct image *image, const struct host *host, const char *text,
		  const struct compile_options *options, bool *cached);

#endif
