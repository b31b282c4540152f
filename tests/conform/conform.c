/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform TIER DIR [CASE...]: runs cases in DIR and prints the expected rows,
 * one line each, fields apart by tabs. A case begins with an open that fails
 * (its name below /conform), so that a reader of the trace can tell them apart.
 * Owns the cases' order and their children; what a row looks like is in
 * conform_rows.c. Of the tracer it knows that it sleeps when it has read everything.
 */
#include "conform/conform.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int tier;
const char *work, *program;
char buf[1 << 20];

const char *case_name;
FILE *out;
static char *out_text;
static size_t out_len;

void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "conform: %s: %s: %s\n", case_name ? case_name : "start", what,
		strerror(errno));
	_exit(3);
}

void skip(const char *fmt, ...)
{
	va_list ap;

	fprintf(out, "SKIP\t%s\t", case_name);
	va_start(ap, fmt);
	vfprintf(out, fmt, ap);
	va_end(ap);
	fputc('\n', out);
}

/* ---- the tracer's turns ---- */

static int reader_status = -1; /* of the process that runs us and traces */

/* From /proc/PID/status; -1: no such line */
static long number_in(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtol(at + strlen(name), NULL, 10) : -1;
}

/* The ancestor that traces, when there is one. Before the first case, so that this is no row of any. */
static void find_reader(void)
{
	char path[64], text[4096];
	long pid = getppid();

	while (pid > 1) {
		ssize_t n;
		int fd;

		snprintf(path, sizeof(path), "/proc/%ld/status", pid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
		if (n < 0)
			return;
		text[n] = '\0';
		if (!strncmp(text, "Name:\tiotracer\n", 15)) {
			/* cases count on the lowest number that is free */
			reader_status = fcntl(fd, F_DUPFD_CLOEXEC, 500);
			close(fd);
			return;
		}
		close(fd);
		pid = number_in(text, "\nPPid:\t");
	}
}

/* How often it had nothing to do: it sleeps for 100 ms at most. */
static long reader_sleeps(void)
{
	char text[4096];
	ssize_t n = pread(reader_status, text, sizeof(text) - 1, 0);

	if (n < 0)
		return -1;
	text[n] = '\0';
	return number_in(text, "\nvoluntary_ctxt_switches:\t");
}

/* For that time, and until the tracer has been there since: on a loaded machine that takes longer than any time one would write down. */
static void await_reader(long ms)
{
	enum { TURNS = 4, TRIES = 600 };
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000 * 1000 };
	long before = reader_sleeps();

	nanosleep(&t, NULL);
	t = (struct timespec){ .tv_nsec = 100 * 1000 * 1000 };
	for (int i = 0; i < TRIES && before >= 0 && reader_sleeps() - before < TURNS; i++)
		nanosleep(&t, NULL);
}

/* Without kprobes the tracer finds files in /proc, if it looks in time. */
void settle_names(void)
{
	if (tier != TIER_A)
		await_reader(400);
}

void settle(void)
{
	if (tier == TIER_C)
		settle_names();
}

/*
 * In another mount namespace, whether its root is the host's is asked of /proc in every tier: one
 * that ended before has path_status o, because nobody can say.
 */
void stay_to_be_seen(void)
{
	await_reader(1500);
}

const char *at(const char *name)
{
	static char texts[8][PATH_MAX * 2];
	static unsigned n;
	char *text = texts[n++ % 8];

	snprintf(text, sizeof(texts[0]), "%s/%s%s%s", work, case_name, *name ? "/" : "", name);
	return text;
}

void now_called(struct file *file, const char *name, const char *status)
{
	settle();
	if (tier == TIER_C)
		return;
	snprintf(file->path, sizeof(file->path), "%s", at(name));
	file->status = status;
}

/* ---- children ---- */

void await(pid_t pid)
{
	int status;

	must(waitpid(pid, &status, 0) == pid, "waitpid");
	must(WIFSIGNALED(status) || WEXITSTATUS(status) == 0, "child");
}

pid_t in_child(void (*fn)(void *arg), void *arg)
{
	pid_t pid = fork();

	must(pid >= 0, "fork");
	if (pid == 0) {
		fn(arg);
		_exit(0);
	}
	await(pid);
	return pid;
}

/* ---- running ---- */

static const struct conform_case *const lists[] = { rw_cases,    open_cases,      name_cases,
						    close_cases, async_cases,     way_cases,
						    path_cases,  attribute_cases, fd_cases,
						    map_cases,   mount_cases,     thread_cases,
						    lock_cases,  metadata_cases };

static bool chosen(const char *name, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

/* arm64 before 4.19 has no event of mmap: without kprobes nobody knows what is mapped where. */
static bool maps_are_seen(void)
{
	const char *events = "/sys/kernel/tracing/events/syscalls";
	char mmap[64];

	snprintf(mmap, sizeof(mmap), "%s/sys_enter_mmap", events);
	return tier == TIER_A || access(events, F_OK) < 0 || !access(mmap, F_OK);
}

static void run_case(const struct conform_case *c, bool seen)
{
	char marker[64];

	case_name = c->name;
	expect_as(0, 0);
	snprintf(marker, sizeof(marker), "/conform/%s", c->name);
	must(open(marker, O_RDONLY) < 0, marker);
	fprintf(out, "CASE\t%s\n", c->name);
	make_dir(at(""), NULL);
	if (seen)
		c->run();
	else
		skip("no event of mmap here");
	/* no row below DIR */
	must(!chdir("/"), "chdir");
}

/* What an executed child does: uses a file and leaves it open. */
static int be_child(const char *path)
{
	int fd = open(path, O_WRONLY);

	return fd < 0 || write(fd, "child", 5) != 5;
}

int main(int argc, char **argv)
{
	static const char tiers[] = "ab?c";
	const char *letter;

	if (argc == 3 && !strcmp(argv[1], "--child"))
		return be_child(argv[2]);
	if (argc == 2 && !strcmp(argv[1], "--uring")) {
		out = open_memstream(&out_text, &out_len);
		return uring_names();
	}
	letter = argc >= 3 && strlen(argv[1]) == 1 ? strchr(tiers, argv[1][0]) : NULL;
	if (!letter || *letter == '?') {
		fprintf(stderr, "usage: conform a|b|c DIR [CASE...]\n");
		return 2;
	}
	tier = letter - tiers + 1;
	work = realpath(argv[2], NULL);
	program = realpath("/proc/self/exe", NULL);
	out = open_memstream(&out_text, &out_len);
	must(work && program && out, argv[2]);
	umask(022);
	must(!chmod(work, 0755), work);
	find_reader();
	memset(buf, 'x', sizeof(buf));
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const struct conform_case *c = lists[i]; c->name; c++)
			if (chosen(c->name, argv + 3))
				run_case(c, lists[i] != map_cases || maps_are_seen());
	must(open("/conform/end", O_RDONLY) < 0, "end");
	settle();
	fclose(out);
	return fwrite(out_text, 1, out_len, stdout) == out_len && !fflush(stdout) ? 0 : 3;
}
