/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disks, their partitions, and what is mounted. */
#include "snapshot/spec_disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/json_text.h"
#include "compat/sys/root.h"
#include "resolve/mountinfo.h"
#include "snapshot/spec.h"
#include "snapshot/spec_gpu.h"

/*
 * Whatever blocks the disk has: the kernel's sectors are always of this size
 * (include/linux/types.h).
 */
#define SECTOR 512

struct disks {
	const struct spec *spec;
	json_t *devices;
	json_t *lines;    /* for people */
	const char *disk; /* whose parts are looked for */
	json_t *parts;
};

/* ---- disks ---- */

/* "none [mq-deadline] kyber": the one in brackets; "none" alone stands without. */
static json_t *scheduler_json(const struct spec *spec, const char *disk)
{
	char line[256], *open, *close;

	if (!spec_line(spec, line, sizeof(line), "sys/block/%s/queue/scheduler", disk))
		return json_null();
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		*close = '\0';
	return json_text(close ? open + 1 : line);
}

static void add_part(void *arg, const char *name)
{
	struct disks *d = arg;
	long long sectors, start;

	if (!spec_value(d->spec, &start, "sys/block/%s/%s/start", d->disk, name) ||
	    !spec_value(d->spec, &sectors, "sys/block/%s/%s/size", d->disk, name))
		return;
	json_array_append_new(d->parts, json_pack("{s:o, s:o, s:I, s:I}", "name", json_text(name),
						  "major_minor",
						  spec_line_json(d->spec, "sys/block/%s/%s/dev",
								 d->disk, name),
						  "first_sector", (json_int_t)start, "size_bytes",
						  (json_int_t)sectors * SECTOR));
}

static json_t *parts_json(struct disks *d, const char *disk)
{
	char dir[300];

	d->disk = disk;
	d->parts = json_array();
	snprintf(dir, sizeof(dir), "sys/block/%s", disk);
	spec_each(d->spec, dir, add_part, d);
	return d->parts;
}

static void add_name(void *arg, const char *name)
{
	json_array_append_new(arg, json_text(name));
}

/* What a disk is made of: those below a device mapper's or md's. */
static json_t *slaves_json(const struct spec *spec, const char *disk)
{
	json_t *list = json_array();
	char dir[300];

	snprintf(dir, sizeof(dir), "sys/block/%s/slaves", disk);
	spec_each(spec, dir, add_name, list);
	return list;
}

static json_t *flag_json(const struct spec *spec, const char *disk, const char *file)
{
	long long value;

	return spec_value(spec, &value, "sys/block/%s/%s", disk, file) ? json_boolean(value) :
									 json_null();
}

/* The vendor stands before the model, unless the model says it. */
static void disk_model(const struct spec *spec, const char *disk, char *out, size_t size)
{
	char vendor[64], model[128];

	spec_line(spec, vendor, sizeof(vendor), "sys/block/%s/device/vendor", disk);
	spec_line(spec, model, sizeof(model), "sys/block/%s/device/model", disk);
	if (!model[0])
		spec_line(spec, model, sizeof(model), "sys/block/%s/dm/name", disk);
	/* virtio has a number there, and ATA disks have the name of their bus */
	if (!model[0] || !vendor[0] || !strncmp(vendor, "0x", 2) || !strcmp(vendor, "ATA") ||
	    strstr(model, vendor))
		snprintf(out, size, "%s", model);
	else
		snprintf(out, size, "%s %s", vendor, model);
}

static void size_text(long long bytes, char *out, size_t size)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	double value = (double)bytes;
	size_t unit = 0;

	for (; value >= 1024 && unit < 5; unit++)
		value /= 1024;
	snprintf(out, size, "%.1f %s", value, units[unit]);
}

static void add_line(struct disks *d, const char *name, const char *model, long long bytes)
{
	char line[512], size[32];

	size_text(bytes, size, sizeof(size));
	snprintf(line, sizeof(line), "%s: %s%s%s", name, model, model[0] ? ", " : "", size);
	json_array_append_new(d->lines, json_text(line));
}

