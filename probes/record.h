/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What crosses the ring. This text is compiled twice: by libbcc as part of the
 * BPF programs and by the C compiler for the reader, so the two cannot differ.
 * Only fixed-width members, widest first, no padding: record.c proves the sizes.
 */
#ifndef IO_RECORD_H
#define IO_RECORD_H

enum io_type {
	IO_REC_FS = 1,  /* struct io_fs: an operation of stream fs, or (class IO_SEQ_STATE) a change of descriptors */
	IO_REC_TEXT,    /* struct io_text: a path, a name or an argument list */
	IO_REC_DS,      /* struct io_ds */
	IO_REC_TASK,    /* struct io_task */
	IO_REC_MORE,    /* struct io_more */
	IO_REC_CACHE,   /* struct io_cache */
	IO_REC_FAULT,   /* struct io_fault */
	/* those of record_net.h */
	IO_REC_NET, IO_REC_CONN, IO_REC_POLL, IO_REC_OPT, IO_REC_DROP, IO_REC_RING,
	IO_N_RECS
};

/*
 * Numbering of attempts to send, per CPU: a gap is a loss. Stream numbers are
 * those of streams.def; the last class carries what serves several streams.
 */
enum io_seq_class {
	IO_SEQ_FS, IO_SEQ_DS, IO_SEQ_EXEC, IO_SEQ_LOST, IO_SEQ_CACHE, IO_SEQ_PAGEFAULT,
	IO_SEQ_NW, IO_SEQ_NW_CONN, IO_SEQ_NW_EPOLL, IO_SEQ_NW_SOCKOPT, IO_SEQ_NW_DROP, IO_SEQ_IOURING,
	IO_SEQ_STATE = 15, IO_N_SEQ
};

enum io_op {
	IO_READ = 1, IO_WRITE, IO_OPEN, IO_CLOSE, IO_FSYNC, IO_FDATASYNC,
	/* those of struct io_more */
	IO_MMAP, IO_MUNMAP, IO_MREMAP, IO_MSYNC, IO_MADVISE,
	IO_GETATTR, IO_SETATTR, IO_CHDIR, IO_UNLINK, IO_TRUNCATE,
	IO_RENAME, IO_MKDIR, IO_RMDIR, IO_LINK, IO_SYMLINK,
	IO_READDIR, IO_SYNC, IO_FALLOCATE, IO_SENDFILE, IO_SPLICE, IO_VMSPLICE,
	IO_COPY_FILE_RANGE, IO_TEE, IO_SYNC_FILE_RANGE, IO_FADVISE, IO_READAHEAD,
	/* rows that the reader makes from another record */
	IO_DIO_READ, IO_DIO_WRITE,
	IO_N_OPS,
	/* not rows: what the reader must know to follow descriptors */
	IO_LSEEK = 128,   /* fd, ret: the new position */
	IO_DUP,           /* fd -> ret; flags: O_CLOEXEC or 0 */
	IO_CLOEXEC,       /* fd, flags: FD_CLOEXEC set or not */
	IO_CLOSE_RANGE,   /* fd: first, size: last, flags: CLOSE_RANGE_* */
	IO_MOVED,         /* fd and dirfd: positions moved by an unknown amount */
	IO_MEMFD,         /* ret: memory as a file; flags: O_CLOEXEC or 0 */
	IO_NEWFD,         /* ret: a socket, pipe, epoll …: no file; dirfd: its second end or -1; size: AF_* of socketpair or 0 */
};

/* io_fs.status */
enum {
	IO_ST_FILE = 1,      /* ino, dev and name come from the kernel's struct file */
	IO_ST_DELETED = 2,   /* the name was unlinked before the operation */
	IO_ST_OFFSET = 4,    /* offset is right, not to be followed from the descriptor */
	IO_ST_APPEND = 8,    /* offset is the end of the file that the call found */
	IO_ST_ASYNC = 16,    /* AIO or io_uring: submitted and completed apart */
	IO_ST_NO_TEXT = 32,  /* the caller's path string could not be read */
	IO_ST_REGULAR = 64,  /* mode is known to be a regular file, directory or block device */
	IO_ST_PSEUDO = 128,  /* on a file system that is not traced */
	IO_ST_PATH = 256,    /* the call names a path, not a descriptor */
	IO_ST_SELF = 512,    /* an empty path means the descriptor that relative ones start at */
};

