/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kprobe events in tracefs, for kernels without the perf kprobe PMU (before
 * 4.17) and for kretprobes with an explicit maxactive, which the PMU has never
 * had. The only file that writes to tracefs.
 */
#include "trace/kprobe_events.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "compat/sys/sys.h"

#define GROUP_PREFIX "iotracer_"

enum {
	MAX_ACTIVE = 4096, /* the kernel's KRETPROBE_MAXACTIVE_MAX; more is ERANGE */
	REMOVE_TRIES = 20,
	REMOVE_WAIT_NS = 10000000,
};

void kprobe_events_group(char *out, size_t size)
{
	snprintf(out, size, GROUP_PREFIX "%d", (int)getpid());
}

void kprobe_events_name(char *out, size_t size, bool is_return, unsigned i, const char *symbol)
{
	/* the kernel takes 63 characters */
	snprintf(out, size, "%c%u_%.40s_%d", is_return ? 'r' : 'p', i, symbol, (int)getpid());
	for (; *out; out++) {
		if (!isalnum((unsigned char)*out))
			*out = '_';
	}
}

/*
 * One write is one command; O_APPEND, since O_TRUNC would remove everybody's
 * events. -ENODEV when this kernel has no such file.
 */
static int command(const char *tracefs, const char *text)
{
	char path[PATH_MAX];
	int err = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/kprobe_events", tracefs);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ENODEV : -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

int kprobe_events_add(const char *tracefs, bool is_return, unsigned maxactive, const char *event,
		      const char *symbol)
{
	char text[512], group[32], active[16] = "";

	kprobe_events_group(group, sizeof(group));
	if (is_return && maxactive)
		snprintf(active, sizeof(active), "%u",
			 maxactive < MAX_ACTIVE ? maxactive : (unsigned)MAX_ACTIVE);
	snprintf(text, sizeof(text), "%c%s:%s/%s %s\n", is_return ? 'r' : 'p', active, group, event,
		 symbol);
	return command(tracefs, text);
}

/* The last reference to an event may go a moment after its descriptor was closed. */
int kprobe_events_remove(const char *tracefs, const char *group, const char *event)
{
	const struct timespec pause = { .tv_nsec = REMOVE_WAIT_NS };
	char text[512];
	int err = -EBUSY;

	snprintf(text, sizeof(text), "-:%s/%s\n", group, event);
	for (int i = 0; i < REMOVE_TRIES && err == -EBUSY; i++) {
		if (i)
			nanosleep(&pause, NULL);
		err = command(tracefs, text);
	}
	return err;
}

bool kprobe_events_alive(pid_t pid)
{
	char path[64], own[32], its[32];

	if (pid == getpid() || (kill(pid, 0) && errno == ESRCH))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	sys_read_text(path, its, sizeof(its));
	sys_read_text("/proc/self/comm", own, sizeof(own));
	return !its[0] || strcmp(its, own) == 0;
}

/* "p:iotracer_123/p0_x vfs_read", "r16:iotracer_123/r1_x vfs_read": group and event, or false. */
static bool parse_line(char *line, char **group, char **event)
{
	char *colon = strchr(line, ':');
	char *slash = colon ? strchr(colon, '/') : NULL;

	if ((line[0] != 'p' && line[0] != 'r') || !slash)
		return false;
	*group = colon + 1;
	*event = slash + 1;
	*slash = '\0';
	(*event)[strcspn(*event, " \t\n")] = '\0';
	return strncmp(*group, GROUP_PREFIX, strlen(GROUP_PREFIX)) == 0 && **event;
}

static int clean_line(const char *tracefs, char *line, kprobe_events_alive_fn *alive)
{
	char *group, *event, *end;
	long pid;

	if (!parse_line(line, &group, &event))
		return 0;
	pid = strtol(group + strlen(GROUP_PREFIX), &end, 10);
	if (*end || pid <= 0 || pid > INT_MAX || alive((pid_t)pid))
		return 0;
	return kprobe_events_remove(tracefs, group, event) ? 0 : 1;
}

/* The whole file first: the kernel's listing moves while events go away. */
static char *read_file(const char *tracefs, const char *name)
{
	char path[PATH_MAX];
	size_t room = 0;
	char *text = NULL;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", tracefs, name);
	file = fopen(path, "re");
	if (!file)
		return NULL;
	if (getdelim(&text, &room, '\0', file) < 0) {
		free(text);
		text = ferror(file) ? NULL : calloc(1, 1);
	}
	fclose(file);
	return text;
}

int kprobe_events_clean(const char *tracefs, kprobe_events_alive_fn *alive)
{
	char *text = read_file(tracefs, "kprobe_events");
	char *next = text;
	int n = 0;

	if (!text)
		return -errno;
	while (next && *next) {
		char *line = strsep(&next, "\n");

		n += clean_line(tracefs, line, alive);
	}
	free(text);
	return n;
}

int kprobe_events_profile(const char *tracefs, kprobe_events_missed_fn *fn, void *arg)
{
	char *text = read_file(tracefs, "kprobe_profile");
	char *next = text;

	if (!text)
		return -errno;
	while (next && *next) {
		char *line = strsep(&next, "\n");
		char event[128];
		uint64_t hits, missed;

		if (sscanf(line, "%127s %" SCNu64 " %" SCNu64, event, &hits, &missed) == 3)
			fn(arg, event, missed);
	}
	free(text);
	return 0;
}
