/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Snapshots of files, processes and the system: each a function that looks,
 * writes and publishes, called by `iotracer snapshot` directly and by a thread
 * of its own while a trace runs. The thread shares no lock with the one that
 * drains the rings; what it has to say goes through a ring of messages.
 */
#ifndef IOT_SNAP_H
#define IOT_SNAP_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "row/zone.h"
#include "write/manifest.h"

enum snap_kind { SNAP_SYSTEM, SNAP_PROCESS, SNAP_FS, N_SNAP_KINDS };
extern const char *const snap_kind_names[N_SNAP_KINDS]; /* as the command line has them */

enum { SNAP_MAX_DEPTH = 128 };

struct snap_options {
	bool off;               /* --no-snapshots */
	const char *root;       /* of the walk */
	unsigned depth;         /* 0: no limit but SNAP_MAX_DEPTH */
	bool all_mounts;        /* other file systems as well, pseudo ones never */
	unsigned fs_interval_s; /* 0: at the start only */
	unsigned process_interval_s;
};

extern const struct snap_options snap_defaults;

/* What came of one. */
struct snap_done {
	uint32_t kind;
	int32_t err;         /* -errno; -ECANCELED: the trace ended */
	uint64_t started_ns; /* CLOCK_REALTIME */
	uint64_t started_mono_ns;
	uint64_t duration_ns;
	uint64_t rows;
	uint64_t parts;
	uint64_t newest_bytes; /* of what is kept beside the segments */
	/* files */
	uint64_t unreadable; /* directories */
	uint64_t vanished;
	uint64_t other_fs; /* mount points that were not entered */
	uint64_t loops;
	uint64_t too_deep; /* directories below SNAP_MAX_DEPTH, paths beyond what a row takes */
	char why[160];     /* of a failure */
};

enum snap_message { SNAP_MESSAGE_NAME, SNAP_MESSAGE_SEGMENT, SNAP_MESSAGE_DONE };

/* Before the path, which is the rest of the message. */
struct snap_name {
	uint64_t ino;
	uint32_t dev;
};

struct snap_cpu;

/* What every snapshot is given. */
struct snap_job {
	struct snap_options options;
	const char *host_root; /* "" or a saved host, for SNAP_SYSTEM */
	const char *proc;      /* "/proc" */
	int dir_fd;            /* the session's directory, borrowed */
	const char *dir;       /* its name, for messages */
	bool compress;         /* segments of processes; those of files always are */
	uint64_t min_free;
	uint64_t max_disk;
	uint64_t spare;     /* bytes to leave to the trace on top of min_free */
	uint64_t part_size; /* of files, before compression; 0: 64 MiB */
	bool names;         /* the receiver wants SNAP_MESSAGE_NAME */
	const struct zone *zone;
	struct snap_cpu *cpu;            /* NULL: no samples were taken */
	uint64_t n_process;              /* snapshots of processes that were kept */
	bool (*may_continue)(void *arg); /* asked again and again; false gives up */
	/* kind is an enum snap_message */
	void (*send)(void *arg, uint32_t kind, const void *head, size_t head_len, const void *body,
		     size_t body_len);
	void *arg;
	struct snap_done done; /* of the one that is being taken */
};

/* Takes one, sends its segments and then its struct snap_done. Returns 0 or -errno. */
int snap_one(struct snap_job *job, enum snap_kind kind);

/* ---- the three; errors have their reason in job->done.why ---- */

int snap_fs(struct snap_job *job);
int snap_process(struct snap_job *job);
int snap_system(struct snap_job *job);

/* "why" of a failure, in job->done. Returns err. */
int snap_fail(struct snap_job *job, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- the thread ---- */

struct snap;

struct snap_sink {
	void (*name)(void *arg, uint64_t ino, uint32_t dev, const char *path, size_t len);
	void (*segment)(void *arg, const struct manifest_segment *segment);
	void (*done)(void *arg, const struct snap_done *done);
	void *arg;
};

/* Starts with one of each. The job is copied; its options' texts, zone and dir are borrowed. NULL on failure, reported. */
struct snap *snap_start(const struct snap_job *job, const struct snap_sink *sink);

/* Hands a limited number of messages to the sink: call it every turn. */
void snap_take(struct snap *snap);

/* No more are taken, and the one under way is abandoned: the only space left is what the manifest needs. */
void snap_cancel(struct snap *snap);

/*
 * The trace has ended: there is a first snapshot of each and a last one of
 * processes, but the first walk may go on for no more than a tenth of the time that
 * was traced (100 ms to 2 s, without what it waits for a CPU), and all of it for 5 s.
 * Any later walk is abandoned. No message is left. Frees.
 */
void snap_stop(struct snap *snap);

/* ---- snap_report.c: what became of them, for the manifest and for people ---- */

struct snap_report {
	struct snap_options options;
	struct snap_kind_report {
		uint64_t kept;
		uint64_t failed;
		int32_t err;           /* of the latest; 0: it was kept */
		struct snap_done last; /* that was kept */
		struct snap_done last_failed;
	} kinds[N_SNAP_KINDS];
};

void snap_report_add(struct snap_report *report, const struct snap_done *done);
/* At the end, in one line: of what there is no snapshot, because the trace ended first. */
void snap_report_absent(const struct snap_report *report);
/* Bytes beside the segments */
uint64_t snap_report_bytes(const struct snap_report *report);
json_t *snap_report_json(const struct snap_report *report);

#endif
