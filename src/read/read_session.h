/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session directory for who reads it: finished, still being recorded, or left
 * by a recorder that was killed; what its manifest says of the host, of losses
 * and of what is missing; and the files of each stream in the order of their rows.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "read/rows_file.h"
#include "read/segments.h"
#include "row/schema.h"

enum read_state {
	READ_ENDED,
	READ_RECORDING, /* at this moment: there will be more */
	READ_KILLED,    /* nobody closed it: what was not on the disk is missing */
};

struct read_segment {
	char file[SEGMENT_NAME_MAX]; /* below the directory */
	uint64_t bytes;              /* as it lies there */
	uint64_t rows;               /* by the manifest */
	bool listed;                 /* there: otherwise rows are not known (yet) */
	bool open;                   /* it may end within a row, and may get its final name */
};

struct read_stream {
	bool on; /* recorded, with or without rows */
	struct read_segment *segments;
	unsigned n_segments;
	uint64_t n_missing;        /* segments that the manifest lists, and nobody has */
	uint64_t evicted_segments; /* removed to keep to --max-disk */
	uint64_t evicted_rows;
	uint64_t unwritable; /* rows, for want of room */
	char tier;           /* 'a' to 'c': the lowest of its probes; '\0': not known */
};

struct read_session {
	const char *dir; /* the caller's */
	int fd;
	enum read_state state;
	json_t *manifest; /* NULL: there is none that can be read */
	const char *host; /* or its token; NULL: not known, and so below */
	const char *machine_id;
	const char *reason;     /* why recording stopped early */
	const json_t *losses;   /* list of {stream, reason, count} */
	const json_t *sampling; /* list of {stream, rate, left_out} */
	const json_t *clocks;   /* list of {mono_ns, real_ns}, the first one first */
	uint64_t *n_wrong;      /* what could not be read, see read_session_whole; any thread */
	struct read_stream streams[N_STREAMS];
};

/*
 * Returns 0, or -errno (reported, with what to do). dir stays the caller's. A directory
 * without a manifest that can be read is opened, too, if there are segments. All that the
 * members point to lives until read_session_close.
 */
int read_session_open(struct read_session *session, const char *dir);
/* Once opened, or zeroed. */
void read_session_close(struct read_session *session);

/*
 * Nothing that was requested was missing, damaged, cut, or other than the manifest says; all of it
 * has been reported. What a reader's exit status says.
 */
bool read_session_whole(const struct read_session *session);
/* Something was, and is reported by the caller. */
void read_session_wrong(const struct read_session *session);

/* An item of a list in the manifest is about the stream. */
bool read_is_of(const json_t *item, enum stream_id stream);
/* Of how many events of the stream one was kept; 1: all were. */
uint64_t read_session_rate(const struct read_session *session, enum stream_id stream);
/* How many records of the stream were lost, for whatever reason. */
uint64_t read_session_lost(const struct read_session *session, enum stream_id stream);

/* Bytes of a page of memory there, else (of an older trace, or no manifest) here */
uint64_t read_session_page_size(const struct read_session *session);

/* Who recorded it: host name and machine id, else the one that is known, else the directory. */
enum { READ_HOST_SIZE = 160 };
/* How a host is called by its name and its machine-id; NULL: not known. */
void read_host_name(const char *name, const char *machine_id, char host[READ_HOST_SIZE]);
void read_session_host(const struct read_session *session, char host[READ_HOST_SIZE]);

/* CLOCK_REALTIME of a mono_ns by the pairs of clocks measured until then; 0: not known. */
uint64_t read_session_real_ns(const json_t *clocks, uint64_t mono_ns);
