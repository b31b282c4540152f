/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In which container a process was when, from the rows of exec and the snapshots of processes. */
#pragma once

#include "analysis/common/history.h"
#include "analysis/common/interned.h"

/* All zero is empty. */
struct process_containers {
	struct history seen; /* the first member */
	struct interned names;
	bool recorded; /* some row has the column */
};

/* In no container, and not known: these are the names' own places, too. */
extern const char process_containers_host[], process_containers_unknown[];

/*
 * Replaces what is there. Returns 0 or -errno, reported; to be freed in any case. Where they are not recorded, the first
 * has none and the second reports -ENOENT.
 */
int process_containers_look(struct process_containers *containers,
			    const struct read_session *session);
int process_containers_read(struct process_containers *containers,
			    const struct read_session *session);
/* Its name; the same container has one place. NULL: nothing was read. */
const char *process_containers_find(const struct process_containers *containers, uint64_t pid,
				    uint64_t mono_ns);
void process_containers_free(struct process_containers *containers);

/* "namespace/pod/name" is called so, "namespace/pod" and "name". */
bool process_container_is(const char *name, const char *called);
