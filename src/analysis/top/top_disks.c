/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the fields of /proc/diskstats. Formulas are those of iostat (sysstat): what is in flight is the
 * weighted time, await is all times by all requests, discards included, flushes not.
 */
#include "analysis/top/top_disks.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* Without those of discards before 4.18 */
static bool parse(const char *line, struct top_disk *d)
{
	*d = (struct top_disk){ .major = 0 };
	return sscanf(line,
		      "%" SCNu32 " %" SCNu32 " %31s %" SCNu64 " %*u %" SCNu64 " %" SCNu64
		      " %" SCNu64 " %*u %" SCNu64 " %" SCNu64 " %*u %" SCNu64 " %" SCNu64
		      " %" SCNu64 " %*u %*u %" SCNu64,
		      &d->major, &d->minor, d->name, &d->reads, &d->read_sectors, &d->read_ms,
		      &d->writes, &d->write_sectors, &d->write_ms, &d->busy_ms, &d->queue_ms,
		      &d->discards, &d->discard_ms) >= 11;
}

void top_disks_read(struct top_disks *disks, const char *root)
{
	char path[PATH_MAX], line[512];
	FILE *in;

	disks->n = 0;
	disks->ns = 0;
	snprintf(path, sizeof(path), "%s/proc/diskstats", root);
	in = fopen(path, "re");
	if (!in)
		return;
	disks->ns = mono_ns();
	while (disks->n < TOP_MAX_DISKS && fgets(line, sizeof(line), in)) {
		struct top_disk *d = &disks->list[disks->n];

		/* most entries are of disks that nobody has */
		disks->n += parse(line, d) && d->reads + d->writes + d->discards;
	}
	fclose(in);
}

/* Times are of 32 bits. */
static uint64_t since(uint64_t before, uint64_t after)
{
	return after >= before ? after - before : (uint32_t)(after - before);
}

static struct top_disk difference(const struct top_disk *a, const struct top_disk *b)
{
	struct top_disk d = *b;

	d.reads = since(a->reads, b->reads);
	d.read_sectors = since(a->read_sectors, b->read_sectors);
	d.read_ms = since(a->read_ms, b->read_ms);
	d.writes = since(a->writes, b->writes);
	d.write_sectors = since(a->write_sectors, b->write_sectors);
	d.write_ms = since(a->write_ms, b->write_ms);
	d.discards = since(a->discards, b->discards);
	d.discard_ms = since(a->discard_ms, b->discard_ms);
	d.busy_ms = since(a->busy_ms, b->busy_ms);
	d.queue_ms = since(a->queue_ms, b->queue_ms);
	return d;
}

/* One that did nothing before has no entry there. */
static const struct top_disk *same(const struct top_disks *disks, const struct top_disk *disk)
{
	static const struct top_disk none = { .name = "" };

	for (unsigned i = 0; i < disks->n; i++)
		if (disks->list[i].major == disk->major && disks->list[i].minor == disk->minor &&
		    !strcmp(disks->list[i].name, disk->name))
			return &disks->list[i];
	return &none;
}

/* Partitions are part of one; a slash in a name is '!' there. */
static bool is_whole(const struct top_disk *disk, const char *root)
{
	char path[PATH_MAX];
	size_t at;

	at = (size_t)snprintf(path, sizeof(path), "%s/sys/block/", root);
	if (at + sizeof(disk->name) > sizeof(path))
		return false;
	for (const char *c = disk->name; *c; c++)
		path[at++] = *c == '/' ? '!' : *c;
	path[at] = '\0';
	return access(path, F_OK) == 0;
}

unsigned top_disks_use(const struct top_disks *before, const struct top_disks *after,
		       const char *root, struct top_disk_use uses[TOP_MAX_DISKS])
{
	unsigned n = 0;

	if (!before->ns || after->ns <= before->ns)
		return 0;
	for (unsigned i = 0; i < after->n; i++) {
		struct top_disk d = difference(same(before, &after->list[i]), &after->list[i]);

		uses[n++] = (struct top_disk_use){
			.disk = d,
			.ns = after->ns - before->ns,
			.busy = d.reads + d.writes + d.discards + d.busy_ms + d.queue_ms &&
				is_whole(&d, root),
		};
	}
	return n;
}

/* ---- figures ---- */

enum { MILLIONTHS = 1000000 };

static uint64_t rate(const struct top_disk_use *use, double n)
{
	return (uint64_t)(n * NS_PER_S / (double)use->ns * MILLIONTHS + .5);
}

uint64_t top_disk_rate(const struct top_disk_use *use, uint64_t n)
{
	return rate(use, (double)n);
}

uint64_t top_disk_kb(const struct top_disk_use *use, uint64_t sectors)
{
	/* of 512 bytes each */
	return rate(use, (double)sectors / 2);
}

uint64_t top_disk_queue(const struct top_disk_use *use)
{
	return rate(use, (double)use->disk.queue_ms / 1000);
}

uint64_t top_disk_util(const struct top_disk_use *use)
{
	/* ms of a second as per cent */
	return rate(use, (double)use->disk.busy_ms / 10);
}

bool top_disk_await(const struct top_disk_use *use, uint64_t *ns)
{
	const struct top_disk *d = &use->disk;
	uint64_t n = d->reads + d->writes + d->discards;

	*ns = n ? (d->read_ms + d->write_ms + d->discard_ms) * (NS_PER_S / 1000) / n : 0;
	return n;
}
