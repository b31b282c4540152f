/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One struct per stream: what the columns in probes/<stream>.def name, and its
 * text. The row functions are expanded from those lists.
 */
#ifndef IOT_ROWS_H
#define IOT_ROWS_H

#include "row/flags.h"
#include "row/format.h"
#include "row/records.h"

/* Two texts quoted at their longest, and the other fields */
#define ROW_MAX (160 * 1024)

struct fs_row {
	u64 start;
	const char *operation;
	u32 pid;
	u32 tid;
	const char *comm;
	struct format_text path;
	u64 size;
	u64 ino;
	struct flags flags;
	s64 offset; /* -1: not known */
	struct flags mmap_prot;
	struct flags mmap_flags;
	u64 address;     /* FORMAT_UNKNOWN: none */
	u64 new_address; /* of a mapping that moved */
	u64 ino2;        /* of the second file, 0: none or not known */
	u64 latency;     /* FORMAT_UNKNOWN */
	s64 ret;
	u32 dev;
	s32 fd;
	u32 mntns;
	const char *path_status;
};

struct ds_row {
	const struct iot_ds *rec;
	u64 sector; /* UINT64_MAX: none */
	const char *operation;
	const char *flags;
	u64 issue_ns; /* FORMAT_UNKNOWN */
	u64 queue_ns;
	u32 ppid;
	u32 dev; /* the disk, or the partition */
	const char *error;
};

struct exec_row {
	const struct iot_task *rec;
	const char *event;
	u32 pid;
	u32 ppid;
	struct format_text path;
	struct format_text cmdline;
	s64 ret; /* FORMAT_NO_VALUE */
};

struct lost_row {
	u64 when;
	const char *stream;
	const char *reason;
	u64 count;
	s32 cpu; /* -1: not known */
};

struct cache_row {
	const struct iot_cache *rec;
	const char *event;
	struct format_text path;
	u64 index;  /* FORMAT_UNKNOWN: the event has none */
	u64 offset; /* bytes */
	u64 size;   /* 4 KiB */
	u32 dev;    /* 0: not known */
};

struct pagefault_row {
	const struct iot_fault *rec;
	u64 start;
	const char *type;
	const char *severity;
	struct format_text path;
	u64 ino;
	u64 index; /* FORMAT_UNKNOWN */
	u64 latency;
	u32 dev;
};

/* One end of a socket: an address, or the name of a Unix socket; neither: not known. */
struct end {
	const unsigned char *addr;
	uint16_t family;
	uint16_t port;
	struct format_text name;
};

struct nw_row {
	const struct iot_net *rec;
	u64 start;
	struct flags protocol;
	unsigned version;
	struct end local;
	struct end remote;
	const char *direction;
	struct flags msg_flags;
};

struct nw_conn_row {
	const struct iot_conn *rec;
	u64 start;
	const char *event;
	struct flags domain;
	struct flags type;
	unsigned version;
	struct end local;
	struct end remote;
	u64 local_port; /* FORMAT_UNKNOWN */
	u64 remote_port;
	s64 backlog; /* FORMAT_NO_VALUE */
	struct flags how;
	struct flags protocol;
};

struct nw_epoll_row {
	const struct iot_poll *rec;
	u64 start;
	const char *event;
	struct flags op;
	struct flags mask;
	u64 max_events;
	s64 ready;
	u64 nfds; /* FORMAT_UNKNOWN */
};

struct nw_sockopt_row {
	const struct iot_opt *rec;
	u64 start;
	const char *event;
	const char *level;
	const char *name;
	s64 value; /* FORMAT_NO_VALUE */
};

struct nw_drop_row {
	const struct iot_drop *rec;
	const char *event;
	struct flags protocol;
	unsigned version;
	struct end local;
	struct end remote;
	u64 local_port; /* FORMAT_UNKNOWN */
	u64 remote_port;
	u64 size; /* FORMAT_UNKNOWN */
	struct flags state;
	const char *reason;
	const char *place;
};

struct iouring_row {
	const struct iot_ring *rec;
	u64 start;
	const char *event;
	struct flags opcode;
	struct flags flags;
	struct format_text path;
	u64 user_data; /* FORMAT_UNKNOWN, and so all below */
	u64 offset;
	u64 length;
	u64 latency;
	s64 result; /* FORMAT_NO_VALUE */
	u64 ino;
};

struct process_row {
	const char *when;
	u32 pid;
	const char *name;
	struct format_text cmdline;
	u64 virtual_kb;
	u64 rss_kb;
	const char *created;
	s32 cpu[3]; /* hundredths of a per cent; negative: not known */
	const char *status;
	u32 ppid;
	u64 uid; /* FORMAT_UNKNOWN */
	u32 threads;
	const char *container;
	struct format_text cgroup;
	u32 ns[7]; /* 0: not known */
	u64 mono_ns;
};

/* Times are texts, "" when not known. */
struct filesystem_snapshot_row {
	const char *when;
	struct format_text path;
	u64 size;
	const char *birth;
	const char *modified;
	const char *accessed;
	const char *changed;
	const char *path_status;
	u64 ino;
	u32 dev;
	const char *type;
	u32 mode;
	u32 nlink;
	u32 uid;
	u32 gid;
	u64 mono_ns;
};

/* Each writes its row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t row_fs(char *out, const struct fs_row *row);
size_t row_ds(char *out, const struct ds_row *row);
size_t row_exec(char *out, const struct exec_row *row);
size_t row_lost(char *out, const struct lost_row *row);
size_t row_cache(char *out, const struct cache_row *row);
size_t row_pagefault(char *out, const struct pagefault_row *row);
size_t row_nw(char *out, const struct nw_row *row);
size_t row_nw_conn(char *out, const struct nw_conn_row *row);
size_t row_nw_epoll(char *out, const struct nw_epoll_row *row);
size_t row_nw_sockopt(char *out, const struct nw_sockopt_row *row);
size_t row_nw_drop(char *out, const struct nw_drop_row *row);
size_t row_iouring(char *out, const struct iouring_row *row);
size_t row_process(char *out, const struct process_row *row);
size_t row_filesystem_snapshot(char *out, const struct filesystem_snapshot_row *row);

/*
 * The words of the ds columns operation and flags from the kernel's rwbs text,
 * read by position (an F in front of an operation is a preflush); the operation
 * itself (IOT_REQ_OP_*, 0: not known) has precedence. Constant strings.
 */
const char *rows_ds_operation(const char rwbs[IOT_RWBS], unsigned known_op);
const char *rows_ds_flags(const char rwbs[IOT_RWBS]);

/*
 * Where the request begins: the kernel's record has no sector for the first
 * one when the request has no length, as an operation on a zone.
 */
u64 rows_ds_sector(const struct iot_ds *rec, const char *operation);

/*
 * errno name of a completion's error: a negative errno, or the kernel's
 * blk_status_t (positive; 5.16 and later); "" for success. Valid until the next call.
 */
const char *rows_ds_error(int error);

#endif
