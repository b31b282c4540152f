/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream layers: what is counted in the kernel, by process. The reader takes what was added to each
 * entry since it looked before. As in the table of what is pending, the key says where to look, in
 * IOT_COUNT_WAYS places; which entries are used is a bit each, that the reader need not look at all.
 */
#ifndef IOT_COUNTS_H
#define IOT_COUNTS_H

enum {
	IOT_COUNTS = 32768,
	IOT_COUNT_WAYS = 8,
	IOT_COUNT_SHARES = 8, /* of what a process does on several CPUs; a power of two */
};

/* A file, by the number of its inode; of a device that of the file system, in the kernel's form */
struct iot_inode {
	u64 ino;
	u64 dev;
};

/* Where partitions are, of disks that have several: other file systems may be on them. The first that are found. */
enum { IOT_PARTITIONS = 16 };
struct iot_partition {
	u64 first;   /* sector of the whole disk */
	u64 sectors;
	u32 disk;    /* 0: a free entry */
	u32 dev;     /* the partition */
};
struct iot_partitions {
	struct iot_partition list[IOT_PARTITIONS];
};

/* Who wrote to a file last */
struct iot_written {
	u64 tgid;
	u64 comm[2];
};

struct iot_counts_used {
	u64 bits[IOT_COUNTS / 64];
};

/* iot_count_key.layer */
enum {
	IOT_COUNT_ASKED = 1, /* an operation that a system call asked for */
	IOT_COUNT_OWN,       /* that the kernel itself did: for NFS, a loop device, another file system */
	IOT_COUNT_REQUEST,   /* a request of a device */
};

/* iot_count_key.op */
enum { IOT_COUNT_READ = 1, IOT_COUNT_WRITE, IOT_COUNT_SYNC, IOT_COUNT_COPY /* reads and writes */ };

/* iot_count_key.class, of requests */
enum {
	IOT_COUNT_DATA = 1,
	IOT_COUNT_METADATA,
	IOT_COUNT_BLOCKS, /* of a device itself: a file system's metadata, if there is one on dev */
	IOT_COUNT_LOG,    /* likewise, written in a hurry: the journal, if that file system writes it so */
	IOT_COUNT_JOURNAL,
	IOT_COUNT_SWAP,
	IOT_COUNT_OTHER,
	IOT_COUNT_LOOP, /* of a disk, for a loop device, which counts itself */
};

struct iot_count_key {
	u32 tgid;    /* who asked or caused it; 0: nobody knows */
	u32 dev;     /* of IOT_COUNT_BLOCKS and IOT_COUNT_LOG: the partition, or the disk; 0 */
	u8 layer;
	u8 op;
	u8 class;
	u8 share;
};

/* who and what, in an entry of the table */
#define IOT_COUNT_WHO(key) ((u64)(key)->tgid << 32 | (key)->dev)
#define IOT_COUNT_WHAT(key) \
	((u64)(key)->layer << 24 | (u64)(key)->op << 16 | (u64)(key)->class << 8 | (key)->share)

struct iot_count {
	u64 taken;   /* 1: somebody's */
	u64 who;
	u64 what;    /* 0: not yet */
	u64 count;
	u64 bytes;
	u64 errors;
	u64 ns;      /* of all; of requests that were seen to be issued */
	u64 comm[2]; /* the name of the thread that was the last */
};

/* iot_config.count */
enum {
	IOT_COUNTS_ON = 1,
	IOT_COUNTS_NO_FS = 2, /* reads, writes and syncs leave no records */
	IOT_COUNTS_NO_DS = 4, /* nor do requests */
};
/* Its place in what an operation keeps of the filters */
#define IOT_COUNT_SHIFT 24

#endif
