/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the walk of a relative path from there. */
#include "resolve/proc_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define REFRESH_NS 10000000ULL

void own_view_read(struct own_view *own, const struct procfs *proc)
{
	struct procfs_file root;

	*own = (struct own_view){ .mntns = procfs_mntns(proc, getpid()) };
	if (!procfs_directory(proc, getpid(), "root", &root))
		return;
	own->root_ino = root.ino;
	own->root_dev = root.dev;
}

void proc_view_close(struct proc_view *view)
{
	path_put(view->cwd);
	path_put(view->root);
	view->cwd = view->root = NULL;
}

struct proc_view *proc_view_new(const struct proc_view *from)
{
	struct proc_view *view = calloc(1, sizeof(*view));

	if (!view)
		return NULL;
	view->refs = 1;
	if (!from)
		return view;
	view->mntns = from->mntns;
	view->foreign = from->foreign;
	view->other_root = from->other_root;
	view->other_root_in = from->other_root_in;
	view->root = path_get(from->root);
	proc_view_set_cwd(view, path_get(from->cwd), from->cwd_ino, from->cwd_dev);
	return view;
}

struct proc_view *proc_view_get(struct proc_view *view)
{
	view->refs++;
	return view;
}

void proc_view_put(struct proc_view *view)
{
	if (!view || --view->refs)
		return;
	proc_view_close(view);
	free(view);
}

bool proc_view_refresh(struct proc_view *view, const struct procfs *proc,
		       const struct own_view *own)
{
	uint64_t now = mono_ns();
	struct procfs_file root;
	uint32_t mntns;
	bool has_root;

	if (now - view->read_at < REFRESH_NS)
		return true;
	view->read_at = now;
	mntns = procfs_mntns(proc, view->tgid);
	if (!mntns)
		return false; /* it ended: what was known last has to do */
	view->mntns = mntns;
	view->foreign = own->mntns && mntns != own->mntns;
	path_put(view->root);
	view->root = NULL;
	has_root = procfs_directory(proc, view->tgid, "root", &root);
	if (has_root) {
		view->other_root = view->foreign &&
				   (root.ino != own->root_ino || root.dev != own->root_dev);
		view->other_root_in = mntns;
	}
	if (!view->foreign && has_root && root.path[1])
		view->root = path_new(root.path, strlen(root.path), PATH_FULL | PATH_PROC);
	return true;
}

/* ---- the working directory ---- */

void proc_view_set_cwd(struct proc_view *view, struct path *path, uint64_t ino, uint32_t dev)
{
	path_put(view->cwd);
	view->cwd = path;
	view->cwd_ino = ino;
	view->cwd_dev = dev;
}

static void set_cwd_of_file(struct proc_view *view, const struct procfs_file *file)
{
	proc_view_set_cwd(view, path_new(file->path, strlen(file->path), PATH_FULL | PATH_PROC),
			  file->ino, file->dev);
}

void proc_view_read_cwd(struct proc_view *view, const struct procfs *proc)
{
	struct procfs_file cwd;

	if (procfs_directory(proc, view->tgid, "cwd", &cwd))
		set_cwd_of_file(view, &cwd);
}

void proc_view_forget_cwd(struct proc_view *view)
{
	path_put(view->cwd);
	view->cwd = NULL;
	view->cwd_ino = 0;
}

void proc_view_joined(struct proc_view *view, const struct procfs *proc)
{
	struct procfs_file now;
	bool read = procfs_directory(proc, view->tgid, "cwd", &now);

	if (read && now.ino == view->cwd_ino && now.dev == view->cwd_dev)
		return;
	/* elsewhere by now: it may have moved on since */
	if (read && !now.path[1])
		set_cwd_of_file(view, &now);
	else
		proc_view_forget_cwd(view);
}

/*
 * Its name changes when a directory above it is renamed; it stays the same
 * directory. Read again after a rename, and now and then: others rename, too.
 */
const struct path *proc_view_cwd(struct proc_view *view, const struct procfs *proc,
				 uint32_t renames)
{
	uint64_t ns = mono_ns();
	struct procfs_file now;

	if (view->cwd_renames == renames && ns - view->cwd_read_at < REFRESH_NS)
		return view->cwd;
	view->cwd_renames = renames;
	view->cwd_read_at = ns;
	if (view->cwd && procfs_directory(proc, view->tgid, "cwd", &now) &&
	    now.ino == view->cwd_ino && now.dev == view->cwd_dev &&
	    strcmp(now.path, view->cwd->raw))
		set_cwd_of_file(view, &now);
	return view->cwd;
}

/* ---- files and paths ---- */

/* What comes behind a name, if the path begins with it; a whole part of a path. */
static const char *behind(const char *path, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(path, name, len) || (path[len] && path[len] != '/'))
		return NULL;
	return path + len;
}

