/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf(2) as thin as it can be, and the same where a kernel has less of it. Prints nothing. */
#include "compat/sys/bpf.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int sys_bpf(int cmd, union bpf_attr *attr, unsigned int size)
{
	long ret = syscall(__NR_bpf, cmd, attr, size);

	return ret < 0 ? -errno : (int)ret;
}

/*
 * bpf(2) arguments by their layout, since the system's linux/bpf.h may be older
 * than the object names (4.15). The kernel accepts a longer structure than it
 * knows as long as the rest is zero.
 */
struct map_create {
	uint32_t map_type;
	uint32_t key_size;
	uint32_t value_size;
	uint32_t max_entries;
	uint32_t map_flags;
	uint32_t inner_map_fd;
	uint32_t numa_node;
	char map_name[16];
};

struct prog_load {
	uint32_t prog_type;
	uint32_t insn_cnt;
	uint64_t insns;
	uint64_t license;
	uint32_t log_level;
	uint32_t log_size;
	uint64_t log_buf;
	uint32_t kern_version;
	uint32_t prog_flags;
	char prog_name[16];
	uint32_t unused;
	uint32_t attach_type; /* 4.17 */
	uint32_t types[9];    /* of the program itself */
	uint32_t attach_id;   /* 5.5 */
};

/*
 * E2BIG: what is not zero lies behind all that the kernel has for bpf(2); EINVAL: behind what
 * this command takes (CHECK_ATTR, kernel/bpf/syscall.c).
 */
static bool name_unknown(int err)
{
	return err == -EINVAL || err == -E2BIG;
}

/* linux/bpf.h of 4.17: command 17, and its part of union bpf_attr */
int bpf_raw_tracepoint_fd(const char *name, int prog_fd)
{
	struct {
		uint64_t name;
		uint32_t prog_fd;
		uint32_t unused;
	} raw = { .name = (uintptr_t)name, .prog_fd = (uint32_t)prog_fd };

	return sys_bpf(17, (union bpf_attr *)&raw, sizeof(raw));
}

/* linux/bpf.h of 5.15: BPF_LINK_CREATE, BPF_PERF_EVENT */
int bpf_perf_link_fd(int perf_fd, int prog_fd)
{
	struct {
		uint32_t prog_fd;
		uint32_t target_fd;
		uint32_t attach_type;
		uint32_t flags;
		uint64_t unused[4];
	} link = { .prog_fd = (uint32_t)prog_fd,
		   .target_fd = (uint32_t)perf_fd,
		   .attach_type = 41 };

	return sys_bpf(28, (union bpf_attr *)&link, sizeof(link));
}

/*
 * linux/bpf.h: struct bpf_prog_info has run_time_ns and run_cnt at 192 (5.1), recursion_misses at 208 (5.12);
 * older kernels fill less. So many words of it; false: there are not.
 */
static bool prog_info(int prog_fd, uint64_t *info, unsigned n_words)
{
	struct {
		uint32_t fd;
		uint32_t len;
		uint64_t info;
	} get = { .fd = (uint32_t)prog_fd,
		  .len = n_words * sizeof(*info),
		  .info = (uintptr_t)info };

	return !sys_bpf(BPF_OBJ_GET_INFO_BY_FD, (union bpf_attr *)&get, sizeof(get)) &&
	       get.len >= n_words * sizeof(*info);
}

uint64_t bpf_prog_skipped(int prog_fd)
{
	uint64_t info[27] = { 0 };

	return prog_info(prog_fd, info, 27) ? info[26] : 0;
}

uint64_t bpf_prog_run_ns(int prog_fd)
{
	uint64_t info[26] = { 0 };

	return prog_info(prog_fd, info, 26) ? info[24] : 0;
}

/* linux/bpf.h of 5.8: command 32, whose one member is BPF_STATS_RUN_TIME, 0 */
int bpf_stats_fd(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	return sys_bpf(32, &attr, 4);
}

int bpf_map_create_fd(uint32_t type, const char *name, uint32_t key_size, uint32_t value_size,
		      uint32_t max_entries, uint32_t flags)
{
	struct map_create attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = key_size;
	attr.value_size = value_size;
	attr.max_entries = max_entries;
	attr.map_flags = flags;
	if (name)
		strncpy(attr.map_name, name, sizeof(attr.map_name) - 1);
	fd = sys_bpf(BPF_MAP_CREATE, (union bpf_attr *)&attr, sizeof(attr));
	if (!attr.map_name[0] || !name_unknown(fd))
		return fd;
	return bpf_map_create_fd(type, NULL, key_size, value_size, max_entries, flags);
}

