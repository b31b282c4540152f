/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which column of each stream is which part of an operation, and in which unit. */
#include "analysis/common/operation.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/common/row_queue.h"
#include "read/layout.h"
#include "row/effects.h"
#include "row/format.h"
#include "row/fs_ops.h"
#include "row/row_words.h"

enum { HEADER_SIZE = 4096, SECTOR_SIZE = 512 };

enum unit { UNIT_ONE, UNIT_SECTOR, UNIT_PAGE };

struct parts {
	const char *names[N_OPERATION_PARTS];
	enum unit size, offset;
};

#define WHO                                                                                        \
	[OP_TIME] = "timestamp", [OP_PID] = "pid", [OP_TID] = "tid", [OP_COMMAND] = "command",     \
	[OP_MONO] = "mono_ns"

static const struct parts parts_of[N_EVENT_STREAMS] = {
	[STREAM_fs] = { .names = { WHO, [OP_EVENT] = "operation", [OP_SIZE] = "size",
				   [OP_OFFSET] = "offset", [OP_LATENCY] = "latency_ns",
				   [OP_RESULT] = "return_value", [OP_PATH] = "filename",
				   [OP_MNTNS] = "mntns", [OP_FLAGS] = "flags" } },
	[STREAM_ds] = { .names = { WHO, [OP_EVENT] = "operation", [OP_SIZE] = "size",
				   [OP_OFFSET] = "sector", [OP_LATENCY] = "latency_ms",
				   [OP_ERROR] = "error", [OP_DEVICE] = "dev",
				   [OP_PATH] = "filename", [OP_OWNER_PID] = "owner_pid",
				   [OP_OWNER] = "owner_command" },
			.offset = UNIT_SECTOR },
	[STREAM_bio] = { .names = { WHO, [OP_EVENT] = "operation", [OP_SIZE] = "size",
				    [OP_OFFSET] = "sector", [OP_LATENCY] = "latency_ms",
				    [OP_ERROR] = "error", [OP_DEVICE] = "dev",
				    [OP_PATH] = "filename", [OP_OWNER_PID] = "owner_pid",
				    [OP_OWNER] = "owner_command" },
			 .offset = UNIT_SECTOR },
	[STREAM_exec] = { .names = { WHO, [OP_EVENT] = "event_type", [OP_RESULT] = "return_value",
				     [OP_PATH] = "cmdline", [OP_CONTAINER] = "container" } },
	[STREAM_lost] = { .names = { [OP_TIME] = "timestamp",
				     [OP_EVENT] = "reason",
				     [OP_SIZE] = "count",
				     [OP_DETAIL] = "stream" } },
	[STREAM_cache] = { .names = { WHO, [OP_EVENT] = "event_type", [OP_SIZE] = "count",
				      [OP_OFFSET] = "offset", [OP_PATH] = "filename" },
			   .size = UNIT_PAGE },
	[STREAM_pagefault] = { .names = { WHO, [OP_EVENT] = "fault_type", [OP_DETAIL] = "severity",
					  [OP_OFFSET] = "offset", [OP_LATENCY] = "latency_ns",
					  [OP_PATH] = "filename" },
			       .offset = UNIT_PAGE },
	[STREAM_nw] = { .names = { WHO, [OP_EVENT] = "direction", [OP_DETAIL] = "protocol",
				   [OP_SIZE] = "size", [OP_LATENCY] = "latency_ns",
				   [OP_RESULT] = "return_value", [OP_FROM] = "source_addr",
				   [OP_FROM_PORT] = "source_port", [OP_TO] = "dest_addr",
				   [OP_TO_PORT] = "dest_port" } },
	[STREAM_nw_conn] = { .names = { WHO, [OP_EVENT] = "event_type", [OP_DETAIL] = "protocol",
					[OP_LATENCY] = "latency_ns", [OP_RESULT] = "return_value",
					[OP_FROM] = "local_addr", [OP_FROM_PORT] = "local_port",
					[OP_TO] = "remote_addr", [OP_TO_PORT] = "remote_port" } },
	[STREAM_nw_epoll] = { .names = { WHO, [OP_EVENT] = "event_type",
					 [OP_LATENCY] = "latency_ns", [OP_RESULT] = "return_value",
					 [OP_DETAIL] = "event_mask" } },
	[STREAM_nw_sockopt] = { .names = { WHO, [OP_EVENT] = "event_type", [OP_DETAIL] = "level",
					   [OP_SIZE] = "option_len", [OP_LATENCY] = "latency_ns",
					   [OP_RESULT] = "return_value",
					   [OP_PATH] = "option_name" } },
	[STREAM_nw_drop] = { .names = { WHO, [OP_EVENT] = "event_type", [OP_SIZE] = "packet_size",
					[OP_DETAIL] = "drop_reason_name", [OP_FROM] = "source_addr",
					[OP_FROM_PORT] = "source_port", [OP_TO] = "dest_addr",
					[OP_TO_PORT] = "dest_port" } },
	[STREAM_iouring] = { .names = { WHO, [OP_EVENT] = "event_type", [OP_DETAIL] = "opcode",
					[OP_SIZE] = "length", [OP_OFFSET] = "offset",
					[OP_LATENCY] = "latency_ns", [OP_RESULT] = "result",
					[OP_PATH] = "filename", [OP_RING] = "ring" } },
	[STREAM_layers] = { .names = { [OP_TIME] = "timestamp",
				       [OP_PID] = "pid",
				       [OP_COMMAND] = "command",
				       [OP_EVENT] = "operation",
				       [OP_DETAIL] = "layer",
				       [OP_SIZE] = "bytes",
				       [OP_LATENCY] = "latency_ns",
				       [OP_MONO] = "mono_ns",
				       [OP_COUNT] = "count",
				       [OP_ERRORS] = "errors" } },
	[STREAM_stacks] = { .names = { WHO, [OP_EVENT] = "operation", [OP_LATENCY] = "latency_ns",
				       [OP_DETAIL] = "status", [OP_PATH] = "user_stack" } },
	[STREAM_netfs] = { .names = { WHO, [OP_EVENT] = "operation", [OP_DETAIL] = "protocol",
				      [OP_SIZE] = "size", [OP_OFFSET] = "offset",
				      [OP_LATENCY] = "latency_ms", [OP_ERROR] = "error",
				      [OP_DEVICE] = "dev", [OP_PATH] = "filename",
				      [OP_TO] = "server_addr" } },
	[STREAM_sched] = { .names = { WHO, [OP_EVENT] = "state", [OP_LATENCY] = "run_ns" } },
};

