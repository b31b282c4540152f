/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the list of loop devices. */
#include "resolve/loops.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "compat/sys/bpf.h"
#include "compat/sys/sys.h"
#include "row/path.h"
#include "row/records.h"

#define KEPT_NS (10 * NS_PER_S)

/* Reads the first line of a device's attribute in sysfs. Returns false when it has no such attribute. */
static bool read_line(const struct loops *loops, const char *name, const char *file,
		      char line[PATH_MAX])
{
	char path[600];
	bool ok;
	FILE *in;

	snprintf(path, sizeof(path), "%.250s/%.250s/%s", loops->root, name, file);
	in = fopen(path, "re");
	if (!in)
		return false;
	ok = fgets(line, PATH_MAX, in) != NULL;
	fclose(in);
	line[ok ? strcspn(line, "\n") : 0] = '\0';
	return ok;
}

/* The disk whose requests the file causes: what has no requests of its own passes them on to others. */
static uint32_t disk_of(const struct disks *disks, uint32_t dev)
{
	const struct disk *disk = disks_find(disks, dev);

	return disk && strncmp(disk->name, "dm-", 3) && strncmp(disk->name, "md", 2) ? disk->whole :
										       0;
}

static uint32_t whole(const struct disks *disks, uint32_t dev)
{
	const struct disk *disk = disks_find(disks, dev);

	return disk ? disk->whole : dev;
}

static struct loop *find(const struct loops *loops, uint32_t dev)
{
	for (size_t i = 0; i < loops->n; i++)
		if (loops->list[i].dev == dev && !loops->list[i].gone)
			return &loops->list[i];
	return NULL;
}

/* A file may be renamed while the device has it. path: NULL where there is none */
static void set_path(struct loop *loop, const char *path)
{
	if (path && loop->path && !strcmp(loop->path, path))
		return;
	free(loop->path);
	loop->path = path ? strdup(path) : NULL;
}

/* That of another file stays behind it for a while. path: of its file, or NULL */
static void put(struct loops *loops, const struct loop *loop, const char *path)
{
	struct loop *slot = find(loops, loop->dev), *grown;

	if (slot && slot->ino == loop->ino && slot->ino_dev == loop->ino_dev) {
		slot->on = loop->on;
		slot->seen_ns = loop->seen_ns;
		set_path(slot, path);
		return;
	}
	if (loops->n == loops->room) {
		grown = realloc(loops->list, (loops->room * 2 + 16) * sizeof(*loops->list));
		if (!grown)
			return;
		loops->list = grown;
		loops->room = loops->room * 2 + 16;
	}
	memmove(loops->list + 1, loops->list, loops->n++ * sizeof(*loops->list));
	loops->list[0] = *loop;
	set_path(&loops->list[0], path);
}

/* Nothing has its path any more, or another file. */
static bool is_removed(const struct loop *loop)
{
	struct iot_statx st;
	int err;

	if (!loop->path)
		return false;
	err = sys_statx(AT_FDCWD, loop->path, &st);
	return err == -ENOENT || (!err && st.ino != loop->ino);
}

static bool read_dev(const struct loops *loops, const char *name, uint32_t *dev)
{
	unsigned major, minor;
	char line[PATH_MAX];

	if (!read_line(loops, name, "dev", line) || sscanf(line, "%u:%u", &major, &minor) != 2)
		return false;
	*dev = major << 20 | minor;
	return true;
}

/* The file was removed while the device has it: what was known of it stays right. */
static void keep_nameless(struct loops *loops, uint32_t dev, char *path)
{
	struct loop *loop = find(loops, dev);

	if (loop && path_deleted_mark(path))
		loop->seen_ns = loops->read_ns;
}

static void look_at(struct loops *loops, const struct loops_host *host, const char *name)
{
	struct loop loop = { .seen_ns = loops->read_ns };
	const struct mount_point *mount;
	char line[PATH_MAX];
	struct iot_statx st;

	if (!read_dev(loops, name, &loop.dev))
		return;
	if (!read_line(loops, name, "loop/backing_file", line))
		return;
	if (sys_statx(AT_FDCWD, line, &st)) {
		keep_nameless(loops, loop.dev, line);
		return;
	}
	if (S_ISBLK(st.mode)) {
		loop.on = disk_of(host->disks, st.rdev_major << 20 | st.rdev_minor);
	} else {
		loop.ino = st.ino;
		loop.ino_dev = st.dev_major << 20 | st.dev_minor;
		loop.on = disk_of(host->disks, loop.ino_dev);
		/* stat gives each subvolume a device of its own */
		mount = mounts_of_path(host->mounts, line);
		if (mount && !strcmp(mount->type, "btrfs"))
			loop.ino_dev = mount->dev;
	}
	put(loops, &loop, S_ISBLK(st.mode) ? NULL : line);
}

