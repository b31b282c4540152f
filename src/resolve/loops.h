/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loop devices and the files that they are made of, as sysfs lists them: a request for such a file
 * repeats one that the loop device has had already.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "resolve/disks.h"
#include "resolve/mounts.h"

/* Device numbers are in the kernel's form: major << 20 | minor. */
struct loop {
	uint32_t dev;     /* the loop device, or one of the device mapper or md that is on it */
	uint32_t on;      /* the disk that the file is on; 0: several, or not known */
	uint64_t ino;     /* the file; 0: it is on a device */
	uint32_t ino_dev; /* and its file system */
	char *path;       /* of the file, as sysfs has it; NULL: it is on another device */
	bool gone;
	uint64_t seen_ns; /* CLOCK_MONOTONIC */
};

/* Zero-filled except the root: an empty table. */
struct loops {
	const char *root; /* "/sys/block"; borrowed */
	struct loop *list;
	size_t n, room;
	uint64_t read_ns;
};

/* What files are on. */
struct loops_host {
	const struct disks *disks;
	const struct mounts *mounts;
};

/*
 * Reads the table, if it was read more than age_ns ago. A device that was detached is known for
 * some seconds: what it left in the cache of its file is still to be written. When the file is removed it is
 * not, since another one may have its inode's number soon.
 */
void loops_look(struct loops *loops, const struct loops_host *host, uint64_t age_ns);
void loops_close(struct loops *loops);

bool loops_has(const struct loops *loops, uint32_t dev);
/* Some loop device is made of the file. */
bool loops_has_file(const struct loops *loops, uint64_t ino, uint32_t ino_dev);
/* The file system is on a loop device, or on a partition of one, and that is on the disk. */
bool loops_is_below(const struct loops *loops, const struct disks *disks, uint32_t file_dev,
		    uint32_t disk);

/*
 * Fills a map of struct iot_inode: the files, and with inode 0 the loop devices with the disk
 * below. Without a map (a negative fd) it only forgets those that are gone.
 */
void loops_fill(struct loops *loops, int map_fd);
