/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the table of processes, and the one place of each path that some process ran. */
#include "analysis/amp/live_processes.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/amp/programs.h"
#include "analysis/common/hash.h"
#include "base/clock.h"

enum {
	MIN_SLOTS = 256,
	LINGER_S = 60, /* until its last requests have completed and its last calls were counted */
};

struct live_process {
	struct live_process *next; /* in its slot */
	uint64_t pid;
	const char *program; /* NULL: not known */
	const char *system;  /* of this program; NULL: none that is known */
	uint64_t ended_ns;   /* 0: it has not */
};

struct live_path {
	struct live_path *next;
	char text[];
};

static bool grow(struct live_processes *p)
{
	uint64_t n_slots = p->n_slots ? 2 * p->n_slots : MIN_SLOTS;
	struct live_process **slots = calloc(n_slots, sizeof(struct live_process *));

	if (!slots)
		return false;
	for (uint64_t i = 0; i < p->n_slots; i++)
		for (struct live_process *process = p->slots[i], *next; process; process = next) {
			uint64_t at = hash_mix(1, process->pid) % n_slots;

			next = process->next;
			process->next = slots[at];
			slots[at] = process;
		}
	free(p->slots);
	p->slots = slots;
	p->n_slots = n_slots;
	return true;
}

static struct live_process *find(const struct live_processes *p, uint64_t pid)
{
	struct live_process *process = p->n_slots ? p->slots[hash_mix(1, pid) % p->n_slots] : NULL;

	while (process && process->pid != pid)
		process = process->next;
	return process;
}

static struct live_process *process_of(struct live_processes *p, uint64_t pid)
{
	struct live_process *process = find(p, pid);

	if (process)
		return process;
	process = p->n < p->n_slots || grow(p) ? calloc(1, sizeof(*process)) : NULL;
	if (!process) {
		p->no_memory = true;
		return NULL;
	}
	process->pid = pid;
	process->next = p->slots[hash_mix(1, pid) % p->n_slots];
	p->slots[hash_mix(1, pid) % p->n_slots] = process;
	p->n++;
	return process;
}

/*
 * Kept until the end, because one program is run again and again: they are as many as there
 * are programs.
 */
static const char *keep_path(struct live_processes *p, const char *text, size_t len)
{
	struct live_path **slot =
		&p->paths[hash_text(1, text, len) % (sizeof(p->paths) / sizeof(p->paths[0]))];
	struct live_path *path;

	for (path = *slot; path; path = path->next)
		if (!strncmp(path->text, text, len) && !path->text[len])
			return path->text;
	path = malloc(sizeof(*path) + len + 1);
	if (!path) {
		p->no_memory = true;
		return NULL;
	}
	memcpy(path->text, text, len);
	path->text[len] = '\0';
	path->next = *slot;
	*slot = path;
	return path->text;
}

void live_processes_take(struct live_processes *p, const struct field *f)
{
	enum programs_event event = programs_event(f);
	struct live_process *process, *parent;

	if (event == PROGRAMS_OTHER)
		return;
	process = process_of(p, f[PROGRAMS_PID].u);
	if (!process)
		return;
	if (event == PROGRAMS_EXIT) {
		p->n_ended += !process->ended_ns;
		process->ended_ns = f[PROGRAMS_MONO].u;
		return;
	}
	/* the number is that of another process by now, if it was one's that has ended */
	p->n_ended -= process->ended_ns != 0;
	process->ended_ns = 0;
	process->system = NULL;
	parent = event == PROGRAMS_FORK ? find(p, f[PROGRAMS_PARENT].u) : NULL;
	process->program = event == PROGRAMS_EXEC ?
				   keep_path(p, f[PROGRAMS_PATH].text, f[PROGRAMS_PATH].len) :
			   parent ? parent->program :
				    NULL;
}

const char *live_processes_program(const struct live_processes *p, uint64_t pid)
{
	const struct live_process *process = find(p, pid);

	return process ? process->program : NULL;
}

static bool is_over(const struct live_process *process, uint64_t now_ns)
{
	return process && process->ended_ns && now_ns > process->ended_ns + LINGER_S * NS_PER_S;
}

bool live_process_is_over(const struct live_processes *p, uint64_t pid, uint64_t now_ns)
{
	return is_over(find(p, pid), now_ns);
}

void live_processes_drop(struct live_processes *p, uint64_t now_ns)
{
	for (uint64_t i = 0; i < p->n_slots; i++)
		for (struct live_process **at = &p->slots[i], *process; (process = *at);) {
			if (!is_over(process, now_ns)) {
				at = &process->next;
				continue;
			}
			*at = process->next;
			free(process);
			p->n--;
			p->n_ended--;
		}
}

void live_process_belongs(struct live_processes *p, uint64_t pid, const char *system)
{
	/* without rows of exec nobody would say when it is to be forgotten */
	struct live_process *process = p->n_slots ? process_of(p, pid) : NULL;

	if (process)
		process->system = system;
}

const char *live_process_system(const struct live_processes *p, uint64_t pid)
{
	const struct live_process *process = find(p, pid);

	return process ? process->system : NULL;
}

void live_processes_free(struct live_processes *p)
{
	for (uint64_t i = 0; i < p->n_slots; i++)
		for (struct live_process *process = p->slots[i], *next; process; process = next) {
			next = process->next;
			free(process);
		}
	for (size_t i = 0; i < sizeof(p->paths) / sizeof(p->paths[0]); i++)
		for (struct live_path *path = p->paths[i], *next; path; path = next) {
			next = path->next;
			free(path);
		}
	free(p->slots);
}
