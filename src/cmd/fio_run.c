/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the two programs that a check starts: fio, and this one to record it. */
#include "cmd/fio_run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/below.h"
#include "base/log.h"

extern char **environ;

enum { NAME = PATH_MAX + 64, PIECE = 64 << 10 };

/* Waits for its end. */
static int run(const char *file, char *const argv[])
{
	pid_t pid;
	int status, err = posix_spawnp(&pid, file, NULL, NULL, argv, environ);

	if (err) {
		log_error("%s: %s", file, err == ENOENT ? "not found: install fio" : strerror(err));
		return -err;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	log_error("%s failed: its messages are above, or in OUT/check.out", argv[0]);
	return -ECANCELED;
}

static int read_file(int dir_fd, const char *name)
{
	char buffer[PIECE];
	int fd = below_open(dir_fd, name, O_RDONLY | O_NONBLOCK);
	ssize_t n = fd < 0 ? fd : 1;

	while (n > 0)
		n = read(fd, buffer, sizeof(buffer));
	n = n < 0 && fd >= 0 ? -errno : n;
	if (fd >= 0)
		close(fd);
	return (int)n;
}

/* fio has no way to bring files into memory that are not read by its jobs. */
static int warm(const char *into)
{
	DIR *dir = opendir(into);
	int err = dir ? 0 : -errno;
	const struct dirent *entry;

	while (!err && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "profile-", 8))
			err = read_file(dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
	if (err)
		log_error("%s: %s", into, strerror(-err));
	return err;
}

int fio_run_profile(const struct fio_plan *plan, const char *streams)
{
	const char *out = plan->out;
	char jobs[NAME], said[NAME], dir[NAME];
	/* first the files, which are not recorded; then the load */
	char *const layout[] = { "fio", "--create_only=1", said, jobs, NULL };
	char *const record[] = { "iotracer", "record", "-q", "-o",  dir,  "-e", (char *)streams,
				 "-m",       "1024",   "--", "fio", said, jobs, NULL };
	int err;

	snprintf(jobs, NAME, "%s/profile.fio", out);
	snprintf(said, NAME, "--output=%s/check.out", out);
	snprintf(dir, NAME, "%s/check", out);
	err = run("fio", layout);
	if (!err && plan->warm)
		err = warm(plan->into);
	/* this program, whatever the path has under its name */
	return err ? err : run("/proc/self/exe", record);
}
