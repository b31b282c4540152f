/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what rows of files, memory and io_uring count as, and the list of streams. */
#include "analysis/report/report_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/report/report_choice.h"
#include "analysis/report/report_columns.h"
#include "analysis/report/report_failed.h"
#include "analysis/report/report_generations.h"
#include "analysis/report/report_fields.h"
#include "analysis/report/report_habits.h"
#include "analysis/report/report_rows_disks.h"
#include "analysis/report/report_rows_others.h"
#include "analysis/report/report_rows_servers.h"
#include "analysis/report/report_stacks.h"
#include "analysis/report/report_stalls.h"
#include "row/effects.h"
#include "row/row_words.h"
#include "row/fs_ops.h"

/* ---- fs ---- */

static void count_mapped(struct report_tally *tally, const struct field *path)
{
	const struct report_key key = { .kind = REPORT_MAPPED,
					.name = path->text,
					.len = path->len };

	report_item(tally, &key);
}

/* A file that has no name any more, and is written to or closed: its label is of the last write. */
static void count_deleted(struct report_tally *tally, const struct field *f, bool writes)
{
	const struct report_key key = { .kind = REPORT_DELETED,
					.number = f[REPORT_PID].u,
					.name = f[REPORT_PATH].text,
					.len = f[REPORT_PATH].len };
	struct report_item *item = report_item(tally, &key);

	if (!item)
		return;
	if (writes) {
		item->values[REPORT_WRITE_BYTES] += f[FS_RESULT].u;
		report_item_label(tally, item, f[REPORT_COMMAND].text, f[REPORT_COMMAND].len,
				  f[REPORT_MONO].u);
	} else if (f[REPORT_MONO].u > item->values[REPORT_MAX_NS]) {
		item->values[REPORT_MAX_NS] = f[REPORT_MONO].u;
	}
}

static void take_fs(struct report_tally *tally, const struct report_source *source,
		    const struct field *f, uint64_t *over)
{
	const unsigned effects = fs_row_effects((unsigned)f[FS_OPERATION].u, &f[FS_FLAGS],
						&f[REPORT_PATH]);
	bool failed = f[FS_RESULT].s < 0;
	bool reads = effect_reads(effects), writes = effect_writes(effects);
	struct report_item *process = report_process(tally, source->stream, f);
	struct report_item *item = report_operation(tally, source->stream, f, &f[FS_OPERATION],
						    &f[FS_LATENCY], failed, over);
	uint64_t bytes = failed ? 0 : f[FS_RESULT].u;

	if (failed)
		report_failed(tally, source->stream, f, &f[FS_OPERATION], &f[FS_CALL],
			      (int)f[FS_RESULT].s, NULL);
	if (f[FS_OPERATION].u == IOT_RENAME && !failed && tally->joins_names)
		report_renamed(tally, f[REPORT_PATH].text, f[REPORT_PATH].len,
			       f[REPORT_MONO].u + f[FS_LATENCY].u);
	if (f[FS_OPERATION].u == IOT_MMAP && !failed && f[REPORT_PATH].len)
		count_mapped(tally, &f[REPORT_PATH]);
	if (f[FS_STATUS].len && memchr(f[FS_STATUS].text, 'd', f[FS_STATUS].len) &&
	    (bytes || f[FS_OPERATION].u == IOT_CLOSE) && (writes || !reads))
		count_deleted(tally, f, writes);
	report_move_bytes(item, reads, writes, bytes);
	report_move_over(over, reads, writes, bytes);
	report_add(process, REPORT_COUNT, 1);
	report_add(process, REPORT_ERRORS, failed);
	report_add(process, REPORT_READS, reads);
	report_add(process, REPORT_WRITES, writes);
	report_add(process, REPORT_READ_BYTES, reads ? bytes : 0);
	report_add(process, REPORT_WRITE_BYTES, writes ? bytes : 0);
	report_habits_row(tally, process, f, effects);
	if (f[FS_LATENCY].known && f[FS_LATENCY].u >= REPORT_STALL_NS && !failed)
		report_stalls_row(tally, process, f, effects);
	tally->no_memory = !report_open_row(&tally->open, f) || tally->no_memory;
	if (process && f[FS_LATENCY].known)
		report_item_time(process, f[FS_LATENCY].u);
	if (f[FS_LATENCY].known && is_file_or_disk(f[REPORT_PATH].text, f[REPORT_PATH].len))
		report_note_slow(tally, source->stream, f,
				 &(struct report_slow){ .latency_ns = f[FS_LATENCY].u,
							.mono_ns = f[REPORT_MONO].u,
							.pid = f[REPORT_PID].u,
							.tid = f[FS_TID].u },
				 &f[FS_OPERATION], &f[REPORT_PATH]);
}

