/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "procs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* linux/sched.h */
#define CLONE_FILES_FLAG 0x400
#define CLOSE_RANGE_CLOEXEC_FLAG 4

#define MAX_PROCS 65536
#define MAX_FD (1 << 20)
#define BUCKETS 16384
#define VIEW_NS 10000000ULL    /* a process is asked where it looks from at most this often */

struct slot {
	struct desc *desc;
	bool cloexec;
};

/* A descriptor table, shared by processes made with CLONE_FILES. */
struct files {
	uint32_t refs;
	uint32_t n_slots;
	struct slot *slots;
};

struct proc {
	struct proc *next;     /* in its bucket */
	uint32_t tgid;
	uint32_t ppid;
	uint32_t mntns;
	bool foreign;          /* another mount namespace than ours */
	uint64_t viewed_at;    /* mntns and root; CLOCK_MONOTONIC ns */
	struct path *root;     /* of a process that changed it, as seen from here; NULL: ours */
	bool scanned;          /* descriptors and directory are known */
	uint64_t scanned_at;   /* CLOCK_MONOTONIC ns of what /proc told; 0: inherited */
	struct path *cwd;
	uint64_t cwd_ino;      /* 0: not known */
	uint32_t cwd_dev;
	struct files *files;
	struct files *past;    /* descriptors made before /proc was read, by calls that arrive after */
};

struct procs {
	struct proc *buckets[BUCKETS];
	uint32_t n_procs;
	uint32_t own_mntns;
	bool follow;
	procs_close_fn *closed;
	void *arg;
	struct path *last_path; /* keeps what procs_closed lent out */
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* ---- descriptions and tables ---- */

static struct desc *desc_new(enum scope scope, struct path *path)
{
	struct desc *desc = calloc(1, sizeof(*desc));

	if (!desc)
		return NULL;
	desc->refs = 1;
	desc->scope = scope;
	desc->path = path_get(path);
	desc->flags = FORMAT_NO_FLAGS;
	desc->pos = -1;
	return desc;
}

static void desc_free(struct desc *desc)
{
	path_put(desc->path);
	free(desc);
}

/* A descriptor goes without a close call: by dup2, exec or exit. */
static void desc_drop(struct procs *procs, struct desc *desc, int fd)
{
	struct procs_close closed = { .desc = desc, .fd = fd };

	if (!desc || --desc->refs)
		return;
	if (!desc->kept)
		procs->closed(procs->arg, &closed);
	desc_free(desc);
}

static struct slot *files_slot(struct files *files, int fd, bool make)
{
	uint32_t n = files ? files->n_slots : 0;
	struct slot *grown;

	if (!files || fd < 0 || fd >= MAX_FD)
		return NULL;
	if ((uint32_t)fd < n)
		return &files->slots[fd];
	if (!make)
		return NULL;
	n = n ? n : 32;
	while (n <= (uint32_t)fd)
		n *= 2;
	grown = realloc(files->slots, n * sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + files->n_slots, 0, (n - files->n_slots) * sizeof(*grown));
	files->slots = grown;
	files->n_slots = n;
	return &files->slots[fd];
}

static void files_put(struct procs *procs, struct files *files)
{
	if (!files || --files->refs)
		return;
	for (uint32_t fd = 0; fd < files->n_slots; fd++)
		desc_drop(procs, files->slots[fd].desc, fd);
	free(files->slots);
	free(files);
}

/* Of a table that others tell the end of. */
static void files_forget(struct files *files)
{
	for (uint32_t fd = 0; files && fd < files->n_slots; fd++)
		if (files->slots[fd].desc && !--files->slots[fd].desc->refs)
			desc_free(files->slots[fd].desc);
	if (files)
		free(files->slots);
	free(files);
}

static struct files *files_new(void)
{
	struct files *files = calloc(1, sizeof(*files));

	if (files)
		files->refs = 1;
	return files;
}

static struct files *files_copy(const struct files *from)
{
	struct files *files = files_new();

