/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What events.c (every record) and events_fs.c (stream fs) share, and nobody
 * else sees.
 */
#ifndef IO_EVENTS_PRIVATE_H
#define IO_EVENTS_PRIVATE_H

#include "events.h"
#include "mappings.h"
#include "rows.h"

struct events {
	bool wanted[N_STREAMS];
	bool follow;             /* descriptors are followed here (CLOSE from system calls) */
	bool extra_ops;
	bool names_missing;
	struct names *names;
	struct procs *procs;
	struct mapped *mapped;
	struct ledger *ledger;
	struct outlet {
		struct events *events;
		enum stream_id stream;
		struct order *order;
	} outlets[N_STREAMS];
	events_row_fn *row;
	void *arg;
	struct io_head cause;    /* of the record that is being handled */
	uint32_t cause_mntns;
	struct events_totals totals;
	char text[ROW_MAX];
};

/* ---- events.c ---- */

/* The row in ev->text, of len bytes, goes to its place. */
void events_push(struct events *ev, enum stream_id stream, uint64_t key, size_t len);
/* The name that the kernel gave this id; NULL when it is not known (any more). */
struct path *events_known_name(struct events *ev, uint64_t id);

/* ---- events_fs.c ---- */

/* IO_REC_FS */
void events_fs(struct events *ev, struct io_fs *rec);
/* IO_REC_MORE */
void events_fs_more(struct events *ev, struct io_more *rec);
/* dup2, exec or exit closed the last descriptor of a file: a CLOSE without a call of its own. */
void events_silent_close(void *arg, const struct procs_close *closed);

#endif
