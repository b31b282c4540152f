/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of the network streams and of iouring; for what holds of all records
 * see record.h, which comes first.
 */
#ifndef IOT_RECORD_NET_H
#define IOT_RECORD_NET_H

/* iot_ends.known */
enum {
	IOT_ENDS_SOCKET = 1, /* family, type and protocol */
	IOT_ENDS_LOCAL = 2,
	IOT_ENDS_REMOTE = 4,
	IOT_ENDS_OTHER = 8,  /* of the reader alone: a socket of no IP, whatever its family */
};

/* In the time of a descriptor (table iot_sock_made): since then it is no socket, or not known which */
#define IOT_SOCK_GONE (1ULL << 63)

/* A socket and its two ends; IPv4 addresses are the first 4 bytes. */
struct iot_ends {
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

enum { IOT_NET_SEND = 1, IOT_NET_RECEIVE };

struct iot_net {
	struct iot_head head;
	struct iot_ends ends;
	u64 size;        /* bytes asked for */
	u64 latency;     /* ns */
	s64 ret;
	u32 msg_flags;   /* MSG_* */
	s32 fd;          /* -1: not known */
	u16 direction;
	u16 maybe;       /* without headers, of sendfile and splice: the descriptor may be no socket's */
	u32 pad2;
};

enum iot_conn_event {
	IOT_CONN_SOCKET_CREATE = 1, IOT_CONN_BIND, IOT_CONN_LISTEN, IOT_CONN_ACCEPT, IOT_CONN_CONNECT,
	IOT_CONN_SHUTDOWN, IOT_N_CONN_EVENTS,
};

enum {
	IOT_CONN_ABSTRACT = 1, /* the name of a Unix socket is no path */
	IOT_CONN_LATER = 2,    /* CONNECT: not the call, but what became of it */
	IOT_CONN_WAITED = 4,   /* LATER: the call had returned EINPROGRESS */
};

struct iot_conn {
	struct iot_head head;
	struct iot_ends ends;
	u64 latency;
	s64 ret;
	u64 name;        /* id of the text that is the name of a Unix socket; 0: none */
	s32 fd;
	union {
		s32 backlog;       /* LISTEN */
		s32 how;           /* SHUTDOWN */
		s32 address_bytes; /* BIND, CONNECT */
		s32 listening;     /* ACCEPT: descriptor */
	};
	u16 event;
	u16 flags;
	u32 pad;
};

enum iot_poll_event {
	IOT_POLL_CREATE = 1, IOT_POLL_CTL, IOT_POLL_WAIT, IOT_POLL_POLL, IOT_POLL_SELECT, IOT_N_POLL_EVENTS,
};

#define IOT_POLL_FOREVER (-1)
#define IOT_POLL_NO_TIMEOUT (-2) /* the call has none, or it could not be read */

struct iot_poll {
	struct iot_head head;
	u64 latency;
	s64 ret;
	s64 timeout;     /* ns, or one of the above */
	u32 mask;        /* EPOLL* */
	s32 fd;
	s32 target;
	union {
		u32 max_events; /* WAIT */
		u32 nfds;       /* POLL, SELECT */
	};
	u16 event;
	u16 op;          /* CTL: EPOLL_CTL_* */
	u32 pad;
};

enum { IOT_OPT_SET = 1, IOT_OPT_GET, IOT_OPT_BYTES = 32 };

struct iot_opt {
	struct iot_head head;
	u64 latency;
	s64 ret;
	s32 fd;
	s32 level;
	s32 name;
	u32 len;         /* as given; GET: as returned */
	u8 value[IOT_OPT_BYTES];
	u16 event;
	u16 known;       /* bytes of value */
	u32 pad;
};

enum { IOT_DROP_RETRANSMIT = 1, IOT_DROP_PACKET };

/* iot_drop.known */
enum {
	IOT_DROP_SIZE = 1,
	IOT_DROP_PORTS = 2,
};

struct iot_drop {
	struct iot_head head;
	struct iot_ends ends; /* PACKET: source and destination; ports of ICMP are its type and code */
	u64 location;    /* address in the kernel; 0: none */
	u64 caller;      /* of the function that it is in, where that may be the one that frees; 0: not known */
	u32 size;        /* bytes of the packet */
	u32 reason;
	u32 state;       /* TCP_*; 0: not known */
	u16 event;
	u16 known;
};

enum iot_ring_event {
	IOT_RING_ENTER = 1, IOT_RING_CREATE, IOT_RING_REGISTER, IOT_RING_SUBMIT, IOT_RING_QUEUE_ASYNC,
	IOT_RING_POLL_ARM, IOT_RING_COMPLETE,
	/* of a request, too */
	IOT_RING_DEFER, IOT_RING_LINK, IOT_RING_FAIL_LINK, IOT_RING_CQE_OVERFLOW, IOT_RING_SHORT_WRITE,
	IOT_RING_FILE_GET,
	/* of a thread */
	IOT_RING_CQRING_WAIT, IOT_RING_TASK_WORK, IOT_RING_LOCAL_WORK, IOT_N_RING_EVENTS,
};

enum {
	IOT_RING_OFFSET = 1, IOT_RING_LENGTH = 2, IOT_RING_LATENCY = 4,
	IOT_RING_AMBIGUOUS = 8, /* joined by user_data, which another request has, too */
	IOT_RING_NO_DATA = 16,  /* user_data is not known */
	IOT_RING_FILLS = 32,    /* sq_fill, cq_fill and cq_taken are right */
	IOT_RING_BUFFER = 64,   /* and so is buffer */
};

struct iot_ring {
	struct iot_head head;
	u64 ring;
	u64 req;
	u64 user_data;
	u64 offset;
	u64 length;
	s64 result;
	u64 latency;
	u64 link;        /* LINK: the request that this one waits for, FAIL_LINK: the one that is cancelled */
	u64 ino;
	u32 dev;
	s32 fd;
	union {
		u32 sqe_flags;   /* of a request: IOSQE_* */
		u32 enter_flags; /* ENTER: IORING_ENTER_* */
		u32 setup_flags; /* CREATE: IORING_SETUP_* */
	};
	u32 cpu;
	u32 worker;      /* tid; 0: none */
	u32 sq_fill;     /* entries that the kernel has not taken yet */
	u32 cq_fill;     /* completions that the program has not taken yet */
	u32 cq_taken;    /* those that it has */
	u16 event;
	u16 known;
	u16 opcode;
	u16 buffer;      /* index of a registered one */
};

#endif