	if (!files || !from || !from->n_slots)
		return files;
	files->slots = malloc(from->n_slots * sizeof(*files->slots));
	if (!files->slots)
		return files;
	files->n_slots = from->n_slots;
	memcpy(files->slots, from->slots, from->n_slots * sizeof(*files->slots));
	for (uint32_t fd = 0; fd < files->n_slots; fd++)
		if (files->slots[fd].desc)
			files->slots[fd].desc->refs++;
	return files;
}

/*
 * Puts a description (its reference moves) into a slot; what was there goes.
 * Returns it, or NULL when there is no slot: it may be gone then.
 */
static struct desc *files_set(struct procs *procs, struct files *files, int fd, struct desc *desc,
			      bool cloexec)
{
	struct slot *slot = files_slot(files, fd, true);
	struct desc *old;

	if (!slot) {
		if (desc && !--desc->refs)
			desc_free(desc);
		return NULL;
	}
	old = slot->desc;
	slot->desc = desc;
	slot->cloexec = cloexec;
	desc_drop(procs, old, fd);
	return desc;
}

/* ---- processes ---- */

static struct proc **proc_place(struct procs *procs, uint32_t tgid)
{
	struct proc **at = &procs->buckets[tgid * 2654435761u >> 18];

	while (*at && (*at)->tgid != tgid)
		at = &(*at)->next;
	return at;
}

static void proc_free(struct procs *procs, struct proc **at)
{
	struct proc *proc = *at;

	*at = proc->next;
	files_put(procs, proc->files);
	files_forget(proc->past);
	path_put(proc->cwd);
	path_put(proc->root);
	free(proc);
	procs->n_procs--;
}

/* A place for a new process; one of the same bucket gives way when there are too many. */
static struct proc *proc_new(struct procs *procs, uint32_t tgid)
{
	struct proc **at = proc_place(procs, tgid);
	struct proc *proc;

	if (*at)
		proc_free(procs, at);
	at = &procs->buckets[tgid * 2654435761u >> 18];
	if (procs->n_procs >= MAX_PROCS && *at)
		proc_free(procs, at);
	proc = calloc(1, sizeof(*proc));
	if (!proc)
		return NULL;
	proc->tgid = tgid;
	proc->next = *at;
	*at = proc;
	procs->n_procs++;
	return proc;
}

static struct desc *desc_from_proc(uint32_t tgid, int fd, bool *cloexec)
{
	struct procfs_file file;
	struct path *path = NULL;
	struct desc *desc;

