/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what a time or a name on the command line means for rows. Does not read any. */
#include "analysis/common/row_filter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "plan/filter.h"
#include "read/read_session.h"

static bool has_command(const struct row_filter *filter, const struct row_thread *thread)
{
	for (unsigned i = 0; i < filter->n_commands; i++)
		if (strlen(filter->commands[i]) == thread->len &&
		    !memcmp(filter->commands[i], thread->command, thread->len))
			return true;
	return !filter->n_commands;
}

static bool has_container(const struct row_filter *filter, const struct row_thread *thread)
{
	const char *name;

	if (!filter->n_containers || !thread->pid_known)
		return !filter->n_containers;
	name = process_containers_find(filter->in, thread->pid, thread->mono_ns);
	for (unsigned i = 0; i < filter->n_containers; i++)
		if (process_container_is(name, filter->containers[i]))
			return true;
	return false;
}

bool row_filter_has_thread(const struct row_filter *filter, const struct row_thread *thread)
{
	bool found = !filter->n_pids;

	for (unsigned i = 0; i < filter->n_pids && !found; i++)
		found = thread->pid_known && filter->pids[i] == thread->pid;
	return found && has_command(filter, thread) && has_container(filter, thread);
}

bool row_filter_has_path(const struct row_filter *filter, const char *text, size_t len)
{
	/* two paths, as of a rename; what is longer matches nothing */
	char path[4096 * 2];

	if (filter->replayed && replayed_find(filter->replayed, filter->side, text, len) < 0)
		return false;
	if (!filter->path)
		return true;
	if (len >= sizeof(path))
		return false;
	memcpy(path, text, len);
	path[len] = '\0';
	return filter_glob(filter->path, path);
}

/*
 * Against the directory, because a time may be given by its start or its end: so not when
 * options are read.
 */
static int set_time(const struct wall *wall, const char *option, const char *text, uint64_t *ns)
{
	const char *why;

	if (!text || wall_parse(wall, text, ns, &why))
		return 0;
	log_error("%s: --%s %s: %s", wall->session->dir, option, text, why);
	return -EINVAL;
}

int row_filter_begin(const struct row_filter *filter, const struct wall *wall, uint64_t *from_ns,
		     uint64_t *to_ns)
{
	int err;

	*from_ns = 0;
	*to_ns = UINT64_MAX;
	err = set_time(wall, "from", filter->from, from_ns);
	if (!err)
		err = set_time(wall, "to", filter->to, to_ns);
	return err || !filter->in ? err : process_containers_read(filter->in, wall->session);
}

void row_filter_say_none(const struct row_filter *filter, const char *dir, uint64_t n_rows,
			 uint64_t n_chosen)
{
	char pids[64] = "", commands[96] = "", path[256] = "",
	     container[ROW_FILTER_CONTAINER_SIZE + 32] = "";

	if (n_chosen || !n_rows ||
	    (!filter->path && !filter->n_pids && !filter->n_commands && !filter->n_containers))
		return;
	if (filter->n_pids)
		snprintf(pids, sizeof(pids), " -p %" PRIu32 "%s", filter->pids[0],
			 filter->n_pids > 1 ? ",…" : "");
	if (filter->n_commands)
		snprintf(commands, sizeof(commands), " -c %s%s", filter->commands[0],
			 filter->n_commands > 1 ? ",…" : "");
	if (filter->path)
		snprintf(path, sizeof(path), " --path %s", filter->path);
	if (filter->n_containers)
		snprintf(container, sizeof(container), " --container %s%s", filter->containers[0],
			 filter->n_containers > 1 ? ",…" : "");
	log_warn("%s: none of %" PRIu64 " rows matches%s%s%s%s", dir, n_rows, pids, commands, path,
		 container);
}
