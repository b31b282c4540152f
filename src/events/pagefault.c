/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream pagefault: see pagefault.h. The file is the kernel's, or what is mapped at the address. */
#include "events/pagefault.h"

#include <unistd.h>

#include "events/events_private.h"
#include "events/events_rows.h"
#include "events/texts.h"
#include "probes/schema/pagefault.def"
#include "row/format.h"

EVENTS_ROW(pagefault)

/* Without kprobes there is an address: a fault of memory that is no file's is no row. */
static bool find_file(struct events *ev, const struct iot_fault *rec, struct pagefault_row *row,
		      const struct path **path)
{
	const struct mapping *at;

	switch (mapped_fault(ev->mapped, rec->head.tgid, rec->address, rec->flags & IOT_FAULT_FETCH,
			     &at)) {
	case MAPPED_FILE:
		row->mapping = at->shared ? "SHARED" : "PRIVATE";
		row->ino = at->ino;
		row->dev = at->dev;
		row->index = (at->offset + rec->address - at->start) / sysconf(_SC_PAGESIZE);
		*path = texts_whole(at->path);
		return true;
	case MAPPED_MEMORY:
		ev->totals.out_of_scope++;
		return false;
	case MAPPED_UNKNOWN:
		events_unresolved(ev, STREAM_pagefault, rec->head.ts);
		return false;
	}
	return false;
}

static void note_time(struct events *ev, const struct pagefault_row *row)
{
	struct slowest operation = { .latency_ns = row->latency,
				     .mono_ns = row->start,
				     .pid = row->rec->head.tgid,
				     .operation = row->type };

	memcpy(operation.comm, row->rec->head.comm, sizeof(operation.comm));
	events_note_time(ev, STREAM_pagefault, &operation, &row->path);
}

/* Where the record has none calls on files tell, and /proc is asked where there were none. */
static uint32_t mntns_of(struct events *ev, const struct iot_fault *rec)
{
	uint32_t tgid = rec->head.tgid, mntns = events_mntns(ev, tgid, rec->mntns);

	return mntns || !ev->procs ? mntns : events_mntns(ev, tgid, procs_mntns(ev->procs, tgid));
}

static void handle_fault(struct events *ev, void *record, size_t len)
{
	const struct iot_fault *rec = record;
	const struct path *path = NULL;
	struct pagefault_row row = {
		.rec = rec,
		.start = rec->head.ts,
		.ino = rec->ino,
		.index = rec->index,
		.dev = rec->dev,
		.type = rec->flags & IOT_FAULT_WRITE ? "WRITE" : "READ",
		.mapping = rec->flags & IOT_FAULT_SHARED  ? "SHARED" :
			   rec->flags & IOT_FAULT_PRIVATE ? "PRIVATE" :
							    "",
		.pages = rec->flags & IOT_FAULT_COUNTED ? rec->pages : FORMAT_UNKNOWN,
		.severity = "",
		.latency = FORMAT_UNKNOWN,
	};

	(void)len;
	ev->totals.faults++;
	if (rec->flags & IOT_FAULT_FILE) {
		path = texts_known(ev, rec->name);
		texts_learn(ev, rec->ino, rec->dev, path);
		path = texts_whole(path);
	} else if (!find_file(ev, rec, &row, &path)) {
		return;
	}
	row.path = texts_cell(path);
	row.mntns = mntns_of(ev, rec);
	if (rec->flags & IOT_FAULT_RESULT) {
		row.severity = rec->flags & IOT_FAULT_MAJOR ? "MAJOR" : "MINOR";
		row.latency = rec->latency;
		row.start -= rec->latency;
	}
	if (!events_keeps(ev, &(struct filter_row){ .stream = STREAM_pagefault,
						    .operation = row.severity,
						    .latency = row.latency,
						    .path = path }))
		return;
	if (slowest_is(&ev->slowest[STREAM_pagefault], row.latency, row.start))
		note_time(ev, &row);
	pagefault_push(ev, row.start, &row);
}

const struct stream_ops stream_pagefault = {
	.records = {
		{ .type = IOT_REC_FAULT, .least = sizeof(struct iot_fault), .handle = handle_fault },
	},
};
