/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The streams as numbers, and what is said of them in streams.def. */
#ifndef IOT_STREAM_ID_H
#define IOT_STREAM_ID_H

#include "probes/schema/snapshots.def"
#include "probes/schema/streams.def"

#define IOT_STREAM_ENUM(name, traits, doc) STREAM_##name,
enum stream_id {
	IOT_STREAMS(IOT_STREAM_ENUM)
	N_EVENT_STREAMS, /* those above are on the ring, under these numbers */
	STREAM_BEFORE_SNAPSHOTS = N_EVENT_STREAMS - 1,
	IOT_SNAPSHOTS(IOT_STREAM_ENUM)
	N_STREAMS,
	STREAM_INTERNAL, /* of capabilities: no rows of its own, but something that streams use */
};

enum stream_trait {
	/* what filters can ask about */
	HAS_PATH = 1,
	HAS_RESULT = 2,
	HAS_LATENCY = 4,
	FILTER_BY_OPERATION = 8,   /* no other filter applies to its rows */
	ALWAYS_RECORDED = 16,      /* not chosen by -e, and never filtered */
	OFF_BY_DEFAULT = 1024,     /* recorded only when -e names it */
	/* what its programs and rows use besides their own */
	NEEDS_FILE_TEXTS = 32,     /* the BPF texts that find and name files, and follow descriptors */
	NEEDS_FILE_NAMES = 64,     /* names of files by inode, which records of fs have told */
	NEEDS_MAPPINGS = 128,      /* what files are mapped where */
	NEEDS_SOCKET_HEADERS = 256,
	NEEDS_LAYOUTS = 2048, /* of the kernel's structures: it has nothing in tier c */
	NEEDS_URING = 512, /* its headers, where they are public, and that processes may make rings */
	/* what the planner chooses programs by */
	ONLY_COUNTED = 4096,   /* its programs add up, and send no records */
	ROW_PER_CALL = 8192,   /* the programs of ONLY_COUNTED that see all calls cannot serve beside it */
	WITHOUT_CALLS = 16384, /* its rows need no program on a system call */
	/* what of an image for more streams would be other programs */
	CHANGES_OTHERS = 32768, /* where it is recorded, those of all streams */
	TELLS_CALLS = 65536,    /* its own, beside ROW_PER_CALL: they tell the call that a thread is in */
	HAS_SOCKET_CALLS = 131072, /* those of ROW_PER_CALL, with all file systems: it has calls on sockets */
};

/* A set of streams has a bit for each. */
#define STREAM_BIT(id) (1u << (id))

#endif
