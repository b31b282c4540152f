/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the text of an argument to its value, for what only record has: processes,
 * filters, kinds of files and sockets. Reports what it refuses under the option's name.
 */
#include "cmd/record_values.h"

#include <limits.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cmd/stream_list.h"
#include "resolve/container_group.h"
#include "resolve/fs_types.h"
#include "resolve/targets.h"
#include "row/columns.h"
#include "row/fs_ops.h"
#include "row/sockopt.h"
#include "session/recording_options.h"
#include "trace/trace_set.h"

#define CGROUP_ROOT "/sys/fs/cgroup"

/* ---- processes ---- */

/* A thread's number stands for its process, as in strace -p. */
static uint32_t process_of(uint32_t pid)
{
	uint32_t process = targets_process("/proc", pid);

	if (!process || process == pid)
		return pid;
	log_note("%u is a thread of process %u, which is recorded with all its threads", pid,
		 process);
	return process;
}

/* A number, or all processes of a name: how many there are; the first `room` of them into pids. */
static unsigned find_pids(const char *word, uint32_t *pids, unsigned room)
{
	uint64_t pid;

	if (!parse_number(word, INT_MAX, &pid))
		return targets_named("/proc", word, pids, room);
	if (room)
		*pids = process_of(pid);
	return pid > 0;
}

bool option_pids(const struct option_row *row, const char *arg, void *target)
{
	struct trace_options *trace = target;
	char word[OPTION_WORD];

	while (next_word(&arg, word)) {
		unsigned room = TRACE_MAX_PIDS - trace->n_pids;
		unsigned n = find_pids(word, trace->pids + trace->n_pids, room);

		if (n > room) {
			log_error("--%s takes at most %d processes", row->name, TRACE_MAX_PIDS);
			return false;
		}
		if (n == 0) {
			log_error("--%s: no process '%s' (--comm also matches future threads)",
				  row->name, word);
			return false;
		}
		trace->n_pids += n;
	}
	if (!trace->n_pids)
		log_error("--%s needs the number or the name of a process", row->name);
	return trace->n_pids > 0;
}

bool option_group(const struct option_row *row, const char *arg, void *target)
{
	struct write_options *write = target;
	const struct group *group;
	uint64_t number;

	write->shared = true;
	if (parse_number(arg, UINT32_MAX - 1, &number)) {
		write->group = (gid_t)number;
		return true;
	}
	group = getgrnam(arg);
	if (!group) {
		log_error("--%s: no group '%s'", row->name, arg);
		return false;
	}
	write->group = group->gr_gid;
	return true;
}

bool option_user(const struct option_row *row, const char *arg, void *target)
{
	struct trace_options *trace = target;
	const struct passwd *user;
	uint64_t uid;

	trace->by_uid = true;
	if (parse_number(arg, UINT32_MAX - 1, &uid)) {
		trace->uid = uid;
		return true;
	}
	user = getpwnam(arg);
	if (!user) {
		log_error("--%s: no user '%s'", row->name, arg);
		return false;
	}
	trace->uid = user->pw_uid;
	return true;
}

static bool add_comms(const struct option_row *row, const char *arg, char comms[][16], unsigned *n)
{
	char word[OPTION_WORD];

	while (next_word(&arg, word)) {
		if (*n == TRACE_MAX_COMMS) {
			log_error("--%s takes at most %d names", row->name, TRACE_MAX_COMMS);
			return false;
		}
		/* the kernel keeps 15 bytes */
		snprintf(comms[(*n)++], 16, "%.15s", word);
	}
	if (!*n)
		log_error("--%s needs the name of a thread", row->name);
	return *n > 0;
}

bool option_comms(const struct option_row *row, const char *arg, void *target)
{
	struct trace_options *trace = target;

	return add_comms(row, arg, trace->comms, &trace->n_comms);
}

bool option_not_comms(const struct option_row *row, const char *arg, void *target)
{
	struct trace_options *trace = target;

	return add_comms(row, arg, trace->not_comms, &trace->n_not_comms);
}

static bool is_first_group(const struct option_row *row, const struct cgroup *group)
{
	if (group->path[0])
		log_error("--%s: only one control group or container can be given", row->name);
	return !group->path[0];
}

bool option_cgroup(const struct option_row *row, const char *arg, void *target)
{
	if (!is_first_group(row, target))
		return false;
	if (cgroup_find(target, CGROUP_ROOT, arg))
		return true;
	log_error("--%s: no control group '%s' (/proc/PID/cgroup shows that of a process)",
		  row->name, arg);
	return false;
}

bool option_container(const struct option_row *row, const char *arg, void *target)
{
	struct container_search search = { .cgroups = CGROUP_ROOT, .files = "", .called = arg };

	if (!is_first_group(row, target))
		return false;
	if (container_find_group(&search, target))
		return true;
	if (search.n > 1)
		log_error("--%s: %u containers are called '%s': %s; name one of them", row->name,
			  search.n, arg, search.names);
	else if (search.names[0])
		log_error("--%s: no container '%s' is running; there are %s", row->name, arg,
			  search.names);
	else
		log_error("--%s: no container '%s' is running, nor any other", row->name, arg);
	return false;
}

