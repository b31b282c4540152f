/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which program each process runs, from rows of exec in the order of time: what it runs is what
 * was said of it last. Bounded by the processes that run and the programs that there are.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "read/layout.h"

struct live_process;
struct live_path;

/* The zeroed one is empty. */
struct live_processes {
	struct live_process **slots;
	uint64_t n, n_slots;
	uint64_t n_ended; /* of these */
	struct live_path *paths[1024];
	bool no_memory; /* some are missing */
};

/* A row of exec, by programs_columns. */
void live_processes_take(struct live_processes *processes, const struct field *fields);
/* The path of what it runs, which stays; NULL: not known. */
const char *live_processes_program(const struct live_processes *processes, uint64_t pid);
/* It has ended so long before that its last requests have completed. */
bool live_process_is_over(const struct live_processes *processes, uint64_t pid, uint64_t now_ns);
/* Forgets all that are over. */
void live_processes_drop(struct live_processes *processes, uint64_t now_ns);
/*
 * The system that a process was found to belong to, by the name of any thread or its program, in
 * place of one before; NULL: none. The text stays the caller's.
 */
void live_process_belongs(struct live_processes *processes, uint64_t pid, const char *system);
const char *live_process_system(const struct live_processes *processes, uint64_t pid);
void live_processes_free(struct live_processes *processes);
