/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * By pidfd, which tells the end of all threads, where the kernel has it (5.3);
 * else /proc is read.
 */
#include "resolve/targets.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "compat/sys/sys.h"

#define COMM_BYTES 15

struct status {
	char state;
	uint32_t ppid;
	long threads;
	unsigned long long started;
};

static bool read_text(const char *proc, uint32_t pid, const char *name, char *text, size_t size)
{
	char path[4096];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%u/%s", proc, pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, size - 1);
	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return n > 0;
}

static bool read_status(const char *proc, uint32_t pid, struct status *status)
{
	char text[1024];
	const char *at;

	if (!read_text(proc, pid, "stat", text, sizeof(text)))
		return false;
	/* a name may have brackets of its own */
	at = strrchr(text, ')');
	return at &&
	       sscanf(at + 1,
		      " %c %u %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %llu",
		      &status->state, &status->ppid, &status->threads, &status->started) == 4;
}

/* A leader that ended before its threads is a zombie, too. */
static bool has_ended(const struct status *status)
{
	return (status->state == 'Z' || status->state == 'X') && status->threads <= 1;
}

bool targets_alive(const char *proc, uint32_t pid)
{
	struct status status;

	return read_status(proc, pid, &status) && !has_ended(&status);
}

uint32_t targets_process(const char *proc, uint32_t tid)
{
	char text[1024];
	const char *at;

	if (!read_text(proc, tid, "status", text, sizeof(text)))
		return 0;
	at = strstr(text, "\nTgid:");
	return at ? (uint32_t)strtoul(at + strlen("\nTgid:"), NULL, 10) : 0;
}

static bool is_named(const char *proc, uint32_t pid, const char *name)
{
	char comm[64];

	if (!read_text(proc, pid, "comm", comm, sizeof(comm)))
		return false;
	comm[strcspn(comm, "\n")] = '\0';
	return strncmp(comm, name, COMM_BYTES) == 0;
}

unsigned targets_named(const char *proc, const char *name, uint32_t *pids, unsigned max)
{
	DIR *dir = opendir(proc);
	struct dirent *entry;
	unsigned n = 0;

	while (dir && (entry = readdir(dir))) {
		uint32_t pid = strtoul(entry->d_name, NULL, 10);

		if (!isdigit((unsigned char)entry->d_name[0]) || pid == (uint32_t)getpid() ||
		    !is_named(proc, pid, name) || !targets_alive(proc, pid))
			continue;
		if (n < max)
			pids[n] = pid;
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

/* A child may have a lower number than its parent, and then the next pass finds it. */
static unsigned add_children(const char *proc, uint64_t since, const struct targets_set *set)
{
	DIR *dir = opendir(proc);
	struct dirent *entry;
	struct status status;
	unsigned n = 0;

	while (dir && (entry = readdir(dir))) {
		uint32_t pid = strtoul(entry->d_name, NULL, 10);

		if (!isdigit((unsigned char)entry->d_name[0]) || !read_status(proc, pid, &status) ||
		    status.started < since || !set->has(set->arg, status.ppid) ||
		    set->has(set->arg, pid))
			continue;
		n += set->add(set->arg, pid);
	}
	if (dir)
		closedir(dir);
	return n;
}

unsigned targets_children(const char *proc, uint64_t since, const struct targets_set *set)
{
	unsigned all = 0, n;

	do {
		n = add_children(proc, since, set);
		all += n;
	} while (n);
	return all;
}

static int watch(struct targets *targets, uint32_t pid)
{
	struct target *t = &targets->list[targets->n];
	struct status status;

	if (!read_status("/proc", pid, &status)) {
		log_error("--pid: no process %u", pid);
		return -ESRCH;
	}
	if (has_ended(&status)) {
		log_error("--pid: process %u has exited", pid);
		return -ESRCH;
	}
	*t = (struct target){ .pid = pid, .fd = sys_pidfd_open(pid), .started = status.started };
	targets->n++;
	return 0;
}

int targets_open(struct targets *targets, const uint32_t *pids, unsigned n)
{
	int err = 0;

	targets->list = calloc(n + 1, sizeof(*targets->list));
	if (!targets->list)
		return -ENOMEM;
	for (unsigned i = 0; i < n && !err; i++)
		err = watch(targets, pids[i]);
	targets->watched = n > 0;
	return err;
}

static bool target_ended(const struct target *t)
{
	struct pollfd poll_fd = { .fd = t->fd, .events = POLLIN };
	struct status status;

	if (t->fd >= 0)
		return poll(&poll_fd, 1, 0) > 0;
	return !read_status("/proc", t->pid, &status) || has_ended(&status) ||
	       status.started != t->started;
}

bool targets_ended(struct targets *targets)
{
	for (unsigned i = 0; i < targets->n;) {
		struct target *t = &targets->list[i];

		if (!target_ended(t)) {
			i++;
			continue;
		}
		if (t->fd >= 0)
			close(t->fd);
		*t = targets->list[--targets->n];
	}
	return targets->watched && targets->n == 0;
}

void targets_close(struct targets *targets)
{
	for (unsigned i = 0; i < targets->n; i++)
		if (targets->list[i].fd >= 0)
			close(targets->list[i].fd);
	free(targets->list);
	*targets = (struct targets){ 0 };
}
