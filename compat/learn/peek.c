/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the program, its map and how often it is asked. What the bytes mean, learn.c knows. */
#include "compat/learn/peek.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "compat/sys/bpf.h"
#include "compat/sys/bpf_knows.h"
#include "compat/sys/root.h"
#include "compat/sys/sys.h"

enum { AT_ONCE = 1024, PAGE = 4096 };

/* The one value of the map: the question and, after the program has run, the answer. */
struct look {
	uint64_t tid;
	uint64_t address; /* 0: nothing is copied */
	uint64_t size;    /* minus one: old verifiers want to see that it is not 0 */
	int64_t err;
	uint64_t task;
	unsigned char data[AT_ONCE];
};

struct peek {
	int map_fd;
	int prog_fd;
	int event_fd;
	uint64_t tid; /* of the thread that looks */
	uint64_t task;
	uint64_t reach; /* of the memory in which the kernel has its objects */
	char comm[16];
};

/* Helpers by number, include/uapi/linux/bpf.h */
enum {
	HELPER_MAP_LOOKUP = 1,
	HELPER_PROBE_READ = 4,
	HELPER_PID_TGID = 14,
	HELPER_CURRENT_TASK = 35,
	HELPER_PROBE_READ_KERNEL = 113
};

#define MOVE(dst, src)                                                                             \
	{                                                                                          \
		.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (dst), .src_reg = (src)            \
	}
#define IMMEDIATE(op, dst, value)                                                                  \
	{                                                                                          \
		.code = BPF_ALU64 | (op) | BPF_K, .dst_reg = (dst), .imm = (value)                 \
	}
#define LOAD(dst, src, at)                                                                         \
	{                                                                                          \
		.code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = (dst), .src_reg = (src),            \
		.off = (at)                                                                        \
	}
#define STORE(dst, at, src)                                                                        \
	{                                                                                          \
		.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = (dst), .src_reg = (src),            \
		.off = (at)                                                                        \
	}
#define CALL(helper)                                                                               \
	{                                                                                          \
		.code = BPF_JMP | BPF_CALL, .imm = (helper)                                        \
	}
#define EXIT                                                                                       \
	{                                                                                          \
		.code = BPF_JMP | BPF_EXIT                                                         \
	}
#define SKIP_UNLESS(op, dst, src, n)                                                               \
	{                                                                                          \
		.code = BPF_JMP | (op) | BPF_X, .dst_reg = (dst), .src_reg = (src), .off = (n)     \
	}
#define IN_LOOK(member) ((int)offsetof(struct look, member))

static int load_program(int map_fd)
{
	bool kernel = bpf_knows(true, HELPER_PROBE_READ_KERNEL);
	const struct bpf_insn insns[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = BPF_REG_10, .off = -4 },
		{ .code = BPF_LD | BPF_DW | BPF_IMM,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_FD,
		  .imm = map_fd },
		{ .code = 0 }, /* the other half of the one before */
		MOVE(BPF_REG_2, BPF_REG_10),
		IMMEDIATE(BPF_ADD, BPF_REG_2, -4),
		CALL(HELPER_MAP_LOOKUP),
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .off = 17 },
		MOVE(BPF_REG_6, BPF_REG_0),
		CALL(HELPER_PID_TGID),
		IMMEDIATE(BPF_LSH, BPF_REG_0, 32),
		IMMEDIATE(BPF_RSH, BPF_REG_0, 32),
		LOAD(BPF_REG_1, BPF_REG_6, IN_LOOK(tid)),
		SKIP_UNLESS(BPF_JNE, BPF_REG_0, BPF_REG_1, 11),
		CALL(HELPER_CURRENT_TASK),
		STORE(BPF_REG_6, IN_LOOK(task), BPF_REG_0),
		LOAD(BPF_REG_3, BPF_REG_6, IN_LOOK(address)),
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_3, .off = 7 },
		LOAD(BPF_REG_2, BPF_REG_6, IN_LOOK(size)),
		IMMEDIATE(BPF_AND, BPF_REG_2, AT_ONCE - 1),
		IMMEDIATE(BPF_ADD, BPF_REG_2, 1),
		MOVE(BPF_REG_1, BPF_REG_6),
		IMMEDIATE(BPF_ADD, BPF_REG_1, IN_LOOK(data)),
		CALL(kernel ? HELPER_PROBE_READ_KERNEL : HELPER_PROBE_READ),
		STORE(BPF_REG_6, IN_LOOK(err), BPF_REG_0),
		IMMEDIATE(BPF_MOV, BPF_REG_0, 0),
		EXIT,
	};

	return bpf_prog_load_fd(BPF_PROG_TYPE_TRACEPOINT, "iotracer_peek", insns,
				sizeof(insns) / sizeof(insns[0]), 0, NULL, 0);
}

