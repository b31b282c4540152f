/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "compat/sys/root.h"
#include "resolve/containers.h"

/* Each runtime has to read what the tree has of this container. */
static void read_as(const char *root, struct container_path path, enum container_kind kind)
{
	struct container_names names;

	path.kind = kind;
	container_files_read(root, &path, &names);
	FUZZ_CLAIM(memchr(names.name, '\0', sizeof(names.name)));
	FUZZ_CLAIM(memchr(names.pod, '\0', sizeof(names.pod)));
	FUZZ_CLAIM(memchr(names.image, '\0', sizeof(names.image)));
	container_is_called(&names, &path, path.name);
}

/* The file "cgroup" of the tree is that of /proc/PID. */
void fuzz_containers(const uint8_t *data, size_t size)
{
	const char *root = fuzz_tree(data, size);
	struct containers *containers = containers_open(root);
	const struct container *container;
	struct container_path path;
	size_t len;
	char group[4096], *text = root_read(root, "cgroup", &len);

	if (text)
		containers_group(text, group, sizeof(group));
	else
		strcpy(group, "/docker/");
	free(text);
	container_path_parse(group, &path);
	FUZZ_CLAIM(path.own <= strlen(group) && path.pod_own <= strlen(group));
	FUZZ_CLAIM((path.kind == CONTAINER_NONE) == !path.own);
	container = containers_find(containers, group);
	FUZZ_CLAIM(!container == (path.kind == CONTAINER_NONE));
	FUZZ_CLAIM(!container || container->name);
	for (int kind = CONTAINER_ANY; kind <= CONTAINER_PODMAN; kind++)
		if (path.kind != CONTAINER_NONE && path.kind != CONTAINER_NAMED)
			read_as(root, path, kind);
	containers_close(containers);
}
