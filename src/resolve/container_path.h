/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the path of a control group says about the container that it was made for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum container_kind {
	CONTAINER_NONE,
	CONTAINER_ANY, /* an id, by which each runtime has to be asked */
	CONTAINER_DOCKER,
	CONTAINER_CONTAINERD,
	CONTAINER_CRIO,
	CONTAINER_PODMAN,
	CONTAINER_NAMED, /* LXC, systemd-nspawn: name is what people call it */
};

enum { CONTAINER_ID_DIGITS = 64 };

struct container_path {
	enum container_kind kind;
	char name[256]; /* 64 digits, or the name */
	char pod[80];   /* the id of its pod; "": none */
	uint32_t uid;   /* of the user whose runtime it is, without root; 0: the system's */
	size_t own;     /* the length of the path up to its own group */
	size_t pod_own; /* and up to the group of its pod; 0: none */
};

/* The innermost container of the path; CONTAINER_NONE: none. */
void container_path_parse(const char *cgroup, struct container_path *out);
