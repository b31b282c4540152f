/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which of the two is believed where they differ. */
#include "resolve/fd_opened.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "resolve/fd_scan.h"

/* A path of which only the last part is known: the link of the descriptor has to end like it. */
static bool ends_like(const struct procfs_file *file, const struct path *path)
{
	size_t len = strlen(file->path);

	if (path && file->path[0] && !strcmp(file->path, path->raw))
		return true;
	return path && path->raw_len && len > path->raw_len &&
	       file->path[len - path->raw_len - 1] == '/' &&
	       !strcmp(file->path + len - path->raw_len, path->raw);
}

/*
 * What was opened: the descriptor itself when it still is that file (its link
 * says the same path, or the path leads to the same inode through a symbolic
 * link), else what the path leads to now. The number alone proves nothing: by
 * now it may be that of another file.
 */
static bool identify(const struct opener *by, int fd, const struct path *path, uint32_t flags,
		     struct procfs_file *file)
{
	/* a path leads through a symbolic link, and this may be the link itself */
	bool link = (flags & O_PATH) && (flags & O_NOFOLLOW);
	bool whole = path && (path->flags & PATH_FULL) && !link;
	struct procfs_file by_path;

	if (!procfs_fd(by->procfs, by->view->tgid, fd, false, file))
		return whole && proc_view_file(by->view, by->procfs, path->raw, file);
	if (!whole)
		return ends_like(file, path);
	if (!strcmp(file->path, path->raw))
		return true;
	if (!proc_view_file(by->view, by->procfs, path->raw, &by_path))
		return false; /* unlinked or renamed since, or another file by now */
	if (by_path.ino != file->ino || by_path.dev != file->dev)
		*file = by_path;
	return true;
}

/* A file of O_TMPFILE or of memory is in no directory, and shows as unlinked. */
struct desc *desc_nameless(const struct opener *by, int fd)
{
	struct procfs_file file;

	if (!procfs_fd(by->procfs, by->view->tgid, fd, false, &file) || !file.deleted)
		return NULL;
	return desc_of_file(&file);
}

/* Of O_TMPFILE: closed by now, but it was of this directory's file system. */
static struct desc *desc_within(const struct opener *by, const struct path *dir)
{
	struct procfs_file file;
	char text[PATH_TEXT_MAX];
	const char *real;
	struct path *path;
	struct desc *desc;
	int len;

	if (!dir || !(dir->flags & PATH_FULL) ||
	    !proc_view_file(by->view, by->procfs, dir->raw, &file))
		return NULL;
	real = file.path[0] == '/' ? file.path : dir->raw;
	len = snprintf(text, sizeof(text), "%s%s", real, real[1] ? "/" : "");
	path = len < (int)sizeof(text) ?
		       path_new(text, (size_t)len, PATH_FULL | PATH_CUT | PATH_DELETED) :
		       NULL;
	desc = path ? desc_new(file.scope, path) : NULL;
	path_put(path);
	if (desc)
		desc->dev = file.layered ? 0 : file.dev;
	return desc;
}

struct desc *desc_unnamed(const struct opener *by, int fd, const struct path *dir)
{
	struct desc *desc = desc_nameless(by, fd);

	if (!desc)
		desc = desc_within(by, dir);
	return desc ? desc : desc_new(SCOPE_UNKNOWN, NULL);
}

/*
 * O_CREAT | O_EXCL makes a file in the directory that its path names, through no
 * symbolic link: it is of the same device, even when it is gone. 0: not known.
 */
static uint32_t made_on(const struct opener *by, const struct path *path, uint32_t flags)
{
	const char *slash = path && (path->flags & PATH_FULL) ? strrchr(path->raw, '/') : NULL;
	struct procfs_file dir;
	char name[PATH_TEXT_MAX];
	size_t len = slash ? (size_t)(slash - path->raw) + 1 : 0;

	if ((flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL) || !len || len >= sizeof(name))
		return 0;
	memcpy(name, path->raw, len);
	name[len] = '\0';
	return proc_view_file(by->view, by->procfs, name, &dir) && !dir.layered ? dir.dev : 0;
}

/* What became of it since is not known. */
static struct desc *desc_gone(const struct opener *by, struct path *path, uint32_t flags)
{
	struct desc *desc =
		desc_new(mounts_scope_of_name(by->procfs->mounts, path ? path->raw : ""), path);

	if (desc)
		desc->dev = made_on(by, path, flags);
	return desc;
}

struct desc *desc_opened(const struct opener *by, int fd, struct path *path, uint32_t flags)
{
	/* what this makes is a regular file: no file that has its name by now, such as a whiteout, is it */
	bool made = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
	struct procfs_file file;
	struct path *better = NULL;
	struct desc *desc;

	if (!identify(by, fd, path, flags, &file) || (made && file.scope == SCOPE_OUT))
		return desc_gone(by, path, flags);
	/* the link is the real path: symbolic links on the way are resolved in it */
	if (file.path[0] && (!path || strcmp(file.path, path->raw)))
		better = procfs_name(&file, 0);
	desc = desc_new(file.scope, better ? better : path);
	path_put(better);
	if (desc) {
		desc->ino = file.ino;
		desc->dev = file.dev;
	}
	return desc;
}
