/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which group is meant by a name. */
#include "resolve/container_group.h"

#include <stdio.h>
#include <string.h>

#include "resolve/containers.h"

struct look {
	struct container_search *search;
	size_t above;      /* length of the path of the hierarchy */
	char found[4096];  /* "": none yet */
	bool lists_others; /* no container has the name: what there is, is listed */
};

static void add_name(struct container_search *search, const char *name)
{
	size_t used = strlen(search->names);

	snprintf(search->names + used, sizeof(search->names) - used, "%s%s", used ? ", " : "",
		 name);
}

/* The group that is meant: of a pod, all of its containers. */
static size_t end_of(const struct container_path *path, const struct container_names *names,
		     const char *called)
{
	return path->pod_own && !strcmp(names->pod, called) ? path->pod_own : path->own;
}

static void count(void *arg, uint32_t pid)
{
	(void)pid;
	++*(unsigned *)arg;
}

/* A runtime that failed may leave a group behind. */
static bool is_empty(const char *dir)
{
	struct cgroup group = { .unified = false };
	unsigned n = 0;

	snprintf(group.path, sizeof(group.path), "%s", dir);
	cgroup_each(&group, count, &n);
	return !n;
}

static void see(void *arg, const char *dir)
{
	struct look *look = arg;
	struct container_search *search = look->search;
	const char *group = dir + look->above;
	char text[CONTAINER_SHOWN], own[4096];
	struct container_names names;
	struct container_path path;

	container_path_parse(group, &path);
	/* below a container there are its own groups */
	if (path.kind == CONTAINER_NONE || group[path.own] || is_empty(dir))
		return;
	container_files_read(search->files, &path, &names);
	container_shown(&names, &path, text, sizeof(text));
	if (look->lists_others)
		add_name(search, text);
	else if (container_is_called(&names, &path, search->called)) {
		snprintf(own, sizeof(own), "%.*s",
			 (int)(look->above + end_of(&path, &names, search->called)), dir);
		/* containers of one pod come one after the other, and are one group */
		if (!strcmp(own, look->found))
			return;
		search->n++;
		add_name(search, text);
		snprintf(look->found, sizeof(look->found), "%s", own);
	}
}

static void walk(struct look *look, const char *hierarchy)
{
	char root[4096];

	look->above = (size_t)snprintf(root, sizeof(root), "%s/%s", look->search->cgroups,
				       hierarchy);
	/* without the last slash, which begins the group's path */
	root[--look->above] = '\0';
	cgroup_walk(root, see, look);
}

/*
 * Hierarchies have the same groups mostly: the first that has any is enough. With two of a name it is not
 * guessed which one is meant.
 */
bool container_find_group(struct container_search *search, struct cgroup *group)
{
	struct look look = { .search = search };
	/* where the root has hierarchies, its own directories are no groups */
	const char *const *first = cgroup_hierarchies + !cgroup_is_unified(search->cgroups);

	search->n = 0;
	search->names[0] = '\0';
	for (const char *const *in = first; *in && !search->n; in++)
		walk(&look, *in);
	if (search->n == 1)
		return cgroup_find(group, search->cgroups, look.found);
	look.lists_others = !search->n;
	for (const char *const *in = first; look.lists_others && *in && !search->names[0]; in++)
		walk(&look, *in);
	return false;
}
