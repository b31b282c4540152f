/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/files_filter.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "plan/filter.h"
#include "read/read_session.h"

bool files_filter_has_thread(const struct files_filter *filter, bool pid_known, uint64_t pid,
			     const char *command, size_t len)
{
	bool found = !filter->n_pids;

	for (unsigned i = 0; i < filter->n_pids && !found; i++)
		found = pid_known && filter->pids[i] == pid;
	if (!found || !filter->n_commands)
		return found;
	for (unsigned i = 0; i < filter->n_commands; i++)
		if (strlen(filter->commands[i]) == len &&
		    !memcmp(filter->commands[i], command, len))
			return true;
	return false;
}

bool files_filter_has_path(const struct files_filter *filter, const char *text, size_t len)
{
	char path[4096 * 2];

	if (!filter->path)
		return true;
	if (len >= sizeof(path))
		return false;
	memcpy(path, text, len);
	path[len] = '\0';
	return filter_glob(filter->path, path);
}

static int set_time(const struct wall *wall, const char *option, const char *text, uint64_t *ns)
{
	const char *why;

	if (!text || wall_parse(wall, text, ns, &why))
		return 0;
	log_error("%s: --%s %s: %s", wall->session->dir, option, text, why);
	return -EINVAL;
}

int files_filter_times(const struct files_filter *filter, const struct wall *wall,
		       uint64_t *from_ns, uint64_t *to_ns)
{
	int err;

	*from_ns = 0;
	*to_ns = UINT64_MAX;
	err = set_time(wall, "from", filter->from, from_ns);
	return err ? err : set_time(wall, "to", filter->to, to_ns);
}
