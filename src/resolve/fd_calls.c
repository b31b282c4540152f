/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What calls do to descriptors, positions and directories, and the paths that
 * they mean.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "compat/sys.h"
#include "base/clock.h"
#include "resolve/procs_private.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* linux/close_range.h */
#define CLOSE_RANGE_CLOEXEC_FLAG 4

/* ---- paths ---- */

/* ts 0: of the record that is being handled, whenever that was */
static struct desc *look_up(struct procs *procs, uint32_t tgid, int fd, uint64_t ts,
			    struct proc **out)
{
	struct proc *proc = proc_get(procs, tgid, true);
	struct files *past = proc && ts ? (files_at(proc, ts), proc->past) :
			     proc       ? proc->past :
					  NULL;
	struct slot *slot = files_slot(past, fd, false);
	bool cloexec = false;
	struct desc *desc;

	*out = proc;
	if (!proc || fd < 0)
		return NULL;
	if (!slot || !slot->desc)
		slot = files_slot(proc->files, fd, false);
	if (slot && slot->desc)
		return slot->desc;
	if (past)
		return NULL;
	/* made by a call that is not followed (a descriptor over a socket, say) */
	desc = desc_from_proc(tgid, fd, &cloexec);
	return desc ? files_set(procs, proc->files, fd, desc, cloexec) : NULL;
}

struct desc *procs_desc(struct procs *procs, uint32_t tgid, int fd, uint64_t ts)
{
	struct proc *proc;

	return look_up(procs, tgid, fd, ts, &proc);
}

/*
 * Its name changes when a directory above it is renamed; it stays the same
 * directory. Asked anew after a rename, and now and then: others rename, too.
 */
static const struct path *current_cwd(const struct procs *procs, struct proc *proc)
{
	uint64_t ns = mono_ns();
	struct procfs_file now;

	if (proc->cwd_renames == procs->renames && ns - proc->cwd_asked_at < VIEW_NS)
		return proc->cwd;
	proc->cwd_renames = procs->renames;
	proc->cwd_asked_at = ns;
	if (proc->cwd && procfs_directory(proc->tgid, "cwd", &now) && now.ino == proc->cwd_ino &&
	    now.dev == proc->cwd_dev && strcmp(now.path, proc->cwd->raw))
		set_cwd_from_proc(proc, &now);
	return proc->cwd;
}

