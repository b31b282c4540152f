/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include <string.h>

#include "resolve/exec_image.h"
#include "resolve/resolve.h"

/* The first eight bytes are where something faults. */
void fuzz_exec(const uint8_t *data, size_t size)
{
	static struct resolve resolve;
	struct exec_image image = { 0 };
	struct mappings *maps = mappings_new(0);
	struct path *program;
	uint64_t at = 0;
	char path[260];

	if (size < sizeof(at))
		size = 0;
	else
		memcpy(&at, data, sizeof(at));
	resolve_init(&resolve, &(struct resolve_options){ .all_fs = true });
	snprintf(path, sizeof(path), "%s/p", fuzz_tree((const uint8_t *)"@p\n", 3));
	if (size) {
		FILE *out = fopen(path, "w");

		fwrite(data + sizeof(at), 1, size - sizeof(at), out);
		fclose(out);
	}
	program = path_new(path, strlen(path), PATH_FULL);
	exec_image_set(&image, program);
	path_put(program);
	exec_image_fault(&image, &resolve.procfs, maps, at, true);
	exec_image_fault(&image, &resolve.procfs, maps, at + 4096, false);
	mappings_find(maps, at, at + 1);
	exec_image_clear(&image);
	mappings_free(maps);
	resolve_close(&resolve);
}
