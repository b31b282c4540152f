/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what a row of each stream counts as: one function for each kind of stream. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

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
#include "row/effects.h"
#include "row/row_words.h"
#include "row/fs_ops.h"

static void add_to(struct report_item *item, enum report_measure measure, uint64_t n)
{
	if (item)
		item->values[measure] += n;
}

static struct report_item *process_of(struct report_tally *tally, enum stream_id stream,
				      const struct field *f)
{
	const struct report_caller caller = report_caller(stream, f);
	const struct report_key key = { .kind = REPORT_PROCESS, .number = caller.pid->u };
	struct report_item *item = caller.pid->known ? report_item(tally, &key) : NULL;

	if (item)
		report_item_label(tally, item, caller.command->text, caller.command->len,
				  f[REPORT_MONO].u);
	return item;
}

static void note_slowest(struct report_tally *tally, enum stream_id stream, const struct field *f,
			 const struct report_slow *slow, const struct field *operation,
			 const struct field *path)
{
	if (!report_slowest_note(&tally->streams[stream].slowest, slow, operation,
				 &f[REPORT_COMMAND], path))
		tally->no_memory = true;
}

/* An operation that failed or not, and took a time that is known or not. */
static struct report_item *count_operation(struct report_tally *tally, enum stream_id stream,
					   const struct field *f, const struct field *name,
					   const struct field *latency, bool failed, uint64_t *over)
{
	const struct report_key key = { REPORT_OPERATION, stream, 0, name->text, name->len };
	struct report_item *item = report_item(tally, &key);

	over[REPORT_OVER_OPERATIONS]++;
	over[REPORT_OVER_ERRORS] += failed;
	if (!item)
		return NULL;
	item->values[REPORT_COUNT]++;
	item->values[REPORT_ERRORS] += failed;
	if (latency && latency->known) {
		report_item_time(item, latency->u);
		report_item_latency(tally, item, latency->u);
		report_item_heat(tally, item, f[REPORT_MONO].u, latency->u);
	}
	return item;
}

static void move_over(uint64_t *over, bool reads, bool writes, uint64_t bytes)
{
	over[REPORT_OVER_READ_BYTES] += reads ? bytes : 0;
	over[REPORT_OVER_WRITE_BYTES] += writes ? bytes : 0;
}

static void move_bytes(struct report_item *operation, bool reads, bool writes, uint64_t bytes)
{
	add_to(operation, REPORT_READ_BYTES, reads ? bytes : 0);
	add_to(operation, REPORT_WRITE_BYTES, writes ? bytes : 0);
	if (operation) {
		operation->read_known = operation->read_known || reads;
		operation->write_known = operation->write_known || writes;
	}
}

/* ---- fs ---- */

static void take_fs(struct report_tally *tally, const struct report_source *source,
		    const struct field *f, uint64_t *over)
{
	const unsigned effects = fs_row_effects((unsigned)f[FS_OPERATION].u, &f[FS_FLAGS],
						&f[REPORT_PATH]);
	bool failed = f[FS_RESULT].s < 0;
	bool reads = effect_reads(effects), writes = effect_writes(effects);
	struct report_item *process = process_of(tally, source->stream, f);
	struct report_item *item = count_operation(tally, source->stream, f, &f[FS_OPERATION],
						   &f[FS_LATENCY], failed, over);
	uint64_t bytes = failed ? 0 : f[FS_RESULT].u;

	if (failed)
		report_failed(tally, source->stream, f, &f[FS_OPERATION], &f[FS_CALL],
			      (int)f[FS_RESULT].s, NULL);
	if (f[FS_OPERATION].u == IOT_RENAME && !failed && tally->joins_names)
		report_renamed(tally, f[REPORT_PATH].text, f[REPORT_PATH].len,
			       f[REPORT_MONO].u + f[FS_LATENCY].u);
	move_bytes(item, reads, writes, bytes);
	move_over(over, reads, writes, bytes);
	add_to(process, REPORT_COUNT, 1);
	add_to(process, REPORT_ERRORS, failed);
	add_to(process, REPORT_READS, reads);
	add_to(process, REPORT_WRITES, writes);
	add_to(process, REPORT_READ_BYTES, reads ? bytes : 0);
	add_to(process, REPORT_WRITE_BYTES, writes ? bytes : 0);
	report_habits_row(tally, process, f, effects);
	if (process && f[FS_LATENCY].known)
		report_item_time(process, f[FS_LATENCY].u);
	if (f[FS_LATENCY].known && is_file_or_disk(f[REPORT_PATH].text, f[REPORT_PATH].len))
		note_slowest(tally, source->stream, f,
			     &(struct report_slow){ .latency_ns = f[FS_LATENCY].u,
						    .mono_ns = f[REPORT_MONO].u,
						    .pid = f[REPORT_PID].u,
						    .tid = f[FS_TID].u },
			     &f[FS_OPERATION], &f[REPORT_PATH]);
}