static void add_disk(void *arg, const char *name)
{
	struct disks *d = arg;
	const struct spec *spec = d->spec;
	char model[200], driver[64];
	long long sectors;
	json_t *disk;

	/* loop devices and the like without anything behind them */
	if (!spec_value(spec, &sectors, "sys/block/%s/size", name) || !sectors)
		return;
	disk_model(spec, name, model, sizeof(model));
	spec_link(spec, driver, sizeof(driver), "sys/block/%s/device/driver", name);
	disk = json_pack("{s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "name", json_text(name),
			 "major_minor", spec_line_json(spec, "sys/block/%s/dev", name), "model",
			 json_text(model), "size_bytes", (json_int_t)sectors * SECTOR, "rotational",
			 flag_json(spec, name, "queue/rotational"), "scheduler",
			 scheduler_json(spec, name), "nr_requests",
			 spec_value_json(spec, "sys/block/%s/queue/nr_requests", name));
	json_object_set_new(disk, "read_ahead_kb",
			    spec_value_json(spec, "sys/block/%s/queue/read_ahead_kb", name));
	json_object_set_new(disk, "logical_block_size",
			    spec_value_json(spec, "sys/block/%s/queue/logical_block_size", name));
	json_object_set_new(disk, "physical_block_size",
			    spec_value_json(spec, "sys/block/%s/queue/physical_block_size", name));
	json_object_set_new(disk, "write_cache",
			    spec_line_json(spec, "sys/block/%s/queue/write_cache", name));
	json_object_set_new(disk, "removable", flag_json(spec, name, "removable"));
	json_object_set_new(disk, "read_only", flag_json(spec, name, "ro"));
	json_object_set_new(disk, "driver", json_text(driver));
	json_object_set_new(disk, "made_of", slaves_json(spec, name));
	json_object_set_new(disk, "partitions", parts_json(d, name));
	json_array_append_new(d->devices, disk);
	add_line(d, name, model, sectors * SECTOR);
}

/* ---- mounts ---- */

static bool is_pseudo(const char *type)
{
	return mountinfo_is_pseudo(type) || !strcmp(type, "autofs");
}

/* A server that does not answer would hold us for ever. */
static bool is_local(const char *device, const char *type)
{
	static const char *const local[] = {
		"tmpfs", "overlay", "devtmpfs", "ramfs", "btrfs", "zfs"
	};

	if (!strncmp(type, "fuse", 4))
		return false;
	if (!strncmp(device, "/dev/", 5))
		return true;
	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		if (!strcmp(local[i], type))
			return true;
	return false;
}

/* Of the running system only: a saved one has no file systems. */
static void add_use(const struct spec *spec, json_t *mount, const char *device, const char *point,
		    const char *type)
{
	struct statvfs fs;
	bool known = !spec->root[0] && is_local(device, type) && !statvfs(point, &fs) &&
		     fs.f_blocks;
	long long total = known ? (long long)fs.f_blocks * (long long)fs.f_frsize : 0;
	long long left = known ? (long long)fs.f_bavail * (long long)fs.f_frsize : 0;
	long long used = known ? total - (long long)fs.f_bfree * (long long)fs.f_frsize : 0;

	json_object_set_new(mount, "total_bytes", spec_number(known, total));
	json_object_set_new(mount, "used_bytes", spec_number(known, used));
	json_object_set_new(mount, "free_bytes", spec_number(known, left));
	/* as df counts: of what users may have */
	json_object_set_new(mount, "percent_used",
			    known && used + left > 0 ?
				    json_real((double)used * 100 / (double)(used + left)) :
				    json_null());
}

/* "/dev/vda1 /boot ext4 rw,relatime 0 0", as in /proc/mounts */
static json_t *mount_json(const struct spec *spec, char *line)
{
	char *device = strsep(&line, " "), *point = strsep(&line, " ");
	char *type = strsep(&line, " "), *opts = strsep(&line, " ");
	json_t *mount;

	if (!opts || is_pseudo(type))
		return NULL;
	mountinfo_undo_escapes(device);
	mountinfo_undo_escapes(point);
	mount = json_pack("{s:o, s:o, s:o, s:o}", "device", spec_secret(device), "mountpoint",
			  spec_secret(point), "fstype", json_text(type), "opts", spec_secret(opts));
	add_use(spec, mount, device, point, type);
	return mount;
}

static json_t *mounts_json(const struct spec *spec)
{
	json_t *list = json_array(), *mount;
	size_t size;
	char *text = root_read(spec->root, "proc/self/mounts", &size), *rest, *line;

	if (!text)
		text = root_read(spec->root, "proc/mounts", &size);
	rest = text;
	while ((line = spec_next_line(&rest))) {
		mount = mount_json(spec, line);
		if (mount)
			json_array_append_new(list, mount);
	}
	free(text);
	return list;
}

json_t *spec_disk(const struct spec *spec)
{
	struct disks d = { .spec = spec, .devices = json_array(), .lines = json_array() };
	json_t *all;

	spec_each(spec, "sys/block", add_disk, &d);
	all = json_pack("{s:o, s:o, s:o}", "storage_devices", d.lines, "block_devices", d.devices,
			"partitions", mounts_json(spec));
	if (all)
		spec_add_gpus(spec, all);
	return all;
}