/* ---- rows ---- */

/* The directory that this much of a name leads to, from the root on; NULL: there is none. */
static char *real_start(const char *glob, size_t len)
{
	char text[PATH_MAX];

	snprintf(text, sizeof(text), "%s%.*s", glob[0] == '/' ? "" : "./", (int)len, glob);
	return realpath(text, NULL);
}

/*
 * What the part of a pattern before its first wildcard leads to, through symbolic links, and the rest;
 * of what is not there, the directory that is. NULL: a pattern that is compared with any path.
 */
static char *real_glob(const char *glob)
{
	size_t fixed = strcspn(glob, "*?["), len = fixed;
	char *start = NULL, *real = NULL;
	const char *rest;

	if (!strchr(glob, '/') || !fixed || strlen(glob) >= PATH_MAX)
		return NULL;
	/* with a wildcard behind it, the last component is only begun */
	if (glob[fixed])
		while (len && glob[len - 1] != '/')
			len--;
	while (!(start = real_start(glob, len)) && len) {
		while (len && glob[len - 1] == '/')
			len--;
		while (len && glob[len - 1] != '/')
			len--;
	}
	rest = glob + len + strspn(glob + len, "/");
	if (start && asprintf(&real, "%s%s%s", start, *rest && start[1] ? "/" : "", rest) < 0)
		real = NULL;
	free(start);
	return real;
}

bool option_glob(const struct option_row *row, const char *arg, void *target)
{
	struct filter *rows = target;
	char *real;

	if (!arg[0]) {
		log_error("--%s needs a pattern, such as '/var/log/*' or '*.db'", row->name);
		return false;
	}
	if (rows->n_globs + 2 > 2 * FILTER_MAX_GLOBS) {
		log_error("--%s can be given at most %d times", row->name, FILTER_MAX_GLOBS);
		return false;
	}
	rows->globs[rows->n_globs++] = arg;
	real = real_glob(arg);
	if (!real || !strcmp(real, arg)) {
		free(real);
		return true;
	}
	/* rows have the name that the kernel knows, or one that was given to a call */
	log_note("--%s %s: %s", row->name, arg, real);
	rows->globs[rows->n_globs++] = real; /* until the program ends, as its arguments */
	return true;
}

bool option_operations(const struct option_row *row, const char *arg, void *target)
{
	char word[OPTION_WORD];
	unsigned n = 0;

	for (; next_word(&arg, word); n++)
		if (!filter_add_operation(target, word)) {
			log_error("--%s: unknown operation '%s'; see iotracer-streams(5)",
				  row->name, word);
			return false;
		}
	if (!n)
		log_error("--%s needs the name of an operation, such as OPEN or FSYNC", row->name);
	return n > 0;
}

bool option_min_latency(const struct option_row *row, const char *arg, void *target)
{
	uint64_t *ns = target;

	if (parse_time(arg, 0, ns) && *ns)
		return true;
	log_error("--%s: invalid time '%s' (e.g. 500us, 10ms, 1s)", row->name, arg);
	return false;
}

static bool add_fs_types(const struct option_row *row, const char *arg, struct fs_types *types,
			 uint8_t rule)
{
	char word[OPTION_WORD], known[2048];
	unsigned n = 0;

	for (; next_word(&arg, word); n++) {
		if (!fs_types_known("/proc", word, known, sizeof(known))) {
			log_error("--%s: unknown file system type '%s' (this host has %s)",
				  row->name, word, known);
			return false;
		}
		if (!fs_types_add(types, word, rule)) {
			log_error("--fs-type and --exclude-fs-type take at most %d types",
				  FS_TYPES_MAX);
			return false;
		}
	}
	if (!n)
		log_error("--%s needs the name of a file system type", row->name);
	return n > 0;
}

bool option_fs_types(const struct option_row *row, const char *arg, void *target)
{
	return add_fs_types(row, arg, target, IOT_FS_INCLUDE);
}

bool option_not_fs_types(const struct option_row *row, const char *arg, void *target)
{
	return add_fs_types(row, arg, target, IOT_FS_EXCLUDE);
}

/* "5%", "2.5%": of all CPUs */
static bool parse_percent(const char *word, double *percent)
{
	char *end;
	double value = strtod(word, &end);

	if (word[0] < '0' || word[0] > '9' || strcmp(end, "%") != 0 || value <= 0 || value > 100)
		return false;
	*percent = value;
	return true;
}

/* "50MB/s" */
static bool parse_rate(char *word, uint64_t *bytes)
{
	char *slash = strchr(word, '/');

	if (!slash || strcmp(slash, "/s") != 0)
		return false;
	*slash = '\0';
	return parse_size(word, bytes) && *bytes;
}

