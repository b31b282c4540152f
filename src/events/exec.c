/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream exec: see exec.h. What these events change of processes and mappings. */
#include "events/exec.h"

#include <errno.h>
#include <fcntl.h>

#include "events/events_private.h"
#include "events/events_rows.h"
#include "events/stacks.h"
#include "events/texts.h"
#include "probes/schema/exec.def"
#include "resolve/containers.h"
#include "resolve/procs_groups.h"
#include "resolve/procs_names.h"
#include "row/format.h"

EVENTS_ROW(exec)

/* NULL: none, or the stream is not recorded. */
static const struct container *container_of(struct events *ev, uint32_t pid)
{
	const char *group = ev->state[STREAM_exec] ? procs_group(ev->procs, pid) : NULL;

	return group ? containers_find(ev->state[STREAM_exec], group) : NULL;
}

static void emit(struct events *ev, const struct iot_task *rec, const char *event, uint32_t pid,
		 uint32_t ppid, int64_t ret)
{
	struct path *name = rec->name && rec->event != IOT_FORK && rec->event != IOT_EXIT ?
				    names_take(ev->names, rec->name) :
				    NULL;
	struct path *args = rec->event == IOT_EXEC && rec->args ? names_take(ev->names, rec->args) :
								  NULL;
	const struct container *container = container_of(ev, pid);
	struct path *line = args ? path_of_args(args->raw, args->raw_len) : NULL;
	struct exec_row row = {
		.rec = rec,
		.event = event,
		.pid = pid,
		.ppid = ppid,
		.ret = ret,
		.path = texts_cell(name),
		.cmdline = texts_cell(line),
		.container = texts_cell(container ? container->name : NULL),
	};

	/* the result of an EXIT is a wait status */
	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_exec,
						   .operation = event,
						   .failed = rec->event == IOT_EXEC && ret < 0,
						   .latency = FORMAT_UNKNOWN }))
		exec_push(ev, rec->head.ts, &row);
	path_put(name);
	path_put(args);
	path_put(line);
}

/* The program of an EXEC by its path as seen from here: a new reference, or NULL. */
static struct path *program_of(struct events *ev, const struct iot_task *rec)
{
	const struct path *name = rec->name ? names_find(ev->names, rec->name) : NULL;

	if (!ev->maps || !name || proc_view_is_own(name->raw) ||
	    !procs_sees_our_paths(ev->procs, rec->head.tgid))
		return NULL;
	return procs_resolve(ev->procs,
			     &(struct procs_name){ .tgid = rec->head.tgid, .ts = rec->head.ts },
			     AT_FDCWD, name);
}

/* The head is that of the process that is moved, not of who moves it. */
static void move_to_group(struct events *ev, const struct iot_task *rec)
{
	uint32_t pid = rec->head.tgid;

	if (procs_group_moved(ev->procs, pid, (uint32_t)rec->hierarchy,
			      rec->name ? names_find(ev->names, rec->name) : NULL))
		emit(ev, rec, "GROUP", pid, procs_ppid(ev->procs, pid), FORMAT_NO_VALUE);
}

static void handle_task(struct events *ev, void *record, size_t len)
{
	const struct iot_task *rec = record;
	struct path *program = rec->event == IOT_EXEC && rec->ret == 0 ? program_of(ev, rec) : NULL;
	uint32_t pid = rec->head.tgid;

	(void)len;
	switch (rec->event) {
	case IOT_FORK:
		/* the child is known before its row, which shows its container */
		procs_fork(ev->procs, pid, rec->child, rec->clone_flags);
		if (ev->state[STREAM_exec])
			procs_group_forked(ev->procs, pid, rec->child, rec->clone_flags);
		mapped_fork(ev->mapped, pid, rec->child, rec->clone_flags, rec->head.ts);
		emit(ev, rec, "FORK", rec->child, pid, rec->child);
		break;
	case IOT_EXEC:
		emit(ev, rec, "EXEC", pid, procs_ppid(ev->procs, pid), rec->ret);
		if (rec->ret == 0) {
			procs_exec(ev->procs, pid, rec->head.ts);
			/* a program begins, so the runtime has made the namespace what it is to be */
			if (container_of(ev, pid))
				host_mounts_see(&ev->hosts, pid,
						procfs_mntns(&ev->resolve->procfs, pid), true);
			mapped_exec(ev->mapped, pid, program);
			stacks_forget(ev, pid);
		}
		break;
	case IOT_EXIT:
		/* the row first: after it nothing is known of the process */
		emit(ev, rec, "EXIT", pid, procs_ppid(ev->procs, pid),
		     rec->known & IOT_TASK_STATUS ? rec->status : FORMAT_NO_VALUE);
		procs_exit(ev->procs, pid);
		mapped_exit(ev->mapped, pid);
		stacks_forget(ev, pid);
		break;
	case IOT_GROUP:
		move_to_group(ev, rec);
		break;
	default:
		ev->totals.bad++;
	}
	path_put(program);
}

static int open_containers(void **state, const struct plan *plan)
{
	(void)plan;
	*state = containers_open("");
	return *state ? 0 : -ENOMEM;
}

static void close_containers(void *state)
{
	containers_close(state);
}

const struct stream_ops stream_exec = {
	.records = {
		{ .type = IOT_REC_TASK, .least = sizeof(struct iot_task), .handle = handle_task, .closes = true },
	},
	.is_followed = true,
	.open = open_containers,
	.close = close_containers,
};
