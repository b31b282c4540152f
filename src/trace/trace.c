/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the order in which things are opened and closed. */
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/phase.h"
#include "compat/sys/bpf.h"
#include "compat/sys/sys.h"
#include "image/compile.h"
#include "image/image_read.h"
#include "image/source.h"
#include "resolve/disks.h"
#include "row/records.h"
#include "trace/attach_event.h"
#include "trace/load.h"
#include "trace/loaded.h"
#include "trace/trace_calls.h"
#include "trace/trace_config.h"

/*
 * All rings together, unless -m says otherwise, and at most this much on one
 * CPU: 4 MiB were too few for an rsync on tmpfs that keeps all CPUs busy, when
 * the reader of tier c has files to look up.
 */
#define RING_TOTAL_BYTES (256u << 20)
#define RING_CPU_BYTES (8u << 20)
#define RING_MIN_PAGES 16

/*
 * Concurrent kretprobe instances per probe: as many threads can be inside one
 * function. The default (the number of CPUs) loses returns of blocking calls.
 */
#define MAXACTIVE 4096

/* Open files that no map, program, probe or ring is: segments, directories of snapshots, standard ones */
#define FILES_BESIDE 128

static unsigned default_pages(int n_cpus)
{
	size_t page = sysconf(_SC_PAGESIZE);
	unsigned pages = RING_CPU_BYTES / page;

	while (pages > RING_MIN_PAGES && (uint64_t)pages * page * n_cpus > RING_TOTAL_BYTES)
		pages /= 2;
	return pages;
}

int trace_read_image(struct trace *trace, const struct trace_options *options)
{
	int fd, err;

	if (!options->image)
		return 0;
	fd = file_open_regular(options->image);
	if (fd < 0) {
		log_error("%s: %s", options->image,
			  fd == -EINVAL ? "not a regular file" : strerror(-fd));
		return fd;
	}
	err = image_read(&trace->image, fd, options->image);
	close(fd);
	if (!err && !trace->image.plan) {
		log_error("%s has no plan: rebuild it with `iotracer build`", options->image);
		err = -EINVAL;
	}
	return err;
}

static bool differs(const char *a, const char *b)
{
	return a[0] && b[0] && strcmp(a, b) != 0;
}

/* An image holds offsets of one kernel build: another one would read garbage. */
static int image_fits(const struct image *image, const struct host *host, const char *name)
{
	const struct image_key *key = &image->key;

	if (differs(key->tool, PACKAGE_VERSION)) {
		log_error("%s was built by iotracer %s, this is %s: rebuild it", name, key->tool,
			  PACKAGE_VERSION);
		return -EINVAL;
	}
	if (differs(key->release, host->release) || differs(key->version, host->version) ||
	    differs(key->machine, host->machine) || differs(key->build_id, host->build_id)) {
		log_error(
			"%s was built for %s %s (%s), this is %s %s (%s): build one from `iotracer doctor --collect` of this host",
			name, key->release, key->machine, key->version, host->release,
			host->machine, host->version);
		return -EINVAL;
	}
	return 0;
}

/* Whatever is missing here would be rows that never come. */
static int check_programs(const struct image *image, const struct plan *plan, const char *name)
{
	for (unsigned i = 0; i < plan->n_probes; i++) {
		const struct plan_probe *probe = &plan->probes[i];

		if (image_find_prog(image, probe->program))
			continue;
		log_error("%s has no program %s, which is for %s", name, probe->program,
			  probe->target);
		return -EINVAL;
	}
	return 0;
}

/* Those without which rows, losses or filters would be missing without a word. */
static int check_maps(const struct image *image, const char *name)
{
	static const char *const needed[] = { "iot_events", "iot_cfg",   "iot_seq",
					      "iot_missed", "iot_tasks", "iot_comms" };

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (image_find_map(image, needed[i]) < 0) {
			log_error("%s has no map %s", name, needed[i]);
			return -EINVAL;
		}
	return 0;
}

static int get_image(struct trace *trace, const struct trace_options *options)
{
	struct compile_options compile = {
		.with_headers = trace->plan->headers,
		.cache_dir = options->no_cache ? "" : NULL,
		.plan = trace->plan,
		.all_fs = options->all_fs,
		.by_name = options->n_comms || options->by_uid,
	};
	char *text;
	int err;

	if (options->image)
		return image_fits(&trace->image, trace->plan->host, options->image);
	text = source_make(trace->plan);
	if (!text)
		return -ENOMEM;
	err = compile_image(&trace->image, trace->plan->host, text, &compile, &trace->cached);
	free(text);
	return err;
}

