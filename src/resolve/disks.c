/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the table of disks, which is read again when a number is not in it. */
#include "resolve/disks.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "compat/sys/bpf.h"
#include "row/records.h"

#define AGAIN_NS 1000000000ULL

/* One number of a sysfs file; false when there is none. */
static bool read_number(const char *dir, const char *file, uint64_t *value)
{
	char name[600];
	FILE *in;
	int n;

	snprintf(name, sizeof(name), "%s/%s", dir, file);
	in = fopen(name, "re");
	if (!in)
		return false;
	n = fscanf(in, "%" SCNu64, value);
	fclose(in);
	return n == 1;
}

/* The device number in a folder of sysfs, 0 when there is none. */
static uint32_t read_dev(const char *dir)
{
	unsigned major, minor;
	char name[600];
	FILE *in;
	int n;

	snprintf(name, sizeof(name), "%s/dev", dir);
	in = fopen(name, "re");
	if (!in)
		return 0;
	n = fscanf(in, "%u:%u", &major, &minor);
	fclose(in);
	return n == 2 ? major << 20 | minor : 0;
}

/* NULL without memory */
static struct disk *add_disk(struct disks *disks)
{
	struct disk *grown;

	if (disks->n == disks->room) {
		grown = realloc(disks->list, (disks->room * 2 + 64) * sizeof(*disks->list));
		if (!grown)
			return NULL;
		disks->list = grown;
		disks->room = disks->room * 2 + 64;
	}
	return &disks->list[disks->n++];
}

/* whole 0: a disk. Returns its device number, 0 when the folder is no device. */
static uint32_t add(struct disks *disks, const char *dir, const char *name, uint32_t whole)
{
	uint32_t dev = read_dev(dir);
	struct disk *disk = dev ? add_disk(disks) : NULL;

	if (!disk)
		return 0;
	*disk = (struct disk){ .dev = dev, .whole = whole ? whole : dev };
	snprintf(disk->name, sizeof(disk->name), "%s", name);
	read_number(dir, "size", &disk->sectors);
	if (whole)
		read_number(dir, "start", &disk->start);
	return dev;
}

/* Calls add() for each folder; of a disk those with a device number of their own are partitions. */
static void add_below(struct disks *disks, const char *dir, uint32_t whole)
{
	struct dirent *entry;
	DIR *d = opendir(dir);
	char path[512];
	uint32_t dev;

	while (d && (entry = readdir(d))) {
		if (entry->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) >= (int)sizeof(path))
			continue;
		dev = add(disks, path, entry->d_name, whole);
		if (dev && !whole)
			add_below(disks, path, dev);
	}
	if (d)
		closedir(d);
}

const struct disk *disks_find(const struct disks *disks, uint32_t dev)
{
	for (size_t i = 0; i < disks->n; i++)
		if (disks->list[i].dev == dev)
			return &disks->list[i];
	return NULL;
}

/* Those of the list before that are not there any more, unless another has their number. */
static void keep(struct disks *disks, const struct disk *before, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct disk *disk = disks_find(disks, before[i].dev) ? NULL : add_disk(disks);

		if (!disk)
			continue;
		*disk = before[i];
		disk->gone = true;
	}
}

static void read_table(struct disks *disks)
{
	struct disk *before = disks->list;
	size_t n = disks->n;

	disks->list = NULL;
	disks->n = disks->room = 0;
	disks->read_ns = mono_ns();
	add_below(disks, disks->root, 0);
	keep(disks, before, n);
	free(before);
}

void disks_open(struct disks *disks, const char *sys_block)
{
	*disks = (struct disks){ .root = sys_block };
	read_table(disks);
}

void disks_close(struct disks *disks)
{
	free(disks->list);
	*disks = (struct disks){ .root = disks->root };
}

void disks_see(struct disks *disks, uint32_t dev)
{
	uint32_t *seen = &disks->seen[(dev ^ dev >> 20) % DISKS_SEEN];

	if (*seen == dev)
		return;
	if (disks_find(disks, dev))
		*seen = dev;
	else if (mono_ns() - disks->read_ns > AGAIN_NS)
		read_table(disks);
}

uint32_t disks_partition(struct disks *disks, uint32_t whole, uint64_t sector)
{
	const struct disk *disk = disks_find(disks, whole);

	if (!disk && mono_ns() - disks->read_ns > AGAIN_NS) {
		read_table(disks);
		disk = disks_find(disks, whole);
	}
	if (!disk)
		return whole;
	for (disk++; disk < disks->list + disks->n && disk->whole == whole; disk++)
		if (sector >= disk->start && sector - disk->start < disk->sectors)
			return disk->dev;
	return whole;
}

void disks_fill_partitions(const struct disks *disks, int map_fd)
{
	if (map_fd < 0)
		return;
	for (const struct disk *disk = disks->list; disk < disks->list + disks->n; disk++)
		if (disk->dev != disk->whole)
			bpf_map_put(map_fd, &disk->dev, &disk->whole);
}

void disks_fill_with_requests(const struct disks *disks, int map_fd)
{
	char path[600];
	uint8_t one = 1;

	if (map_fd < 0)
		return;
	for (const struct disk *disk = disks->list; disk < disks->list + disks->n; disk++) {
		snprintf(path, sizeof(path), "%.250s/%.250s/mq", disks->root, disk->name);
		if (disk->dev == disk->whole && !access(path, F_OK))
			bpf_map_put(map_fd, &disk->dev, &one);
	}
}

static size_t n_parts(const struct disks *disks, size_t at)
{
	size_t n = 0;

	for (size_t i = at + 1; i < disks->n && disks->list[i].whole == disks->list[at].dev; i++)
		n++;
	return n;
}

void disks_fill_places(const struct disks *disks, int map_fd)
{
	struct iot_partitions ranges = { 0 };
	uint32_t zero = 0;
	size_t n = 0;

	if (map_fd < 0)
		return;
	for (size_t at = 0, parts; at < disks->n; at += parts + 1) {
		parts = n_parts(disks, at);
		/* of a disk all or none */
		if (parts < 2 || n + parts > IOT_PARTITIONS || disks->list[at].gone)
			continue;
		for (size_t i = at + 1; i <= at + parts; i++)
			ranges.list[n++] =
				(struct iot_partition){ .first = disks->list[i].start,
							.sectors = disks->list[i].sectors,
							.disk = disks->list[i].whole,
							.dev = disks->list[i].dev };
	}
	bpf_map_put(map_fd, &zero, &ranges);
}