/* ---- memory ---- */

static struct report_item *file_of(struct report_tally *tally, enum report_kind kind,
				   const struct field *inode, const struct field *device,
				   const struct field *f)
{
	const struct report_key key = { kind, inode->u, device->u, f[REPORT_PATH].text,
					f[REPORT_PATH].len };

	return inode->known ? report_pages_of(tally, &key, f[REPORT_MONO].u) : NULL;
}

void report_count_pages(struct report_item *file, const struct field *f)
{
	static const enum report_measure measures[N_CACHE_WORDS] = {
		[CACHE_HIT] = REPORT_HITS,      [CACHE_MISS] = REPORT_MISSES,
		[CACHE_DIRTY] = REPORT_DIRTIED, [CACHE_WRITTEN] = REPORT_WRITTEN_BACK,
		[CACHE_EVICT] = REPORT_EVICTED, [CACHE_INVALIDATE] = REPORT_DROPPED,
		[CACHE_DROP] = REPORT_DROPPED,
	};
	uint64_t event = f[CACHE_EVENT].u;

	if (event && event < N_CACHE_WORDS)
		report_add(file, measures[event], f[CACHE_COUNT].u);
	/* the largest size that it had */
	if (file && f[CACHE_SIZE].u > file->values[REPORT_MAX_NS])
		file->values[REPORT_MAX_NS] = f[CACHE_SIZE].u;
}

struct report_item *report_cached_file(struct report_tally *tally, const struct field *f)
{
	return file_of(tally, REPORT_CACHED, &f[CACHE_INODE], &f[CACHE_DEVICE], f);
}

static void take_cache(struct report_tally *tally, const struct report_source *source,
		       const struct field *f, uint64_t *over)
{
	report_operation(tally, source->stream, f, &f[CACHE_EVENT], NULL, false, over);
	if (f[CACHE_EVENT].u == CACHE_HIT)
		over[REPORT_OVER_HITS] += f[CACHE_COUNT].u;
	else if (f[CACHE_EVENT].u == CACHE_MISS)
		over[REPORT_OVER_MISSES] += f[CACHE_COUNT].u;
	report_count_pages(report_cached_file(tally, f), f);
}

static void take_fault(struct report_tally *tally, const struct report_source *source,
		       const struct field *f, uint64_t *over)
{
	bool major = f[FAULT_SEVERITY].u == FAULT_MAJOR, known = f[FAULT_SEVERITY].known;
	struct report_item *file = file_of(tally, REPORT_FAULTED, &f[FAULT_INODE], &f[FAULT_DEVICE],
					   f);
	struct report_item *items[] = { file, report_process(tally, source->stream, f) };

	report_operation(tally, source->stream, f, &f[FAULT_TYPE], &f[FAULT_LATENCY], false, over);
	for (unsigned i = 0; i < 2; i++)
		if (known)
			report_add(items[i], major ? REPORT_MAJOR : REPORT_MINOR, 1);
	report_add(file, REPORT_COUNT, 1);
	report_add(items[1], REPORT_MAJOR_NS, known && major ? f[FAULT_LATENCY].u : 0);
	if (file && f[FAULT_LATENCY].known)
		report_item_time(file, f[FAULT_LATENCY].u);
	if (f[FAULT_LATENCY].known)
		report_note_slow(tally, source->stream, f,
				 &(struct report_slow){ .latency_ns = f[FAULT_LATENCY].u,
							.mono_ns = f[REPORT_MONO].u,
							.pid = f[REPORT_PID].u,
							.tid = f[FAULT_TID].u },
				 &f[FAULT_TYPE], &f[REPORT_PATH]);
}

/* ---- io_uring ---- */

static struct report_item *uring_of(struct report_tally *tally, const struct field *f)
{
	struct report_key key = { .kind = REPORT_URING };
	char name[128];

	key.name = name;
	key.len = (size_t)snprintf(name, sizeof(name), "%.*s %.*s",
				   f[REPORT_COMMAND].len > 40 ? 40 : (int)f[REPORT_COMMAND].len,
				   f[REPORT_COMMAND].text,
				   f[URING_OPCODE].len > 40 ? 40 : (int)f[URING_OPCODE].len,
				   f[URING_OPCODE].text);
	return f[URING_OPCODE].known ? report_item(tally, &key) : NULL;
}

