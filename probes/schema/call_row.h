/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs of system calls know of each call: user space fills a table from fs_calls.def
 * and net_calls.def, in which the call's number finds its row. So one program takes all calls of one
 * kind, and which argument is what needs no code. This text is compiled twice.
 */
#ifndef IOT_CALL_ROW_H
#define IOT_CALL_ROW_H

/* How a call of fs begins: the first five have entries of kind RW or OPEN, the others of kind CALL. */
enum iot_begin {
	IOT_BEGIN_NONE,      /* not traced by its number */
	/* a descriptor and what waits for its return: iot_slot */
	IOT_BEGIN_RW,        /* (descriptor, buffer, size) */
	IOT_BEGIN_RW_AT,     /* the same, position */
	IOT_BEGIN_ON_FD,     /* (descriptor) */
	IOT_BEGIN_IOV,       /* (descriptor, array of iovec, its length) */
	IOT_BEGIN_IOV_AT,    /* the same, position */
	IOT_BEGIN_IOV_AT2,   /* the same, upper half of it, flags: -1 is the file's own */
	IOT_BEGIN_DUP3, IOT_BEGIN_CLOSE_RANGE, IOT_BEGIN_MEMFD, IOT_BEGIN_NEWFD, IOT_BEGIN_PIPE,
	IOT_BEGIN_SOCKETPAIR,
	IOT_BEGIN_FLOCK,     /* (descriptor, LOCK_*) */
	IOT_BEGIN_FCNTL,     /* (descriptor, command, argument): a lock, or followed */
	/* the name of a file to open */
	IOT_BEGIN_OPEN, IOT_BEGIN_CREAT, IOT_BEGIN_OPENAT, IOT_BEGIN_OPENAT2,
	IOT_BEGIN_OPEN_HANDLE, /* or none: (mount, handle, flags) */
	/* struct iot_call */
	IOT_BEGIN_FD,        /* on a descriptor */
	IOT_BEGIN_MMAP,      /* likewise, or on none */
	IOT_BEGIN_SENDFILE,  /* on two, and so the next two */
	IOT_BEGIN_SPLICE,
	IOT_BEGIN_COPY,
	IOT_BEGIN_CLONE,     /* ioctl, of which three commands are on two files */
	IOT_BEGIN_PATH,      /* on a name or two */
	IOT_BEGIN_AT,        /* on a name, or where that is empty the descriptor itself */
	IOT_BEGIN_MOUNT,     /* likewise, and names below it may be others when it returns */
	IOT_BEGIN_BARE,      /* on nothing that has a file of ours */
	IOT_BEGIN_VMSPLICE,  /* likewise, with an array of iovec */
};

/* iot_call_row.rules */
enum {
	IOT_RULE_OWNER = 1,     /* flags and prot are user and group */
	IOT_RULE_TIMES = 2,     /* flags is the address of two times */
	IOT_RULE_REMOVEDIR = 4, /* AT_REMOVEDIR makes another operation of it */
	IOT_RULE_EMPTY = 8,     /* AT_EMPTY_PATH: an empty name is the descriptor */
	IOT_RULE_LOCKS = 16,    /* of fcntl, its locks are wanted, */
	IOT_RULE_FOLLOWED = 32, /* and what it does to descriptors */
	IOT_RULE_SELF = 64,     /* an empty name is the descriptor, whatever AT_* says */
	IOT_RULE_AT_SHOWN = 128, /* AT_* are among the row's flags */
};

/* Which call a row of nw comes from; odd ones send */
enum {
	IOT_NET_SENDTO = 1, IOT_NET_RECVFROM, IOT_NET_SENDMSG, IOT_NET_RECVMSG, IOT_NET_SENDMMSG, IOT_NET_RECVMMSG,
	IOT_NET_WRITE, IOT_NET_READ, IOT_NET_SENDFILE, IOT_NET_SPLICE
};

/* What a call of nw_epoll gives as its timeout */
enum iot_timeout_form {
	IOT_NO_TIMEOUT,
	IOT_TIMEOUT_MS,
	IOT_TIMESPEC,
	IOT_TIMEVAL,
};

struct iot_call_row {
	/* of fs */
	u16 op;
	u16 via;
	u16 call;        /* IOT_CALL_* */
	u16 begin;       /* enum iot_begin */
	u8 to[6];        /* where in struct iot_call each argument goes */
	u8 placed;       /* arguments that go anywhere, the last of them included */
	u8 rules;        /* IOT_RULE_* */
	u32 flags;       /* that column whatever the arguments, and */
	u32 no_flags;    /* what it does not take of an argument */
	/* of the network streams; class 0 is fs: none */
	u16 sock_op;
	u16 sock_via;
	u8 sock_class;   /* IOT_SEQ_* */
	u8 timeout;      /* enum iot_timeout_form, */
	u8 timeout_at;   /* of that argument */
	u8 at;           /* which argument has AT_*; 0: none */
};

/* A power of two above the numbers of native calls; x32 has others, which are not seen. */
enum { IOT_CALL_ROWS = 512 };

/* struct iot_call_row[IOT_CALL_ROWS], as bytes: libbcc makes functions that print every member of a table's values. */
struct iot_call_rows {
	char bytes[IOT_CALL_ROWS * sizeof(struct iot_call_row)];
};

/*
 * An argument is 8 bytes, and some members of struct iot_more are less: until the call has begun,
 * these wait in members that it fills later.
 */
#define IOT_GIVEN_FD ino2
#define IOT_GIVEN_FD2 fs.ino
#define IOT_GIVEN_FLAGS fs.latency
#define IOT_GIVEN_PROT fs.ret
#define IOT_GIVEN_NOTHING start

#endif