struct io_head {
	u64 ts;      /* CLOCK_MONOTONIC ns when sent: the end of the operation */
	u32 seq;     /* attempt number in its class on its CPU, from 1, low 32 bits */
	u8 type;     /* enum io_type */
	u8 class;    /* enum io_seq_class */
	u16 via;     /* IO_VIA_* of the capability that sent it */
	u32 tgid;    /* pid in the initial pid namespace */
	u32 tid;
	char comm[16];
};

struct io_fs {
	struct io_head head;
	u64 name;    /* id of the text that names the file, or of the caller's path string; 0: none */
	u64 dir;     /* id of the directory a relative name starts at; 0: not sent */
	u64 ino;
	u64 size;    /* bytes asked for */
	s64 offset;  /* -1: not known here */
	u64 latency; /* ns */
	s64 ret;
	u32 dev;     /* kernel form: major << 20 | minor */
	s32 fd;      /* -1: not known */
	u32 flags;   /* O_* */
	u32 mntns;   /* inode number of the mount namespace; 0: not known */
	s32 dirfd;   /* OPEN: as given by the caller */
	u16 op;
	u16 status;
};

/* A system call with two names or files, or on memory */
struct io_more {
	struct io_fs fs;
	u64 start;   /* CLOCK_MONOTONIC ns */
	u64 name2;   /* as fs.name and fs.dir, of the second path or file */
	u64 dir2;
	u64 address; /* memory operations: as given (MMAP: the result is fs.ret) */
	u64 ino2;    /* of the second file: what the new name of RENAME was, the other one of LINK, COPY_FILE_RANGE; 0 */
	u64 length;  /* MREMAP: the old length; SPLICE, COPY_FILE_RANGE: offset of the second file, -1 when it has none */
	s32 fd2;     /* second descriptor, or where a relative second path starts */
	u32 prot;    /* MMAP: PROT_* */
	u16 status2; /* IO_ST_FILE, IO_ST_DELETED and IO_ST_NO_TEXT of the second */
	u16 pad;
	u32 pad2;
};

enum io_text_kind {
	IO_TEXT_STRING = 1, /* as the caller gave it, no NUL */
	IO_TEXT_WALK,       /* components, deepest first, each ended by NUL */
	IO_TEXT_ARGS,       /* arguments, each ended by NUL */
};

enum {
	IO_TEXT_MAX = 4096,
	IO_NAME_MAX = 256,  /* one component with its NUL */
	IO_TEXT_CUT = 1,    /* io_text.flags: did not fit */
	IO_TEXT_SLOTS = IO_TEXT_MAX + IO_NAME_MAX,
	IO_TEXT_HEAD = 56,  /* bytes before data */
};

struct io_text {
	struct io_head head;
	u64 id;
	u16 kind;
	u16 flags;
	u32 len;     /* bytes of data that count */
	char data[IO_TEXT_SLOTS];
};

enum io_task_event { IO_FORK = 1, IO_EXEC, IO_EXIT };

struct io_task {
	struct io_head head;
	u64 name;    /* EXEC: text id of the program's path; 0: none */
	u64 args;    /* EXEC: text id of the arguments; 0: none */
	s64 ret;     /* FORK: child's pid; EXEC: 0 or -errno; EXIT: wait status, if known */
	u64 flags;   /* FORK: CLONE_*; EXIT: IO_TASK_* */
	u32 ppid;    /* 0: not known here */
	u16 event;
	u16 pad;
};

enum { IO_TASK_STATUS = 1 /* ret is the exit status word */ };

enum {
	IO_RWBS = 10,
	IO_DS_OWNER = 1,    /* the submitter was seen */
	IO_DS_ISSUED = 2,   /* issue_ns is right */
	IO_DS_QUEUED = 4,   /* queue_ns is right */
	IO_DS_PART = 8,     /* a piece of a request: more follow */
};

