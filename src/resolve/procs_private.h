/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What procs.c (processes), files.c (descriptor tables) and opened.c (what
 * calls do to them) share, and nobody else sees.
 */
#ifndef IOT_PROCS_PRIVATE_H
#define IOT_PROCS_PRIVATE_H

#include "resolve/procs.h"

#define MAX_FD (1 << 20)
#define BUCKETS 16384
#define VIEW_NS 10000000ULL /* a process is asked where it looks from at most this often */

/* Time that may be spent on something: a share of what passes, with a limit of what adds up. */
struct credit {
	int64_t ns;
	int64_t most_ns;
	unsigned share; /* one in so many ns */
	uint64_t at;
};

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
	struct proc *next; /* in its bucket */
	uint32_t tgid;
	uint32_t ppid;
	uint32_t mntns;
	uint32_t losses;       /* procs->losses when it was learned */
	bool foreign;          /* another mount namespace than ours */
	bool elsewhere;        /* its root is another directory there, since pivot_root or chroot */
	uint32_t elsewhere_in; /* the mount namespace in which that was looked at; 0: never */
	uint64_t viewed_at;    /* mntns and root; CLOCK_MONOTONIC ns */
	struct path *root;     /* of a process that changed it, as seen from here; NULL: ours */
	bool scanned;          /* descriptors and directory are known */
	uint64_t scanned_at;   /* CLOCK_MONOTONIC ns of what /proc told; 0: inherited */
	struct path *cwd;
	uint64_t cwd_ino; /* 0: not known */
	uint32_t cwd_dev;
	uint32_t cwd_renames;  /* procs->renames when its name was looked at */
	uint64_t cwd_asked_at; /* CLOCK_MONOTONIC ns */
	struct files *files;
	struct files *past; /* descriptors made before /proc was read, by calls that arrive after */
};

struct procs {
	struct proc *buckets[BUCKETS];
	uint32_t n_procs;
	uint32_t own_mntns;
	uint64_t root_ino; /* ours */
	uint32_t root_dev;
	uint32_t losses;  /* how often records were lost that descriptors hang on */
	uint32_t renames; /* that were seen: each may be of a directory above others */
	bool follow;
	procs_close_fn *closed;
	void *arg;
	struct path *last_path; /* keeps what procs_closed lent out */
	procs_made_fn *made;    /* NULL: nobody knows */
	void *made_arg;
	struct procnet *net;
	struct credit open_credit;   /* for questions about sockets, of descriptors that are open */
	struct credit closed_credit; /* and of those that are not any more */
};

/* ---- files.c ---- */

struct desc *desc_new(enum scope scope, struct path *path);
void desc_free(struct desc *desc);
struct slot *files_slot(struct files *files, int fd, bool make);
void files_put(struct procs *procs, struct files *files);
void files_forget(struct files *files);
struct files *files_new(void);
struct files *files_copy(const struct files *from);
struct desc *files_set(struct procs *procs, struct files *files, int fd, struct desc *desc,
		       bool cloexec);

/* ---- procs.c ---- */

/* Name, inode and device as /proc told them; NULL: no memory */
struct desc *desc_of_file(const struct procfs_file *file);
struct desc *desc_from_proc(uint32_t tgid, int fd, bool *cloexec);
void proc_view(struct procs *procs, struct proc *proc);
bool look_at(const struct proc *proc, const char *path, struct procfs_file *file);
void set_cwd(struct proc *proc, struct path *path, uint64_t ino, uint32_t dev);
void set_cwd_from_proc(struct proc *proc, const struct procfs_file *file);
struct files *files_at(struct proc *proc, uint64_t ts);
struct proc *proc_get(struct procs *procs, uint32_t tgid, bool scanned);

#endif
