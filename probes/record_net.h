/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of the network streams and of iouring; for what holds of all records
 * see record.h, which comes first.
 */
#ifndef IO_RECORD_NET_H
#define IO_RECORD_NET_H

/* io_ends.known */
enum {
	IO_ENDS_SOCKET = 1, /* family, type and protocol */
	IO_ENDS_LOCAL = 2,
	IO_ENDS_REMOTE = 4,
	IO_ENDS_OTHER = 8,  /* of the reader alone: a socket of no IP, whatever its family */
};

/* In the time of a descriptor (table io_sock_made): since then it is no socket, or not known which */
#define IO_SOCK_GONE (1ULL << 63)

/* A socket and its two ends; IPv4 addresses are the first 4 bytes. */
struct io_ends {
	u64 made;        /* without headers: when the descriptor was given to a socket, CLOCK_MONOTONIC ns; 0: not known */
	u8 local[16];
	u8 remote[16];
	u16 local_port;  /* host order */
	u16 remote_port;
	u16 family;      /* AF_* */
	u16 type;        /* SOCK_* */
	u16 protocol;    /* IPPROTO_* */
	u16 known;
	u32 asked;       /* of the reader alone: /proc was looked at */
};

enum { IO_NET_SEND = 1, IO_NET_RECEIVE };

struct io_net {
	struct io_head head;
	struct io_ends ends;
	u64 size;        /* bytes asked for */
	u64 latency;     /* ns */
	s64 ret;
	u32 msg_flags;   /* MSG_* */
	s32 fd;          /* -1: not known */
	u16 direction;
	u16 maybe;       /* without headers, of sendfile and splice: the descriptor may be no socket's */
	u32 pad2;
};

enum io_conn_event {
	IO_CONN_SOCKET_CREATE = 1, IO_CONN_BIND, IO_CONN_LISTEN, IO_CONN_ACCEPT, IO_CONN_CONNECT,
	IO_CONN_SHUTDOWN, IO_N_CONN_EVENTS,
};

enum {
	IO_CONN_ABSTRACT = 1, /* the name of a Unix socket is no path */
	IO_CONN_LATER = 2,    /* CONNECT: not the call, but what became of it */
	IO_CONN_WAITED = 4,   /* LATER: the call had returned EINPROGRESS */
};

struct io_conn {
	struct io_head head;
	struct io_ends ends;
	u64 latency;
	s64 ret;
	u64 name;        /* id of the text that is the name of a Unix socket; 0: none */
	s32 fd;
	s32 arg;         /* LISTEN: backlog; SHUTDOWN: how; BIND, CONNECT: bytes of the address; ACCEPT: listening descriptor */
	u16 event;
	u16 flags;
	u32 pad;
};

enum io_poll_event {
	IO_POLL_CREATE = 1, IO_POLL_CTL, IO_POLL_WAIT, IO_POLL_POLL, IO_POLL_SELECT, IO_N_POLL_EVENTS,
};

#define IO_POLL_FOREVER (-1)
#define IO_POLL_NO_TIMEOUT (-2) /* the call has none, or it could not be read */

struct io_poll {
	struct io_head head;
	u64 latency;
	s64 ret;
	s64 timeout;     /* ns, or one of the above */
	u32 mask;        /* EPOLL* */
	s32 fd;
	s32 target;
	u32 max;         /* WAIT: maxevents; POLL, SELECT: nfds */
	u16 event;
	u16 op;          /* CTL: EPOLL_CTL_* */
	u32 pad;
};

enum { IO_OPT_SET = 1, IO_OPT_GET, IO_OPT_BYTES = 32 };

struct io_opt {
	struct io_head head;
	u64 latency;
	s64 ret;
	s32 fd;
	s32 level;
	s32 name;
	u32 len;         /* as given; GET: as returned */
	u8 value[IO_OPT_BYTES];
	u16 event;
	u16 known;       /* bytes of value */
	u32 pad;
};

enum { IO_DROP_RETRANSMIT = 1, IO_DROP_PACKET };

/* io_drop.known */
enum {
	IO_DROP_SIZE = 1,
	IO_DROP_PORTS = 2,
};

struct io_drop {
	struct io_head head;
	struct io_ends ends; /* PACKET: source and destination; ports of ICMP are its type and code */
	u64 location;    /* address in the kernel; 0: none */
	u32 size;        /* bytes of the packet */
	u32 reason;
	u32 state;       /* TCP_*; 0: not known */
	u16 event;
	u16 known;
};

enum io_ring_event {
	IO_RING_ENTER = 1, IO_RING_CREATE, IO_RING_REGISTER, IO_RING_SUBMIT, IO_RING_QUEUE_ASYNC,
	IO_RING_POLL_ARM, IO_RING_COMPLETE, IO_N_RING_EVENTS,
};

enum {
	IO_RING_OFFSET = 1, IO_RING_LENGTH = 2, IO_RING_LATENCY = 4,
	IO_RING_AMBIGUOUS = 8, /* joined by user_data, which another request has, too */
	IO_RING_NO_DATA = 16,  /* user_data is not known */
};

struct io_ring {
	struct io_head head;
	u64 ring;
	u64 req;
	u64 user_data;
	u64 offset;
	u64 length;
	s64 result;
	u64 latency;
	u64 name;        /* id of the text that names the file; 0: none */
	u64 ino;
	u32 dev;
	s32 fd;
	u32 flags;       /* IOSQE_*; ENTER, CREATE: IORING_ENTER_*, IORING_SETUP_* */
	u32 cpu;
	u16 event;
	u16 known;
	u16 opcode;
	u16 pad;
};

#endif
