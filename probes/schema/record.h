/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What crosses the ring. This text is compiled twice: by libbcc as part of the
 * BPF programs and by the C compiler for the reader, so the two cannot differ.
 * Only fixed-width members, widest first, no padding: record.c proves the sizes.
 */
#ifndef IOT_RECORD_H
#define IOT_RECORD_H

/* One of the numbers of a call: (x86-64, i386, arm64, arm) */
#define IOT_NR_x86_64(x86_64, i386, arm64, arm) x86_64
#define IOT_NR_i386(x86_64, i386, arm64, arm) i386
#define IOT_NR_arm64(x86_64, i386, arm64, arm) arm64
#define IOT_NR_arm(x86_64, i386, arm64, arm) arm

enum iot_type {
	IOT_REC_FS = 1,  /* struct iot_fs: an operation of stream fs, or (class IOT_SEQ_STATE) a change of descriptors */
	IOT_REC_TEXT,    /* struct iot_text: a path, a name or an argument list */
	IOT_REC_DS,      /* struct iot_ds */
	IOT_REC_TASK,    /* struct iot_task */
	IOT_REC_MORE,    /* struct iot_more */
	IOT_REC_CACHE,   /* struct iot_cache */
	IOT_REC_FAULT,   /* struct iot_fault */
	/* those of record_net.h */
	IOT_REC_NET, IOT_REC_CONN, IOT_REC_POLL, IOT_REC_OPT, IOT_REC_DROP, IOT_REC_RING,
	IOT_REC_RUN,     /* struct iot_run */
	IOT_REC_BIO,     /* struct iot_ds */
	IOT_REC_STACK,   /* struct iot_stack */
	IOT_REC_NETFS,   /* struct iot_netfs */
	IOT_N_RECS
};

/*
 * Numbering of attempts to send, per CPU: a gap is a loss. Stream numbers are
 * those of streams.def; the last class carries what serves several streams.
 */
#define IOT_SEQ_ENUM(name, traits, doc) IOT_SEQ_##name,
enum iot_seq_class { IOT_STREAMS(IOT_SEQ_ENUM) IOT_N_SEQ_STREAMS, IOT_SEQ_STATE = 31, IOT_N_SEQ };

/* Operations of fs; 0: none */
#define IOT_OP_ENUM(name, flags, traits) IOT_##name,
enum iot_op {
	IOT_NO_OP, IOT_FS_OPS(IOT_OP_ENUM) IOT_N_OPS,
	/* not rows: what the reader must know to follow descriptors */
	IOT_LSEEK = 128,   /* fd, ret: the new position */
	IOT_DUP,           /* fd -> ret; flags: O_CLOEXEC or 0 */
	IOT_CLOEXEC,       /* fd, flags: FD_CLOEXEC set or not */
	IOT_CLOSE_RANGE,   /* fd: first, size: last, flags: CLOSE_RANGE_* */
	IOT_MOVED,         /* fd and dirfd: positions moved by an unknown amount */
	IOT_MEMFD,         /* ret: memory as a file; flags: O_CLOEXEC or 0 */
	IOT_SETFL,         /* fd, flags: F_SETFL's */
	IOT_UNSHARE,       /* fd: CLONE_* of what is the caller's own now */
	IOT_SETNS,         /* the caller joined a namespace */
	IOT_THREAD,        /* ret: the number of a new thread that does not share all; size: CLONE_* of what it shares */
	IOT_MOUNTED,       /* names below a mount may be others from now on */
	IOT_NEWFD,         /* ret: a socket, pipe, epoll …: no file; dirfd: its second end or -1; size: AF_* of socketpair or 0 */
};

/*
 * iot_fs.call: the system call that asked, by its place in fs_calls.def, 0 when nobody did; or, of a
 * program that serves several, its number in the kernel's table.
 */
#define IOT_CALL_ENUM(call, ...) IOT_CALL_##call,
enum {
	IOT_NO_CALL,
	IOT_FS_CALLS(IOT_CALL_ENUM, IOT_CALL_ENUM)
	IOT_NET_CALLS(IOT_CALL_ENUM)
	IOT_N_CALLS,
	IOT_CALL_NUMBER = 0x8000,
	IOT_CALL_COMPAT = 0x4000, /* of a 32-bit caller */
	IOT_CALL_MASK = 0x0fff,
};

