/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what a cell has beside sums (files_columns.c), and how that of two becomes one. */
#include "analysis/files/files_cell.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_PIDS = 4 };

/* ---- errors ---- */

bool files_cell_error(struct files_cell *cell, const struct files_error *error)
{
	struct files_error *errors = cell->errors;

	for (unsigned i = 0; i < cell->n_errors; i++)
		if (errors[i].call == error->call && errors[i].number == error->number) {
			errors[i].count += error->count;
			return true;
		}
	/* grows by a power of two */
	if ((cell->n_errors & (cell->n_errors - 1)) == 0) {
		errors = realloc(errors,
				 (cell->n_errors ? 2 * cell->n_errors : 1) * sizeof(*errors));
		if (!errors)
			return false;
		cell->errors = errors;
	}
	errors[cell->n_errors++] = *error;
	return true;
}

/* ---- who ---- */

static bool add_pid(uint32_t *pids, uint32_t max, uint32_t pid)
{
	uint32_t at = pid * 2654435769u & (max - 1);

	while (pids[at] && pids[at] != pid)
		at = (at + 1) & (max - 1);
	if (pids[at])
		return false;
	pids[at] = pid;
	return true;
}

static bool grow_pids(struct files_cell *cell)
{
	uint32_t max = cell->max_pids ? 2 * cell->max_pids : FIRST_PIDS;
	uint32_t *pids = calloc(max, sizeof(*pids));

	if (!pids)
		return false;
	for (uint32_t i = 0; i < cell->max_pids; i++)
		if (cell->pids[i])
			add_pid(pids, max, cell->pids[i]);
	free(cell->pids);
	cell->pids = pids;
	cell->max_pids = max;
	return true;
}

bool files_cell_pid(struct files_cell *cell, uint32_t pid)
{
	if (pid == cell->last_pid && pid)
		return true;
	cell->last_pid = pid;
	if (!pid) {
		cell->n_pids += !cell->pid_0;
		cell->pid_0 = true;
		return true;
	}
	if (4 * cell->n_pids >= 3 * cell->max_pids && !grow_pids(cell))
		return false;
	cell->n_pids += add_pid(cell->pids, cell->max_pids, pid);
	return true;
}

void files_cell_command(struct files_cell *cell, const char *name, uint64_t first_ns)
{
	struct files_command *commands = cell->commands, found = { name, first_ns };
	unsigned n = 0, at;

	/* a name that is there goes to the place of its earliest time */
	while (n < FILES_COMMANDS && commands[n].name)
		n++;
	for (at = 0; at < n && strcmp(commands[at].name, name);)
		at++;
	if (at < n && commands[at].first_ns <= first_ns)
		return;
	if (at == n && n == FILES_COMMANDS) {
		cell->more_commands = true;
		if (commands[n - 1].first_ns <= first_ns)
			return;
		at = n - 1;
	}
	while (at > 0 && commands[at - 1].first_ns > first_ns) {
		commands[at] = commands[at - 1];
		at--;
	}
	commands[at] = found;
}

/* ---- joining ---- */

static uint32_t map_tag(void *arg, uint32_t tag)
{
	const uint8_t *calls = arg;
	unsigned call = tag & 0xff;

	return (tag & ~0xffu) | (call == FILES_NO_CALL ? call : calls[call]);
}

static bool join_who(struct files_cell *cell, const struct files_cell *other)
{
	for (unsigned i = 0; i < FILES_COMMANDS && other->commands[i].name; i++)
		files_cell_command(cell, other->commands[i].name, other->commands[i].first_ns);
	cell->more_commands |= other->more_commands;
	cell->n_pids += other->pid_0 && !cell->pid_0;
	cell->pid_0 |= other->pid_0;
	for (uint32_t i = 0; i < other->max_pids; i++)
		if (other->pids[i] && !files_cell_pid(cell, other->pids[i]))
			return false;
	return true;
}

bool files_cell_join(struct files_cell *cell, const struct files_cell *other,
		     const uint8_t calls[256], bool histogram)
{
	for (unsigned i = 0; i < other->n_errors; i++) {
		struct files_error error = other->errors[i];

		error.call = calls[error.call];
		if (!files_cell_error(cell, &error))
			return false;
	}
	return join_who(cell, other) &&
	       (!histogram ||
		histogram_join(&cell->histogram, &other->histogram, map_tag, (void *)calls));
}

uint64_t files_cell_bytes(const struct files_cell *cell)
{
	enum { HEAD = 16 };
	const struct histogram *h = &cell->histogram;
	uint64_t bytes = 0;

	if (h->max)
		bytes += h->max * (sizeof(*h->keys) + sizeof(*h->buckets)) + 2 * HEAD;
	if (cell->n_errors)
		bytes += 2 * cell->n_errors * sizeof(*cell->errors) + HEAD;
	if (cell->max_pids)
		bytes += cell->max_pids * sizeof(*cell->pids) + HEAD;
	return bytes;
}

void files_cell_free(struct files_cell *cell)
{
	histogram_free(&cell->histogram);
	free(cell->errors);
	free(cell->pids);
	cell->errors = NULL;
	cell->pids = NULL;
}
