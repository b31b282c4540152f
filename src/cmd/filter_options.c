/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the parsing of these values; which rows they leave is decided in row_filter.c. */
#include "cmd/filter_options.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cmd/option_groups.h"
#include "cmd/option_values.h"

bool option_interval(const struct option_row *row, const char *arg, void *target)
{
	uint64_t *ns = target;

	if (parse_time(arg, 0, ns) && *ns)
		return true;
	log_error("--%s: invalid time '%s' (e.g. 1s, 500ms)", row->name, arg);
	return false;
}

bool option_filter_pids(const struct option_row *row, const char *arg, void *target)
{
	struct row_filter *filter = target;
	char word[OPTION_WORD];
	uint64_t pid;

	while (next_word(&arg, word)) {
		if (!parse_number(word, UINT32_MAX, &pid)) {
			log_error("--%s: invalid process '%s'", row->name, word);
			return false;
		}
		if (filter->n_pids == ROW_FILTER_PIDS) {
			log_error("--%s: more than %d processes", row->name, ROW_FILTER_PIDS);
			return false;
		}
		filter->pids[filter->n_pids++] = (uint32_t)pid;
	}
	return true;
}

bool option_filter_commands(const struct option_row *row, const char *arg, void *target)
{
	struct row_filter *filter = target;
	char word[OPTION_WORD];

	while (next_word(&arg, word)) {
		if (filter->n_commands == ROW_FILTER_COMMANDS) {
			log_error("--%s: more than %d names", row->name, ROW_FILTER_COMMANDS);
			return false;
		}
		snprintf(filter->commands[filter->n_commands++], ROW_FILTER_COMMAND_SIZE, "%s",
			 word);
	}
	return true;
}

bool option_filter_containers(const struct option_row *row, const char *arg, void *target)
{
	struct row_filter *filter = target;
	size_t len;

	for (; *arg; arg += len + (arg[len] == ',')) {
		len = strcspn(arg, ",");
		if (filter->n_containers == ROW_FILTER_CONTAINERS) {
			log_error("--%s: more than %d names", row->name, ROW_FILTER_CONTAINERS);
			return false;
		}
		/* a longer one is no container's */
		snprintf(filter->containers[filter->n_containers++], ROW_FILTER_CONTAINER_SIZE,
			 "%.*s", (int)len, arg);
	}
	return true;
}
