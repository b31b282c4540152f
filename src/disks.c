/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "disks.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>

#include "sys.h"

#define SYS_BLOCK "/sys/block"

/* The device number in a sysfs "dev" file, 0 when there is none. */
static uint32_t read_dev(const char *dir, const char *sub)
{
	char name[600];
	unsigned major, minor;
	FILE *in;
	int n;

	snprintf(name, sizeof(name), "%s%s%s/dev", dir, sub ? "/" : "", sub ? sub : "");
	in = fopen(name, "re");
	if (!in)
		return 0;
	n = fscanf(in, "%u:%u", &major, &minor);
	fclose(in);
	return n == 2 ? major << 20 | minor : 0;
}

static void fill_disk(int map_fd, const char *dir)
{
	uint32_t disk = read_dev(dir, NULL), part;
	struct dirent *entry;
	DIR *d = opendir(dir);

	if (!d)
		return;
	/* partitions are the folders with a device number of their own */
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		part = read_dev(dir, entry->d_name);
		if (part && disk)
			bpf_map_put(map_fd, &part, &disk);
	}
	closedir(d);
}

void disks_fill_partitions(int map_fd)
{
	struct dirent *entry;
	char name[300];
	DIR *d;

	if (map_fd < 0)
		return;
	d = opendir(SYS_BLOCK);
	if (!d)
		return;
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), SYS_BLOCK "/%s", entry->d_name);
		fill_disk(map_fd, name);
	}
	closedir(d);
}
