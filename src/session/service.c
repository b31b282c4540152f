/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the words of the protocol, and the way from one recording of a service to the next. */
#include "session/service.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define REPLACES "IOTRACER_REPLACES" /* whom, for the successor */

/* A message that does not arrive has no remedy: the manager notices by itself. */
static void notify(const char *text)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (!len || len >= sizeof(to.sun_path))
		return;
	memcpy(to.sun_path, path, len);
	if (path[0] == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&to,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close(fd);
}

static uint64_t number_of(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : 0;
}

/* Not what has its number by now. */
static bool is_recorder(pid_t pid)
{
	char name[40], comm[20] = "";
	FILE *in;

	snprintf(name, sizeof(name), "/proc/%d/comm", (int)pid);
	in = pid > 1 ? fopen(name, "re") : NULL;
	if (!in)
		return false;
	if (!fgets(comm, sizeof(comm), in))
		comm[0] = '\0';
	fclose(in);
	return !strcmp(comm, "iotracer\n");
}

void service_open(struct service *service)
{
	uint64_t watched = number_of("WATCHDOG_PID");

	service->managed = getenv("NOTIFY_SOCKET") != NULL;
	service->predecessor = (pid_t)number_of(REPLACES);
	if (!is_recorder(service->predecessor))
		service->predecessor = 0;
	/* what the predecessor was asked for is asked of its successor, too */
	if (!watched || watched == (uint64_t)getpid() || service->predecessor)
		service->every_ns = number_of("WATCHDOG_USEC") * 1000 / 3;
}

void service_ready(struct service *service)
{
	service->next_ns = mono_ns() + service->every_ns;
	if (service->predecessor && is_recorder(service->predecessor))
		kill(service->predecessor, SIGTERM);
	else
		notify("READY=1\nSTATUS=Recording");
}

void service_goes_on(struct service *service, uint64_t now_ns)
{
	if (!service->every_ns || now_ns < service->next_ns || service->replaced)
		return;
	notify("WATCHDOG=1");
	service->next_ns = now_ns + service->every_ns;
}

void service_stopping(struct service *service)
{
	if (!service->replaced)
		notify("STOPPING=1\nWATCHDOG=1\nSTATUS=Closing the session directory");
}

/* ---- reload ---- */

/* After an upgrade the name leads to the new program. */
static bool program_path(char path[4096])
{
	static const char deleted[] = " (deleted)";
	ssize_t len = readlink("/proc/self/exe", path, 4095);
	size_t end = sizeof(deleted) - 1;

	if (len <= 0)
		return false;
	path[len] = '\0';
	if ((size_t)len > end && !strcmp(path + len - end, deleted))
		path[(size_t)len - end] = '\0';
	return true;
}

/* The environment, in which the successor learns whom it replaces. NULL without memory. */
static char **make_environment(char *whom)
{
	size_t n = 0, kept = 0;
	char **list;

	while (environ[n])
		n++;
	list = calloc(n + 2, sizeof(*list));
	for (size_t i = 0; list && i < n; i++)
		if (strncmp(environ[i], REPLACES "=", sizeof(REPLACES)) != 0)
			list[kept++] = environ[i];
	if (list)
		list[kept] = whom;
	return list;
}

/* The program's name before the words of the command. NULL without memory. */
static char **make_arguments(char *path, char **argv)
{
	size_t n = 0;
	char **list;

	while (argv[n])
		n++;
	list = calloc(n + 2, sizeof(*list));
	if (!list)
		return NULL;
	list[0] = path;
	memcpy(list + 1, argv, n * sizeof(*list));
	return list;
}

/* In a process of its own: all that it is given was made before. Signals are as they were at the start. */
static void spawn_and_tell(int to, const char *path, char **arguments, char **environment)
{
	posix_spawnattr_t attributes;
	sigset_t none, all;
	pid_t pid;
	int err;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	err = posix_spawn(&pid, path, NULL, &attributes, arguments, environment);
	pid = err ? -err : pid;
	_exit(write(to, &pid, sizeof(pid)) != sizeof(pid));
}

/*
 * Its pid, or -errno. It is a child of the manager, which would not wait for the end of somebody else's when it stops
 * the service.
 */
static pid_t start_orphan(const char *path, char **arguments, char **environment)
{
	pid_t between, pid = -EAGAIN;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	between = fork();
	if (!between)
		spawn_and_tell(ends[1], path, arguments, environment);
	close(ends[1]);
	if (between < 0)
		pid = -errno;
	else if (read(ends[0], &pid, sizeof(pid)) != sizeof(pid))
		pid = -EAGAIN;
	close(ends[0]);
	if (between > 0)
		waitpid(between, NULL, 0);
	return pid;
}

static pid_t start_successor(char **argv)
{
	char path[4096], whom[48];
	char **arguments, **environment;
	pid_t pid = -ENOMEM;

	if (!program_path(path))
		return -errno;
	snprintf(whom, sizeof(whom), REPLACES "=%d", (int)getpid());
	arguments = make_arguments(path, argv);
	environment = make_environment(whom);
	if (arguments && environment)
		pid = start_orphan(path, arguments, environment);
	free(arguments);
	free(environment);
	return pid;
}

void service_reload(struct service *service, char **argv)
{
	char text[80];
	pid_t pid;

	if (service->successor) {
		log_note("a new recording is being started already");
		return;
	}
	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, mono_ns() / 1000);
	notify(text);
	log_note("reload: starting a new recording with the options as they are now");
	pid = start_successor(argv);
	if (pid > 0) {
		service->successor = pid;
		return;
	}
	log_error("reload: cannot start a new recording: %s; this one goes on", strerror(-pid));
	notify("READY=1");
}

bool service_taken_over(struct service *service, pid_t pid)
{
	char text[80];

	if (!service->successor || service->successor != pid)
		return false;
	service->replaced = true;
	snprintf(text, sizeof(text), "MAINPID=%d\nREADY=1\nSTATUS=Recording", (int)pid);
	notify(text);
	return true;
}

bool service_kept(struct service *service)
{
	if (!service->successor || service->replaced || is_recorder(service->successor))
		return false;
	service->successor = 0;
	log_error("reload: the new recording did not begin; this one goes on as it was");
	notify("READY=1\nSTATUS=Recording, with options from before the last reload");
	return true;
}
