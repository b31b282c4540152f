/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which mount a path is on. */
#include "analysis/common/host_paths.h"

#include <stdio.h>
#include <string.h>

#include "read/members.h"

void host_paths_read(struct host_paths *paths, const struct read_session *session)
{
	paths->namespaces = json_object_get(session->manifest, "namespaces");
}

/* NULL: nobody looked, as at the namespace of the host. */
static const json_t *mounts_of(const struct host_paths *paths, uint32_t mntns)
{
	const json_t *item;
	size_t i;

	json_array_foreach(paths->namespaces, i, item)
	{
		uint64_t number = 0;

		if (member_number(item, "mntns", &number) && number == mntns)
			return json_object_get(item, "mounts");
	}
	return NULL;
}

/* How much of the path is the mount point; 0: it is not below it. */
static size_t covered(const char *path, size_t len, const char *point)
{
	size_t n = strlen(point);

	if (!strcmp(point, "/"))
		return len && path[0] == '/';
	return n <= len && !memcmp(path, point, n) && (n == len || path[n] == '/') ? n : 0;
}

const char *host_paths_find(struct host_paths *paths, uint32_t mntns, const char *path, size_t len)
{
	const json_t *mount, *mounts = mntns ? mounts_of(paths, mntns) : NULL;
	const char *best = NULL;
	size_t best_n = 0, i;

	json_array_foreach(mounts, i, mount)
	{
		const char *point = member_text(mount, "inside"),
			   *host = member_text(mount, "host");
		size_t n = point ? covered(path, len, point) : 0;

		/* of one place, the mount that came last; null: it is not on the host */
		if (n && n >= best_n) {
			best = host;
			best_n = n;
		}
	}
	if (!best)
		return NULL;
	/* of "/" the slash is the path's */
	best_n -= best_n == 1;
	snprintf(paths->text, sizeof(paths->text), "%s%.*s", best, (int)(len - best_n),
		 path + best_n);
	return paths->text;
}