bool option_budget(const struct option_row *row, const char *arg, void *target)
{
	struct budget_options *budget = target;
	const char *list = arg;
	char word[OPTION_WORD];

	while (next_word(&list, word))
		if (!parse_percent(word, &budget->cpu_percent) &&
		    !parse_rate(word, &budget->bytes)) {
			log_error("--%s: invalid limit in '%s' (e.g. 5%%, 50MB/s, or 2%%,50MB/s)",
				  row->name, arg);
			return false;
		}
	if (budget->cpu_percent <= 0 && !budget->bytes)
		log_error("--%s needs a limit (e.g. 5%%, 50MB/s)", row->name);
	return budget->cpu_percent > 0 || budget->bytes;
}

bool option_dev(const struct option_row *row, const char *arg, void *target)
{
	bool *partitions = target;

	*partitions = !strcmp(arg, "partition");
	if (*partitions || !strcmp(arg, "disk"))
		return true;
	log_error("--%s: unknown kind of device '%s' (disk, partition)", row->name, arg);
	return false;
}

bool option_levels(const struct option_row *row, const char *arg, void *target)
{
	struct trace_options *trace = target;
	char word[OPTION_WORD];

	if (strcmp(arg, "all") == 0) {
		trace->all_opt_levels = true;
		return true;
	}
	while (next_word(&arg, word)) {
		if (trace->n_opt_levels == IOT_OPT_LEVELS) {
			log_error("--%s takes at most %d levels, or all", row->name,
				  IOT_OPT_LEVELS);
			return false;
		}
		if (!sockopt_find_level(word, &trace->opt_levels[trace->n_opt_levels])) {
			log_error(
				"--%s: unknown level '%s' (all, a number, or a name such as SOL_SOCKET)",
				row->name, word);
			return false;
		}
		trace->n_opt_levels++;
	}
	if (!trace->n_opt_levels)
		log_error("--%s needs a level, such as SOL_SOCKET, or all", row->name);
	return trace->n_opt_levels > 0;
}

/* ---- the kernel's side ---- */

bool option_pages(const struct option_row *row, const char *arg, void *target)
{
	uint64_t n;

	if (!parse_number(arg, 1 << 20, &n) || !n || (n & (n - 1))) {
		log_error("--%s: invalid number of pages '%s' (a power of two up to 1048576)",
			  row->name, arg);
		return false;
	}
	*(unsigned *)target = n;
	return true;
}

/* Those that wait until data is on the disk */
static uint64_t sync_ops(void)
{
	uint64_t ops = 1ULL << IOT_SYNC;

	for (unsigned op = 1; op < IOT_N_OPS; op++)
		if (fs_ops[op].traits & FS_SYNCS)
			ops |= 1ULL << op;
	return ops;
}

bool option_stacks(const struct option_row *row, const char *arg, void *target)
{
	struct trace_stacks *stacks = target;
	char word[OPTION_WORD];
	uint64_t n;

	stacks->asked = true;
	stacks->slow = !arg;
	while (arg && next_word(&arg, word)) {
		if (!strcmp(word, "slow"))
			stacks->slow = true;
		else if (!strcmp(word, "sync"))
			stacks->ops |= sync_ops();
		else if (parse_number(word, 1 << 20, &n) && n)
			stacks->rate = (uint32_t)n;
		else {
			log_error(
				"--%s: invalid word '%s' (slow, sync, or one of N operations, 1 to 1048576)",
				row->name, word);
			return false;
		}
	}
	if (!stacks->slow && !stacks->ops && !stacks->rate)
		log_error("--%s= needs slow, sync or a number", row->name);
	return stacks->slow || stacks->ops || stacks->rate;
}

bool option_sample_rate(const struct option_row *row, const char *arg, void *target)
{
	uint64_t n;

	if (!parse_number(arg, 1 << 20, &n) || !n) {
		log_error("--%s: invalid rate '%s' (1 to 1048576)", row->name, arg);
		return false;
	}
	*(uint32_t *)target = n;
	return true;
}

/* ---- streams ---- */

static bool take_events(const char *arg, void (*set_default)(bool streams[N_STREAMS]),
			struct recording_options *o)
{
	o->streams_named = arg[0] != '!';
	return options_streams_of(arg, set_default, o->streams);
}

bool option_columns(const struct option_row *row, const char *arg, void *target)
{
	const char *bad;
	size_t len;

	if (columns_choose(target, arg, &bad, &len))
		return true;
	log_error("--%s: no stream has a column '%.*s': iotracer schema lists them", row->name,
		  (int)len, bad);
	return false;
}

bool option_events(const struct option_row *row, const char *arg, void *target)
{
	(void)row;
	return take_events(arg, options_default_streams, target);
}

bool option_events_shown(const struct option_row *row, const char *arg, void *target)
{
	(void)row;
	return take_events(arg, options_streams_shown, target);
}