void procs_renamed(struct procs *procs)
{
	procs->renames++;
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
 * that part is walked by the kernel. NULL when there is none or it cannot be.
 */
static struct path *walk_dots(const struct proc *proc, const struct path *base, const char *text,
			      size_t len)
{
	size_t n = up_to_dots(text, len);
	struct procfs_file file;
	struct path *real, *path;
	char name[9000];

	if (!n || (text[0] != '/' && (!base || !(base->flags & PATH_FULL))))
		return NULL;
	snprintf(name, sizeof(name), "%s%s%.*s", text[0] == '/' ? "" : base->raw,
		 text[0] == '/' ? "" : "/", (int)n, text);
	if (!look_at(proc, name, &file) || !file.path[0])
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

struct path *procs_resolve(struct procs *procs, uint32_t tgid, int dirfd, const struct path *text)
{
	struct proc *proc = text ? proc_get(procs, tgid, true) : NULL;
	const struct path *base = NULL;
	const char *at = text ? text->raw : "";
	struct path *path;
	struct desc *desc;

	if (!proc)
		return text ? path_join(NULL, at, text->raw_len, text->flags & PATH_CUT) : NULL;
	proc_view(procs, proc);
	if (*at != '/' && dirfd == AT_FDCWD) {
		base = current_cwd(procs, proc);
	} else if (*at != '/') {
		desc = look_up(procs, tgid, dirfd, 0, &proc);
		base = desc ? desc->path : NULL;
	} else if (proc->root) {
		base = proc->root;
		while (*at == '/')
			at++;
		at = *at ? at : ".";
	}
	path = walk_dots(proc, base, at, strlen(at));
	return path ? path : path_join(base, at, strlen(at), text->flags & PATH_CUT);
}

/* ---- opening and closing ---- */

/* A path of which only the last part is known: the link of the descriptor has to end like it. */
static bool ends_like(const struct procfs_file *file, const struct path *path)
{
	size_t len = strlen(file->path);

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
static bool identify(const struct proc *proc, int fd, const struct path *path,
		     struct procfs_file *file)
{
	bool whole = path && (path->flags & PATH_FULL);
	struct procfs_file by_path;

	if (!procfs_fd(proc->tgid, fd, false, file))
		return whole && look_at(proc, path->raw, file);
	if (!whole)
		return ends_like(file, path);
	if (!strcmp(file->path, path->raw))
		return true;
	if (!look_at(proc, path->raw, &by_path))
		return false; /* unlinked or renamed since, or another file by now */
	if (by_path.ino != file->ino || by_path.dev != file->dev)
		*file = by_path;
	return true;
}

/* A file of O_TMPFILE or of memory is in no directory, and shows as unlinked. */
static struct desc *desc_nameless(struct proc *proc, int fd)
{
	struct procfs_file file;

	if (!procfs_fd(proc->tgid, fd, false, &file) || !file.deleted)
		return NULL;
	return desc_of_file(&file);
}

/* Of O_TMPFILE: closed by now, but it was of this directory's file system. */
static struct desc *desc_within(struct proc *proc, const struct path *dir)
{
	struct procfs_file file;
	char text[PATH_TEXT_MAX];
	const char *real;
	struct path *path;
	struct desc *desc;
	int len;

	if (!dir || !(dir->flags & PATH_FULL) || !look_at(proc, dir->raw, &file))
		return NULL;
	real = file.path[0] ? file.path : dir->raw;
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

static struct desc *desc_unnamed(struct proc *proc, int fd, const struct path *dir)
{
	struct desc *desc = desc_nameless(proc, fd);

	if (!desc)
		desc = desc_within(proc, dir);
	return desc ? desc : desc_new(SCOPE_UNKNOWN, NULL);
}

/*
 * O_CREAT | O_EXCL makes a file in the directory that its path names, through no
 * symbolic link: it is of the same device, even when it is gone. 0: not known.
 */
static uint32_t made_on(const struct proc *proc, const struct path *path, uint32_t flags)
{
	const char *slash = path && (path->flags & PATH_FULL) ? strrchr(path->raw, '/') : NULL;
	struct procfs_file dir;
	char name[PATH_TEXT_MAX];
	size_t len = slash ? (size_t)(slash - path->raw) + 1 : 0;

	if ((flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL) || !len || len >= sizeof(name))
		return 0;
	memcpy(name, path->raw, len);
	name[len] = '\0';
	return look_at(proc, name, &dir) && !dir.layered ? dir.dev : 0;
}

/* What became of it since, nobody can tell. */
static struct desc *desc_gone(const struct proc *proc, struct path *path, uint32_t flags)
{
	struct desc *desc = desc_new(procfs_scope_of(path ? path->raw : ""), path);

	if (desc)
		desc->dev = made_on(proc, path, flags);
	return desc;
}

static struct desc *desc_opened(struct proc *proc, int fd, struct path *path, uint32_t flags)
{
	struct procfs_file file;
	struct path *better = NULL;
	struct desc *desc;

	if (!identify(proc, fd, path, &file))
		return desc_gone(proc, path, flags);
	/* the link is the real path: symbolic links on the way are resolved in it */
	if (file.path[0] && (!path || strcmp(file.path, path->raw)))
		better = path_new(file.path, strlen(file.path), PATH_FULL);
	desc = desc_new(file.scope, better ? better : path);
	path_put(better);
	if (desc) {
		desc->ino = file.ino;
		desc->dev = file.dev;
	}
	return desc;
}

const struct desc *procs_opened(struct procs *procs, const struct iot_fs *rec, struct path *path)
{
	struct proc *proc = proc_get(procs, rec->head.tgid, true);
	struct files *files;
	struct slot *slot;
	struct desc *desc;

	if (!proc)
		return NULL;
	if (rec->status & IOT_ST_FILE) {
		desc = desc_new(SCOPE_IN, path);
		if (desc) {
			desc->ino = rec->ino;
			desc->dev = rec->dev;
		}
	} else if ((rec->flags & O_TMPFILE) == O_TMPFILE) {
		desc = desc_unnamed(proc, rec->ret, path);
	} else {
		desc = desc_opened(proc, rec->ret, path, rec->flags);
	}
	if (!desc)
		return NULL;
	desc->flags = rec->flags & ~(uint32_t)(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_CLOEXEC);
	desc->pos = 0;
	desc->as_of = rec->head.ts;
	files = files_at(proc, rec->head.ts);
	slot = files_slot(proc->files, rec->ret, false);
	if (files != proc->files && slot && slot->desc && slot->desc->ino == desc->ino &&
	    slot->desc->dev == desc->dev && desc->path) {
		/* still open when /proc was read, which may know it by another name */
		path_put(slot->desc->path);
		slot->desc->path = path_get(desc->path);
	}
	return files_set(procs, files, rec->ret, desc, rec->flags & O_CLOEXEC);
}

bool procs_appends(const struct desc *desc, const struct iot_fs *rec)
{
	return rec->op == IOT_WRITE && desc->flags != FORMAT_NO_FLAGS && (desc->flags & O_APPEND);
}

int64_t procs_move(struct desc *desc, const struct iot_fs *rec)
{
	int64_t start = desc->pos;

	/* a position from /proc is right only for what came after it was read */
	if (start < 0 || desc->loose || rec->head.ts < desc->as_of)
		return -1;
	if (rec->head.ts - rec->latency < desc->as_of) {
		desc->pos = -1; /* read while this call moved it, or before, or after */
		return -1;
	}
	if (procs_appends(desc, rec)) {
		desc->pos = -1; /* the end of the file, wherever that is */
		return -1;
	}
	if (rec->ret > 0)
		desc->pos += rec->ret;
	return start;
}

bool procs_closed(struct procs *procs, const struct iot_fs *rec, struct desc *out)
{
	struct proc *proc = proc_get(procs, rec->head.tgid, true);
	struct slot *slot = proc ? files_slot(files_at(proc, rec->head.ts), rec->fd, false) : NULL;
	struct desc *desc = slot ? slot->desc : NULL;
	bool last;

	*out = (struct desc){ .scope = SCOPE_UNKNOWN, .flags = FORMAT_NO_FLAGS, .pos = -1 };
	if (!desc)
		return true; /* not followed: taken for the last */
	slot->desc = NULL;
	last = --desc->refs == 0;
	*out = *desc;
	path_put(procs->last_path);
	procs->last_path = path_get(desc->path);
	if (last)
		desc_free(desc);
	return last && !out->kept;
}

/* ---- the rest ---- */

static void state_dup(struct procs *procs, struct proc *proc, struct files *files,
		      const struct iot_fs *rec)
{
	struct desc *desc;

	if (rec->ret == rec->fd)
		return;
	desc = look_up(procs, proc->tgid, rec->fd, rec->head.ts, &proc);
	if (desc)
		desc->refs++;
	files_set(procs, files, rec->ret, desc, rec->flags & O_CLOEXEC);
}

/* Of socketpair the family is known, and no call tells of its sockets again. */
static void state_other(struct procs *procs, struct files *files, int fd, const struct iot_fs *rec)
{
	struct desc *desc = fd >= 0 ? desc_new(SCOPE_OUT, NULL) : NULL;

	if (desc && rec->size)
		desc->ends = calloc(1, sizeof(*desc->ends));
	if (desc && desc->ends) {
		desc->ends->family = rec->size;
		desc->ends->made = rec->head.ts;
	}
	if (fd >= 0)
		files_set(procs, files, fd, desc, false);
}

/* Its name and inode only /proc tells, while it is open. */
static void state_memory(struct procs *procs, struct proc *proc, struct files *files,
			 const struct iot_fs *rec)
{
	struct desc *desc = desc_nameless(proc, rec->ret);

	if (!desc)
		desc = desc_new(SCOPE_UNKNOWN, NULL);
	if (!desc)
		return;
	desc->flags = O_RDWR;
	desc->pos = 0;
	desc->as_of = rec->head.ts;
	files_set(procs, files, rec->ret, desc, rec->flags & O_CLOEXEC);
}

static void state_close_range(struct procs *procs, struct files *files, const struct iot_fs *rec)
{
	for (uint64_t fd = (uint32_t)rec->fd; fd <= rec->size && fd < files->n_slots; fd++) {
		if (rec->flags & CLOSE_RANGE_CLOEXEC_FLAG)
			files->slots[fd].cloexec = true;
		else if (files->slots[fd].desc)
			files_set(procs, files, fd, NULL, false);
	}
}

static void state_directory(struct procs *procs, struct proc *proc, const struct iot_fs *rec,
			    const struct path *given)
{
	struct procfs_file file;
	struct path *path;
	struct desc *desc;

	if (!given) {
		desc = look_up(procs, proc->tgid, rec->fd, rec->head.ts, &proc);
		set_cwd(proc, desc ? path_get(desc->path) : NULL, desc ? desc->ino : 0,
			desc ? desc->dev : 0);
		return;
	}
	path = path_get((struct path *)given);
	if (!(path->flags & PATH_FULL) || !look_at(proc, path->raw, &file)) {
		set_cwd(proc, path, 0, 0);
		return;
	}
	/* where symbolic links on the way led to */
	if (file.path[0] && strcmp(file.path, path->raw)) {
		path_put(path);
		path = path_new(file.path, strlen(file.path), PATH_FULL);
	}
	set_cwd(proc, path, file.ino, file.dev);
}

static void position(struct files *files, int fd, int64_t pos, uint64_t ts)
{
	struct slot *slot = files_slot(files, fd, false);

	if (slot && slot->desc && ts >= slot->desc->as_of)
		slot->desc->pos = pos;
}

void procs_state(struct procs *procs, const struct iot_fs *rec, const struct path *path)
{
	struct proc *proc = proc_get(procs, rec->head.tgid, true);
	struct files *files = proc ? files_at(proc, rec->head.ts) : NULL;
	struct slot *slot;

	if (!files || rec->ret < 0)
		return;
	switch (rec->op) {
	case IOT_LSEEK:
		position(files, rec->fd, rec->ret, rec->head.ts);
		break;
	case IOT_DUP:
		state_dup(procs, proc, files, rec);
		break;
	case IOT_CLOEXEC:
		slot = files_slot(files, rec->fd, false);
		if (slot)
			slot->cloexec = rec->flags & 1;
		break;
	case IOT_CLOSE_RANGE:
		state_close_range(procs, files, rec);
		break;
	case IOT_CHDIR:
		if (files == proc->files)
			state_directory(procs, proc, rec, path);
		break;
	case IOT_MOVED:
		position(files, rec->fd, -1, rec->head.ts);
		position(files, rec->dirfd, -1, rec->head.ts);
		break;
	case IOT_MEMFD:
		state_memory(procs, proc, files, rec);
		break;
	case IOT_NEWFD:
		state_other(procs, files, rec->ret, rec);
		state_other(procs, files, rec->dirfd, rec);
		break;
	}
}
