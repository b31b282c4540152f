/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the search through the kernel's types, which are read once for all names. */
#include "compat/layout/kernel_ids.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/layout/btf_format.h"
#include "compat/sys/root.h"

#define VMLINUX "sys/kernel/btf/vmlinux"

struct blob {
	const char *types, *strings;
	uint32_t types_len, strings_len;
};

static bool blob_of(struct blob *blob, const char *data, size_t size)
{
	struct header h;

	if (size < sizeof(h))
		return false;
	memcpy(&h, data, sizeof(h));
	if (h.magic != BTF_MAGIC || h.header_len > size)
		return false;
	size -= h.header_len;
	if (h.type_off > size || h.type_len > size - h.type_off || h.str_off > size ||
	    h.str_len > size - h.str_off || !h.str_len || h.type_off % 4)
		return false;
	blob->types = data + h.header_len + h.type_off;
	blob->types_len = h.type_len;
	blob->strings = data + h.header_len + h.str_off;
	blob->strings_len = h.str_len;
	return !blob->strings[h.str_len - 1];
}

static bool is_named(const struct blob *blob, const struct type *t, const struct kernel_id *wanted)
{
	return !wanted->id && kind_of(t) == wanted->kind && t->name < blob->strings_len &&
	       !strcmp(blob->strings + t->name, wanted->name);
}

/* Those that are still looked for: it is worth ending early. */
static size_t n_missing(const struct kernel_id *ids, size_t n)
{
	size_t missing = 0;

	for (size_t i = 0; i < n; i++)
		missing += ids[i].name && !ids[i].id;
	return missing;
}

static void scan(const struct blob *blob, struct kernel_id *ids, size_t n)
{
	size_t missing = n_missing(ids, n);
	uint32_t id = 1;

	for (uint32_t at = 0; missing && blob->types_len - at >= sizeof(struct type); id++) {
		const struct type *t = (const struct type *)(blob->types + at);
		int64_t tail = tail_size(t);

		if (tail < 0 || (uint64_t)tail > blob->types_len - at - sizeof(*t))
			return;
		for (size_t i = 0; i < n; i++) {
			if (!ids[i].name || !is_named(blob, t, &ids[i]))
				continue;
			ids[i].id = id;
			missing--;
		}
		at += sizeof(*t) + (uint32_t)tail;
	}
}

/* From 6.16 on it can be mapped: it is 6 MB, and read(2) gives a page at a time. */
static void *map_btf(size_t *size)
{
	int fd = open("/" VMLINUX, O_RDONLY | O_CLOEXEC);
	void *data = MAP_FAILED;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size > 0) {
		*size = (size_t)st.st_size;
		data = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (fd >= 0)
		close(fd);
	return data == MAP_FAILED ? NULL : data;
}

bool kernel_ids_find(struct kernel_id *ids, size_t n)
{
	size_t size;
	char *mapped = map_btf(&size), *data = mapped ? mapped : root_read("", VMLINUX, &size);
	struct blob blob;

	for (size_t i = 0; i < n; i++)
		ids[i].id = 0;
	if (data && blob_of(&blob, data, size))
		scan(&blob, ids, n);
	if (mapped)
		munmap(mapped, size);
	else
		free(data);
	return !n_missing(ids, n);
}
