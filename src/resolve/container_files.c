/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns where each runtime has its files, and what it calls a name there. Keeps nothing. */
#include "resolve/container_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/sys/root.h"

/* More is no list of containers: 3,000 of podman have 4 MB. */
#define MAX_FILE (8 << 20)

struct lookup {
	const char *root;
	const struct container_path *path;
	struct container_names *names;
	char home[PATH_MAX / 2]; /* of the user whose runtime it is, without the first slash; "" */
};

/* What is not there, too large or no JSON has no names: rows then show the id. */
static json_t *load(const char *root, const char *path)
{
	int fd = root_open(root, path);
	struct stat st;
	json_t *json = NULL;
	char *text;
	ssize_t n;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && st.st_size > 0 && st.st_size <= MAX_FILE) {
		text = malloc((size_t)st.st_size);
		n = text ? read(fd, text, (size_t)st.st_size) : -1;
		if (n > 0)
			json = json_loadb(text, (size_t)n, 0, NULL);
		free(text);
	}
	close(fd);
	return json;
}

/* The first answer stays: callers ask for the best one first. */
static void copy(char *out, size_t size, const char *text)
{
	if (text && text[0] && !out[0])
		snprintf(out, size, "%s", text);
}

/* ---- annotations and labels ---- */

/* The first of these that is there */
static const char *first_of(const json_t *map, const char *const *keys)
{
	const char *text = NULL;

	for (; *keys && !(text && text[0]); keys++)
		text = json_string_value(json_object_get(map, *keys));
	return text;
}

/* What Kubernetes, or nerdctl, has a runtime write down */
static bool take_annotations(const json_t *map, struct container_names *names)
{
	/* what containerd writes for Kubernetes, the kubelet (with Docker and CRI-O), and nerdctl */
	static const char *const container[] = { "io.kubernetes.cri.container-name",
						 "io.kubernetes.container.name", "nerdctl/name",
						 NULL };
	static const char *const pod[] = { "io.kubernetes.cri.sandbox-name",
					   "io.kubernetes.pod.name", NULL };
	static const char *const space[] = { "io.kubernetes.cri.sandbox-namespace",
					     "io.kubernetes.pod.namespace", NULL };
	static const char *const image[] = { "io.kubernetes.cri.image-name",
					     "io.kubernetes.cri-o.ImageName",
					     "io.kubernetes.cri-o.Image", NULL };
	const char *in = first_of(map, space), *of = first_of(map, pod);

	copy(names->name, sizeof(names->name), first_of(map, container));
	copy(names->image, sizeof(names->image), first_of(map, image));
	if (of && of[0] && !names->pod[0])
		snprintf(names->pod, sizeof(names->pod), "%s%s%s", in ? in : "", in ? "/" : "", of);
	/* the container that holds a pod's namespaces, as Docker and CRI-O call it */
	if (names->pod[0])
		copy(names->name, sizeof(names->name), "POD");
	return names->name[0];
}

/* A bundle of the Open Container Initiative */
static bool take_bundle(const struct lookup *lookup, const char *path)
{
	json_t *config = load(lookup->root, path);
	bool found = take_annotations(json_object_get(config, "annotations"), lookup->names);

	json_decref(config);
	return found;
}

/* ---- Docker ---- */

static bool ask_docker_in(const struct lookup *lookup, const char *data)
{
	char path[PATH_MAX];
	struct container_names *names = lookup->names;
	const json_t *settings;
	const char *name;
	json_t *config;

	snprintf(path, sizeof(path), "%s/containers/%s/config.v2.json", data, lookup->path->name);
	config = load(lookup->root, path);
	if (!config)
		return false;
	settings = json_object_get(config, "Config");
	/* of Kubernetes, the label is shorter than the name */
	take_annotations(json_object_get(settings, "Labels"), names);
	name = json_string_value(json_object_get(config, "Name"));
	copy(names->name, sizeof(names->name), name ? name + strspn(name, "/") : NULL);
	copy(names->image, sizeof(names->image),
	     json_string_value(json_object_get(settings, "Image")));
	json_decref(config);
	return names->name[0];
}

/* Where the daemon is configured to have its data, where packages have it, and where a user's own has it. */
static bool ask_docker(const struct lookup *lookup)
{
	json_t *settings = load(lookup->root, "etc/docker/daemon.json");
	const char *data = json_string_value(json_object_get(settings, "data-root"));
	char own[PATH_MAX];
	bool found;

	found = (data && ask_docker_in(lookup, data)) || ask_docker_in(lookup, "var/lib/docker") ||
		ask_docker_in(lookup, "var/snap/docker/common/var-lib-docker");
	json_decref(settings);
	if (found || !lookup->home[0])
		return found;
	snprintf(own, sizeof(own), "%s/.local/share/docker", lookup->home);
	return ask_docker_in(lookup, own);
}

/* ---- containerd ---- */

/* dir: a folder for each of its namespaces */
static bool ask_tasks(const struct lookup *lookup, const char *dir)
{
	char real[PATH_MAX], path[PATH_MAX];
	const struct dirent *entry;
	bool found = false;
	DIR *in;

	if (root_resolve(lookup->root, dir, real))
		return false;
	in = opendir(real);
	while (in && !found && (entry = readdir(in)))
		if (entry->d_name[0] != '.' &&
		    snprintf(path, sizeof(path), "%s/%s/%s/config.json", dir, entry->d_name,
			     lookup->path->name) < (int)sizeof(path))
			found = take_bundle(lookup, path);
	if (in)
		closedir(in);
	return found;
}