/* ---- ds ---- */

static void count_device(struct report_tally *tally, const struct field *f, bool reads, bool writes)
{
	const struct report_key key = { .kind = REPORT_DEVICE, .number = f[DS_DEV].u };
	struct report_item *item = f[DS_DEV].known ? report_item(tally, &key) : NULL;

	if (!item)
		return;
	item->values[REPORT_COUNT]++;
	item->values[REPORT_ERRORS] += f[DS_ERROR].known;
	item->values[REPORT_READS] += reads;
	item->values[REPORT_WRITES] += writes;
	item->values[REPORT_FLUSHES] += f[DS_OPERATION].u == DS_OP_FLUSH;
	item->values[REPORT_READ_BYTES] += reads ? f[DS_SIZE].u : 0;
	item->values[REPORT_WRITE_BYTES] += writes ? f[DS_SIZE].u : 0;
	if (f[DS_LATENCY].known) {
		report_item_time(item, f[DS_LATENCY].u);
		report_item_latency(tally, item, f[DS_LATENCY].u);
		report_item_heat(tally, item, f[REPORT_MONO].u, f[DS_LATENCY].u);
	}
	if (f[DS_QUEUE].known) {
		item->values[REPORT_QUEUED]++;
		item->values[REPORT_QUEUE_NS] += f[DS_QUEUE].u;
	}
}

/* Who caused it, and why; bytes of a discard are moved nowhere. */
static void count_owner(struct report_tally *tally, const struct field *f, bool reads, bool writes)
{
	const struct field *command = report_caller(STREAM_ds, f).command, *cause = &f[DS_CAUSE];
	struct report_key key = { .kind = REPORT_OWNER };
	struct report_item *item;
	char name[128];

	key.name = name;
	key.len = (size_t)snprintf(name, sizeof(name), "%.*s%c%.*s",
				   cause->len > 40 ? 40 : (int)cause->len, cause->text, '\0',
				   command->len > 64 ? 64 : (int)command->len, command->text);
	item = report_item(tally, &key);
	add_to(item, REPORT_COUNT, 1);
	add_to(item, REPORT_READ_BYTES, reads ? f[DS_SIZE].u : 0);
	add_to(item, REPORT_WRITE_BYTES, writes ? f[DS_SIZE].u : 0);
	if (item && f[DS_LATENCY].known)
		report_item_time(item, f[DS_LATENCY].u);
}

/* Of which file, "" when it is not known: what applications read and wrote of it, devices have as far as that. */
static void count_file(struct report_tally *tally, const struct field *f, bool reads, bool writes)
{
	const struct report_key key = { .kind = REPORT_ON_DEVICE,
					.name = f[DS_FILE].len ? f[DS_FILE].text : "",
					.len = f[DS_FILE].len };
	bool for_read = f[DS_CAUSE].u == CAUSE_READ || f[DS_CAUSE].u == CAUSE_DIRECT;

	if (reads && for_read)
		add_to(report_item(tally, &key), REPORT_READ_BYTES, f[DS_SIZE].u);
	if (writes && f[DS_CAUSE].u != CAUSE_JOURNAL && f[DS_CAUSE].u != CAUSE_METADATA)
		add_to(report_item(tally, &key), REPORT_WRITE_BYTES, f[DS_SIZE].u);
}

