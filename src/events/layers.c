/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream layers: see layers.h. Its rows come of counters, not of records. */
#include "events/layers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events/events_private.h"
#include "events/events_rows.h"
#include "probes/schema/layers.def"
#include "row/format.h"

EVENTS_ROW(layers)

struct layers_state {
	bool vfs;                /* the operations of file systems are seen, not the calls alone */
	struct layers_row *rows; /* of the look that is going on */
	size_t n, room;
};

static int open_layers(void **state, const struct plan *plan)
{
	struct layers_state *layers = calloc(1, sizeof(*layers));

	if (!layers)
		return -ENOMEM;
	/* counts of calls may come from events; what file systems do for each other never does */
	layers->vfs = plan_sees_kernel(plan, CAP_LAYERS_READ_INNER) &&
		      plan_sees_kernel(plan, CAP_LAYERS_WRITE_INNER);
	*state = layers;
	return 0;
}

static void close_layers(void *state)
{
	struct layers_state *layers = state;

	if (layers)
		free(layers->rows);
	free(layers);
}

/* What is mounted from a partition, or from a disk if where on it a request went is not known. */
struct file_systems {
	unsigned n, n_xfs;
};

static void add_mount(struct file_systems *fs, const struct mount_point *mount)
{
	if (!mount)
		return;
	fs->n++;
	fs->n_xfs += !strcmp(mount->type, "xfs");
}

static void look_at_disk(struct events *ev, uint32_t dev, struct file_systems *fs)
{
	const struct disks *disks = &ev->resolve->disks;

	add_mount(fs, mounts_of_dev(&ev->resolve->mounts, dev));
	for (size_t i = 0; i < disks->n; i++)
		if (disks->list[i].whole == dev && disks->list[i].dev != dev)
			add_mount(fs, mounts_of_dev(&ev->resolve->mounts, disks->list[i].dev));
}

/* What the kernel could not know: what is on the device. Metadata written in a hurry is XFS' journal. */
static const char *class_of(struct events *ev, const struct iot_count_key *key)
{
	static const char *const words[] = {
		[IOT_COUNT_DATA] = "data",       [IOT_COUNT_METADATA] = "metadata",
		[IOT_COUNT_BLOCKS] = "metadata", [IOT_COUNT_LOG] = "metadata",
		[IOT_COUNT_JOURNAL] = "journal", [IOT_COUNT_SWAP] = "swap",
		[IOT_COUNT_OTHER] = "other",     [IOT_COUNT_LOOP] = "loop",
	};
	struct file_systems fs = { 0 };

	if (key->class >= sizeof(words) / sizeof(words[0]) || !words[key->class])
		return "other";
	if (key->class != IOT_COUNT_BLOCKS && key->class != IOT_COUNT_LOG)
		return words[key->class];
	look_at_disk(ev, key->dev, &fs);
	if (!fs.n)
		return "data";
	return key->class == IOT_COUNT_LOG && fs.n_xfs == fs.n ? "journal" : "metadata";
}

static void push(struct events *ev, const struct layers_row *row)
{
	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_layers,
						   .operation = row->operation }))
		layers_push(ev, row->when, row);
}

/* Waits for others of the same words. Without memory there may be two rows of them. */
static void put(struct events *ev, struct layers_row *row, const char *layer)
{
	struct layers_state *state = ev->state[STREAM_layers];

	row->layer = layer;
	if (state->n == state->room) {
		size_t room = state->room * 2 + 256;
		struct layers_row *rows = realloc(state->rows, room * sizeof(*rows));

		if (!rows) {
			push(ev, row);
			return;
		}
		state->rows = rows;
		state->room = room;
	}
	state->rows[state->n++] = *row;
}

static int compare_words(const struct layers_row *a, const struct layers_row *b)
{
	int order = (a->pid > b->pid) - (a->pid < b->pid);

	if (!order)
		order = strcmp(a->layer, b->layer);
	if (!order)
		order = strcmp(a->operation, b->operation);
	return order ? order : strcmp(a->class, b->class);
}

static int compare_rows(const void *a, const void *b)
{
	int order = compare_words(a, b);

	return order ? order :
		       memcmp(((const struct layers_row *)a)->comm,
			      ((const struct layers_row *)b)->comm,
			      sizeof(((struct layers_row *)0)->comm));
}

/* The kernel's keys tell more apart than rows do. */
static void handle_counts_end(struct events *ev)
{
	struct layers_state *state = ev->state[STREAM_layers];
	struct layers_row *row;

	if (!state || !state->n)
		return;
	qsort(state->rows, state->n, sizeof(*state->rows), compare_rows);
	row = state->rows;
	for (size_t i = 1; i < state->n; i++) {
		const struct layers_row *next = &state->rows[i];

		if (compare_words(row, next) != 0) {
			push(ev, row);
			row = &state->rows[i];
			continue;
		}
		row->added.count += next->added.count;
		row->added.bytes += next->added.bytes;
		row->added.errors += next->added.errors;
		row->added.ns += next->added.ns;
	}
	push(ev, row);
	state->n = 0;
}

static void put_call(struct events *ev, struct layers_row *row, const struct iot_count_key *key,
		     const char *operation)
{
	const struct layers_state *state = ev->state[STREAM_layers];

	row->operation = operation;
	if (key->layer == IOT_COUNT_ASKED)
		put(ev, row, "SYSCALL");
	if (state->vfs && key->op != IOT_COUNT_SYNC)
		put(ev, row, "VFS");
}

static void handle_count(struct events *ev, const struct iot_count_key *key,
			 const struct iot_count *added, uint64_t ts)
{
	static const char *const operations[][2] = { [IOT_COUNT_READ] = { "READ" },
						     [IOT_COUNT_WRITE] = { "WRITE" },
						     [IOT_COUNT_SYNC] = { "SYNC" },
						     [IOT_COUNT_COPY] = { "READ", "WRITE" } };
	struct layers_row row = { .when = ts, .pid = key->tgid, .class = "", .added = *added };

	if (!ev->state[STREAM_layers] || key->op >= sizeof(operations) / sizeof(operations[0]) ||
	    !operations[key->op][0])
		return;
	memcpy(row.comm, added->comm, sizeof(row.comm));
	if (key->layer == IOT_COUNT_REQUEST) {
		row.operation = operations[key->op][0];
		row.class = class_of(ev, key);
		put(ev, &row, "BLOCK");
		return;
	}
	for (int i = 0; i < 2 && operations[key->op][i]; i++)
		put_call(ev, &row, key, operations[key->op][i]);
}

const struct stream_ops stream_layers = {
	.open = open_layers,
	.close = close_layers,
	.counted = handle_count,
	.counts_end = handle_counts_end,
};