	if (!procfs_fd(tgid, fd, true, &file))
		return NULL;
	if (file.path[0])
		path = path_new(file.path, strlen(file.path), PATH_FULL | PATH_PROC);
	desc = desc_new(file.scope, path);
	path_put(path);
	if (!desc)
		return NULL;
	desc->ino = file.ino;
	desc->dev = file.dev;
	desc->flags = file.flags;
	desc->deleted = file.deleted;
	desc->pos = file.pos;
	desc->as_of = now_ns();
	*cloexec = file.cloexec;
	return desc;
}

struct scan {
	struct procs *procs;
	struct proc *proc;
};

/* linux/kcmp.h. Above 0: two files, or one opened twice; below: the kernel does not say. */
static long compare_files(uint32_t tgid, int fd, int other)
{
	const int file = 0;

	return syscall(SYS_kcmp, tgid, tgid, file, fd, other);
}

/* The description that an earlier descriptor has, too: "2>&1" makes such. A new reference. */
static struct desc *find_twin(const struct proc *proc, int fd, struct desc *desc)
{
	for (int i = 0; i < fd && (uint32_t)i < proc->files->n_slots; i++) {
		struct desc *other = proc->files->slots[i].desc;
		long order;

		if (!other || other->ino != desc->ino || other->dev != desc->dev || desc->scope != SCOPE_IN)
			continue;
		order = compare_files(proc->tgid, fd, i);
		if (order == 0) {
			other->refs++;
			return other;
		}
		if (order < 0)
			other->loose = desc->loose = true;
	}
	return NULL;
}

static void scan_fd(void *arg, int fd)
{
	struct scan *scan = arg;
	bool cloexec = false;
	struct desc *desc = desc_from_proc(scan->proc->tgid, fd, &cloexec);
	struct desc *twin = desc ? find_twin(scan->proc, fd, desc) : NULL;

	if (twin)
		desc_free(desc);
	if (desc)
		files_set(scan->procs, scan->proc->files, fd, twin ? twin : desc, cloexec);
}

/* Where a process looks from; unshare, setns and chroot are not followed, so it is asked anew. */
static void proc_view(struct procs *procs, struct proc *proc)
{
	uint64_t now = now_ns();
	struct procfs_file root;
	uint32_t mntns;

	if (now - proc->viewed_at < VIEW_NS)
		return;
	proc->viewed_at = now;
	mntns = procfs_mntns(proc->tgid);
	if (!mntns)
		return; /* it ended: what was known last has to do */
	proc->mntns = mntns;
	proc->foreign = procs->own_mntns && mntns != procs->own_mntns;
	path_put(proc->root);
	proc->root = NULL;
	if (!proc->foreign && procfs_directory(proc->tgid, "root", &root) && root.path[1])
		proc->root = path_new(root.path, strlen(root.path), PATH_FULL | PATH_PROC);
}

/* The file at an absolute path as told in rows, looked at with the eyes of the process. */
static bool look_at(const struct proc *proc, const char *path, struct procfs_file *file)
{
	size_t skip = proc->root ? proc->root->raw_len : 0;

	if (!skip || strncmp(path, proc->root->raw, skip))
		return procfs_path(proc->tgid, proc->foreign, path, file);
	return procfs_in_root(proc->tgid, path + skip, file);
}

/* Takes over the reference to the path. */
static void set_cwd(struct proc *proc, struct path *path, uint64_t ino, uint32_t dev)
{
	path_put(proc->cwd);
	proc->cwd = path;
	proc->cwd_ino = ino;
	proc->cwd_dev = dev;
}

static void set_cwd_from_proc(struct proc *proc, const struct procfs_file *file)
{
	set_cwd(proc, path_new(file->path, strlen(file->path), PATH_FULL | PATH_PROC), file->ino,
		file->dev);
}

/* Reads descriptors and directory from /proc, unless they are known already. */
static void proc_scan(struct procs *procs, struct proc *proc)
{
	struct scan scan = { .procs = procs, .proc = proc };
	struct procfs_file cwd;
	bool alive;

	if (proc->scanned || !procs->follow)
		return;
	proc->scanned = true;
	proc->files = files_new();
	alive = procfs_each_fd(proc->tgid, scan_fd, &scan);
	if (procfs_directory(proc->tgid, "cwd", &cwd))
		set_cwd_from_proc(proc, &cwd);
	proc_view(procs, proc);
	/* of one that has ended by now nothing was learned, and all that arrives is followed */
	proc->scanned_at = alive ? now_ns() : 0;
}

/*
 * The descriptors that a record of time ts is about. Until the records reach
 * the time when /proc was read, what they make is kept apart: /proc tells of
 * another file under the same number, or of none.
 */
static struct files *files_at(struct proc *proc, uint64_t ts)
{
	if (ts >= proc->scanned_at) {
		files_forget(proc->past);
		proc->past = NULL;
		return proc->files;
	}
	if (!proc->past)
		proc->past = files_new();
	return proc->past;
}

static struct proc *proc_get(struct procs *procs, uint32_t tgid, bool scanned)
{
	struct proc *proc = *proc_place(procs, tgid);

	if (!proc) {
		proc = proc_new(procs, tgid);
		if (!proc)
			return NULL;
		proc->ppid = procfs_ppid(tgid);
	}
	if (scanned)
		proc_scan(procs, proc);
	return proc;
}

struct procs *procs_open(bool follow, procs_close_fn *closed, void *arg)
{
	struct procs *procs = calloc(1, sizeof(*procs));

