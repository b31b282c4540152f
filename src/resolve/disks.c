/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "resolve/disks.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "compat/sys.h"

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

/* whole 0: a disk. Returns its device number, 0 when the folder is no device. */
static uint32_t add(struct disks *disks, const char *dir, const char *name, uint32_t whole)
{
	uint32_t dev = read_dev(dir);
	struct disk *grown, *disk;

	if (!dev)
		return 0;
	if (disks->n == disks->room) {
		grown = realloc(disks->list, (disks->room * 2 + 64) * sizeof(*disks->list));
		if (!grown)
			return 0;
		disks->list = grown;
		disks->room = disks->room * 2 + 64;
	}
	disk = &disks->list[disks->n++];
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

static void read_table(struct disks *disks)
{
	disks->n = 0;
	disks->read_ns = mono_ns();
	add_below(disks, disks->root, 0);
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

static const struct disk *find(const struct disks *disks, uint32_t dev)
{
	for (size_t i = 0; i < disks->n; i++)
		if (disks->list[i].dev == dev)
			return &disks->list[i];
	return NULL;
}

uint32_t disks_partition(struct disks *disks, uint32_t whole, uint64_t sector)
{
	const struct disk *disk = find(disks, whole);

	if (!disk && mono_ns() - disks->read_ns > AGAIN_NS) {
		read_table(disks);
		disk = find(disks, whole);
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
