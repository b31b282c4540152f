/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Block devices and their partitions as sysfs lists them: requests name the
 * whole disk on every kernel, bios their partition from 5.12 on.
 */
#ifndef IOT_DISKS_H
#define IOT_DISKS_H

#include <stddef.h>
#include <stdint.h>

/* Device numbers are in the kernel's form: major << 20 | minor. */
struct disk {
	uint32_t dev;
	uint32_t whole; /* dev itself where it is no partition */
	uint64_t start; /* first sector on the whole disk, in 512 bytes */
	uint64_t sectors;
	char name[256]; /* as in /sys/class/block */
};

/* All read below this folder; "/sys/block" unless a test says otherwise. Borrowed. */
void disks_set_root(const char *sys_block);

/* Reads the table; without sysfs or memory it is empty. */
void disks_open(void);
void disks_close(void);

/* Disks with their partitions behind them; valid until the next call of these. */
const struct disk *disks_list(size_t *n);

/* When the list was read, CLOCK_MONOTONIC ns: another time, another list. */
uint64_t disks_read_ns(void);

/*
 * The partition of a whole disk in which the sector lies, else the disk. A disk
 * that is not known yet makes the table to be read again, once a second at most.
 */
uint32_t disks_partition(uint32_t whole, uint64_t sector);

/* Fills a map of u32 partition -> u32 whole disk. A negative fd is ignored. */
void disks_fill_partitions(int map_fd);

#endif
