/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include <string.h>

#include "events/events.h"
#include "resolve/resolve.h"
#include "trace/drain.h"

enum { RING = 1 << 16 };

static void see_row(void *arg, enum stream_id stream, const char *row, size_t len, uint64_t key)
{
	(void)arg;
	(void)key;
	FUZZ_CLAIM(stream < N_STREAMS);
	FUZZ_CLAIM(len && len < ROW_MAX && row[len - 1] == '\n' && !memchr(row, '\n', len - 1));
}

static struct events *open_events(struct resolve *resolve)
{
	static struct plan plan;
	struct events_options options = {
		.plan = &plan,
		.resolve = resolve,
		.names = 32,
		.n_cpus = 2,
		.extra_ops = true,
		.row = see_row,
	};

	for (int i = 0; i < N_STREAMS; i++)
		options.wanted[i] = true;
	return events_open(&options);
}

/* A made-up process with a descriptor, as records name few others. */
static const char *make_proc(void)
{
	static const char files[] =
		"@1/stat\n1 (a) S 0 7 8 9\n@1/fdinfo/3\npos:\t5\nflags:\t0100002\n"
		"@1/fd/3 -> ../../f\n@f\n@1/cwd -> ..\n@1/root -> ..\n";

	return fuzz_tree((const uint8_t *)files, sizeof(files) - 1);
}

void fuzz_records(const uint8_t *data, size_t size)
{
	static _Alignas(8) char bytes[RING];
	static uint64_t record[DRAIN_RECORD_MAX / 8];
	static const char *proc;
	static struct resolve resolve;
	struct drain_totals totals = { 0 };
	struct drain_ring ring = { .data = bytes, .size = RING };
	struct events *events;

	if (size > RING)
		size = RING;
	memcpy(bytes, data, size);
	ring.head = size & ~7UL;
	if (!proc)
		proc = make_proc();
	resolve_init(&resolve, &(struct resolve_options){ .proc = proc, .sys_block = proc });
	events = open_events(&resolve);
	while (drain_ring_peek(&ring, &totals)) {
		uint32_t len = ring.len;

		FUZZ_CLAIM(len <= DRAIN_RECORD_MAX);
		drain_ring_take(&ring, record);
		events_record(events, record, len, (int)(len % 3) - 1);
	}
	FUZZ_CLAIM(ring.tail == ring.head);
	events_flush(events, UINT64_MAX);
	events_close(events);
	resolve_close(&resolve);
}
