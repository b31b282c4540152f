/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/common/stack_names.h"
#include "code/build_id.h"
#include "code/perf_map.h"
#include "code/unwind.h"

static void read_map(const uint8_t *data, size_t size, uint64_t at)
{
	struct perf_map map;
	char *text = malloc(size + 1);
	uint64_t offset;
	const char *name;

	memcpy(text, data, size);
	if (!perf_map_parse(&map, text, size))
		return;
	for (uint32_t i = 1; i < map.n; i++)
		FUZZ_CLAIM(map.list[i - 1].start <= map.list[i].start);
	name = perf_map_name(&map, at, &offset);
	if (name)
		FUZZ_CLAIM(*name && offset <= at);
	perf_map_free(&map);
}

static void read_file(const uint8_t *data, size_t size, uint64_t at)
{
	char hex[BUILD_ID_HEX];
	int fd = memfd_create("code", MFD_CLOEXEC);

	if (write(fd, data, size) == (ssize_t)size) {
		build_id_read(fd, hex);
		FUZZ_CLAIM(strlen(hex) < sizeof(hex));
		unwind_above_sp(fd, at);
	}
	close(fd);
}

/* Three texts of a row, of the same bytes */
static void read_stack(const uint8_t *data, size_t size)
{
	const struct stack_cells cells = { .user = (const char *)data,
					   .modules = (const char *)data + size / 3,
					   .kernel = (const char *)data + size / 3 * 2,
					   .user_len = size / 3,
					   .modules_len = size / 3,
					   .kernel_len = size / 3 };
	struct stack_names *names = stack_names_new();
	FILE *out = fopen("/dev/null", "w");

	if (stack_names_add(names, &cells))
		stack_names_put(names, &cells, out);
	fclose(out);
	stack_names_free(names);
}

/* The first eight bytes are an address. */
void fuzz_code(const uint8_t *data, size_t size)
{
	uint64_t at = 0;

	if (size < sizeof(at))
		return;
	memcpy(&at, data, sizeof(at));
	data += sizeof(at);
	size -= sizeof(at);
	read_map(data, size, at);
	read_file(data, size, at);
	read_stack(data, size);
}
