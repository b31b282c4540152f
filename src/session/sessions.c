/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the names of the directories, which are in the order of time, and how much room those before take. */
#include "session/sessions.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "read/trim.h"
#include "read/verify.h"
#include "write/manifest.h"

enum { COUNT_EVERY_S = 60, WAIT_S = 30 };

int sessions_name(const char *dir, char *name, size_t size)
{
	char when[32], place[PATH_MAX];
	time_t now = time(NULL);
	struct tm tm;
	int len = INT_MAX;

	if (mkdir(dir, 0700) && errno != EEXIST) {
		log_error("%s: cannot create: %s", dir, strerror(errno));
		return -errno;
	}
	/* of the world's time, which is never set back for winter */
	gmtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &tm);
	for (unsigned i = 0; i < 100; i++) {
		len = snprintf(place, sizeof(place), i ? "%s/%s_%02u" : "%s/%s", dir, when, i);
		if (access(place, F_OK))
			break;
	}
	if (len >= (int)sizeof(place) || len >= (int)size) {
		log_error("%s: directory name too long", dir);
		return -ENAMETOOLONG;
	}
	strcpy(name, place);
	return 0;
}

/* As sessions_name() makes them; what else is there belongs to somebody. */
static int is_ours(const struct dirent *entry)
{
	return strspn(entry->d_name, "0123456789") == 8 && entry->d_name[8] == 'T';
}

/* The other ones, the oldest first; to be freed. Their number, or -errno. */
static int list_others(const char *dir, const char *own, struct dirent ***names)
{
	const char *slash = strrchr(own, '/');
	int n = scandir(dir, names, is_ours, alphasort), kept = 0;

	for (int i = 0; i < n; i++) {
		struct dirent *entry = (*names)[i];

		if (slash && !strcmp(entry->d_name, slash + 1))
			free(entry);
		else
			(*names)[kept++] = entry;
	}
	return n < 0 ? -errno : kept;
}

static void free_others(struct dirent **names, int n)
{
	for (int i = 0; i < n; i++)
		free(names[i]);
	if (n >= 0)
		free(names);
}

/* A recorder that was killed holds its lock until the kernel has removed its probes, which takes seconds. */
static bool is_free(int fd, uint64_t until_ns)
{
	const struct timespec pause = { .tv_nsec = 100 * 1000 * 1000 };

	while (flock(fd, LOCK_SH | LOCK_NB)) {
		if (mono_ns() >= until_ns)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

/* It is a trace that nobody closed, and whose recorder is gone by then. */
static bool is_left_open(const char *place, uint64_t until_ns)
{
	int fd = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	char text[4096];
	ssize_t n;
	int file;
	bool left = false;

	if (fd < 0)
		return false;
	file = openat(fd, MANIFEST_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	/* it is among the first members */
	n = file < 0 ? 0 : read(file, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	left = (!n || strstr(text, "\"state\": \"recording\"")) && is_free(fd, until_ns);
	if (file >= 0)
		close(file);
	close(fd);
	return left;
}

void sessions_repair(const char *dir, const char *own, bool wait)
{
	uint64_t until_ns = wait ? mono_ns() + WAIT_S * NS_PER_S : 0;
	struct dirent **names = NULL;
	int n = list_others(dir, own, &names);
	char place[PATH_MAX];

	for (int i = 0; i < n; i++) {
		snprintf(place, sizeof(place), "%s/%s", dir, names[i]->d_name);
		/* without a file in it nothing was ever recorded */
		if (!is_left_open(place, until_ns) || !rmdir(place))
			continue;
		log_note("%s: its recorder was killed: closing what it left", place);
		verify_directory(place, true);
		fflush(stdout);
	}
	free_others(names, n);
}

/* ---- room ---- */

static void count(struct sessions *s, struct dirent **names, int n)
{
	char place[PATH_MAX];

	s->others = 0;
	for (int i = 0; i < n; i++) {
		snprintf(place, sizeof(place), "%s/%s", s->dir, names[i]->d_name);
		s->others += trim_bytes_of(place);
	}
}

static void trim(struct sessions *s, struct dirent **names, int n, uint64_t too_many)
{
	char place[PATH_MAX];
	struct trim trim;

	for (int i = 0; i < n && too_many; i++) {
		snprintf(place, sizeof(place), "%s/%s", s->dir, names[i]->d_name);
		if (trim_directory(place, too_many, &trim))
			continue;
		log_detail("%s: %llu bytes removed to keep to --max-disk%s", place,
			   (unsigned long long)trim.freed, trim.all ? ", with the directory" : "");
		too_many -= trim.freed < too_many ? trim.freed : too_many;
	}
}

/* What goes is a little more than must, so that there is not one of them each second. */
void sessions_keep(struct sessions *s, uint64_t own_bytes, uint64_t now_ns)
{
	bool due = !s->counted_ns || now_ns - s->counted_ns > COUNT_EVERY_S * NS_PER_S;
	struct dirent **names = NULL;
	int n;

	if (!s->dir || !s->max_disk || (!due && own_bytes + s->others <= s->max_disk) ||
	    (!due && !s->others))
		return;
	n = list_others(s->dir, s->own, &names);
	count(s, names, n);
	if (s->others && own_bytes + s->others > s->max_disk) {
		trim(s, names, n, own_bytes + s->others - s->max_disk + s->max_disk / 50);
		count(s, names, n);
	}
	s->counted_ns = now_ns;
	free_others(names, n);
}
