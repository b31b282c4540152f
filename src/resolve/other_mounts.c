/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns for how long a table is believed. */
#include "resolve/other_mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

/* A table of a thousand mounts takes a millisecond to read */
#define KEPT_NS 100000000ULL

int mountinfo_of_process(struct mountinfo *theirs, const char *proc, uint32_t tgid)
{
	char name[4200];
	int fd, err;

	*theirs = (struct mountinfo){ 0 };
	snprintf(name, sizeof(name), "%s/%u/mountinfo", proc, tgid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = mountinfo_read(theirs, fd);
	close(fd);
	return err;
}

void other_mounts_free(struct other_mounts *others)
{
	for (int i = 0; i < OTHER_MOUNTS_KEPT; i++)
		mountinfo_free(&others->kept[i].table);
	*others = (struct other_mounts){ 0 };
}

uint32_t mntns_of_process(const char *proc, uint32_t tgid)
{
	char name[4200];
	struct stat st;

	snprintf(name, sizeof(name), "%s/%u/ns/mnt", proc, tgid);
	return stat(name, &st) ? 0 : st.st_ino;
}

static struct other_mounts_of *kept_of(struct other_mounts *others, uint32_t mntns)
{
	for (int i = 0; i < OTHER_MOUNTS_KEPT; i++)
		if (others->kept[i].mntns == mntns)
			return &others->kept[i];
	return NULL;
}

/* Where the last one was, when the namespace is not among them. */
static struct other_mounts_of *read_again(struct other_mounts *others, const char *proc,
					  uint32_t tgid, uint32_t mntns)
{
	struct other_mounts_of *of = kept_of(others, mntns);

	if (!of)
		of = &others->kept[others->next++ % OTHER_MOUNTS_KEPT];
	mountinfo_free(&of->table);
	of->mntns = 0;
	if (mountinfo_of_process(&of->table, proc, tgid))
		return NULL;
	of->mntns = mntns;
	of->read_at = mono_ns();
	return of;
}

static struct other_mounts_of *known_of(struct other_mounts *others, const char *proc,
					uint32_t tgid, uint32_t mntns)
{
	struct other_mounts_of *of = kept_of(others, mntns);

	return of && mono_ns() - of->read_at < KEPT_NS ? of : read_again(others, proc, tgid, mntns);
}

const struct mountinfo *other_mounts_of(struct other_mounts *others, const char *proc,
					uint32_t tgid)
{
	uint32_t mntns = mntns_of_process(proc, tgid);
	struct other_mounts_of *of = mntns ? known_of(others, proc, tgid, mntns) : NULL;

	return of ? &of->table : NULL;
}

const struct mount_point *other_mounts_id(struct other_mounts *others, const char *proc,
					  uint32_t tgid, uint32_t id)
{
	uint32_t mntns = mntns_of_process(proc, tgid);
	struct other_mounts_of *of = mntns ? known_of(others, proc, tgid, mntns) : NULL;
	const struct mount_point *m = of ? mountinfo_of_id(&of->table, id) : NULL;

	if (m || !of)
		return m;
	of = read_again(others, proc, tgid, mntns);
	return of ? mountinfo_of_id(&of->table, id) : NULL;
}