static void take_ds(struct report_tally *tally, const struct report_source *source,
		    const struct field *f, uint64_t *over)
{
	const unsigned effects = ds_effects((unsigned)f[DS_OPERATION].u);
	bool reads = effect_reads(effects), writes = effect_writes(effects);
	struct report_item *process = process_of(tally, source->stream, f);
	struct report_item *item = count_operation(tally, source->stream, f, &f[DS_OPERATION],
						   &f[DS_LATENCY], f[DS_ERROR].known, over);

	if (f[DS_ERROR].known)
		report_failed(tally, source->stream, f, &f[DS_OPERATION], NULL, 0, &f[DS_ERROR]);
	move_bytes(item, reads, writes, f[DS_SIZE].u);
	count_device(tally, f, reads, writes);
	count_owner(tally, f, reads, writes);
	if (!f[DS_ERROR].known)
		count_file(tally, f, reads, writes);
	/* the row of a loop device has the bytes already that its file moves */
	if (f[DS_CAUSE].u != CAUSE_LOOP) {
		move_over(over, reads, writes, f[DS_SIZE].u);
		add_to(process, REPORT_DISK_READ, reads ? f[DS_SIZE].u : 0);
		add_to(process, REPORT_DISK_WRITTEN, writes ? f[DS_SIZE].u : 0);
	}
	if (f[DS_LATENCY].known)
		note_slowest(tally, source->stream, f,
			     &(struct report_slow){ .latency_ns = f[DS_LATENCY].u,
						    .mono_ns = f[REPORT_MONO].u - f[DS_LATENCY].u,
						    .pid = f[REPORT_PID].u },
			     &f[DS_OPERATION], &f[DS_FILE]);
}

/* ---- the network ---- */

/* "TCP 127.0.0.1:80 [::1]:443": this end, and the other one */
static struct report_item *connection_of(struct report_tally *tally, const struct field *ends)
{
	struct report_key key = { .kind = REPORT_CONNECTION };
	char name[400];
	int n = snprintf(name, sizeof(name), "%.*s", (int)ends[END_PROTOCOL].len,
			 ends[END_PROTOCOL].text);

	for (unsigned i = 0; i < 2; i++) {
		const struct field *address = &ends[i ? END_DEST : END_SOURCE];
		const struct field *port = &ends[i ? END_DEST_PORT : END_SOURCE_PORT];
		bool six = address->len && memchr(address->text, ':', address->len);

		n += snprintf(name + n, sizeof(name) - (size_t)n, " %s%.*s%s:%" PRIu64,
			      six ? "[" : "", address->len > 64 ? 64 : (int)address->len,
			      address->text, six ? "]" : "", port->u);
	}
	key.name = name;
	key.len = (size_t)n;
	return report_item(tally, &key);
}

/* What was only looked at (MSG_PEEK) is received by a later call. */
static uint64_t bytes_taken(const struct field *f)
{
	const struct field *flags = &f[NW_FLAGS];

	return flags->len && memmem(flags->text, flags->len, "MSG_PEEK", 8) ? 0 : f[NW_SIZE].u;
}

static void take_nw(struct report_tally *tally, const struct report_source *source,
		    const struct field *f, uint64_t *over)
{
	bool sends = f[NW_DIRECTION].u == NW_SENDS, failed = f[NW_ERROR].known;
	struct report_item *process = process_of(tally, source->stream, f);
	struct report_item *item = count_operation(tally, source->stream, f, &f[NW_DIRECTION],
						   &f[NW_LATENCY], failed, over);
	struct report_item *connection = connection_of(tally, &f[NW_ENDS]);
	uint64_t bytes = bytes_taken(f);

	if (failed)
		report_failed(tally, source->stream, f, &f[NW_DIRECTION], NULL, 0, &f[NW_ERROR]);
	move_bytes(item, !sends, sends, bytes);
	move_over(over, !sends, sends, bytes);
	add_to(process, sends ? REPORT_SENT : REPORT_RECEIVED, bytes);
	add_to(connection, sends ? REPORT_SENT : REPORT_RECEIVED, bytes);
	add_to(connection, REPORT_COUNT, 1);
	add_to(connection, REPORT_ERRORS, failed);
	if (connection)
		report_item_label(tally, connection, f[REPORT_COMMAND].text, f[REPORT_COMMAND].len,
				  f[REPORT_MONO].u);
	if (connection && f[NW_LATENCY].known)
		report_item_time(connection, f[NW_LATENCY].u);
}