/* iot_fs.status */
enum {
	IOT_ST_FILE = 1,      /* ino, dev and name come from the kernel's struct file */
	IOT_ST_DELETED = 2,   /* the name was unlinked before the operation */
	IOT_ST_OFFSET = 4,    /* offset is right, not to be followed from the descriptor */
	IOT_ST_APPEND = 8,    /* offset is the end of the file that the call found */
	IOT_ST_ASYNC = 16,    /* AIO or io_uring: submitted and completed apart */
	IOT_ST_NO_TEXT = 32,  /* the caller's path string could not be read */
	IOT_ST_REGULAR = 64,  /* mode is known to be a regular file, directory, link or block device */
	IOT_ST_PSEUDO = 128,  /* on a file system that is not traced */
	IOT_ST_PATH = 256,    /* the call names a path, not a descriptor */
	IOT_ST_SELF = 512,    /* an empty path means the descriptor that relative ones start at */
	IOT_ST_IN_ROOT = 2048,   /* RESOLVE_IN_ROOT: the directory that the path starts at is its root */
	IOT_ST_AT_LINK = 4096,   /* AT_SYMLINK_NOFOLLOW was given, or, to linkat, AT_SYMLINK_FOLLOW */
	IOT_ST_UNBEGUN = 8192,   /* only the end of the call was seen: latency is of no meaning */
	IOT_ST_NO_APPEND = 1024, /* RWF_NOAPPEND: offset is right although the descriptor appends */
};

struct iot_head {
	u64 ts;      /* CLOCK_MONOTONIC ns when sent: the end of the operation */
	u32 seq;     /* attempt number in its class on its CPU, from 1, low 32 bits */
	u8 type;     /* enum iot_type */
	u8 class;    /* enum iot_seq_class */
	u16 via;     /* IOT_VIA_* of the capability that sent it */
	u32 tgid;    /* pid in the initial pid namespace */
	u32 tid;
	char comm[16];
};

struct iot_fs {
	struct iot_head head;
	u64 name;    /* id of the text that names the file, or of the caller's path string; 0: none */
	u64 dir;     /* id of the directory a relative name starts at; 0: not sent */
	union {
		u64 ino;
		u64 sock_made; /* READ, WRITE in tier c: since when the descriptor is a socket's, which has no ino; 0 */
	};
	u64 size;    /* bytes asked for */
	s64 offset;  /* -1: not known here */
	u64 latency; /* ns */
	s64 ret;
	u32 dev;     /* kernel form: major << 20 | minor */
	s32 fd;      /* -1: not known */
	u32 flags;   /* O_* */
	u32 mntns;   /* inode number of the mount namespace; 0: not known */
	union {
		s32 dirfd; /* OPEN: as given by the caller */
		u32 lock;  /* LOCK: IOT_LOCK_* */
	};
	u32 ofd;     /* the open file description, hashed; 0: not known */
	u16 op;
	u16 status;
	u16 call;    /* IOT_CALL_* */
	u16 pad;
};

/* iot_fs.lock: LOCK_* as flock has them, or a command of fcntl with what kind of lock and where its range starts */
enum {
	IOT_LOCK_COMMAND = 0x100, /* times the place in F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, from 1 */
	IOT_LOCK_TYPE = 0x1000,   /* times one more than l_type; 0: it could not be read */
	IOT_LOCK_WHENCE = 0x10000, /* times l_whence */
};

/* SPLICE: in iot_fs.flags, beside those of the call: from a pipe, so that the file is written to */
#define IOT_SPLICE_TO_FILE 0x80000000u

/* A system call with two names or files, or on memory */
struct iot_more {
	struct iot_fs fs;
	u64 start;   /* CLOCK_MONOTONIC ns */
	u64 name2;   /* as fs.name and fs.dir, of the second path or file */
	u64 dir2;
	u64 address; /* memory operations: as given (MMAP: the result is fs.ret); MKNOD: the device, as given */
	u64 ino2;    /* of the second file: what the new name of RENAME was, the other one of LINK, COPY_FILE_RANGE; 0 */
	union {
		u64 old_size; /* MREMAP */
		s64 offset2;  /* SPLICE, COPY_FILE_RANGE: of the second file, -1 when it has none */
	};
	s32 fd2;     /* second descriptor, or where a relative second path starts */
	u32 prot;    /* MMAP: PROT_* */
	u16 status2; /* IOT_ST_FILE, IOT_ST_DELETED and IOT_ST_NO_TEXT of the second */
	u16 pad;
	u32 pad2;
};