struct reader {
	struct read_column columns[N_OPERATION_PARTS];
	struct layout layout;
};

struct operations {
	struct reader readers[N_EVENT_STREAMS];
	struct split split;
	struct field parts[N_OPERATION_PARTS]; /* of the last row */
	uint64_t page_size;
	char scratch[ROW_QUEUE_ROW_MAX];
};

/* Of the same part, one stream has nanoseconds and another one milliseconds. */
static enum parse_kind kind_of(enum stream_id stream, const char *name)
{
	for (unsigned i = 0; i < streams[stream].n_columns; i++)
		if (!strcmp(streams[stream].columns[i].name, name))
			return streams[stream].columns[i].kind;
	return PARSE_TEXT;
}

/* Numbers that are compared or added up; all others are shown as they stand in the row. */
static bool is_number(enum operation_part part)
{
	const unsigned numbers = 1u << OP_SIZE | 1u << OP_OFFSET | 1u << OP_LATENCY |
				 1u << OP_RESULT | 1u << OP_PID | 1u << OP_TID | 1u << OP_MONO |
				 1u << OP_OWNER_PID | 1u << OP_COUNT | 1u << OP_ERRORS;

	return numbers >> part & 1;
}

static bool open_reader(struct operations *operations, enum stream_id stream, unsigned wanted)
{
	struct reader *reader = &operations->readers[stream];
	char header[HEADER_SIZE];
	size_t len = schema_header(stream, 0, header, sizeof(header) - SPLIT_PAD);

	for (int i = 0; i < N_OPERATION_PARTS; i++) {
		const char *name = wanted >> i & 1 ? parts_of[stream].names[i] : NULL;

		/* of texts the escapes stay: they are to be shown */
		reader->columns[i] = (struct read_column){
			.name = name ? name : "",
			.kind = name && is_number((enum operation_part)i) ? kind_of(stream, name) :
									    PARSE_TEXT,
		};
	}
	split_row(header, len, &operations->split);
	return layout_make(&reader->layout, reader->columns, N_OPERATION_PARTS, header, len - 1,
			   &operations->split);
}

struct operations *operations_open(unsigned wanted)
{
	struct operations *operations = calloc(1, sizeof(*operations));
	bool ok = operations != NULL;

