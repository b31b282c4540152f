/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "compat/sys/untar.h"

void fuzz_untar(const uint8_t *data, size_t size)
{
	const struct untar_rules rules = { .max_bytes = 1 << 20,
					   .max_files = 20,
					   .skips_links = size % 2 };
	const char *dir = fuzz_tree(NULL, 0);
	char inside[260];
	gzFile in = gzdopen(fuzz_file(data, size), "rb");
	int err;

	snprintf(inside, sizeof(inside), "%s/in", dir);
	FUZZ_CLAIM(in && !mkdir(inside, 0700));
	err = untar(in, inside, &rules);
	FUZZ_CLAIM(!err || untar_error(err));
	gzclose(in);
	/* nothing is beside it: the directory goes */
	untar_remove(inside);
	FUZZ_CLAIM(!rmdir(dir));
}