enum iot_text_kind {
	IOT_TEXT_STRING = 1, /* as the caller gave it, no NUL */
	IOT_TEXT_WALK,       /* components, deepest first, each ended by NUL */
	IOT_TEXT_ARGS,       /* arguments, each ended by NUL */
	/* without an id, for the record of the same thread that follows: as IOT_TEXT_STRING, where that has found files */
	IOT_TEXT_GIVEN,
	IOT_TEXT_GIVEN2,     /* the second name */
};

enum {
	IOT_TEXT_MAX = 4096,
	IOT_NAME_MAX = 256,  /* one component with its NUL */
	IOT_TEXT_CUT = 1,    /* iot_text.flags: did not fit */
	IOT_TEXT_SLOTS = IOT_TEXT_MAX + IOT_NAME_MAX,
	IOT_TEXT_HEAD = 56,  /* bytes before data */
};

/* Names of files: how many the kernel remembers, and after how many more one that it remembers is sent again */
#define IOT_NAMES_KEPT 16384
#define IOT_NAMES_ROUND 32768

struct iot_text {
	struct iot_head head;
	u64 id;
	u16 kind;
	u16 flags;
	u32 len;     /* bytes of data that count */
	char data[IOT_TEXT_SLOTS];
};

enum iot_task_event { IOT_FORK = 1, IOT_EXEC, IOT_EXIT, IOT_GROUP };

struct iot_task {
	struct iot_head head;
	u64 name;    /* text id of EXEC: the program's path, GROUP: the control group's; 0: none */
	u64 args;    /* EXEC: text id of the arguments; 0: none */
	union {
		s64 child;  /* FORK: its pid */
		s64 ret;    /* EXEC: 0 or -errno */
		s64 status; /* EXIT: wait status, if known */
	};
	union {
		u64 clone_flags; /* FORK */
		u64 known;       /* EXIT: IOT_TASK_STATUS */
		u64 hierarchy;   /* GROUP: its number, as /proc/PID/cgroup has it */
	};
	u32 ppid;    /* 0: not known here */
	u16 event;
	u16 pad;
};

enum { IOT_TASK_STATUS = 1 /* iot_task.status is known */ };

enum {
	IOT_RWBS = 10,
	IOT_DS_OWNER = 1,    /* the submitter was seen */
	IOT_DS_ISSUED = 2,   /* issue_ns is right */
	IOT_DS_QUEUED = 4,   /* queue_ns is right */
	IOT_DS_PART = 8,     /* a piece of a request: more follow */
};

/*
 * What a request asks, as struct request has it (cmd_flags): operations and bits
 * have numbers of our own, because the kernel's moved between versions. Each
 * list is all that knows the names: src/row/flags.c prints them, ds.bpf.c reads them.
 */
#define IOT_REQ_FLAGS(X) \
	X(FAILFAST_DEV) X(FAILFAST_TRANSPORT) X(FAILFAST_DRIVER) X(SYNC) X(META) X(PRIO) \
	X(NOMERGE) X(IDLE) X(INTEGRITY) X(FUA) X(PREFLUSH) X(RAHEAD) X(BACKGROUND) X(NOWAIT) \
	X(CGROUP_PUNT) X(POLLED) X(HIPRI) X(ALLOC_CACHE) X(SWAP) X(DRV) X(FS_PRIVATE) X(ATOMIC) \
	X(P2PDMA) X(NOUNMAP)
#define IOT_REQ_OPS(X) \
	X(READ) X(WRITE) X(FLUSH) X(DISCARD) X(SECURE_ERASE) X(WRITE_SAME) X(WRITE_ZEROES) \
	X(ZONE_REPORT) X(ZONE_OPEN) X(ZONE_CLOSE) X(ZONE_FINISH) X(ZONE_RESET) X(ZONE_RESET_ALL) \
	X(ZONE_APPEND) X(SCSI_IN) X(SCSI_OUT) X(DRV_IN) X(DRV_OUT)