static bool ask_containerd(const struct lookup *lookup)
{
	/* of containerd itself, k3s and microk8s; the last is that of shims before version 2 */
	static const char *const dirs[] = {
		"run/containerd/io.containerd.runtime.v2.task",
		"run/k3s/containerd/io.containerd.runtime.v2.task",
		"var/snap/microk8s/common/run/containerd/io.containerd.runtime.v2.task",
		"run/containerd/io.containerd.runtime.v1.linux",
	};
	bool found = false;

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]) && !found; i++)
		found = ask_tasks(lookup, dirs[i]);
	return found;
}

/* ---- podman and CRI-O: what containers/storage keeps ---- */

/* "metadata" is a text that is JSON itself. */
static bool take_stored(const struct lookup *lookup, const json_t *container)
{
	struct container_names *names = lookup->names;
	const char *text = json_string_value(json_object_get(container, "metadata"));
	const char *name =
		json_string_value(json_array_get(json_object_get(container, "names"), 0));
	json_t *more = text ? json_loads(text, 0, NULL) : NULL;

	copy(names->name, sizeof(names->name), name);
	copy(names->name, sizeof(names->name), json_string_value(json_object_get(more, "name")));
	copy(names->image, sizeof(names->image),
	     json_string_value(json_object_get(more, "image-name")));
	json_decref(more);
	return names->name[0];
}

static bool ask_list(const struct lookup *lookup, const char *path)
{
	json_t *list = load(lookup->root, path);
	const json_t *container;
	bool found = false;
	size_t i;

	json_array_foreach(list, i, container)
	{
		const char *id = json_string_value(json_object_get(container, "id"));

		if (!found && id && !strcmp(id, lookup->path->name))
			found = take_stored(lookup, container);
	}
	json_decref(list);
	return found;
}

static bool ask_storage(const struct lookup *lookup, const char *storage)
{
	static const char *const drivers[] = { "overlay", "vfs", "btrfs", "zfs" };
	static const char *const lists[] = { "containers.json", "volatile-containers.json" };
	const char *id = lookup->path->name;
	char path[PATH_MAX];
	bool found = false;

	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]) && !found; i++) {
		/* of CRI-O: Kubernetes' names, which are not those of the storage */
		snprintf(path, sizeof(path), "%s/%s-containers/%s/userdata/config.json", storage,
			 drivers[i], id);
		found = take_bundle(lookup, path);
		for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]) && !found; k++) {
			snprintf(path, sizeof(path), "%s/%s-containers/%s", storage, drivers[i],
				 lists[k]);
			found = ask_list(lookup, path);
		}
	}
	return found;
}

/* A line of TOML: graphroot = "/path" */
static void find_graph_root(void *arg, char *line)
{
	char *at = line + strspn(line, " \t");

	if (strncmp(at, "graphroot", 9) != 0)
		return;
	at += 9;
	at += strspn(at, " \t=\"");
	at[strcspn(at, "\"")] = '\0';
	snprintf(arg, PATH_MAX / 2, "%s", at);
}

static bool ask_storages(const struct lookup *lookup)
{
	char given[PATH_MAX / 2] = "", own[PATH_MAX];

	if (lookup->home[0]) {
		snprintf(own, sizeof(own), "%s/.local/share/containers/storage", lookup->home);
		/* a user's containers are in none of the system's lists */
		return ask_storage(lookup, own);
	}
	root_each_line(lookup->root, "etc/containers/storage.conf", find_graph_root, given);
	return (given[0] && ask_storage(lookup, given)) ||
	       ask_storage(lookup, "var/lib/containers/storage") ||
	       ask_storage(lookup, "run/containers/storage");
}

/* ---- whom to ask ---- */

/* "name:x:1000:1000:Full Name:/home/name:/bin/sh"; no other source is asked, which may be remote. */
static void find_home(void *arg, char *line)
{
	struct lookup *lookup = arg;
	char *rest = line, *fields[6] = { NULL };

	for (int i = 0; i < 6; i++)
		fields[i] = strsep(&rest, ":");
	if (fields[2] && fields[5] && strtoul(fields[2], NULL, 10) == lookup->path->uid)
		snprintf(lookup->home, sizeof(lookup->home), "%s",
			 fields[5] + strspn(fields[5], "/"));
}

void container_files_read(const char *root, const struct container_path *path,
			  struct container_names *names)
{
	struct lookup lookup = { .root = root, .path = path, .names = names };

	*names = (struct container_names){ .name = "" };
	if (path->kind == CONTAINER_NONE || path->kind == CONTAINER_NAMED)
		return;
	if (path->uid)
		root_each_line(root, "etc/passwd", find_home, &lookup);
	switch (path->kind) {
	case CONTAINER_DOCKER:
		ask_docker(&lookup);
		break;
	case CONTAINER_CONTAINERD:
		ask_containerd(&lookup);
		break;
	case CONTAINER_CRIO:
	case CONTAINER_PODMAN:
		ask_storages(&lookup);
		break;
	default:
		/* an id alone may be of any of them */
		if (!ask_docker(&lookup) && !ask_containerd(&lookup))
			ask_storages(&lookup);
	}
}
