/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Images in memory: what the key consists of, look-up by name, release. The
 * file format is in image_write.c and image_read.c.
 */
#include "image/image.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "image/image_layout.h"

#define MEMBER(name)                                                                               \
	{                                                                                          \
#name, offsetof(struct image_key, name), sizeof(((struct image_key *)0)->name)     \
	}

const struct image_key_member image_key_members[] = {
	MEMBER(tool),     MEMBER(release), MEMBER(version), MEMBER(machine),
	MEMBER(build_id), MEMBER(headers), MEMBER(text),    MEMBER(libbcc),
};
const size_t n_image_key_members = sizeof(image_key_members) / sizeof(image_key_members[0]);

const char *image_key_differs(const struct image_key *a, const struct image_key *b)
{
	for (size_t i = 0; i < n_image_key_members; i++) {
		const struct image_key_member *m = &image_key_members[i];

		if (strcmp(m->name, "libbcc") == 0)
			continue;
		if (strcmp((const char *)a + m->offset, (const char *)b + m->offset) != 0)
			return m->name;
	}
	return NULL;
}

int image_key_set(struct image_key *key, const char *name, const char *value)
{
	for (size_t i = 0; i < n_image_key_members; i++) {
		const struct image_key_member *m = &image_key_members[i];

		if (strcmp(m->name, name) != 0)
			continue;
		if (strlen(value) >= m->size || strchr(value, '\n'))
			return -1;
		strcpy((char *)key + m->offset, value);
		return 0;
	}
	return -1;
}

const char *image_key_get(const struct image_key *key, size_t i, const char **name)
{
	if (i >= n_image_key_members)
		return NULL;
	*name = image_key_members[i].name;
	return (const char *)key + image_key_members[i].offset;
}

static int name_char(char c, int first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (!first && c >= '0' && c <= '9');
}

int image_name_ok(const char *name)
{
	size_t len = strnlen(name, IMAGE_NAME_SIZE);

	if (len == 0 || len == IMAGE_NAME_SIZE)
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (!name_char(name[i], i == 0))
			return 0;
	}
	return 1;
}

static uLong add(uLong sum, const void *data, size_t size)
{
	return size ? crc32(sum, data, (uInt)size) : sum;
}

uint32_t image_checksum(const struct image *image)
{
	uLong sum = crc32(0, NULL, 0);

	for (uint32_t i = 0; i < image->n_maps; i++) {
		const struct image_map *map = &image->maps[i];

		sum = add(sum, map->name, strlen(map->name) + 1);
		/* all members behind the name, five of four bytes: no padding among them */
		sum = add(sum, &map->type, sizeof(*map) - offsetof(struct image_map, type));
	}
	for (uint32_t i = 0; i < image->n_progs; i++) {
		const struct image_prog *prog = &image->progs[i];

		sum = add(sum, prog->name, strlen(prog->name) + 1);
		sum = add(sum, prog->insns, prog->n_insns * sizeof(*prog->insns));
		sum = add(sum, prog->relocs, prog->n_relocs * sizeof(*prog->relocs));
	}
	if (image->plan)
		sum = add(sum, image->plan, strlen(image->plan));
	return (uint32_t)sum;
}

void image_free(struct image *image)
{
	for (uint32_t i = 0; i < image->n_progs; i++) {
		free(image->progs[i].insns);
		free(image->progs[i].relocs);
	}
	free(image->progs);
	free(image->maps);
	free(image->plan);
	memset(image, 0, sizeof(*image));
}

const struct image_prog *image_find_prog(const struct image *image, const char *name)
{
	for (uint32_t i = 0; i < image->n_progs; i++) {
		if (strcmp(image->progs[i].name, name) == 0)
			return &image->progs[i];
	}
	return NULL;
}

int image_find_map(const struct image *image, const char *name)
{
	for (uint32_t i = 0; i < image->n_maps; i++) {
		if (strcmp(image->maps[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}