/* The place of each bit; iot_ds.cmd_flags has 1 << that. */
#define IOT_REQ_ENUM(name) IOT_REQ_##name,
enum { IOT_REQ_FLAGS(IOT_REQ_ENUM) IOT_N_REQ_FLAGS };
/* iot_ds.op; an operation without a name here keeps the kernel's number, which is less */
#define IOT_REQ_OP_ENUM(name) IOT_REQ_OP_##name,
enum { IOT_REQ_OP_FIRST = 256, IOT_REQ_OPS(IOT_REQ_OP_ENUM) IOT_REQ_OP_END };

/* What the pages of a request are: iot_owner.pages; 0: not looked at */
enum iot_owner_pages {
	IOT_OWNER_FILE = 1,     /* of the page cache of a regular file: ino and dev are its */
	IOT_OWNER_DEVICE,       /* of the page cache of a block device */
	IOT_OWNER_META,         /* of another inode: a directory, a file system's own */
	IOT_OWNER_SWAP,         /* anonymous memory on its way to or from swap */
	IOT_OWNER_MEMORY,       /* a program's, or the kernel's own */
	IOT_OWNER_NO_PAGES,     /* none: a flush, a discard */
};

/* iot_owner.found */
enum {
	IOT_OWNER_CALL_FILE = 1, /* ino, dev and flags are of the file of the submitter's call */
	IOT_OWNER_MERGED = 8,    /* of a bio: it is part of a request that begins before it */
	IOT_OWNER_EVENT = 4,     /* an event told of the file; if it is flushed, dev is what it is written to, a whole disk */
	IOT_OWNER_KERNEL = 16,   /* the submitter is a thread of the kernel; known with layouts */
	IOT_OWNER_FOREIGN = 2,   /* the submitter is not traced: a row if the file was written by one that is */
	IOT_OWNER_COMMIT = 32,   /* of a commit of a journal, for processes that are traced */
	IOT_OWNER_ABOVE = 64,    /* what a bio of the device above told, of which it is a part */
};

/* Whose changes a transaction of a journal has */
struct iot_commit {
	u64 comm[2];
	u32 tgid;   /* the one that changed the most */
	u32 owners; /* processes */
};

/* Whose data a request carries, and what its submitter was doing */
struct iot_owner {
	union {
		struct {
			u64 ino;     /* 0: not known */
			u64 req;     /* of io_uring, which asked for it; 0: none, or not known */
			u32 dev;     /* of the file system, or with IOT_OWNER_DEVICE the device, if known; kernel form */
			u32 flags;   /* O_* of the file of the submitter's call */
		};
		struct iot_commit commit; /* with IOT_OWNER_COMMIT */
	};
	u64 cgroup;  /* id of the control group that is charged, of version 2; 0: not known */
	s32 fd;      /* of that call; -1 */
	u16 op;      /* of that call, enum iot_op; 0: in none */
	u16 pages;   /* enum iot_owner_pages */
	u16 owners;  /* runs of different files among its bios, or more than were looked at; 0: not looked at */
	u16 found;   /* IOT_OWNER_* */
	u32 sectors; /* of the first bio; 0: not known */
};

/*
 * tgid, tid and comm of the head are the submitter's, not of the interrupted task. As IOT_REC_BIO, a bio of a
 * device that has no requests: issue_ns is from its queueing to its completion, queue_ns until the first bio
 * for a device below.
 */
struct iot_ds {
	struct iot_head head;
	u64 sector;
	u64 id;         /* of the request: the same for every piece */
	u64 above;      /* id of the bio of a device above that it is a part of; 0: none, or not known */
	u64 issue_ns;   /* issue to completion */
	u64 queue_ns;   /* insert to issue */
	u32 dev;
	u32 nr_sector;
	s32 error;      /* negative errno */
	u32 flags;      /* IOT_DS_* */
	u32 cmd_flags;  /* 1 << IOT_REQ_*, and */
	u32 cmd_rest;   /* the kernel's bits that have no name here */
	char rwbs[IOT_RWBS];
	u16 cpu;        /* of the completion */
	u16 op;         /* IOT_REQ_OP_*; 0: it and cmd_flags are not known */
	u16 pad;
	u32 above_dev;  /* the device of that bio */
	u32 more_pad;
	struct iot_owner owner;
};

