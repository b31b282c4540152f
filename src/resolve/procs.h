/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes, their descriptors and working directories, followed from the
 * records of system calls: what tier c has instead of a struct file, and what
 * tier b counts last closes with. Where nothing was seen yet, /proc tells.
 */
#ifndef IOT_PROCS_H
#define IOT_PROCS_H

#include <stdbool.h>
#include <stdint.h>

#include "resolve/procfs.h"
#include "row/path.h"
#include "row/records.h"

/* One open file description, shared by descriptors and processes. */
struct desc {
	uint32_t refs;
	enum scope scope;
	struct path *path; /* NULL when not known */
	uint64_t ino;
	uint32_t dev;
	uint32_t flags; /* O_*; FORMAT_NO_FLAGS when not known */
	int64_t pos;    /* -1 when not known */
	uint64_t as_of; /* CLOCK_MONOTONIC ns that the position is right for */
	bool deleted;
	bool loose; /* moved by others than those who are followed: no position */
	bool kept;  /* the tracer has it open, too: it is closed by nobody who is traced */
	struct iot_ends *ends; /* of a socket that a network stream asked about; or NULL */
};

struct procs;

/* A description lost its last descriptor. */
struct procs_close {
	const struct desc *desc;
	int fd;
};
typedef void procs_close_fn(void *arg, const struct procs_close *closed);

/* follow: descriptors are followed; otherwise only parents are known. */
struct procs *procs_open(bool follow, procs_close_fn *closed, void *arg);
void procs_shut(struct procs *procs);

/*
 * Learns a process with its descriptors. stopped: it stands still (the command
 * before it runs), so nothing that will arrive is older than what /proc says.
 */
void procs_seed(struct procs *procs, uint32_t tgid, bool stopped);

/* Parent of a process, 0 when not known. */
uint32_t procs_ppid(struct procs *procs, uint32_t tgid);
uint32_t procs_mntns(struct procs *procs, uint32_t tgid);
/* In that mount namespace, not ours, with another root than ours: its paths are not the host's view. */
bool procs_looks_elsewhere(struct procs *procs, uint32_t tgid, uint32_t mntns);
/* Neither in another mount namespace nor below another root: a path leads it where it leads us. */
bool procs_sees_our_paths(struct procs *procs, uint32_t tgid);

/*
 * What follows changes of processes and descriptors; ts is the time of the
 * record. Calls of procs_close_fn happen inside.
 */
void procs_fork(struct procs *procs, uint32_t parent, uint32_t child, uint64_t clone_flags);
void procs_exec(struct procs *procs, uint32_t tgid, uint64_t ts);
void procs_exit(struct procs *procs, uint32_t tgid);

/*
 * Records were lost, an open, dup or close maybe among them: a path from a
 * followed descriptor could be another file's. Everything is read from /proc
 * anew, and what cannot be (the process has ended) is not known any more.
 */
void procs_lost(struct procs *procs);

/* The path that a string given to a call means: from dirfd or the working directory. A new reference. */
struct path *procs_resolve(struct procs *procs, uint32_t tgid, int dirfd, const struct path *text);

/* Something was renamed: names of working directories may have changed. */
void procs_renamed(struct procs *procs);

/* An open returned fd; path as procs_resolve gave it (borrowed). The new description is borrowed. */
const struct desc *procs_opened(struct procs *procs, const struct iot_fs *rec, struct path *path);

/* The description behind a descriptor at time ts; NULL when there is none or it is not known. */
struct desc *procs_desc(struct procs *procs, uint32_t tgid, int fd, uint64_t ts);

/* A write that goes to the end of the file, whatever position the call names. */
bool procs_appends(const struct desc *desc, const struct iot_fs *rec);

/* Where a read or write that uses the file's own position starts, moving it on; -1 when not known. */
int64_t procs_move(struct desc *desc, const struct iot_fs *rec);

/* lseek, dup, fcntl, chdir, close_range …: records of class IOT_SEQ_STATE. path: where a chdir led, or NULL. */
void procs_state(struct procs *procs, const struct iot_fs *rec, const struct path *path);

/*
 * The ends of the socket behind a descriptor, as far as they are known, to be
 * read and changed; NULL when there is none, or it is not followed. Of one that
 * was there before, /proc tells.
 */
struct iot_ends *procs_socket(struct procs *procs, uint32_t tgid, int fd, uint64_t ts);

/* The same, of one that was bound meanwhile: /proc is asked, once for each call of this. */
void procs_socket_again(struct procs *procs, uint32_t tgid, int fd, uint64_t ts,
			struct iot_ends *ends);

/*
 * When a call last made a socket and gave it this descriptor (CLOCK_MONOTONIC
 * ns; 0: not known). A record is read later than it was made: what /proc says
 * of a descriptor by then may be of the next socket.
 */
typedef uint64_t procs_made_fn(void *arg, uint32_t tgid, int fd);
void procs_sockets(struct procs *procs, procs_made_fn *made, void *arg);

/* A successful close. True when it was the last of its description, which *out then describes (borrowed until the next call). */
bool procs_closed(struct procs *procs, const struct iot_fs *rec, struct desc *out);

#endif