	if (!procs)
		return NULL;
	procs->follow = follow;
	procs->closed = closed;
	procs->arg = arg;
	procs->own_mntns = procfs_mntns(getpid());
	return procs;
}

static void ignore_close(void *arg, const struct procs_close *closed)
{
	(void)arg;
	(void)closed;
}

void procs_shut(struct procs *procs)
{
	if (!procs)
		return;
	procs->closed = ignore_close;
	for (int i = 0; i < BUCKETS; i++)
		while (procs->buckets[i])
			proc_free(procs, &procs->buckets[i]);
	path_put(procs->last_path);
	free(procs);
}

void procs_seed(struct procs *procs, uint32_t tgid, bool stopped)
{
	struct proc *proc = proc_get(procs, tgid, true);
	struct procfs_file messages = { .ino = 0 };

	if (!proc || !stopped)
		return;
	proc->scanned_at = 0;
	procfs_fd(getpid(), STDERR_FILENO, false, &messages);
	for (uint32_t fd = 0; proc->files && fd < proc->files->n_slots; fd++) {
		struct slot *slot = &proc->files->slots[fd];

		if (!slot->desc)
			continue;
		slot->desc->kept = true;
		/* what we say in between moves it */
		if (slot->desc->ino == messages.ino && slot->desc->dev == messages.dev)
			slot->desc->loose = true;
		/* what will be closed by its exec is the tracer's own */
		if (slot->cloexec)
			slot->desc->scope = SCOPE_OUT;
	}
}

uint32_t procs_ppid(struct procs *procs, uint32_t tgid)
{
	struct proc *proc = tgid ? proc_get(procs, tgid, false) : NULL;

	return proc ? proc->ppid : 0;
}

uint32_t procs_mntns(struct procs *procs, uint32_t tgid)
{
	struct proc *proc = proc_get(procs, tgid, true);

	return proc ? proc->mntns : 0;
}

void procs_fork(struct procs *procs, uint32_t parent, uint32_t child, uint64_t clone_flags)
{
	struct proc *proc = proc_new(procs, child), *from = *proc_place(procs, parent);

	if (!proc)
		return;
	proc->ppid = parent;
	/* What /proc told of the parent after the fork is not the child's: that is read itself. */
	if (!from || !from->scanned || from->past)
		return;
	proc->scanned = true; /* all that it will do is followed: nothing is older than this */
	proc->mntns = from->mntns;
	proc->foreign = from->foreign;
	proc->root = path_get(from->root);
	set_cwd(proc, path_get(from->cwd), from->cwd_ino, from->cwd_dev);
	if ((clone_flags & CLONE_FILES_FLAG) && from->files) {
		proc->files = from->files;
		proc->files->refs++;
	} else {
		proc->files = files_copy(from->files);
	}
}

/* exec ends sharing and closes what is marked. */
void procs_exec(struct procs *procs, uint32_t tgid, uint64_t ts)
{
	struct proc *proc = *proc_place(procs, tgid);
	struct files *own;

	if (!proc || !proc->scanned)
		return;
	proc->viewed_at = 0;
	proc_view(procs, proc);
	own = files_at(proc, ts);
	if (own && own->refs > 1) {
		own = files_copy(proc->files);
		files_put(procs, proc->files);
		proc->files = own;
	}
	for (uint32_t fd = 0; own && fd < own->n_slots; fd++)
		if (own->slots[fd].desc && own->slots[fd].cloexec)
			files_set(procs, own, fd, NULL, false);
}

void procs_exit(struct procs *procs, uint32_t tgid)
{
	struct proc **at = proc_place(procs, tgid);

	if (*at)
		proc_free(procs, at);
}

/* ---- paths ---- */

/* ts 0: of the record that is being handled, whenever that was */
static struct desc *look_up(struct procs *procs, uint32_t tgid, int fd, uint64_t ts, struct proc **out)
{
	struct proc *proc = proc_get(procs, tgid, true);
	struct files *past = proc && ts ? (files_at(proc, ts), proc->past) : proc ? proc->past : NULL;
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

/* Its name changes when a directory above it is renamed; it stays the same directory. */
static const struct path *current_cwd(struct proc *proc)
{
	struct procfs_file now;

	if (proc->cwd && procfs_directory(proc->tgid, "cwd", &now) && now.ino == proc->cwd_ino &&
	    now.dev == proc->cwd_dev && strcmp(now.path, proc->cwd->raw))
		set_cwd_from_proc(proc, &now);
	return proc->cwd;
}

/* Bytes of text up to and including its last "..", 0 when it has none. */
static size_t up_to_dots(const char *text, size_t len)
{
	for (size_t end = len; end >= 2; end--)
		if (text[end - 1] == '.' && text[end - 2] == '.' && (end == len || text[end] == '/') &&
		    (end == 2 || text[end - 3] == '/'))
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
		base = current_cwd(proc);
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
static bool identify(const struct proc *proc, int fd, const struct path *path, struct procfs_file *file)
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

/* O_TMPFILE's path is that of a directory; the file itself has none, and shows as unlinked. */
static struct desc *desc_nameless(struct proc *proc, int fd)
{
	struct procfs_file file;
	struct path *path;
	struct desc *desc;

	if (!procfs_fd(proc->tgid, fd, false, &file) || !file.deleted)
		return desc_new(SCOPE_UNKNOWN, NULL);
	path = path_new(file.path, strlen(file.path), PATH_FULL | PATH_PROC);
	desc = desc_new(file.scope, path);
	path_put(path);
	if (!desc)
		return NULL;
	desc->ino = file.ino;
	desc->dev = file.dev;
	desc->deleted = true;
	return desc;
}

static struct desc *desc_opened(struct proc *proc, int fd, struct path *path)
{
	struct procfs_file file;
	struct path *better = NULL;
	struct desc *desc;

	if (!identify(proc, fd, path, &file))
		return desc_new(procfs_scope_of(path ? path->raw : ""), path);
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

const struct desc *procs_opened(struct procs *procs, const struct io_fs *rec, struct path *path)
{
	struct proc *proc = proc_get(procs, rec->head.tgid, true);
	struct files *files;
	struct slot *slot;
	struct desc *desc;

	if (!proc)
		return NULL;
	if (rec->status & IO_ST_FILE) {
		desc = desc_new(SCOPE_IN, path);
		if (desc) {
			desc->ino = rec->ino;
			desc->dev = rec->dev;
		}
	} else if ((rec->flags & O_TMPFILE) == O_TMPFILE) {
		desc = desc_nameless(proc, rec->ret);
	} else {
		desc = desc_opened(proc, rec->ret, path);
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

bool procs_appends(const struct desc *desc, const struct io_fs *rec)
{
	return rec->op == IO_WRITE && desc->flags != FORMAT_NO_FLAGS && (desc->flags & O_APPEND);
}

int64_t procs_move(struct desc *desc, const struct io_fs *rec)
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

bool procs_closed(struct procs *procs, const struct io_fs *rec, struct desc *out)
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

static void state_dup(struct procs *procs, struct proc *proc, struct files *files, const struct io_fs *rec)
{
	struct desc *desc;

	if (rec->ret == rec->fd)
		return;
	desc = look_up(procs, proc->tgid, rec->fd, rec->head.ts, &proc);
	if (desc)
		desc->refs++;
	files_set(procs, files, rec->ret, desc, rec->flags & O_CLOEXEC);
}

static void state_other(struct procs *procs, struct files *files, int fd)
{
	if (fd >= 0)
		files_set(procs, files, fd, desc_new(SCOPE_OUT, NULL), false);
}

static void state_close_range(struct procs *procs, struct files *files, const struct io_fs *rec)
{
	for (uint64_t fd = (uint32_t)rec->fd; fd <= rec->size && fd < files->n_slots; fd++) {
		if (rec->flags & CLOSE_RANGE_CLOEXEC_FLAG)
			files->slots[fd].cloexec = true;
		else if (files->slots[fd].desc)
			files_set(procs, files, fd, NULL, false);
	}
}

static void state_directory(struct procs *procs, struct proc *proc, const struct io_fs *rec,
			    const struct path *text)
{
	struct procfs_file file;
	struct path *path;
	struct desc *desc;

	if (rec->op == IO_FCHDIR) {
		desc = look_up(procs, proc->tgid, rec->fd, rec->head.ts, &proc);
		set_cwd(proc, desc ? path_get(desc->path) : NULL, desc ? desc->ino : 0,
			desc ? desc->dev : 0);
		return;
	}
	path = procs_resolve(procs, proc->tgid, AT_FDCWD, text);
	if (!path || !(path->flags & PATH_FULL) || !look_at(proc, path->raw, &file)) {
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

void procs_state(struct procs *procs, const struct io_fs *rec, const struct path *text)
{
	struct proc *proc = proc_get(procs, rec->head.tgid, true);
	struct files *files = proc ? files_at(proc, rec->head.ts) : NULL;
	struct slot *slot;

	if (!files || rec->ret < 0)
		return;
	switch (rec->op) {
	case IO_LSEEK:
		position(files, rec->fd, rec->ret, rec->head.ts);
		break;
	case IO_DUP:
		state_dup(procs, proc, files, rec);
		break;
	case IO_CLOEXEC:
		slot = files_slot(files, rec->fd, false);
		if (slot)
			slot->cloexec = rec->flags & 1;
		break;
	case IO_CLOSE_RANGE:
		state_close_range(procs, files, rec);
		break;
	case IO_CHDIR:
	case IO_FCHDIR:
		if (files == proc->files)
			state_directory(procs, proc, rec, text);
		break;
	case IO_MOVED:
		position(files, rec->fd, -1, rec->head.ts);
		position(files, rec->dirfd, -1, rec->head.ts);
		break;
	case IO_NEWFD:
		state_other(procs, files, rec->ret);
		state_other(procs, files, rec->dirfd);
		break;
	}
}