/* The rest of a path below the directory that /proc has of its process; NULL: it leads elsewhere. */
static const char *below_own(const char *path)
{
	static const char *const names[] = { "/proc/self", "/proc/thread-self" };
	/* links to such, on every machine */
	static const struct {
		const char *name, *means;
	} links[] = { { "/dev/stdin", "/fd/0" },
		      { "/dev/stdout", "/fd/1" },
		      { "/dev/stderr", "/fd/2" } };
	const char *rest = behind(path, "/dev/fd");

	if (rest)
		return path + strlen("/dev");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if ((rest = behind(path, names[i])))
			return rest;
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		if (!strcmp(path, links[i].name))
			return links[i].means;
	return NULL;
}

bool proc_view_is_own(const char *path)
{
	return below_own(path);
}

int proc_view_fd_of(const struct proc_view *view, const char *path)
{
	const char *rest = below_own(path);
	char own[32], *end;
	long fd;

	snprintf(own, sizeof(own), "/proc/%u", view->tgid);
	rest = rest || view->foreign ? rest : behind(path, own);
	rest = rest ? behind(rest, "/fd") : NULL;
	if (!rest || rest[0] != '/' || rest[1] < '0' || rest[1] > '9')
		return -1;
	fd = strtol(rest + 1, &end, 10);
	return *end || fd > INT32_MAX ? -1 : (int)fd;
}

bool proc_view_file(const struct proc_view *view, const struct procfs *proc, const char *path,
		    struct procfs_file *file)
{
	size_t skip = view->root ? view->root->raw_len : 0;
	const char *rest = skip ? NULL : below_own(path);
	char name[9000];

	if (rest) {
		snprintf(name, sizeof(name), "%s/%u%s", proc->root, view->tgid, rest);
		return procfs_link(proc, name, view->tgid, file);
	}
	if (!skip || strncmp(path, view->root->raw, skip))
		return procfs_path(proc, view->tgid, view->foreign, path, file);
	return procfs_in_root(proc, view->tgid, path + skip, file);
}

/* Bytes of text up to and including its last "..", 0 when it has none. */
static size_t up_to_dots(const char *text, size_t len)
{
	for (size_t end = len; end >= 2; end--)
		if (text[end - 1] == '.' && text[end - 2] == '.' &&
		    (end == len || text[end] == '/') && (end == 2 || text[end - 3] == '/'))
			return end;
	return 0;
}

/*
 * ".." leaves the directory that a symbolic link leads to, not the link, so
 * the kernel walks that part. NULL when there is none or it cannot be walked.
 */
static struct path *walk_dots(const struct proc_view *view, const struct procfs *proc,
			      const struct path *base, const char *text, size_t len)
{
	size_t n = up_to_dots(text, len);
	struct procfs_file file;
	struct path *real, *path;
	char name[9000];

	if (!n || (text[0] != '/' && (!base || !(base->flags & PATH_FULL))))
		return NULL;
	snprintf(name, sizeof(name), "%s%s%.*s", text[0] == '/' ? "" : base->raw,
		 text[0] == '/' ? "" : "/", (int)n, text);
	if (!proc_view_file(view, proc, name, &file) || file.path[0] != '/')
		return NULL;
	while (n < len && text[n] == '/')
		n++;
	real = path_new(file.path, strlen(file.path), PATH_FULL);
	if (!real || n == len)
		return real;
	path = path_join(real, text + n, len - n, false);
	path_put(real);
	return path;
}

/* Whether a ".." leaves something that has a name in the text, which may be a symbolic link. */
static bool leaves_name(const char *text, size_t len)
{
	bool named = false;

	for (size_t i = 0; i < len;) {
		const char *slash = memchr(text + i, '/', len - i);
		size_t n = slash ? (size_t)(slash - text) - i : len - i;
		bool up = n == 2 && text[i] == '.' && text[i + 1] == '.';

		if (up && named)
			return true;
		named = named || (n > 0 && !up && !(n == 1 && text[i] == '.'));
		i += n + 1;
	}
	return false;
}

struct path *proc_view_dots(const struct proc_view *view, const struct procfs *proc,
			    const struct path *base, const char *text, unsigned how)
{
	size_t len = strlen(text);
	struct path *path = walk_dots(view, proc, base, text, len);

	if (path)
		return path;
	/* it is gone, or was never there: nobody knows what the name leads to */
	if (leaves_name(text, len))
		return path_new(text, len, PATH_REST | (how & LINKS_CUT ? PATH_CUT : 0));
	return path_join(base, text, len, how & LINKS_CUT);
}

struct path *proc_view_path(const struct proc_view *view, const struct procfs *proc,
			    struct links *links, struct links_from *from, const char *text,
			    unsigned how)
{
	struct path *path;

	from->root = view->root;
	if (*text == '/' && view->root) {
		from->base = view->root;
		text += strspn(text, "/");
		text = *text ? text : ".";
	}
	path = links_path(links, from, text, how);
	return path ? path : proc_view_dots(view, proc, from->base, text, how);
}