static void complete(struct report_tally *tally, const struct report_source *source,
		     const struct field *f, uint64_t *over, struct report_item *request)
{
	bool failed = f[URING_RESULT].s < 0;
	uint64_t bytes = failed ? 0 : f[URING_RESULT].u;
	const unsigned effects = uring_effects(&f[URING_OPCODE]);
	bool reads = effect_reads(effects), writes = effect_writes(effects);
	struct report_item *item = report_operation(tally, source->stream, f, &f[URING_OPCODE],
						    &f[URING_LATENCY], failed, over);

	report_move_bytes(item, reads, writes, bytes);
	report_move_bytes(request, reads, writes, bytes);
	report_move_over(over, reads, writes, bytes);
	report_add(request, REPORT_COUNT, 1);
	report_add(request, REPORT_ERRORS, failed);
	if (request && f[URING_LATENCY].known) {
		report_item_time(request, f[URING_LATENCY].u);
		report_item_latency(tally, request, f[URING_LATENCY].u);
	}
}

static struct report_item *submitter(struct report_tally *tally, const struct field *f)
{
	const struct report_key key = { .kind = REPORT_SUBMITTER, .number = f[REPORT_PID].u };
	struct report_item *item = report_item(tally, &key);

	if (item)
		report_item_label(tally, item, f[REPORT_COMMAND].text, f[REPORT_COMMAND].len,
				  f[REPORT_MONO].u);
	return item;
}

/* In how many calls it submits: those that only wait are none. */
static void count_enter(struct report_tally *tally, const struct field *f)
{
	struct report_item *item = f[URING_RESULT].s > 0 ? submitter(tally, f) : NULL;

	report_add(item, REPORT_COUNT, 1);
	report_add(item, REPORT_SUBMITTED, f[URING_RESULT].u);
	if (item && f[URING_LATENCY].known)
		report_item_time(item, f[URING_LATENCY].u);
}

static void take_uring(struct report_tally *tally, const struct report_source *source,
		       const struct field *f, uint64_t *over)
{
	switch (f[URING_EVENT].u) {
	case URING_COMPLETE:
		complete(tally, source, f, over, uring_of(tally, f));
		break;
	case URING_ENTER:
		count_enter(tally, f);
		break;
	case URING_SUBMIT:
		report_add(uring_of(tally, f), REPORT_SUBMITTED, 1);
		break;
	case URING_QUEUE_ASYNC:
		report_add(uring_of(tally, f), REPORT_ASYNC, 1);
		break;
	case URING_POLL_ARM:
		report_add(uring_of(tally, f), REPORT_POLLED, 1);
		break;
	case URING_CQE_OVERFLOW:
		report_add(uring_of(tally, f), REPORT_OVERFLOWED, 1);
		/* whose it was, when the request is not known any more */
		report_add(submitter(tally, f), REPORT_OVERFLOWED, 1);
		break;
	default:
		break;
	}
}

/* ---- the list ---- */

#define SOURCE(id, path, columns, take)                                                            \
	{                                                                                          \
		STREAM_##id, path, columns, sizeof(columns) / sizeof(columns[0]), take             \
	}

const struct report_source report_sources[] = {
	SOURCE(fs, true, report_fs_columns, take_fs),
	SOURCE(ds, false, report_ds_columns, report_take_ds),
	SOURCE(bio, false, report_ds_columns, report_take_bio),
	SOURCE(netfs, false, report_netfs_columns, report_take_netfs),
	SOURCE(nw, false, report_nw_columns, report_take_nw),
	SOURCE(nw_drop, false, report_drop_columns, report_take_nw_drop),
	SOURCE(cache, true, report_cache_columns, take_cache),
	SOURCE(pagefault, true, report_fault_columns, take_fault),
	SOURCE(iouring, true, report_uring_columns, take_uring),
	SOURCE(nw_conn, false, report_event_columns, report_take_event),
	SOURCE(nw_epoll, false, report_event_columns, report_take_event),
	SOURCE(nw_sockopt, false, report_event_columns, report_take_event),
	SOURCE(exec, false, report_exec_columns, report_take_exec),
	SOURCE(sched, false, report_sched_columns, report_take_sched),
	SOURCE(layers, false, report_layers_columns, report_take_layers),
	SOURCE(stacks, true, report_stacks_columns, report_take_stacks),
};

const unsigned report_n_sources = sizeof(report_sources) / sizeof(report_sources[0]);
