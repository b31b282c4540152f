/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the members of tasks are, of living ones and of one that has exited. */
#pragma once

#include "compat/learn/learn_object.h"

/* For the calling process, in one of up to LEARN_MAX_ROUNDS rounds. */
void learn_namespaces(struct learn *learn, unsigned round);
void learn_task(struct learn *learn, unsigned round);

/* Of the round's process, which has exited and is not waited for yet; it is then. */
bool learn_end(struct learn *learn, unsigned round, int pid);

bool learn_stat(uint64_t numbers[LEARN_STAT_MAX + 1], const char *path);
bool learn_read_task(struct learn *learn,
		     struct learn_object *task); /* struct task_struct of learn->task */
