/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs are told before they let anything through: filters, limits, and whether they are on. */
#include "trace/trace_config.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "compat/sys/bpf.h"
#include "row/records.h"
#include "trace/load.h"
#include "trace/trace_forks.h"
#include "trace/trace_set.h"

/* The first key, until there is none: it is removed each time. What has longer keys is none of these maps. */
static void clear_map(int fd, uint32_t key_size)
{
	char key[64];

	while (fd >= 0 && key_size <= sizeof(key) && !bpf_map_next(fd, NULL, key))
		if (bpf_map_remove(fd, key))
			break;
}

/* Without kernel headers there is no such map: the reader alone decides. */
static int set_fs_types(struct trace *trace, const struct fs_types *types, struct iot_config *cfg)
{
	int map = load_map(&trace->loaded, "iot_fs_types"), err = 0;

	clear_map(map, sizeof(types->rules[0].type));
	for (unsigned i = 0; i < types->n_rules && map >= 0 && !err; i++)
		err = bpf_map_put(map, types->rules[i].type, &types->rules[i].rule);
	cfg->fs_types = types->kinds;
	return err;
}

static void add_member(void *arg, uint32_t pid)
{
	int map = load_map(&((struct trace *)arg)->loaded, "iot_members");
	uint8_t one = 1;

	bpf_map_put(map, &pid, &one);
}

void trace_find_members(struct trace *trace)
{
	if (trace->members)
		cgroup_each(trace->members, add_member, trace);
}

/* The kernel tells who is in a group of version 2; of version 1 its processes are listed. */
static int set_cgroup(struct trace *trace, const struct trace_options *options,
		      struct iot_config *cfg)
{
	int map = load_map(&trace->loaded, "iot_cgroup"), fd, err = 0;
	uint32_t zero = 0;

	clear_map(load_map(&trace->loaded, "iot_members"), sizeof(uint32_t));
	trace->members = NULL;
	if (!options->cgroup.path[0])
		return 0;
	cfg->filters |= IOT_FILTER_CGROUP;
	cfg->by_group = options->cgroup.unified && map >= 0;
	if (!cfg->by_group) {
		trace->members = &options->cgroup;
		trace_find_members(trace);
		log_detail(
			"--cgroup: the processes of %s and their children; others that enter it are found within a second",
			options->cgroup.path);
		return 0;
	}
	fd = open(options->cgroup.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || bpf_map_put(map, &zero, &fd))
		err = fd < 0 ? -errno : -EINVAL;
	if (fd >= 0)
		close(fd);
	return err;
}

static int set_filters(struct trace *trace, const struct trace_options *options,
		       struct iot_config *cfg)
{
	int tasks = load_map(&trace->loaded, "iot_tasks"),
	    comms = load_map(&trace->loaded, "iot_comms");
	uint8_t one = 1, zero = 0;
	int err = 0;

	clear_map(tasks, sizeof(uint32_t));
	clear_map(comms, sizeof(options->comms[0]));
	for (unsigned i = 0; i < options->n_pids && !err; i++)
		err = bpf_map_put(tasks, &options->pids[i], &one);
	for (unsigned i = 0; i < options->n_comms && !err; i++)
		err = bpf_map_put(comms, options->comms[i], &one);
	for (unsigned i = 0; i < options->n_not_comms && !err; i++)
		err = bpf_map_put(comms, options->not_comms[i], &zero);
	if (!err)
		err = set_cgroup(trace, options, cfg);
	if (!err)
		err = set_fs_types(trace, &options->fs_types, cfg);
	if (options->n_pids)
		cfg->filters |= IOT_FILTER_TASKS | IOT_FILTER_FORKS;
	if (options->n_comms)
		cfg->filters |= IOT_FILTER_COMM;
	if (options->n_not_comms)
		cfg->filters |= IOT_FILTER_NOT_COMM;
	if (options->by_uid)
		cfg->filters |= IOT_FILTER_UID;
	cfg->uid = options->uid;
	filter_config(&options->rows, trace->plan, cfg);
	if (err)
		log_error("cannot set filters: %s", strerror(-err));
	return err;
}

static void set_opt_levels(const struct trace_options *options, struct iot_config *cfg)
{
	if (options->all_opt_levels)
		return;
	cfg->n_opt_levels = options->n_opt_levels;
	memcpy(cfg->opt_levels, options->opt_levels, sizeof(cfg->opt_levels));
	if (!cfg->n_opt_levels) {
		cfg->opt_levels[cfg->n_opt_levels++] = SOL_SOCKET;
		cfg->opt_levels[cfg->n_opt_levels++] = IPPROTO_TCP;
	}
}