/*
 * What a request asks, as struct request has it (cmd_flags): operations and bits
 * have numbers of our own, because the kernel's moved between versions. Each
 * list is all that knows the names: src/flags.c prints them, ds.bpf.c reads them.
 */
#define IO_REQ_FLAGS(X) \
	X(FAILFAST_DEV) X(FAILFAST_TRANSPORT) X(FAILFAST_DRIVER) X(SYNC) X(META) X(PRIO) \
	X(NOMERGE) X(IDLE) X(INTEGRITY) X(FUA) X(PREFLUSH) X(RAHEAD) X(BACKGROUND) X(NOWAIT) \
	X(CGROUP_PUNT) X(POLLED) X(HIPRI) X(ALLOC_CACHE) X(SWAP) X(DRV) X(FS_PRIVATE) X(ATOMIC) \
	X(P2PDMA) X(NOUNMAP)
#define IO_REQ_OPS(X) \
	X(READ) X(WRITE) X(FLUSH) X(DISCARD) X(SECURE_ERASE) X(WRITE_SAME) X(WRITE_ZEROES) \
	X(ZONE_REPORT) X(ZONE_OPEN) X(ZONE_CLOSE) X(ZONE_FINISH) X(ZONE_RESET) X(ZONE_RESET_ALL) \
	X(ZONE_APPEND) X(SCSI_IN) X(SCSI_OUT) X(DRV_IN) X(DRV_OUT)

/* The place of each bit; io_ds.cmd_flags has 1 << that. */
#define IO_REQ_ENUM(name) IO_REQ_##name,
enum { IO_REQ_FLAGS(IO_REQ_ENUM) IO_N_REQ_FLAGS };
/* io_ds.op; an operation without a name here keeps the kernel's number, which is less */
#define IO_REQ_OP_ENUM(name) IO_REQ_OP_##name,
enum { IO_REQ_OP_FIRST = 256, IO_REQ_OPS(IO_REQ_OP_ENUM) IO_REQ_OP_END };

/* tgid, tid and comm of the head are the submitter's, not of the interrupted task */
struct io_ds {
	struct io_head head;
	u64 sector;
	u64 id;         /* of the request: the same for every piece */
	u64 issue_ns;   /* issue to completion */
	u64 queue_ns;   /* insert to issue */
	u32 dev;
	u32 nr_sector;
	s32 error;      /* negative errno */
	u32 flags;      /* IO_DS_* */
	u32 cmd_flags;  /* 1 << IO_REQ_*, and */
	u32 cmd_rest;   /* the kernel's bits that have no name here */
	char rwbs[IO_RWBS];
	u16 cpu;        /* of the completion */
	u16 op;         /* IO_REQ_OP_*; 0: it and cmd_flags are not known */
	u16 pad;
};

enum io_cache_event {
	IO_CACHE_HIT = 1, IO_CACHE_MISS, IO_CACHE_DIRTY, IO_CACHE_WRITEBACK_START, IO_CACHE_WRITEBACK_END,
	IO_CACHE_EVICT, IO_CACHE_INVALIDATE, IO_CACHE_DROP, IO_CACHE_READAHEAD, IO_CACHE_RECLAIM,
	IO_N_CACHE_EVENTS
};

/* io_cache.flags */
enum {
	IO_CACHE_KNOWN = 1,  /* a regular file on a traced file system: the kernel looked */
	IO_CACHE_DISK = 2,   /* dev is what the file system writes to, as far as that has a number */
};
#define IO_CACHE_NO_SIZE (~0ULL)

struct io_cache {
	struct io_head head;
	u64 ino;
	u64 index;   /* pages */
	u64 count;   /* pages */
	u64 size;    /* of the file, bytes; IO_CACHE_NO_SIZE */
	u32 dev;
	u16 event;   /* enum io_cache_event */
	u16 flags;   /* IO_CACHE_* */
	u32 cpu;
	u32 pad;
};