static void take_nw_drop(struct report_tally *tally, const struct report_source *source,
			 const struct field *f, uint64_t *over)
{
	bool again = f[DROP_EVENT].u == DROP_RETRANSMIT;

	count_operation(tally, source->stream, f, &f[DROP_EVENT], NULL, false, over);
	add_to(connection_of(tally, &f[DROP_ENDS]), again ? REPORT_RESENT : REPORT_DROPPED, 1);
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
		[CACHE_EVICT] = REPORT_EVICTED,
	};
	uint64_t event = f[CACHE_EVENT].u;

	if (event && event < N_CACHE_WORDS)
		add_to(file, measures[event], f[CACHE_COUNT].u);
}

struct report_item *report_cached_file(struct report_tally *tally, const struct field *f)
{
	return file_of(tally, REPORT_CACHED, &f[CACHE_INODE], &f[CACHE_DEVICE], f);
}

static void take_cache(struct report_tally *tally, const struct report_source *source,
		       const struct field *f, uint64_t *over)
{
	count_operation(tally, source->stream, f, &f[CACHE_EVENT], NULL, false, over);
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
	struct report_item *items[] = { file, process_of(tally, source->stream, f) };

	count_operation(tally, source->stream, f, &f[FAULT_TYPE], &f[FAULT_LATENCY], false, over);
	for (unsigned i = 0; i < 2; i++)
		if (known)
			add_to(items[i], major ? REPORT_MAJOR : REPORT_MINOR, 1);
	add_to(file, REPORT_COUNT, 1);
	add_to(items[1], REPORT_MAJOR_NS, known && major ? f[FAULT_LATENCY].u : 0);
	if (file && f[FAULT_LATENCY].known)
		report_item_time(file, f[FAULT_LATENCY].u);
	if (f[FAULT_LATENCY].known)
		note_slowest(tally, source->stream, f,
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
	struct report_item *item = count_operation(tally, source->stream, f, &f[URING_OPCODE],
						   &f[URING_LATENCY], failed, over);

	move_bytes(item, reads, writes, bytes);
	move_bytes(request, reads, writes, bytes);
	move_over(over, reads, writes, bytes);
	add_to(request, REPORT_COUNT, 1);
	add_to(request, REPORT_ERRORS, failed);
	if (request && f[URING_LATENCY].known) {
		report_item_time(request, f[URING_LATENCY].u);
		report_item_latency(tally, request, f[URING_LATENCY].u);
	}
}

static void take_uring(struct report_tally *tally, const struct report_source *source,
		       const struct field *f, uint64_t *over)
{
	switch (f[URING_EVENT].u) {
	case URING_COMPLETE:
		complete(tally, source, f, over, uring_of(tally, f));
		break;
	case URING_SUBMIT:
		add_to(uring_of(tally, f), REPORT_SUBMITTED, 1);
		break;
	case URING_QUEUE_ASYNC:
		add_to(uring_of(tally, f), REPORT_ASYNC, 1);
		break;
	case URING_POLL_ARM:
		add_to(uring_of(tally, f), REPORT_POLLED, 1);
		break;
	case URING_CQE_OVERFLOW:
		add_to(uring_of(tally, f), REPORT_OVERFLOWED, 1);
		break;
	default:
		break;
	}
}

/* ---- threads, and counters ---- */

static void take_sched(struct report_tally *tally, const struct report_source *source,
		       const struct field *f, uint64_t *over)
{
	const struct report_key key = { .kind = REPORT_SCHED, .number = f[REPORT_PID].u };
	struct report_item *item = report_item(tally, &key);

	(void)source;
	over[REPORT_OVER_OPERATIONS]++;
	if (!item)
		return;
	report_item_label(tally, item, f[REPORT_COMMAND].text, f[REPORT_COMMAND].len,
			  f[REPORT_MONO].u);
	item->values[REPORT_COUNT]++;
	item->values[REPORT_PREEMPTED] += field_is(&f[SCHED_STATE], "R+");
	item->values[REPORT_SLEEP_NS] += f[SCHED_SLEEP].u;
	item->values[REPORT_QUEUE_NS] += f[SCHED_DELAY].u;
	if (f[SCHED_RUN].known)
		report_item_time(item, f[SCHED_RUN].u);
}

/* Sums of many calls or requests: of their times only the mean is known. */
static void take_layers(struct report_tally *tally, const struct report_source *source,
			const struct field *f, uint64_t *over)
{
	struct report_key key = { .kind = REPORT_COUNTED };
	struct report_item *item;
	char name[128];

	(void)source;
	key.name = name;
	key.len = (size_t)snprintf(name, sizeof(name), "%.*s %.*s%c%.*s",
				   f[LAYERS_LAYER].len > 40 ? 40 : (int)f[LAYERS_LAYER].len,
				   f[LAYERS_LAYER].text,
				   f[LAYERS_OPERATION].len > 40 ? 40 : (int)f[LAYERS_OPERATION].len,
				   f[LAYERS_OPERATION].text, '\0',
				   f[LAYERS_CLASS].len > 40 ? 40 : (int)f[LAYERS_CLASS].len,
				   f[LAYERS_CLASS].text);
	over[REPORT_OVER_OPERATIONS] += f[LAYERS_COUNT].u;
	over[REPORT_OVER_ERRORS] += f[LAYERS_ERRORS].u;
	item = report_item(tally, &key);
	add_to(item, REPORT_COUNT, f[LAYERS_COUNT].u);
	add_to(item, REPORT_ERRORS, f[LAYERS_ERRORS].u);
	add_to(item, REPORT_READ_BYTES, f[LAYERS_BYTES].u);
	add_to(item, REPORT_NS, f[LAYERS_LATENCY].u);
	add_to(item, REPORT_TIMED, f[LAYERS_COUNT].u);
}

/* ---- all others: events that are counted ---- */

static void count_wait(struct report_tally *tally, const struct field *f)
{
	const struct report_key key = { .kind = REPORT_WAITER, .number = f[REPORT_PID].u };
	struct report_item *item;

	if (field_is(&f[EVENT_TYPE], "EPOLL_CREATE") || field_is(&f[EVENT_TYPE], "EPOLL_CTL"))
		return;
	item = report_item(tally, &key);
	if (!item)
		return;
	report_item_label(tally, item, f[REPORT_COMMAND].text, f[REPORT_COMMAND].len,
			  f[REPORT_MONO].u);
	item->values[REPORT_COUNT]++;
	item->values[REPORT_IDLE] += f[EVENT_RESULT].known && !f[EVENT_RESULT].s;
}

static void take_event(struct report_tally *tally, const struct report_source *source,
		       const struct field *f, uint64_t *over)
{
	bool failed = source->stream != STREAM_exec && f[EVENT_RESULT].s < 0;

	count_operation(tally, source->stream, f, &f[EVENT_TYPE], &f[EVENT_LATENCY], failed, over);
	if (source->stream == STREAM_nw_epoll)
		count_wait(tally, f);
	/* a connection that is being made has a row of its own when it is, or is not */
	if (failed && source->stream == STREAM_nw_conn && f[EVENT_RESULT].s != -EINPROGRESS)
		report_failed(tally, source->stream, f, &f[EVENT_TYPE], NULL,
			      (int)f[EVENT_RESULT].s, NULL);
}

/* ---- the list ---- */

#define SOURCE(id, path, columns, take)                                                            \
	{                                                                                          \
		STREAM_##id, path, columns, sizeof(columns) / sizeof(columns[0]), take             \
	}

const struct report_source report_sources[] = {
	SOURCE(fs, true, report_fs_columns, take_fs),
	SOURCE(ds, false, report_ds_columns, take_ds),
	SOURCE(nw, false, report_nw_columns, take_nw),
	SOURCE(nw_drop, false, report_drop_columns, take_nw_drop),
	SOURCE(cache, true, report_cache_columns, take_cache),
	SOURCE(pagefault, true, report_fault_columns, take_fault),
	SOURCE(iouring, true, report_uring_columns, take_uring),
	SOURCE(nw_conn, false, report_event_columns, take_event),
	SOURCE(nw_epoll, false, report_event_columns, take_event),
	SOURCE(nw_sockopt, false, report_event_columns, take_event),
	SOURCE(exec, false, report_exec_columns, take_event),
	SOURCE(sched, false, report_sched_columns, take_sched),
	SOURCE(layers, false, report_layers_columns, take_layers),
};

const unsigned report_n_sources = sizeof(report_sources) / sizeof(report_sources[0]);