/* Before 4.15 an event has one program: that of who looked before may be there for some grace periods more. */
enum { DETACH_WAITS = 200, DETACH_WAIT_US = 10000 };

static int give_program(int fd, int prog_fd)
{
	for (unsigned i = 0; ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd); i++) {
		if (errno != EEXIST || i == DETACH_WAITS)
			return -errno;
		usleep(DETACH_WAIT_US);
	}
	return 0;
}

/* On one CPU, but the program runs on every one; see attach_event.c. */
static int attach(const char *tracefs, int prog_fd)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.wakeup_events = 1,
	};
	char id[16];
	int fd, err = root_read_line(tracefs, "events/task/task_rename/id", id, sizeof(id));

	if (err)
		return err;
	attr.config = strtoull(id, NULL, 10);
	fd = sys_perf_event_open(&attr, -1, sched_getcpu(), -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = give_program(fd, prog_fd);
	if (!err && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

/*
 * Memory of devices lies beyond what the kernel maps as memory: nothing there is
 * ever read. All memory with its holes spans less than four times its size.
 */
static uint64_t reach_of_memory(void)
{
	uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	return 4 * bytes + (64ull << 30);
}

/* Asks once. Returns 0, or -errno when the program did not run or could not read. */
static int look_once(struct peek *peek, struct look *look)
{
	uint32_t zero = 0;

	look->tid = peek->tid;
	look->task = 0;
	look->err = -EFAULT;
	if (bpf_map_put(peek->map_fd, &zero, look))
		return -EIO;
	prctl(PR_SET_NAME, peek->comm);
	if (bpf_map_get(peek->map_fd, &zero, look) || !look->task)
		return -EIO;
	return look->address ? (int)look->err : 0;
}

struct peek *peek_open(const char *tracefs, char *why, size_t why_size)
{
	struct peek *peek = calloc(1, sizeof(*peek));
	const char *what = "no memory";
	int err = 0;

	if (!peek) {
		snprintf(why, why_size, "%s", what);
		return NULL;
	}
	memlock_raise();
	prctl(PR_GET_NAME, peek->comm);
	peek->prog_fd = peek->event_fd = -1;
	what = "its map";
	err = peek->map_fd = bpf_map_create_fd(BPF_MAP_TYPE_ARRAY, "iotracer_peek",
					       sizeof(uint32_t), sizeof(struct look), 1, 0);
	if (err >= 0) {
		what = "its program";
		err = peek->prog_fd = load_program(peek->map_fd);
	}
	if (err >= 0) {
		what = "event task:task_rename";
		err = peek->event_fd = attach(tracefs, peek->prog_fd);
	}
	if (err >= 0) {
		what = "the first look";
		peek->task = peek_task(peek);
		peek->reach = reach_of_memory();
		err = peek->task ? 0 : -EIO;
	}
	if (err >= 0)
		return peek;
	snprintf(why, why_size, "kernel memory cannot be read: %s: %s", what, strerror(-err));
	peek_close(peek);
	return NULL;
}

void peek_close(struct peek *peek)
{
	if (!peek)
		return;
	if (peek->event_fd >= 0)
		close(peek->event_fd);
	if (peek->prog_fd >= 0)
		close(peek->prog_fd);
	if (peek->map_fd >= 0)
		close(peek->map_fd);
	free(peek);
}

uint64_t peek_task(struct peek *peek)
{
	struct look look = { .address = 0 };

	peek->tid = (uint64_t)syscall(__NR_gettid);
	return look_once(peek, &look) ? 0 : look.task;
}

size_t peek_read(struct peek *peek, uint64_t address, void *out, size_t size)
{
	size_t done = 0;

	while (address && done < size) {
		uint64_t from = address + done;
		size_t n = size - done < AT_ONCE ? size - done : AT_ONCE;
		struct look look = { .address = from };

		/* what follows in another page may not be there */
		if (n > PAGE - from % PAGE)
			n = PAGE - from % PAGE;
		look.size = n - 1;
		if (look_once(peek, &look))
			break;
		memcpy((char *)out + done, look.data, n);
		done += n;
	}
	return done;
}

int peek_is_object(const struct peek *peek, uint64_t address)
{
	uint64_t far = address > peek->task ? address - peek->task : peek->task - address;

	return address % 8 == 0 && far < peek->reach;
}
