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

static const char *root = "/sys/block";
static struct disk *table;
static size_t n_disks, room;
static uint64_t read_ns;

void disks_set_root(const char *sys_block)
{
	root = sys_block;
}

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
static uint32_t add(const char *dir, const char *name, uint32_t whole)
{
	uint32_t dev = read_dev(dir);
	struct disk *grown, *disk;

	if (!dev)
		return 0;
	if (n_disks == room) {
		grown = realloc(table, (room * 2 + 64) * sizeof(*table));
		if (!grown)
			return 0;
		table = grown;
		room = room * 2 + 64;
	}
	disk = &table[n_disks++];
	*disk = (struct disk){ .dev = dev, .whole = whole ? whole : dev };
	snprintf(disk->name, sizeof(disk->name), "%s", name);
	read_number(dir, "size", &disk->sectors);
	if (whole)
		read_number(dir, "start", &disk->start);
	return dev;
}

/* Calls add() for each folder; of a disk those with a device number of their own are partitions. */
static void add_below(const char *dir, uint32_t whole)
{
	struct dirent *entry;
	DIR *d = opendir(dir);
	char path[512];
	uint32_t dev;

	while (d && (entry = readdir(d))) {
		if (entry->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) >= (int)sizeof(path))
			continue;
		dev = add(path, entry->d_name, whole);
		if (dev && !whole)
			add_below(path, dev);
	}
	if (d)
		closedir(d);
}

void disks_open(void)
{
	n_disks = 0;
	read_ns = mono_ns();
	add_below(root, 0);
}

void disks_close(void)
{
	free(table);
	table = NULL;
	n_disks = room = 0;
}

const struct disk *disks_list(size_t *n)
{
	*n = n_disks;
	return table;
}

uint64_t disks_read_ns(void)
{
	return read_ns;
}

static const struct disk *find(uint32_t dev)
{
	for (size_t i = 0; i < n_disks; i++)
		if (table[i].dev == dev)
			return &table[i];
	return NULL;
}

uint32_t disks_partition(uint32_t whole, uint64_t sector)
{
	const struct disk *disk = find(whole);

	if (!disk && mono_ns() - read_ns > AGAIN_NS) {
		disks_open();
		disk = find(whole);
	}
	if (!disk)
		return whole;
	for (disk++; disk < table + n_disks && disk->whole == whole; disk++)
		if (sector >= disk->start && sector - disk->start < disk->sectors)
			return disk->dev;
	return whole;
}

void disks_fill_partitions(int map_fd)
{
	if (map_fd < 0)
		return;
	for (size_t i = 0; i < n_disks; i++)
		if (table[i].dev != table[i].whole)
			bpf_map_put(map_fd, &table[i].dev, &table[i].whole);
}
