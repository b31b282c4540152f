/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Block devices as sysfs lists them. */
#ifndef IO_DISKS_H
#define IO_DISKS_H

/*
 * Fills a map of u32 partition -> u32 whole disk (device numbers in the
 * kernel's form): from 5.12 on bios carry the partition, requests the disk.
 * A negative fd is ignored.
 */
void disks_fill_partitions(int map_fd);

#endif