int bpf_prog_load_at_fd(const struct bpf_place *place, const char *name,
			const struct bpf_insn *insns, uint32_t n_insns, uint32_t kern_version,
			char *log, uint32_t log_size)
{
	struct prog_load attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = place->prog_type;
	attr.attach_type = place->attach_type;
	attr.attach_id = place->attach_id;
	attr.insn_cnt = n_insns;
	attr.insns = (uintptr_t)insns;
	attr.license = (uintptr_t) "GPL";
	attr.log_level = log ? 1 : 0;
	attr.log_size = log ? log_size : 0;
	attr.log_buf = (uintptr_t)log;
	attr.kern_version = kern_version;
	if (name)
		strncpy(attr.prog_name, name, sizeof(attr.prog_name) - 1);
	fd = sys_bpf(BPF_PROG_LOAD, (union bpf_attr *)&attr, sizeof(attr));
	if (!attr.prog_name[0] || !name_unknown(fd))
		return fd;
	return bpf_prog_load_at_fd(place, NULL, insns, n_insns, kern_version, log, log_size);
}

int bpf_prog_load_fd(uint32_t type, const char *name, const struct bpf_insn *insns,
		     uint32_t n_insns, uint32_t kern_version, char *log, uint32_t log_size)
{
	const struct bpf_place place = { .prog_type = type };

	return bpf_prog_load_at_fd(&place, name, insns, n_insns, kern_version, log, log_size);
}

static int map_elem(int cmd, int fd, const void *key, const void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)fd;
	attr.key = (uintptr_t)key;
	attr.value = (uintptr_t)value;
	return sys_bpf(cmd, &attr, sizeof(attr));
}

int bpf_map_put(int fd, const void *key, const void *value)
{
	return map_elem(BPF_MAP_UPDATE_ELEM, fd, key, value);
}

int bpf_map_get(int fd, const void *key, void *value)
{
	return map_elem(BPF_MAP_LOOKUP_ELEM, fd, key, value);
}

int bpf_map_remove(int fd, const void *key)
{
	return map_elem(BPF_MAP_DELETE_ELEM, fd, key, NULL);
}

int bpf_map_next(int fd, const void *key, void *next_key)
{
	return map_elem(BPF_MAP_GET_NEXT_KEY, fd, key, next_key);
}

/* Entries that are asked for at once: of each the kernel tells its place, too. */
#define MANY 256

/*
 * linux/bpf.h of 5.6: command 24, and its part of union bpf_attr. Begins behind a place that is given,
 * without one at the first; asked for more than there is, it says so (ENOENT). How many it gave, or -errno.
 */
static int get_many(int fd, uint32_t from, uint32_t n, void *values)
{
	/* after and places: the kernel writes them in any case */
	uint32_t before = from - 1, after, places[MANY];
	struct {
		uint64_t in, out, keys, values;
		uint32_t count, fd;
		uint64_t elem_flags, flags;
	} batch = { .in = from ? (uintptr_t)&before : 0,
		    .out = (uintptr_t)&after,
		    .keys = (uintptr_t)places,
		    .values = (uintptr_t)values,
		    .count = n,
		    .fd = (uint32_t)fd };
	int err = sys_bpf(24, (union bpf_attr *)&batch, sizeof(batch));

	/* at the end of the array there are fewer, which are good */
	return err && err != -ENOENT ? err : (int)batch.count;
}

int bpf_array_get(int fd, uint32_t from, uint32_t n, size_t value_size, void *values)
{
	char *at = values;
	uint32_t done = 0;

	while (done < n) {
		uint32_t left = n - done;
		int got = get_many(fd, from + done, left < MANY ? left : MANY,
				   at + done * value_size);

		if (!got)
			return -ENOENT;
		if (got < 0)
			break; /* no such command, or none for such a map */
		done += (uint32_t)got;
	}
	for (; done < n; done++) {
		uint32_t place = from + done;
		int err = bpf_map_get(fd, &place, at + done * value_size);

		if (err)
			return err;
	}
	return 0;
}