/* An image may have it for a stream that is not recorded now; then nobody asked for it. */
static bool is_probed(const struct plan *plan, const char *program)
{
	for (unsigned i = 0; i < plan->n_probes; i++)
		if (!strcmp(plan->probes[i].program, program))
			return true;
	return false;
}

/* A program that others call is in the array that has its name: iot_to_X has iot_X. */
static void set_called(struct trace *trace)
{
	const size_t len = strlen(LOAD_WAY);

	for (uint32_t i = 0; i < trace->image.n_maps; i++) {
		const struct image_map *map = &trace->image.maps[i];
		char program[IMAGE_NAME_SIZE];
		uint32_t zero = 0;
		int fd;

		/* none: of what is not recorded */
		if (strncmp(map->name, LOAD_WAY, len) != 0 || trace->loaded.map_fd[i] < 0)
			continue;
		snprintf(program, sizeof(program), "iot_%s", map->name + len);
		fd = load_prog(&trace->loaded, program);
		if (fd < 0 && !is_probed(trace->plan, program))
			continue;
		if (fd < 0 || bpf_map_put(trace->loaded.map_fd[i], &zero, &fd))
			log_warn(
				"%s does not load: records of programs that call it will be missing",
				program);
	}
}

/*
 * The class that loses something when the kernel skips this probe's program,
 * or -1. It does where the program would interrupt another one (in an
 * interrupt; where system calls are preemptible, 7.2, in any), and while a task
 * that calls bpf(2), as we do, is preempted on that CPU. A skipped end shows in
 * the next beginning. A raw program is skipped where it would interrupt itself
 * (05b24ff9b2cf).
 */
static int skip_class(const struct plan *plan, unsigned index)
{
	const struct plan_probe *probe = &plan->probes[index];

	/* what is called by number is skipped with what calls it */
	if (probe->kind == PROBE_KRETPROBE || probe->kind == PROBE_NUMBER ||
	    (probe->flags & PROBE_SKIP_SHOWS))
		return -1;
	for (unsigned i = 0; i < plan->n_choices; i++)
		if (!capability_is_internal(plan->choices[i].capability) &&
		    plan_uses_probe(&plan->choices[i], index))
			return (int)plan->choices[i].capability->stream;
	/* what descriptors and names are followed by */
	return IOT_SEQ_STATE;
}

static bool is_watched(const struct trace *trace, int prog_fd)
{
	for (unsigned i = 0; i < trace->n_watches; i++)
		if (trace->watches[i].prog_fd == prog_fd)
			return true;
	return false;
}

static int watch_skips(struct trace *trace)
{
	const struct plan *plan = trace->plan;

	trace->watches = calloc(plan->n_probes + 1, sizeof(*trace->watches));
	if (!trace->watches)
		return -ENOMEM;
	for (unsigned i = 0; i < plan->n_probes; i++) {
		int class = skip_class(plan, i);
		int fd = load_probe(&trace->loaded, plan, i);

		if (fd >= 0 && !strcmp(plan->probes[i].target, "task:task_newtask"))
			trace->forks.prog_fd = fd;
		if (class >= 0 && fd >= 0 && !is_watched(trace, fd))
			trace->watches[trace->n_watches++] = (struct skip_watch){
				.prog_fd = fd,
				.class = class,
				.interrupts = plan->probes[i].flags & PROBE_INTERRUPTS,
			};
	}
	return 0;
}

/*
 * A descriptor a map, program, probe and ring, and what else is open. Short of
 * them, every program and probe would fail by itself.
 */
static int raise_nofile(const struct trace *trace)
{
	uint64_t wanted = trace->image.n_maps + trace->image.n_progs + trace->plan->n_probes +
			  trace->n_cpus + FILES_BESIDE;
	uint64_t limit = nofile_raise(wanted);

	if (limit >= wanted)
		return 0;
	log_error(
		"tracing needs %llu open files, the limit is %llu: raise it (ulimit -n %llu), or trace fewer "
		"streams (-e)",
		(unsigned long long)wanted, (unsigned long long)limit, (unsigned long long)wanted);
	return -EMFILE;
}

static void fill_disks(const struct loaded *loaded)
{
	struct disks disks;

	disks_open(&disks, "/sys/block");
	disks_fill_partitions(&disks, load_map(loaded, "iot_parts"));
	disks_fill_with_requests(&disks, load_map(loaded, "iot_request_disks"));
	disks_close(&disks);
}