/* The device mapper and md have no requests of their own: what is on them is on the loop device below. */
static void look_below(struct loops *loops, const struct loops_host *host, const char *name)
{
	struct loop on_top = { .seen_ns = loops->read_ns };
	const struct loop *below;
	char path[600], slave[600];
	struct dirent *entry;
	uint32_t dev;
	DIR *dir;

	snprintf(path, sizeof(path), "%.250s/%.250s/slaves", loops->root, name);
	dir = read_dev(loops, name, &on_top.dev) ? opendir(path) : NULL;
	while (dir && (entry = readdir(dir))) {
		snprintf(slave, sizeof(slave), "%.250s/slaves/%.250s", name, entry->d_name);
		below = entry->d_name[0] != '.' && read_dev(loops, slave, &dev) ?
				find(loops, whole(host->disks, dev)) :
				NULL;
		if (!below)
			continue;
		on_top.on = below->on;
		put(loops, &on_top, NULL);
		break;
	}
	if (dir)
		closedir(dir);
}

static void look_at_all(struct loops *loops, const struct loops_host *host, const char *prefix,
			void (*look)(struct loops *loops, const struct loops_host *host,
				     const char *name))
{
	DIR *dir = opendir(loops->root);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, prefix, strlen(prefix)))
			look(loops, host, entry->d_name);
	if (dir)
		closedir(dir);
}

void loops_look(struct loops *loops, const struct loops_host *host, uint64_t age_ns)
{
	uint64_t now = mono_ns();

	if (now - loops->read_ns < age_ns)
		return;
	loops->read_ns = now;
	look_at_all(loops, host, "loop", look_at);
	if (loops->n) {
		look_at_all(loops, host, "dm-", look_below);
		look_at_all(loops, host, "md", look_below);
	}
	for (size_t i = 0; i < loops->n; i++) {
		struct loop *loop = &loops->list[i];

		loop->gone = now - loop->seen_ns > KEPT_NS ||
			     (loop->seen_ns != now && is_removed(loop));
	}
}

void loops_close(struct loops *loops)
{
	for (size_t i = 0; i < loops->n; i++)
		free(loops->list[i].path);
	free(loops->list);
	*loops = (struct loops){ .root = loops->root };
}

bool loops_has(const struct loops *loops, uint32_t dev)
{
	return find(loops, dev);
}

bool loops_has_file(const struct loops *loops, uint64_t ino, uint32_t ino_dev)
{
	for (size_t i = 0; ino && i < loops->n; i++)
		if (loops->list[i].ino == ino && loops->list[i].ino_dev == ino_dev &&
		    !loops->list[i].gone)
			return true;
	return false;
}

bool loops_is_below(const struct loops *loops, const struct disks *disks, uint32_t file_dev,
		    uint32_t disk)
{
	const struct loop *loop;

	/* mostly it is that disk itself, or there is none */
	if (!loops->n || file_dev == disk)
		return false;
	file_dev = whole(disks, file_dev);
	loop = find(loops, file_dev);
	return loop && file_dev != disk && (loop->on ? loop->on == disk : !find(loops, disk));
}

static void fill(int map_fd, const struct iot_inode *key, uint32_t value, bool gone)
{
	if (gone)
		bpf_map_remove(map_fd, key);
	else
		bpf_map_put(map_fd, key, &value);
}

/* Those that are gone first: what they say may be said again of another. */
void loops_fill(struct loops *loops, int map_fd)
{
	size_t n = 0;

	for (int gone = 1; gone >= 0 && map_fd >= 0; gone--)
		for (const struct loop *loop = loops->list; loop < loops->list + loops->n; loop++) {
			if (loop->gone != gone)
				continue;
			fill(map_fd, &(struct iot_inode){ .dev = loop->dev }, loop->on, gone);
			if (loop->ino)
				fill(map_fd, &(struct iot_inode){ loop->ino, loop->ino_dev }, 0,
				     gone);
		}
	for (size_t i = 0; i < loops->n; i++)
		if (loops->list[i].gone)
			free(loops->list[i].path);
		else
			loops->list[n++] = loops->list[i];
	loops->n = n;
}