enum iot_cache_event {
	IOT_CACHE_HIT = 1, IOT_CACHE_MISS, IOT_CACHE_DIRTY, IOT_CACHE_WRITEBACK_START, IOT_CACHE_WRITEBACK_END,
	IOT_CACHE_EVICT, IOT_CACHE_INVALIDATE, IOT_CACHE_DROP, IOT_CACHE_READAHEAD, IOT_CACHE_RECLAIM,
	IOT_N_CACHE_EVENTS
};

/* iot_cache.flags */
enum {
	IOT_CACHE_KNOWN = 1,  /* a regular file on a traced file system: the kernel looked */
	IOT_CACHE_DISK = 2,   /* dev is what the file system writes to, as far as that has a number */
};
#define IOT_CACHE_NO_SIZE (~0ULL)

struct iot_cache {
	struct iot_head head;
	u64 ino;
	u64 index;   /* pages */
	u64 count;   /* pages */
	u64 size;    /* of the file, bytes; IOT_CACHE_NO_SIZE */
	u32 dev;
	u16 event;   /* enum iot_cache_event */
	u16 flags;   /* IOT_CACHE_* */
	u32 cpu;
	u32 pad;
};

/* iot_fault.flags */
enum {
	IOT_FAULT_WRITE = 1,
	IOT_FAULT_MAJOR = 2,
	IOT_FAULT_FILE = 4,   /* name, ino, index and dev come from the kernel's struct file */
	IOT_FAULT_RESULT = 8, /* MAJOR and latency are right */
	IOT_FAULT_FETCH = 16, /* of an instruction */
	IOT_FAULT_SHARED = 32,  /* of a mapping whose writes reach the file */
	IOT_FAULT_PRIVATE = 64, /* or not; neither: not known */
	IOT_FAULT_COUNTED = 128, /* pages is right */
};

struct iot_fault {
	struct iot_head head;
	u64 name;    /* id of the text that names the file; 0: none */
	u64 ino;
	u64 index;   /* page in the file */
	u64 address;
	u64 latency; /* ns */
	u32 dev;
	u16 flags;   /* IOT_FAULT_* */
	u16 pages;   /* of the file that it mapped, with those around */
	u32 mntns;   /* as in struct iot_fs */
	u32 pad;
};

/* iot_run.known */
enum { IOT_RUN_TIME = 1, IOT_RUN_SLEEP = 2, IOT_RUN_DELAY = 4 };

/* iot_run.state, behind those of the kernel: left to sleep, and was woken before the event could say how */
#define IOT_RUN_WAKING 0x200

/* A stay of the thread on a CPU. The head's time is its end. */
struct iot_run {
	struct iot_head head;
	u64 run;      /* ns, and so the next two */
	u64 sleep;    /* from leaving a CPU the last time until it was woken, or, that not known, until it got this one */
	u64 delay;    /* from there until it got this one */
	char waker_comm[16];
	u32 waker;    /* tid; 0: nobody */
	u32 cpu;
	u32 state;    /* of sched_switch: as which it left */
	u16 priority;
	u16 known;    /* IOT_RUN_* */
};

/* Stacks that the kernel keeps until the reader has read them: as many, of so many frames */
enum { IOT_STACK_FRAMES = 127, IOT_USER_STACKS = 16384, IOT_KERNEL_STACKS = 2048 };
enum { IOT_STACK_WORDS = 8 };

/* Where the thread was: sent before the record of the operation, which ends */
struct iot_stack {
	struct iot_head head;
	u64 wait;    /* ns, the longest time that the thread was off its CPU in the operation, since it slept; 0: never */
	s32 user;    /* number in iot_user_stacks, or a negative errno */
	s32 kernel;  /* the same in iot_kernel_stacks: where it slept for that time; -ENOENT: nowhere */
	u64 words[IOT_STACK_WORDS]; /* of the program's stack, from its pointer on; 0: not known */
};

