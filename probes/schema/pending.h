/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls and operations that have begun and not yet returned. What a program knows
 * at entry, and needs at the return, waits in a table of the kernel. Like record.h
 * this text is compiled twice: the reader looks at what is left in the table.
 */
#ifndef IOT_PENDING_H
#define IOT_PENDING_H

/*
 * A thread may have one of each at a time, and several kinds inside one another:
 * a page fault inside a read, a read inside io_uring_enter. KIND(name, member):
 * its entry is that member of union iot_pending.
 */
#define IOT_PENDING_KINDS(KIND) \
	KIND(CALL, call)  /* on a name, a mapping or a descriptor, but no plain read or write */ \
	KIND(MOUNT, mount) /* what a call whose beginning was not seen writes to */ \
	KIND(RW, slot)    /* on a descriptor: read, write, fsync … */ \
	KIND(OPEN, slot)  \
	KIND(CLOSE, slot) \
	KIND(ASYNC, slot) /* an asynchronous request is submitted or completed */ \
	KIND(MOVE, head)  /* a directory is being renamed */ \
	KIND(INNER, slot) /* a read or write of one file system by another */ \
	KIND(EXEC, exec) \
	KIND(FAULT, fault) /* from here on, none of fs and exec: IOT_KINDS_HERE */ \
	KIND(SOCK, sock)  /* a system call on a socket, or one that waits for descriptors */ \
	KIND(NET, net)    /* a function of a protocol that sends or receives */ \
	KIND(RING, ring)  /* a call on an io_uring */

#define IOT_KIND_ENUM(name, member) IOT_KIND_##name,
enum iot_kind { IOT_PENDING_KINDS(IOT_KIND_ENUM) IOT_N_KINDS };

/* Whose an entry is: of which kind and thread */
#define IOT_PENDING_KEY(kind, tid) ((u64)((kind) + 1) << 32 | (tid))
#define IOT_PENDING_KIND(key) ((u32)((key) >> 32) - 1)

/* A power of two. Threads that block keep their entries, and each has four places where its entry may be. */
enum { IOT_PENDING_SIZE = 65536, IOT_PENDING_WAYS = 4 };

/* What every entry begins with */
#define IOT_PENDING_HEAD \
	u64 ts;      /* CLOCK_MONOTONIC ns, when it began */ \
	u64 key;     /* IOT_PENDING_KEY; 0: nobody's */ \
	u64 taken;   /* 1: somebody's */ \
	u16 class;   /* IOT_SEQ_*: whose row is missing when the return never comes */ \
	u16 op;      /* one of the operations of that stream */ \
	u16 via;     /* IOT_VIA_* */

struct iot_pending_head {
	IOT_PENDING_HEAD
	u16 pad;
};

/* An operation of fs: its record, in which its end fills in what only then is known, and what is needed for that */
struct iot_slot {
	IOT_PENDING_HEAD
	u16 append;  /* RWF_APPEND: as O_APPEND, for this call */
	struct iot_fs fs;
	u64 asked;   /* bytes of an array of iovec, for when nothing tells the size later */
	u64 posp;    /* kernel address of the position, read again at return */
	u64 text;    /* user address of a path string */
	u64 async;   /* address that names an asynchronous request */
	u64 filters; /* IOT_FILTER_END of the config */
};

/*
 * A system call of fs on names, mappings and descriptors, or (own) a function in one
 * that was not seen: of a 32-bit program, or in a worker of io_uring. Likewise.
 */
struct iot_call {
	IOT_PENDING_HEAD
	u16 own;      /* begun by a function: no system call was seen */
	struct iot_more more;
	u64 text;     /* user address of the first path string; 0: none */
	u64 text2;
	u64 offp;     /* user address of the offset, read at exit; 0: none */
	u64 offp2;
	u64 dentry;   /* of a name that is made by this call */
	u64 mnt;
	u32 filters;  /* IOT_FILTER_END of the config */
	u16 send;     /* IOT_SEND_*: it has returned, and its record is sent when the walk of a name ends */
	u16 depth;    /* functions of this operation inside one another */
};

struct iot_mount_written {
	IOT_PENDING_HEAD
	u16 pad;
	u64 mnt;
};

/* A page fault; one that had to wait for the disk is tried again, and is still the same. */
struct iot_faulting {
	IOT_PENDING_HEAD
	u16 flags;   /* IOT_FAULT_* */
	u64 address;
	u64 name;
	u64 ino;
	u64 index;
	u32 dev;
	u16 again;   /* the last attempt is to be repeated */
	u16 pages;   /* of the file that it mapped until now */
	u32 task_pages;  /* pages of files that the thread had mapped when the attempt began */
	u32 task_events; /* and how often it had counted */
};

/* A system call of nw_conn, nw_epoll, nw_sockopt or nw */
struct iot_sock_call {
	IOT_PENDING_HEAD
	u16 pad;
	union {
		u64 args[5];      /* as the caller gave them */
		struct {
			s32 fd;   /* whose row it is */
			s32 out;  /* SPLICE without headers: it may be this one's, too */
			u64 size; /* asked for */
		} moved;          /* nw: read, write, sendfile, splice */
	};
	union {
		s64 timeout;      /* nw_epoll: ns; IOT_POLL_* */
		u64 sk;           /* CONNECT: the socket whose connection it began */
		u64 messages;     /* sendmmsg, recvmmsg: those that are left to send rows of, */
	};
	u64 message;              /* and where the next one is */
};

/* A function of a protocol; op is IOT_NET_SEND or IOT_NET_RECEIVE. */
struct iot_net_call {
	IOT_PENDING_HEAD
	u16 family;      /* of remote, the address in the message; 0: none was found */
	u64 sk;
	u64 msg;
	u64 size;
	u32 flags;
	u16 port;
	u16 pad;
	u8 remote[16];
};

/* io_uring_setup, _enter or _register; op is the IOT_RING_* of the row that the return makes. */
struct iot_ring_call {
	IOT_PENDING_HEAD
	u16 told;        /* CREATE, REGISTER: an event in the call has filled in what follows */
	union {
		u64 params;    /* CREATE: address of struct io_uring_params */
		u64 ring;      /* told */
	};
	s32 fd;          /* ENTER, REGISTER */
	union {
		u32 entries;   /* CREATE */
		u32 to_submit; /* ENTER */
		u32 opcode;    /* REGISTER */
	};
	u32 flags;       /* ENTER; CREATE, when it is told */
	u32 sq_fill;     /* ENTER: when it began */
};

/* execve without headers: texts that the caller's strings were sent as (0: not yet), and where these are */
struct iot_exec_call {
	IOT_PENDING_HEAD
	u16 pad;
	u64 name;
	u64 args;
	u64 path;
	u64 argv;
};

union iot_pending {
	struct iot_pending_head head;
	struct iot_slot slot;
	struct iot_call call;
	struct iot_mount_written mount;
	struct iot_faulting fault;
	struct iot_sock_call sock;
	struct iot_net_call net;
	struct iot_ring_call ring;
	struct iot_exec_call exec;
};

#endif