int trace_open(struct trace *trace, const struct plan *plan, const struct trace_options *options)
{
	const char *name = options->image ? options->image : "what was compiled";
	int err;

	trace->plan = plan;
	trace->n_cpus = cpus_possible();
	trace->pages = options->pages ? options->pages : default_pages(trace->n_cpus);
	memlock_raise();
	phase_begin("text, cached image");
	err = get_image(trace, options);
	phase_begin("load");
	if (!err)
		err = check_programs(&trace->image, plan, name);
	if (!err)
		err = check_maps(&trace->image, name);
	if (!err)
		err = raise_nofile(trace);
	if (!err)
		err = load_image(&trace->loaded, &trace->image, plan, NULL);
	if (!err)
		err = watch_skips(trace);
	if (err)
		return err;
	set_called(trace);
	err = trace_fill_calls(trace);
	if (err)
		return err;
	fill_disks(&trace->loaded);
	trace->drain = drain_open(load_map(&trace->loaded, "iot_events"), trace->pages);
	return trace->drain ? 0 : -EIO;
}

const char *trace_not_attached(const struct trace *trace, unsigned probe)
{
	return trace->not_attached[probe];
}

/* Kept beyond the end of the probes: the manifest tells it then, too. */
static void keep_reasons(struct trace *trace)
{
	for (unsigned i = 0; i < trace->attached.n_links; i++) {
		const struct attach_link *link = &trace->attached.links[i];

		if (!link->live)
			trace->not_attached[link->probe] = strdup(link->why);
	}
}

static void forget_reasons(struct trace *trace)
{
	for (unsigned i = 0; i < PLAN_MAX_PROBES; i++) {
		free(trace->not_attached[i]);
		trace->not_attached[i] = NULL;
	}
}

/* The probe and the reason were told when it was tried; here, what they cost. */
static void report_incomplete(const struct capability *c)
{
	if (capability_is_internal(c))
		log_warn("rows may be missing or incomplete: without the probe there is no %s",
			 c->doc);
	else
		log_warn("rows of %s will be missing: %s%s%s lacks a probe", capability_stream(c),
			 c->operation, c->path[0] ? " " : "", c->path);
}

int trace_attach(struct trace *trace)
{
	int err;

	phase_begin("attach");
	err = attach_all(&trace->attached, trace->plan, &trace->loaded, MAXACTIVE);

	keep_reasons(trace);
	for (unsigned i = 0; i < trace->plan->n_choices; i++)
		trace->live[i] = trace->plan->choices[i].chosen &&
				 attach_complete(&trace->attached, i);
	return err == -ENOMEM ? err : 0;
}

unsigned trace_pass_over(const struct trace *trace, struct plan_request *request)
{
	const struct plan *plan = trace->plan;
	unsigned n = 0;

	for (unsigned i = 0; i < plan->n_choices && request->n_unattached < PLAN_MAX_SILENT; i++)
		if (plan->choices[i].chosen && !trace->live[i] && plan_has_next(plan, i, request)) {
			request->unattached[request->n_unattached++] = plan->choices[i].chosen;
			n++;
		}
	return n;
}

int trace_report_attached(const struct trace *trace)
{
	const struct plan *plan = trace->plan;
	bool any = false;

	for (unsigned i = 0; i < plan->n_choices; i++) {
		const struct plan_choice *choice = &plan->choices[i];

		if (choice->chosen && !trace->live[i])
			report_incomplete(choice->capability);
		any = any || (trace->live[i] && !capability_is_internal(choice->capability));
	}
	if (any)
		return 0;
	log_error("none of the requested probes could be attached");
	return -ENOENT;
}

void trace_stop(struct trace *trace)
{
	if (!trace->loaded.map_fd)
		return;
	trace_switch_off(trace);
	attach_close(&trace->attached);
}

void trace_close(struct trace *trace)
{
	trace_stop(trace);
	drain_close(trace->drain);
	trace->drain = NULL;
	load_close(&trace->loaded);
	forget_reasons(trace);
	free(trace->watches);
	trace->watches = NULL;
	trace->n_watches = 0;
	trace->forks.prog_fd = 0;
	image_free(&trace->image);
}

void trace_resend_names(struct trace *trace)
{
	trace->names_sent_again += trace_forget_names(trace);
}