#define IOT_NETFS_UNKNOWN (~0ULL)
enum { IOT_NETFS_PROGRAM = 16, IOT_NETFS_PROCEDURE = 24 };

/* iot_netfs.known */
enum { IOT_NETFS_SENT = 1, IOT_NETFS_RECEIVED = 2, IOT_NETFS_STATUS = 4, IOT_NETFS_SENDS = 8, IOT_NETFS_FILE = 16, IOT_NETFS_SMB = 32 };

/* A request to the server of a network file system. The head names who asked; its time is the end. */
struct iot_netfs {
	struct iot_head head;
	u64 session;   /* RPC: the kernel's number of its client; SMB: of the session */
	u64 id;        /* RPC: XID; SMB: number of the message */
	u64 queue;     /* ns until it was sent, the last time; IOT_NETFS_UNKNOWN, and so the next one */
	u64 server;    /* from there until the reply */
	u64 total;
	u64 ino;       /* with IOT_NETFS_FILE, and so the next two and dev */
	u64 offset;
	u64 size;      /* bytes asked for */
	u32 dev;
	u32 sent;      /* bytes of the messages */
	u32 received;
	s32 status;    /* negative error; RPC: or bytes */
	u16 sends;     /* times that it was sent */
	u16 version;   /* of the protocol */
	u16 command;   /* of SMB */
	u16 known;     /* IOT_NETFS_* */
	char program[IOT_NETFS_PROGRAM];     /* RPC: "nfs" */
	char procedure[IOT_NETFS_PROCEDURE]; /* "READ" */
};

/* An asynchronous read or write that was submitted, and by whom: as the next one, in a table of the kernel */
struct iot_request {
	u64 ts;
	u64 name;
	u64 ino;
	u64 size;
	s64 offset;
	u32 dev;
	u32 flags;
	u32 mntns;
	u32 ofd;
	u32 tgid;
	u32 tid;
	char comm[16];
	u16 op;
	u16 via;
	u16 call;
	u16 status;
	u64 filters; /* IOT_FILTER_END of the config */
};

/* A request that waits or is under way, in tables of the kernel; the reader looks at what is left at the end */
struct iot_rq {
	u64 insert_ts;
	u64 issue_ts;   /* 0: not issued */
	u64 id;
	u64 above;      /* as in struct iot_ds */
	u32 tgid;
	u32 tid;
	u32 sectors;    /* issued and not completed */
	u32 was_here;   /* of iot_issued: the record's program was here */
	char comm[16];
	/* of an issued request, where raw programs join it */
	u32 dev;
	u32 above_dev;  /* as in struct iot_ds */
	u64 sector;     /* as in its key */
	u64 at;         /* where the next piece starts; -1 without a sector */
	char rwbs[16];
	u32 cmd_flags;  /* as in struct iot_ds */
	u32 cmd_rest;
	u32 op;
	u32 issuer;     /* of iot_issued: the thread that the record's program ran in; of a bio that was handed down, likewise */
	struct iot_owner owner;
};

/* What a row says of a request, but when and how it ended; e is zeroed. */
static inline __attribute__((always_inline)) void iot_ds_of(struct iot_ds *e, const struct iot_rq *rq)
{
	e->flags = IOT_DS_OWNER;
	e->head.tgid = rq->tgid;
	e->head.tid = rq->tid;
	__builtin_memcpy(e->head.comm, rq->comm, sizeof(e->head.comm));
	e->id = rq->id;
	e->above = rq->above;
	e->above_dev = rq->above_dev;
	__builtin_memcpy(&e->owner, &rq->owner, sizeof(e->owner));
	e->sector = rq->at;
	e->nr_sector = rq->sectors;
	e->dev = rq->dev;
	e->cmd_flags = rq->cmd_flags;
	e->cmd_rest = rq->cmd_rest;
	e->op = (u16)rq->op;
	__builtin_memcpy(e->rwbs, rq->rwbs, sizeof(e->rwbs));
	if (rq->insert_ts && rq->insert_ts <= rq->issue_ts) {
		e->flags |= IOT_DS_QUEUED;
		e->queue_ns = rq->issue_ts - rq->insert_ts;
	}
}

#endif
