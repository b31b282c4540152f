/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the session directory: whether a session may begin there, and with which
 * limits, what it holds so far, and its end. Rows go past it.
 */
#include "write/write_session.h"

#include "write/writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/below.h"
#include "base/clock.h"
#include "base/log.h"
#include "write/write_room.h"

enum { MIN_MAX_DISK = 1024 * 1024, MIN_ROTATE_SIZE = 16 * 1024 };

/* ---- the beginning ---- */

/* Empty, or the root of a fresh file system. */
static int check_empty(const char *path, int dir_fd)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int err = 0;

	if (!dir) {
		err = -errno;
		log_error("%s: cannot read the directory: %s", path, strerror(-err));
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    strcmp(entry->d_name, "lost+found")) {
			err = -ENOTEMPTY;
			log_error("%s: already holds %s: choose another with -o", path,
				  entry->d_name);
		}
	}
	closedir(dir);
	return err;
}

static int complain_dir(const char *path, int err)
{
	switch (-err) {
	case ENOENT:
		log_error(
			"%s: parent directory does not exist: create it, or choose another with -o",
			path);
		break;
	case ENOTDIR:
		log_error("%s: not a directory: choose another with -o", path);
		break;
	case ELOOP:
		log_error("%s: a symbolic link: give the directory itself with -o", path);
		break;
	default:
		log_error("%s: cannot create the directory: %s: choose another with -o", path,
			  strerror(-err));
	}
	return err;
}

/* Whoever owns the directory, or can write there, would read what root sees, and choose where root writes. */
static int check_owner(const char *path, int fd)
{
	const char *why = below_not_ours(fd);

	if (!why)
		return 0;
	log_error("%s: %s: choose another directory with -o", path, why);
	return -EPERM;
}

