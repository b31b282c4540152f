/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What events.c (every record), events_fs.c and events_files.c (stream fs) share,
 * and nobody else sees.
 */
#ifndef IOT_EVENTS_PRIVATE_H
#define IOT_EVENTS_PRIVATE_H

#include "events/events.h"
#include "events/losses.h"
#include "plan/filter.h"
#include "resolve/mapped.h"
#include "row/rows.h"

struct events {
	bool wanted[N_STREAMS];
	bool follow; /* descriptors are followed here (CLOSE from system calls) */
	bool extra_ops;
	bool quiet;                  /* the record is not to be a row, only to be followed */
	const struct filter *filter; /* NULL: every row */
	bool partitions;
	bool names_missing;
	struct names *names;
	struct names *files; /* names by inode; NULL when no stream wants them */
	struct procs *procs;
	struct mapped *mapped;
	struct drops *drops; /* NULL when dropped packets are not traced */
	struct ledger *ledger;
	struct losses *losses;
	struct outlet {
		struct events *events;
		enum stream_id stream;
		struct order *order;
	} outlets[N_EVENT_STREAMS];
	events_row_fn *row;
	void *arg;
	struct iot_head cause; /* of the record that is being handled */
	uint32_t cause_mntns;
	uint64_t faults_unresolved;
	uint64_t nw_unresolved;
	struct events_totals totals;
	char text[ROW_MAX];
};

/* ---- events.c ---- */

/* The row in ev->text, of len bytes, goes to its place. */
void events_push(struct events *ev, enum stream_id stream, uint64_t key, size_t len);
/* Whether rows of this stream are wanted, and the filters leave this one. */
bool events_keeps(struct events *ev, const struct filter_row *row);
/* A path (or none) as a field of a row */
struct format_text events_text(const struct path *path);
/* The path if it is whole, else NULL: for rows that have no path_status. */
const struct path *events_whole(const struct path *path);
/* The file has this name (where a stream asks for names by inode). */
void events_learn(struct events *ev, uint64_t ino, uint32_t dev, const struct path *path);
/* It had this name some time ago, which counts where no other is known. */
void events_learn_old(struct events *ev, uint64_t ino, uint32_t dev, const struct path *path);
/* The name that the kernel gave this id; NULL when it is not known (any more). */
struct path *events_known_name(struct events *ev, uint64_t id);

/* ---- events_fs.c ---- */

/* IOT_REC_FS */
void events_fs(struct events *ev, struct iot_fs *rec);
/* IOT_REC_MORE */
void events_fs_more(struct events *ev, struct iot_more *rec);
/* dup2, exec or exit closed the last descriptor of a file: a CLOSE without a call of its own. */
void events_silent_close(void *arg, const struct procs_close *closed);

/* What an operation was about. */
struct subject {
	const struct path *path;
	uint64_t ino;
	uint32_t dev;
	uint32_t flags;      /* O_* of the open file; FORMAT_NO_FLAGS */
	uint32_t path_flags; /* beside those of the path */
	enum scope scope;
	int64_t offset;
	bool remembered; /* the path is that of a descriptor or mapping when it was made */
};
extern const struct subject subject_nothing;
/* A followed descriptor; the file of a record with IOT_ST_FILE. Paths are borrowed. */
struct subject subject_of_desc(const struct desc *desc);
struct subject subject_of_record(struct events *ev, const struct iot_fs *rec);

/* The row, if it is wanted and in scope. more: the record that rec is part of, or NULL. */
void events_put_row(struct events *ev, const struct iot_fs *rec, const struct iot_more *more,
		    const struct subject *s);
/* CHDIR, to the path or (NULL) to the descriptor of the record. */
void events_change_directory(struct events *ev, const struct iot_fs *rec, const struct path *path);

/* ---- events_pages.c ---- */

/* IOT_REC_CACHE, IOT_REC_FAULT */
void events_cache(struct events *ev, const struct iot_cache *rec);
void events_fault(struct events *ev, const struct iot_fault *rec);

/* ---- events_ring.c ---- */

void events_ring(struct events *ev, const struct iot_ring *rec);

/* ---- events_net.c ---- */

void events_nw_call(struct events *ev, struct iot_net *rec);
void events_nw(struct events *ev, const struct iot_net *rec);
bool events_nw_data(struct events *ev, const struct iot_fs *rec);
void events_conn(struct events *ev, struct iot_conn *rec);
void events_poll(struct events *ev, const struct iot_poll *rec);
void events_opt(struct events *ev, const struct iot_opt *rec);
/* Of a socket or packet: 4, 6 or 0; what is not known of an end is empty. */
unsigned events_ip_version(const struct iot_ends *ends);
struct flags events_protocol(const struct iot_ends *ends);
struct end events_local_end(const struct iot_ends *ends);
struct end events_remote_end(const struct iot_ends *ends);

/* ---- events_drop.c ---- */

void events_drop(struct events *ev, const struct iot_drop *rec);

/* ---- events_files.c ---- */

/* A call on one open file, or two. */
void events_fs_descriptor(struct events *ev, struct iot_more *more);
void events_fs_mmap(struct events *ev, struct iot_more *more);
/* A call on a range of memory: the first mapping of a file in it, if there is one. */
void events_fs_memory(struct events *ev, struct iot_more *more);

#endif
