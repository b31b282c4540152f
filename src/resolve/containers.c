/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what was looked up, and when it is looked up again. */
#include "resolve/containers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fnv.h"

enum {
	BUCKETS = 1024,
	MAX_GROUPS = 8192, /* more at one time are no machine's: all are looked up again */
	MAX_LOOKS = 3,     /* a runtime may write its files after it made the group */
	ID_SHOWN = 12,     /* digits, as docker ps and podman ps show them */
};

struct group {
	struct group *next;
	struct container container;
	struct container_path path;
	uint64_t looked_ns;
	unsigned looks;
	bool named;
	char text[]; /* up to the container's own group */
};

struct containers {
	const char *root;
	struct group *buckets[BUCKETS];
	unsigned n;
};

/* ---- names ---- */

static void set(struct path **at, const char *text)
{
	path_put(*at);
	*at = text[0] ? path_new(text, strlen(text), 0) : NULL;
}

static void put(struct container *c)
{
	path_put(c->name);
	path_put(c->pod);
	path_put(c->image);
	path_put(c->id);
}

void container_shown(const struct container_names *names, const struct container_path *path,
		     char *out, size_t size)
{
	bool is_kubernetes = strchr(names->pod, '/') && names->name[0];
	int shown = path->kind == CONTAINER_NAMED ? (int)sizeof(path->name) : ID_SHOWN;

	if (is_kubernetes)
		snprintf(out, size, "%s/%s", names->pod, names->name);
	else if (names->name[0])
		snprintf(out, size, "%s", names->name);
	else
		snprintf(out, size, "%.*s", shown, path->name);
}

/* A name that is found is not looked up again; without one the id is shown, and the time is kept for the next look. */
static void look(const struct containers *containers, struct group *group)
{
	struct container_names names;
	char text[CONTAINER_SHOWN];

	container_files_read(containers->root, &group->path, &names);
	group->looks++;
	group->looked_ns = mono_ns();
	group->named = names.name[0] || group->path.kind == CONTAINER_NAMED;
	container_shown(&names, &group->path, text, sizeof(text));
	set(&group->container.name, text);
	set(&group->container.pod, names.pod[0] ? names.pod : group->path.pod);
	set(&group->container.image, names.image);
	set(&group->container.id, group->path.name);
}

/* ---- groups ---- */

struct containers *containers_open(const char *root)
{
	struct containers *containers = calloc(1, sizeof(*containers));

	if (containers)
		containers->root = root;
	return containers;
}

static void forget(struct containers *containers)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		while (containers->buckets[i]) {
			struct group *group = containers->buckets[i];

			containers->buckets[i] = group->next;
			put(&group->container);
			free(group);
		}
	containers->n = 0;
}

void containers_close(struct containers *containers)
{
	if (!containers)
		return;
	forget(containers);
	free(containers);
}

static unsigned bucket_of(const char *text, size_t len)
{
	return fnv_32(FNV_32, text, len) % BUCKETS;
}

static struct group *add(struct containers *containers, const char *text,
			 const struct container_path *path)
{
	struct group *group = calloc(1, sizeof(*group) + path->own + 1), **at;

	if (!group)
		return NULL;
	if (containers->n >= MAX_GROUPS)
		forget(containers);
	memcpy(group->text, text, path->own);
	group->path = *path;
	at = &containers->buckets[bucket_of(text, path->own)];
	group->next = *at;
	*at = group;
	containers->n++;
	return group;
}

const struct container *containers_find(struct containers *containers, const char *cgroup)
{
	struct container_path path;
	struct group *group;

	container_path_parse(cgroup, &path);
	if (path.kind == CONTAINER_NONE)
		return NULL;
	group = containers->buckets[bucket_of(cgroup, path.own)];
	while (group && (strncmp(group->text, cgroup, path.own) != 0 || group->text[path.own]))
		group = group->next;
	if (!group)
		group = add(containers, cgroup, &path);
	if (group && !group->named &&
	    (!group->looks ||
	     (group->looks < MAX_LOOKS && mono_ns() - group->looked_ns >= NS_PER_S)))
		look(containers, group);
	return group && group->looks ? &group->container : NULL;
}

bool container_is_called(const struct container_names *names, const struct container_path *path,
			 const char *called)
{
	char text[CONTAINER_SHOWN];
	size_t len = strlen(called);

	container_shown(names, path, text, sizeof(text));
	return !strcmp(text, called) || !strcmp(names->name, called) ||
	       (names->pod[0] && !strcmp(names->pod, called)) ||
	       (len >= ID_SHOWN && !strncmp(path->name, called, len));
}

/* ---- /proc/PID/cgroup ---- */

uint32_t containers_group(char *text, char *out, size_t size)
{
	char *rest = text, *line;
	uint32_t hierarchy = 0;
	int best = -1;

	out[0] = '\0';
	while ((line = strsep(&rest, "\n")) && *line) {
		char *colon = strchr(line, ':'), *path = colon ? strchr(colon + 1, ':') : NULL;
		struct container_path parsed;
		int rank;

		if (!path++)
			continue;
		container_path_parse(path, &parsed);
		/* "0::/path" is of version 2 */
		rank = parsed.kind != CONTAINER_NONE  ? 3 :
		       !strcmp(path, "/") || !path[0] ? 0 :
		       path - colon == 2              ? 2 :
							1;
		/* of equal ones the first: the kernel writes the hierarchies in one order */
		if (rank <= best)
			continue;
		best = rank;
		hierarchy = (uint32_t)strtoul(line, NULL, 10);
		snprintf(out, size, "%s", path);
	}
	return hierarchy;
}
