/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything that an image depends on, as its key: an image with the same key need not be compiled
 * again.
 */
#pragma once

#include "compat/host/kernel.h"
#include "image/image.h"
#include "plan/plan.h"

struct compile_options {
	const char
		*helper; /* path, NULL: the installed one, or $IOTRACER_BCC (ignored when set-id) */
	const char *cache_dir; /* NULL: compile_cache_dir(); "": no cache */
	bool with_headers;     /* false: tier c, our stub headers are the kernel tree */
	const char *stub_dir;  /* NULL: the installed one, or $IOTRACER_STUB */
	unsigned timeout_s;    /* 0: 900 */
	const struct plan *
		plan; /* that the text is of: the image carries it, and one for more may do; or NULL */
	unsigned groups; /* helpers side by side; 0: as many as pay */
	/* what is asked of them: */
	bool all_fs;  /* sockets, pipes and the like are files of stream fs */
	bool by_name; /* tasks are chosen by their name or their user */
};

enum { COMPILE_N_FLAGS = 4 };
extern const char *const compile_flags[COMPILE_N_FLAGS];

/*
 * Fills the key for this host and text. Returns 0 or -errno.
 */
int compile_key(struct image_key *key, const struct host *host, const char *text,
		const struct compile_options *options);
