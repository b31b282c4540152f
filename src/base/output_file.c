/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the other name of a file that is being written: made anew, in a directory that stays the
 * same one, so that nobody's link or file of that name is ever written to.
 */
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/below.h"
#include "base/log.h"

/* The directory of the name, and what the file is called there. */
static int open_directory(struct output_file *file)
{
	const char *slash = strrchr(file->name, '/');
	const char *last = slash ? slash + 1 : file->name;
	char *dir = slash ? strndup(file->name,
				    slash == file->name ? 1 : (size_t)(slash - file->name)) :
			    strdup(".");

	if (!dir)
		return -ENOMEM;
	file->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (file->dir_fd < 0)
		return -errno;
	if (!last[0])
		return -EISDIR;
	if (snprintf(file->last, sizeof(file->last), "%s", last) >= (int)sizeof(file->last) ||
	    snprintf(file->part, sizeof(file->part), "%s.part", last) >= (int)sizeof(file->part))
		return -ENAMETOOLONG;
	return 0;
}

/* What another user left under the name is not ours to remove. */
static int make(const struct output_file *file, const char *name)
{
	mode_t mode = 0600;
	struct stat st;
	int fd;

	if (!below_stat(file->dir_fd, name, &st) &&
	    ((!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) || st.st_uid != geteuid()))
		return -EEXIST;
	/* who has let others read the one before wants that of this one */
	if (!below_stat(file->dir_fd, file->last, &st) && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid())
		mode = st.st_mode & 0777;
	fd = below_create(file->dir_fd, name, O_RDWR);
	if (fd >= 0)
		fchmod(fd, file->open_to_all ? 0644 : mode);
	return fd;
}

static int make_part(struct output_file *file)
{
	int err, fd = make(file, file->part);

	if (fd < 0)
		return fd;
	file->out = fdopen(fd, "w+");
	if (file->out)
		return 0;
	err = -errno;
	close(fd);
	return err;
}

static void close_directory(struct output_file *file)
{
	if (file->dir_fd >= 0)
		close(file->dir_fd);
	file->dir_fd = -1;
}

bool output_file_foreign_link(const char *name)
{
	struct stat st;

	return !lstat(name, &st) && S_ISLNK(st.st_mode) && st.st_uid && st.st_uid != geteuid();
}

/* A pipe, a terminal or /dev/null is written to as it is; a disk never, nor where another user's link leads. */
static const char *why_not(const struct output_file *file, const struct stat *st, bool regular)
{
	if (regular || S_ISBLK(st->st_mode) || S_ISDIR(st->st_mode))
		return "not a regular file";
	return output_file_foreign_link(file->name) ? "another user's symbolic link" : NULL;
}

static int complain(const struct output_file *file, int err, const char *name)
{
	if (err == -EEXIST)
		log_error("%s: %s exists and is not a file of this user", file->name, name);
	else
		log_error("%s: %s", file->name, strerror(-err));
	return err;
}

/* 1: there is something that is written to as it is; 0; or -EINVAL, reported. */
static int is_other(const struct output_file *file, bool regular)
{
	struct stat st;
	bool other = !stat(file->name, &st) && !S_ISREG(st.st_mode);
	const char *why = other ? why_not(file, &st, regular) : NULL;

	if (!why)
		return other;
	log_error("%s: %s", file->name, why);
	return -EINVAL;
}

/* Nothing can be renamed over a pipe or a terminal: what is written there is out at once. */
static int open_named(struct output_file *file, bool regular)
{
	int err, other = is_other(file, regular);

	if (other < 0)
		return other;
	if (other) {
		file->out = fopen(file->name, "we");
		err = file->out ? 0 : -errno;
	} else {
		err = open_directory(file);
		err = err ? err : make_part(file);
	}
	if (!err)
		return 0;
	close_directory(file);
	return complain(file, err, file->part);
}

int output_file_check_regular(const char *name)
{
	struct output_file file = { .name = name, .dir_fd = -1 };

	return is_other(&file, true);
}

int output_file_grow(const char *name)
{
	struct output_file file = { .name = name, .dir_fd = -1 };
	int fd, other = is_other(&file, false);

	if (other < 0)
		return other;
	if (other) {
		fd = open(name, O_WRONLY | O_CLOEXEC);
		fd = fd < 0 ? -errno : fd;
	} else {
		fd = open_directory(&file);
		fd = fd ? fd : make(&file, file.last);
	}
	close_directory(&file);
	return fd < 0 ? complain(&file, fd, file.last) : fd;
}

int output_file_open(struct output_file *file, const char *name)
{
	*file = (struct output_file){ .out = name ? NULL : stdout, .name = name, .dir_fd = -1 };
	return name ? open_named(file, false) : 0;
}

int output_file_open_regular(struct output_file *file, const char *name)
{
	*file = (struct output_file){ .name = name, .dir_fd = -1, .open_to_all = true };
	return open_named(file, true);
}

int output_file_close(struct output_file *file, int err)
{
	int bad = fflush(file->out) || ferror(file->out) ? errno : 0;

	/* standard output stays open: it is not ours */
	if (file->name && fclose(file->out))
		bad = bad ? bad : errno;
	if (!bad && !err && file->dir_fd >= 0)
		bad = -below_rename(file->dir_fd, file->part, file->last);
	/* an error that was seen before this one has taken its number with it */
	if (bad && !err)
		log_error("%s: %s", file->name ? file->name : "standard output", strerror(bad));
	if ((bad || err) && file->dir_fd >= 0)
		below_unlink(file->dir_fd, file->part);
	close_directory(file);
	return err ? err : -bad;
}
