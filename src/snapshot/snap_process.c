/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the rows of a snapshot of processes. */
#include "snapshot/snap_process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "resolve/containers.h"
#include "row/path.h"
#include "snapshot/snap.h"
#include "snapshot/snap_cpu.h"
#include "snapshot/snap_fail.h"
#include "snapshot/snap_out.h"
#include "snapshot/snap_proc.h"
#include "snapshot/snap_rows.h"

struct process_snapshot {
	struct snap_job *job;
	struct containers *containers;
	struct snap_out out;
	int err;
	/* Processes are born in CLOCK_BOOTTIME: what the others are ahead of it, behind it as a negative number */
	int64_t mono_ahead_ns, real_ahead_ns;
	uint64_t page_kb;
	char when[ZONE_TEXT_SIZE + 8];
	char args[PATH_ARGS_MAX];
	char cgroup[4096];
	char text[ROW_MAX];
};

static uint64_t clock_now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static int64_t born(const struct snap_proc *p)
{
	return (int64_t)(p->start * snap_proc_tick_ns());
}

/* When its ticks were read, which may be long after the first process of the snapshot was. */
static uint64_t age_of(const struct process_snapshot *d, const struct snap_proc *p)
{
	int64_t age = (int64_t)p->read_ns - d->mono_ahead_ns - born(p);

	return age > 0 ? (uint64_t)age : 0;
}

static void fill_cpu(const struct process_snapshot *d, const struct snap_proc *p, int32_t use[3])
{
	static const uint64_t windows_s[3] = { 5, 120, 3600 };
	uint64_t now = p->read_ns, age = age_of(d, p);

	for (int i = 0; i < 3; i++)
		use[i] = snap_cpu_use(d->job->cpu, p, now, age, windows_s[i] * NS_PER_S);
}

static struct format_text text_of(const struct path *path)
{
	return path ? (struct format_text){ .text = path->csv, .len = path->csv_len } :
		      (struct format_text){ .text = "" };
}

static struct path *read_args(struct process_snapshot *d, const struct snap_proc *p)
{
	size_t n = snap_proc_args(p, d->args, sizeof(d->args));

	return n ? path_of_args(d->args, n) : NULL;
}

static void write_process(void *arg, const struct snap_proc *p)
{
	struct process_snapshot *d = arg;
	struct path *args, *cgroup;
	const struct container *container;
	struct container_path in;
	char created[ZONE_TEXT_SIZE];
	struct process_row row = {
		.when = d->when,
		.pid = p->pid,
		.name = p->name,
		.virtual_kb = p->vsize / 1024,
		.rss_kb = p->rss * d->page_kb,
		.created = created,
		.status = snap_proc_status(p->state),
		.ppid = p->ppid,
		.uid = snap_proc_uid(p),
		.threads = p->threads,
		.container_id = in.name,
		.mono_ns = d->job->done.started_mono_ns,
	};

	/* snap_proc_each() goes on to the end in any case: what remains is passed over */
	if (!d->err && !d->job->may_continue(d->job->arg))
		d->err = snap_fail(d->job, -ECANCELED, "the trace ended");
	if (d->err)
		return;
	snap_proc_cgroup(p, d->cgroup, sizeof(d->cgroup));
	container_path_parse(d->cgroup, &in);
	container = d->containers ? containers_find(d->containers, d->cgroup) : NULL;
	snap_proc_namespaces(p, row.ns);
	zone_text(d->job->zone, (born(p) + d->real_ahead_ns) / (int64_t)NS_PER_S, created);
	fill_cpu(d, p, row.cpu);
	args = read_args(d, p);
	cgroup = path_new(d->cgroup, strlen(d->cgroup), 0);
	/* NULL, too, without memory: the row then has no such text */
	row.cmdline = text_of(args);
	row.cgroup = text_of(cgroup);
	if (container) {
		row.container = text_of(container->name);
		row.pod = text_of(container->pod);
		row.image = text_of(container->image);
	}
	d->err = snap_out_row(&d->out, d->text, process_row(d->text, &row));
	path_put(args);
	path_put(cgroup);
}

static int write_snapshot(struct process_snapshot *d)
{
	struct snap_job *job = d->job;
	int err = snap_out_open(&d->out, job, STREAM_process, job->done.started_ns);

	if (!err) {
		err = snap_proc_each(job->proc, write_process, d);
		if (err)
			snap_fail(job, err, "%s: %s", job->proc, strerror(-err));
	}
	if (!err)
		err = d->err;
	if (!err)
		err = snap_out_finish(&d->out);
	snap_out_close(&d->out);
	return err;
}

int snap_process(struct snap_job *job)
{
	struct process_snapshot *d = calloc(1, sizeof(*d));
	char second[ZONE_TEXT_SIZE];
	uint64_t boot_ns;
	int err;

	if (!d)
		return snap_fail(job, -ENOMEM, "no memory");
	d->job = job;
	d->containers = containers_open(job->host_root);
	boot_ns = clock_now(CLOCK_BOOTTIME);
	d->mono_ahead_ns = (int64_t)(mono_ns() - boot_ns);
	d->real_ahead_ns = (int64_t)(clock_now(CLOCK_REALTIME) - boot_ns);
	d->page_kb = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	zone_text(job->zone, (int64_t)(job->done.started_ns / NS_PER_S), second);
	snprintf(d->when, sizeof(d->when), "%s.%06u", second,
		 (unsigned)(job->done.started_ns % NS_PER_S / 1000));
	job->n_process++;
	err = write_snapshot(d);
	/* a number that nothing has would look like a segment that went */
	job->n_process -= err != 0;
	containers_close(d->containers);
	free(d);
	return err;
}