	for (int i = 0; ok && i < N_EVENT_STREAMS; i++)
		ok = open_reader(operations, (enum stream_id)i, wanted);
	if (!ok) {
		free(operations);
		return NULL;
	}
	/* rows come from a recording on this machine */
	operations->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	return operations;
}

void operations_close(struct operations *operations)
{
	free(operations);
}

static void scale(const struct operations *operations, enum unit unit, struct field *field)
{
	if (unit == UNIT_SECTOR)
		field->u *= SECTOR_SIZE;
	else if (unit == UNIT_PAGE)
		field->u *= operations->page_size;
}

bool operations_read(struct operations *operations, enum stream_id stream, const char *row,
		     size_t len, struct operation *op)
{
	struct reader *reader = &operations->readers[stream];

	*op = (struct operation){ stream, operations->parts };
	if (len > sizeof(operations->scratch) || split_row(row, len, &operations->split) < 0 ||
	    !layout_row(&reader->layout, row, &operations->split, operations->scratch,
			operations->parts))
		return false;
	scale(operations, parts_of[stream].size, &operations->parts[OP_SIZE]);
	scale(operations, parts_of[stream].offset, &operations->parts[OP_OFFSET]);
	return true;
}

void operation_places(uint8_t place[N_EVENT_STREAMS][VALUES_MAX_COLUMNS], unsigned wanted)
{
	_Static_assert((int)N_OPERATION_PARTS <= (int)VALUES_MAX, "each part has a place");
	memset(place, 0, N_EVENT_STREAMS * VALUES_MAX_COLUMNS);
	for (int s = 0; s < N_EVENT_STREAMS; s++)
		for (int part = 0; part < N_OPERATION_PARTS; part++)
			for (unsigned i = 0; i < streams[s].n_columns; i++)
				if ((wanted >> part & 1) && parts_of[s].names[part] &&
				    !strcmp(streams[s].columns[i].name, parts_of[s].names[part]))
					place[s][i] = (uint8_t)(part + 1);
}

bool operation_failed(const struct operation *op)
{
	const struct field *result = &op->parts[OP_RESULT];

	/* MAX_ERRNO (include/linux/err.h): what is below it is a value */
	return op->parts[OP_ERROR].known || (result->known && result->s < 0 && result->s >= -4095);
}

void operation_error(const struct operation *op, char name[32])
{
	const struct field *result = &op->parts[OP_RESULT], *error = &op->parts[OP_ERROR];
	size_t len = error->len < 31 ? error->len : 31;

	name[0] = '\0';
	if (error->known) {
		memcpy(name, error->text, len);
		name[len] = '\0';
	} else if (result->known && result->s < 0 && result->s >= -4095) {
		*put_err(name, (int)result->s) = '\0';
	}
}

/* What it reads and writes, enum effect */
static unsigned effects_of(const struct operation *op)
{
	const struct field *event = &op->parts[OP_EVENT], *detail = &op->parts[OP_DETAIL];
	unsigned direction;

	switch (op->stream) {
	case STREAM_fs:
		return fs_row_effects(row_word(fs_operations, event), &op->parts[OP_FLAGS],
				      &op->parts[OP_PATH]);
	case STREAM_ds:
	case STREAM_bio:
		return ds_effects(row_word(ds_operations, event));
	case STREAM_nw:
		direction = row_word(nw_directions, event);
		return direction == NW_RECEIVES ? READS : direction == NW_SENDS ? WRITES : 0;
	case STREAM_iouring:
		return row_word(uring_events, event) != URING_COMPLETE ?
			       0 :
			       uring_effects(detail) | uring_socket_effects(detail);
	default:
		return 0;
	}
}

/* What was moved: requests of a device move what they ask for, unless they fail. */
static uint64_t bytes_of(const struct operation *op)
{
	const struct field *result = &op->parts[OP_RESULT];

	if (op->stream == STREAM_ds || op->stream == STREAM_bio)
		return op->parts[OP_ERROR].known ? 0 : op->parts[OP_SIZE].u;
	return result->known && result->s > 0 ? (uint64_t)result->s : 0;
}

struct operation_facts operation_facts(const struct operation *op)
{
	const struct field *latency = &op->parts[OP_LATENCY];
	const unsigned effects = effects_of(op);
	struct operation_facts f = { .failed = operation_failed(op),
				     .timed = latency->known,
				     .reads = effect_reads(effects),
				     .writes = effect_writes(effects),
				     .ns = latency->u };

	f.bytes = bytes_of(op);
	return f;
}