/* io_fault.flags */
enum {
	IO_FAULT_WRITE = 1,
	IO_FAULT_MAJOR = 2,
	IO_FAULT_FILE = 4,   /* name, ino, index and dev come from the kernel's struct file */
	IO_FAULT_RESULT = 8, /* MAJOR and latency are right */
	IO_FAULT_FETCH = 16, /* of an instruction */
};

struct io_fault {
	struct io_head head;
	u64 name;    /* id of the text that names the file; 0: none */
	u64 ino;
	u64 index;   /* page in the file */
	u64 address;
	u64 latency; /* ns */
	u32 dev;
	u32 flags;   /* IO_FAULT_* */
};

/* A request that waits or is under way, in tables of the kernel; the reader looks at what is left at the end */
struct io_rq {
	u64 insert_ts;
	u64 issue_ts;   /* 0: not issued */
	u64 id;
	u32 tgid;
	u32 tid;
	u32 sectors;    /* issued and not completed */
	u32 was_here;   /* of io_issued: the record's program was here */
	char comm[16];
	/* of an issued request, where raw programs join it */
	u64 dev;
	u64 sector;     /* as in its key */
	u64 at;         /* where the next piece starts; -1 without a sector */
	char rwbs[16];
	u32 cmd_flags;  /* as in struct io_ds */
	u32 cmd_rest;
	u32 op;
	u32 pad;
};

enum { IO_OPT_LEVELS = 8 };

/* One for all programs; user space writes it before it switches tracing on. */
struct io_config {
	u64 min_latency; /* ns */
	u64 fs_rows;     /* 1 << op: operations of fs that may be rows, where filters has IO_FILTER_ROWS */
	u64 fs_state;    /* those whose success the reader follows, rows or not */
	u32 on;
	u32 filters;    /* IO_FILTER_* */
	u32 self;       /* tgid that never appears */
	u32 uid;
	u32 n_cpus;
	u32 all_fs;     /* 1: pseudo file systems too */
	u32 fs_types;   /* rules that io_fs_types has: IO_FS_*; 0: none */
	u32 cache_keep; /* an event of cache is kept when a random number is below; 0: every one */
	u32 all_drops;  /* 1: dropped packets that are not IP, too */
	u32 errors;     /* 1: failed operations only */
	u32 by_group;   /* 1: io_cgroup has the control group; 0: io_members has its processes */
	u32 n_opt_levels; /* 0: socket options of every level */
	s32 opt_levels[IO_OPT_LEVELS];
};

/* Rule of a type of file systems: only such ones, or none of them. */
enum { IO_FS_INCLUDE = 1, IO_FS_EXCLUDE = 2 };

enum {
	IO_FILTER_TASKS = 1, IO_FILTER_COMM = 2, IO_FILTER_UID = 4, IO_FILTER_FORKS = 8,
	IO_FILTER_NOT_COMM = 16, IO_FILTER_CGROUP = 32,
	IO_FILTER_ROWS = 64, /* of operation, result or latency */
	/* whose records */
	IO_FILTER_WHO = IO_FILTER_TASKS | IO_FILTER_COMM | IO_FILTER_UID | IO_FILTER_NOT_COMM | IO_FILTER_CGROUP,
	/* what a task is now: it may come to be traced later, and its descriptors with it */
	IO_FILTER_NOW = IO_FILTER_COMM | IO_FILTER_UID | IO_FILTER_NOT_COMM,
};

/* In io_head.via: a filter left it out, but the reader follows what it did. Its class is IO_SEQ_STATE. */
enum { IO_VIA_QUIET = 0x8000 };

/* Losses that no sequence number sees; one counter per CPU and class. */
enum io_miss {
	IO_MISS_ENTRY,   /* a return without its entry: the entry was suppressed or began before us */
	IO_MISS_RETURN,  /* an entry whose return never came */
	IO_MISS_FULL,    /* a table was full */
	IO_MISS_SCRATCH, /* two tasks shared a scratch buffer (kernels with preemptible programs) */
	IO_MISS_SAMPLED, /* not a loss: the sample left it out */
	IO_N_MISS,
};

#endif
