/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream layers: see layers.h. Its rows come of counters, not of records. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "events/layers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events/events_private.h"
#include "probes/schema/layers.def"
#include "row/format.h"

EVENTS_ROW(layers)

struct layers_state {
	bool vfs; /* the operations of file systems are seen, not the calls alone */
};

static int open_layers(void **state, const struct plan *plan)
{
	struct layers_state *layers = calloc(1, sizeof(*layers));

	if (!layers)
		return -ENOMEM;
	layers->vfs = plan_counts_vfs(plan, STREAM_layers);
	*state = layers;
	return 0;
}

static void close_layers(void *state)
{
	free(state);
}

/* What is mounted from a disk: where on it a request went is not counted. */
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
		[IOT_COUNT_OTHER] = "other",
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

static void put(struct events *ev, struct layers_row *row, const char *layer)
{
	row->layer = layer;
	if (events_keeps(ev, &(struct filter_row){ .stream = STREAM_layers,
						   .operation = row->operation }))
		layers_push(ev, row->when, row);
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
};