/* A link in a directory of everybody's is whose? So its last part is none; "link/" would be followed. */
static int open_last(const char *path)
{
	size_t len = strlen(path);
	char *plain = strdup(path);
	struct stat st;
	int fd;

	if (!plain)
		return -ENOMEM;
	while (len > 1 && plain[len - 1] == '/')
		plain[--len] = '\0';
	fd = open(plain, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	fd = fd < 0 ? -errno : fd;
	if (fd == -ENOTDIR && !lstat(plain, &st) && S_ISLNK(st.st_mode))
		fd = -ELOOP;
	free(plain);
	return fd;
}

static int open_dir(const char *path, bool *made)
{
	int fd, err;

	*made = !mkdir(path, 0700);
	if (!*made && errno != EEXIST)
		return complain_dir(path, -errno);
	fd = open_last(path);
	if (fd < 0)
		return complain_dir(path, fd);
	err = check_owner(path, fd);
	if (err) {
		close(fd);
		return err;
	}
	/* tells `iotracer verify` that somebody writes here; where there are no locks it cannot know */
	flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

static int check_options(const struct write_options *o, int dir_fd)
{
	uint64_t left = writer_free_bytes(dir_fd);

	if (o->max_disk && o->max_disk < MIN_MAX_DISK) {
		log_error("--max-disk: too small, at least %.1f MiB are needed",
			  writer_mib(MIN_MAX_DISK));
		return -EINVAL;
	}
	if (left < o->min_free) {
		log_error(
			"%s: %.1f MiB are free, less than --min-free %.1f MiB: free some space, or choose another disk with -o",
			o->dir, writer_mib(left), writer_mib(o->min_free));
		return -ENOSPC;
	}
	return 0;
}

/* All open segments together may take half of max_disk: the other half is closed, and can go. */
static void bound_rotation(struct writer *w)
{
	uint64_t bound = w->options.max_disk / (2 * N_EVENT_STREAMS);

	if (bound < MIN_ROTATE_SIZE)
		bound = MIN_ROTATE_SIZE;
	if (w->options.max_disk && (!w->options.rotate_size || w->options.rotate_size > bound)) {
		w->options.rotate_size = bound;
		log_detail("segments end at %.1f MiB, to keep to --max-disk", writer_mib(bound));
	}
	w->limits.size = w->options.rotate_size;
	w->limits.rows = w->options.rotate_rows;
}

static void ignore_signal(int signal)
{
	(void)signal;
}

/*
 * A file-size limit should be an error like any other, not a death. A handler,
 * because an ignored signal would stay ignored in the traced command.
 */
static void survive_file_limit(void)
{
	struct sigaction action = { .sa_handler = ignore_signal, .sa_flags = SA_RESTART };
	struct sigaction old;

	if (!sigaction(SIGXFSZ, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &action, NULL);
}

static void writer_free(struct writer *w)
{
	for (int i = 0; i < N_STREAMS; i++)
		segment_free(&w->segments[i]);
	spool_close(w->spool);
	if (w->dir_fd >= 0) {
		/* iotracer-detach holds a copy of the descriptor, which would keep the lock */
		flock(w->dir_fd, LOCK_UN);
		close(w->dir_fd);
	}
	free(w->totals);
	free(w->dir);
	free(w);
}

static struct writer *writer_new(const struct write_options *options)
{
	struct writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->dir_fd = -1;
	for (int i = 0; i < N_STREAMS; i++)
		segment_init(&w->segments[i], (enum stream_id)i, options->omitted.columns[i]);
	w->options = *options;
	w->dir = strdup(options->dir);
	w->options.dir = w->dir;
	w->totals = calloc(1, sizeof(*w->totals));
	if (!w->dir || !w->totals) {
		writer_free(w);
		return NULL;
	}
	return w;
}

static int open_session(struct writer *w)
{
	int err;

	w->dir_fd = open_dir(w->dir, &w->made);
	if (w->dir_fd < 0)
		return w->dir_fd;
	err = check_empty(w->dir, w->dir_fd);
	if (!err)
		err = check_options(&w->options, w->dir_fd);
	if (err)
		return err;
	if (w->options.shared) {
		err = below_share(w->dir_fd, w->options.group);
		if (err) {
			log_error("%s: cannot let the group of --group read it: %s", w->dir,
				  strerror(-err));
			return err;
		}
	}
	bound_rotation(w);
	survive_file_limit();
	tzset(); /* localtime_r need not do it */
	w->tick_ns = mono_ns();
	w->spool = spool_open(w->dir_fd, &w->options.omitted,
			      w->options.max_disk ? w->options.max_disk / 8 : UINT64_MAX);
	if (!w->spool)
		return -ENOMEM;
	w->finish = finish_open(&w->options, w->dir_fd, &err);
	return err;
}

struct writer *write_open(const struct write_options *options, int *err)
{
	struct writer *w = writer_new(options);

	*err = -ENOMEM;
	if (!w) {
		log_error("%s: out of memory", options->dir);
		return NULL;
	}
	*err = open_session(w);
	if (!*err)
		return w;
	if (w->made)
		rmdir(w->dir);
	writer_free(w);
	return NULL;
}

/* ---- what it holds, and the end ---- */

void write_manifest_members(struct writer *w, json_t *members)
{
	finish_members(w->finish, members);
}

static void fill_totals(const struct writer *w, const struct finish_totals *finished)
{
	struct write_totals *t = w->totals;

	for (int i = 0; i < N_STREAMS; i++) {
		const struct segment *seg = &w->segments[i];
		uint64_t lost = finished->lost_rows[i];

		t->rows[i] = w->closed_rows[i] + segment_rows(seg) - lost;
		t->bytes[i] = w->closed_bytes[i];
		if (segment_is_started(seg))
			t->bytes[i] += seg->n_bytes + seg->used;
		t->unwritable[i] = w->unwritable[i] + lost;
		t->no_room[i] = w->no_room[i];
		t->disk_error[i] = w->disk_error[i];
		t->evicted_rows[i] = finished->evicted_rows[i];
	}
	t->evicted_segments = finished->evicted_segments;
	t->segments = finished->segments;
	t->disk_bytes = finished->disk_bytes;
}

const struct write_totals *write_totals(const struct writer *w)
{
	struct finish_totals finished;

	finish_totals(w->finish, &finished);
	fill_totals(w, &finished);
	return w->totals;
}

int write_end(struct writer *w, struct write_totals *totals)
{
	struct finish_progress progress;
	struct finish_totals finished;
	int err;

	write_rotate(w);
	writer_last_try(w);
	spool_close(w->spool);
	w->spool = NULL;
	writer_progress(w, &progress);
	err = finish_close(w->finish, &progress, &finished);
	if (w->err)
		err = w->err;
	if (totals) {
		fill_totals(w, &finished);
		*totals = *w->totals;
	}
	writer_free(w);
	return err;
}

int write_finish(struct writer *w)
{
	return write_end(w, NULL);
}

void write_abandon(struct writer *w)
{
	char *dir = strdup(w->dir);
	bool made = w->made;
	int dir_fd = dup(w->dir_fd);

	write_finish(w);
	if (dir_fd >= 0) {
		unlinkat(dir_fd, "manifest.json", 0);
		close(dir_fd);
	}
	if (made && dir)
		rmdir(dir);
	free(dir);
}
