/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What devices did in an interval by the counters that the kernel keeps of all of them, traced or not:
 * /proc/diskstats, of which iostat makes the same figures.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TOP_MAX_DISKS = 256 };

struct top_disk {
	char name[32];
	uint32_t major, minor;
	uint64_t reads, read_sectors, read_ms;
	uint64_t writes, write_sectors, write_ms;
	uint64_t discards, discard_ms;
	uint64_t busy_ms, queue_ms; /* at least one in flight; each of them in flight */
};

struct top_disks {
	uint64_t ns; /* when they were read; 0: they were not */
	unsigned n;
	struct top_disk list[TOP_MAX_DISKS];
};

/* The difference of two. */
struct top_disk_use {
	struct top_disk disk;
	uint64_t ns;
	bool busy; /* a whole disk, and it did something */
};

/* root: "", or where else /proc and /sys are. */
void top_disks_read(struct top_disks *disks, const char *root);
/* Of all of them; returns how many. */
unsigned top_disks_use(const struct top_disks *before, const struct top_disks *after,
		       const char *root, struct top_disk_use uses[TOP_MAX_DISKS]);

/* As iostat -x has them, in millionths: a second, kB a second, requests in flight, per cent. */
uint64_t top_disk_rate(const struct top_disk_use *use, uint64_t n);
uint64_t top_disk_kb(const struct top_disk_use *use, uint64_t sectors);
uint64_t top_disk_queue(const struct top_disk_use *use);
uint64_t top_disk_util(const struct top_disk_use *use);
/* Mean time of a request, in ns; false: there was none. */
bool top_disk_await(const struct top_disk_use *use, uint64_t *ns);
