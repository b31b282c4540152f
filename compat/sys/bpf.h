/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf(2): programs, maps and attachments by their descriptors, and constants that
 * old headers lack. Each function returns a valid result or -errno.
 */
#pragma once

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

int sys_bpf(int cmd, union bpf_attr *attr, unsigned int size);

/* Not in headers before 4.17. */
#define RAW_TRACEPOINT_TYPE 17 /* BPF_PROG_TYPE_RAW_TRACEPOINT */

/*
 * Not in headers before 5.5 (fec56f5890d9): a program at the beginning or the end of a function of
 * the kernel.
 */
#define TRACING_TYPE 26 /* BPF_PROG_TYPE_TRACING */
#define TRACE_FENTRY 24 /* BPF_TRACE_FENTRY, BPF_TRACE_FEXIT */
#define TRACE_FEXIT 25

/*
 * Attaches to an event ("block_rq_issue"), or, with NULL, to the function that the program was
 * loaded for; the descriptor is the attachment. Or -errno.
 */
int bpf_raw_tracepoint_fd(const char *name, int prog_fd);

/*
 * Attaches to a perf event until the descriptor that is returned is closed; the event stays. Or
 * -errno; -EINVAL before 5.15, where only PERF_EVENT_IOC_SET_BPF attaches.
 */
int bpf_perf_link_fd(int perf_fd, int prog_fd);

/* name as below; flags: BPF_F_*. Returns a descriptor or -errno. */
int bpf_map_create_fd(uint32_t type, const char *name, uint32_t key_size, uint32_t value_size,
		      uint32_t max_entries, uint32_t flags);
/*
 * A GPL program. name and log may be NULL; a kernel that knows no names gets
 * none. kern_version matters to kprobe programs before 5.0.
 */
int bpf_prog_load_fd(uint32_t type, const char *name, const struct bpf_insn *insns,
		     uint32_t n_insns, uint32_t kern_version, char *log, uint32_t log_size);

/* What a program is loaded for. Of most types the latter two are 0. */
struct bpf_place {
	uint32_t prog_type;
	uint32_t attach_type; /* TRACE_FENTRY, TRACE_FEXIT */
	uint32_t attach_id;   /* the function's, in the kernel's BTF */
};
/* The same for such a place. */
int bpf_prog_load_at_fd(const struct bpf_place *place, const char *name,
			const struct bpf_insn *insns, uint32_t n_insns, uint32_t kern_version,
			char *log, uint32_t log_size);

/*
 * How often the kernel skipped a program since it was loaded; 0 before 5.12, which does not count.
 */
uint64_t bpf_prog_skipped(int prog_fd);

/*
 * While this descriptor is open, the kernel measures how long programs run, which takes some 20 ns each
 * time; or -errno (-EINVAL before 5.8).
 */
int bpf_stats_fd(void);
/* For how long a program ran while that was measured; 0 before 5.1. */
uint64_t bpf_prog_run_ns(int prog_fd);

int bpf_map_put(int fd, const void *key, const void *value); /* BPF_ANY */
int bpf_map_get(int fd, const void *key, void *value);
/* -ENOENT: it is not there; so bpf_map_get. */
int bpf_map_remove(int fd, const void *key);
int bpf_map_next(int fd, const void *key,
		 void *next_key); /* key NULL: the first; -ENOENT at the end */
/*
 * n entries of an array, of value_size bytes each, from this place on: with few system calls since
 * 5.6, before with one each. They are not of one moment. 0 or -errno.
 */
int bpf_array_get(int fd, uint32_t from, uint32_t n, size_t value_size, void *values);