static int set_config(struct trace *trace, const struct iot_config *cfg)
{
	uint32_t zero = 0;

	int err = bpf_map_put(load_map(&trace->loaded, "iot_cfg"), &zero, cfg);

	if (err && cfg->on)
		log_error("cannot enable the programs: %s", strerror(-err));
	return err;
}

/* Zeroes every key of a per-CPU map of n counters a key. */
static void zero_counters(struct trace *trace, const char *map, uint32_t n_keys, size_t n)
{
	uint64_t *zeros = calloc(trace->n_cpus * n, sizeof(*zeros));
	int fd = load_map(&trace->loaded, map);

	for (uint32_t key = 0; zeros && fd >= 0 && key < n_keys; key++)
		bpf_map_put(fd, &key, zeros);
	free(zeros);
}

/* Below which a random number of 32 bits is for one of so many; 0: all are kept */
static uint32_t threshold(uint32_t rate)
{
	return rate > 1 ? (1ULL << 32) / rate : 0;
}

void trace_config_stacks(const struct trace_options *options, struct iot_config *cfg)
{
	const struct trace_stacks *stacks = &options->stacks;

	cfg->stack_ops = stacks->ops;
	cfg->stack_keep = stacks->rate == 1 ? UINT32_MAX : threshold(stacks->rate);
	if (stacks->slow || !stacks->asked)
		cfg->stack_latency = options->rows.min_latency ?: NS_PER_S / 1000;
}

int trace_switch_on(struct trace *trace, const struct trace_options *options)
{
	struct iot_config cfg = {
		.self = getpid(),
		.n_cpus = trace->n_cpus,
		.all_fs = options->all_fs,
		.all_drops = options->all_drops,
		.cache_keep = threshold(options->cache_sample_rate),
		.uring_keep = threshold(options->uring_sample_rate),
		.uring_files = options->uring_files,
		.count = options->count,
	};
	int err;

	trace_switch_off(trace);
	zero_counters(trace, "iot_seq", IOT_N_SEQ, 1);
	zero_counters(trace, "iot_missed", 1, IOT_N_SEQ * IOT_MISS_ROOM);
	/* what the programs kept of names and file systems was right for other options */
	trace_forget_names(trace);
	for (unsigned i = 0; i < trace->n_watches; i++)
		trace->watches[i].before = bpf_prog_skipped(trace->watches[i].prog_fd);
	trace_forks_begin(trace);
	err = set_filters(trace, options, &cfg);
	if (err)
		return err;
	set_opt_levels(options, &cfg);
	trace_config_stacks(options, &cfg);
	trace->cache_sample_rate = options->cache_sample_rate ? options->cache_sample_rate : 1;
	trace->uring_sample_rate = options->uring_sample_rate ? options->uring_sample_rate : 1;
	trace->filtered = cfg.filters & IOT_FILTER_WHO;
	if (getrandom(cfg.ofd_keys, sizeof(cfg.ofd_keys), 0) != sizeof(cfg.ofd_keys)) {
		err = -errno;
		log_error("cannot get random bytes for column ofd: %s", strerror(errno));
		return err;
	}
	/* last, when filters are in their maps: before that nothing is let through */
	cfg.on = 1;
	trace->config = cfg;
	return set_config(trace, &cfg);
}

/* Factors are powers of two, so that a mask of its hash decides on an event; 0: none is kept. */
static uint32_t thin_mask(uint32_t factor)
{
	return factor ? factor - 1 : IOT_THIN_ALL;
}

/* The two rates of io_uring leave out what either leaves out. */
static uint32_t uring_keep(const struct trace *trace, uint32_t factor)
{
	uint64_t rate = (uint64_t)trace->uring_sample_rate * factor;

	/* 1 lets next to none through, where 0 would be all */
	return rate && rate < UINT32_MAX ? threshold((uint32_t)rate) : 1;
}

void trace_thin(struct trace *trace, const uint32_t factors[N_EVENT_STREAMS])
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		trace->config.thin[i] = thin_mask(factors[i]);
	trace->config.uring_keep = uring_keep(trace, factors[STREAM_iouring]);
	set_config(trace, &trace->config);
}

void trace_switch_off(struct trace *trace)
{
	/* an operation that has begun is a row, and may have its stack */
	struct iot_config off = { .self = getpid(),
				  .stack_ops = trace->config.stack_ops,
				  .stack_latency = trace->config.stack_latency,
				  .stack_keep = trace->config.stack_keep };

	set_config(trace, &off);
}

bool trace_forget_names(struct trace *trace)
{
	int fd = load_map(&trace->loaded, "iot_epoch");
	uint32_t zero = 0;
	uint64_t epoch;

	if (fd < 0 || bpf_map_get(fd, &zero, &epoch))
		return false;
	/* a step that the kernel's own single steps cannot undo */
	epoch += 1 << 20;
	bpf_map_put(fd, &zero, &epoch);
	return true;
}
