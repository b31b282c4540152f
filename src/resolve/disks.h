/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Block devices and their partitions as sysfs lists them: requests name the
 * whole disk on every kernel, bios their partition from 5.12 on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Device numbers are in the kernel's form: major << 20 | minor. */
struct disk {
	uint32_t dev;
	uint32_t whole; /* dev itself where it is no partition */
	uint64_t start; /* first sector on the whole disk, in 512 bytes */
	uint64_t sectors;
	bool gone;      /* removed since; its requests still have its name */
	char name[256]; /* as in /sys/class/block */
};

enum { DISKS_SEEN = 64 };

/* Zero-filled except the root: an empty table. */
struct disks {
	const char *root;  /* "/sys/block"; borrowed */
	struct disk *list; /* disks with their partitions behind them; what is gone comes last */
	size_t n;
	size_t room;
	uint64_t read_ns; /* CLOCK_MONOTONIC; another time, another list */
	uint32_t seen[DISKS_SEEN];
};

/* Reads the table; without sysfs or memory it is empty. */
void disks_open(struct disks *disks, const char *sys_block);
void disks_close(struct disks *disks);

/* A disk or a partition; NULL: it is not known. */
const struct disk *disks_find(const struct disks *disks, uint32_t dev);

/*
 * A request of the device was seen: if it is not known, the table is read again, once a second at
 * most.
 */
void disks_see(struct disks *disks, uint32_t dev);

/*
 * The partition of a whole disk in which the sector lies, else the disk. A disk
 * that is not known yet causes the table to be read again, once a second at most.
 */
uint32_t disks_partition(struct disks *disks, uint32_t whole, uint64_t sector);

/* Fills a map of u32 partition -> u32 whole disk. A negative fd is ignored. */
void disks_fill_partitions(const struct disks *disks, int map_fd);

/* Fills a map of u32 disk -> u8 with those that have requests of their own. A negative fd is ignored. */
void disks_fill_with_requests(const struct disks *disks, int map_fd);

/*
 * Fills the one entry of a map with struct iot_partitions: partitions of disks that have several. A
 * negative fd is ignored.
 */
void disks_fill_places(const struct disks *disks, int map_fd);
