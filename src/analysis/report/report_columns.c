/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the names of the columns that a report reads, and what it cannot tell without them. */
#include "analysis/report/report_columns.h"

#include <string.h>

#include "row/fs_ops.h"
#include "row/row_words.h"

/* Streams without a path have a column that they lack anyway: one that is not asked for, but has a place. */
#define COMMON(path)                                                                               \
	[REPORT_MONO] = { .name = "mono_ns", .kind = PARSE_UINT },                                 \
	[REPORT_PID] = { .name = "pid", .kind = PARSE_UINT },                                      \
	[REPORT_COMMAND] = { .name = "command", .kind = PARSE_TEXT },                              \
	[REPORT_PATH] = { .name = path, .kind = PARSE_PATH }

/* clang-format off */
const struct read_column report_fs_columns[N_FS] = {
	COMMON("filename"),
	[FS_OPERATION] = { .name = "operation", .kind = PARSE_TEXT, .words = fs_operations },
	[FS_LATENCY] = { .name = "latency_ns", .kind = PARSE_UINT },
	[FS_RESULT] = { .name = "return_value", .kind = PARSE_INT },
	[FS_FLAGS] = { .name = "flags", .kind = PARSE_TEXT },
	[FS_CALL] = { .name = "call", .kind = PARSE_TEXT },
	[FS_TID] = { .name = "tid", .kind = PARSE_UINT },
	[FS_STATUS] = { .name = "path_status", .kind = PARSE_TEXT },
	[FS_DEVICE] = { .name = "device", .kind = PARSE_DEV },
	[FS_FD] = { .name = "fd", .kind = PARSE_UINT },
	[FS_OFD] = { .name = "ofd", .kind = PARSE_UINT },
};

const struct read_column report_ds_columns[N_DS] = {
	COMMON(""),
	[DS_OPERATION] = { .name = "operation", .kind = PARSE_TEXT, .words = ds_operations },
	[DS_SIZE] = { .name = "size", .kind = PARSE_UINT },
	[DS_LATENCY] = { .name = "latency_ms", .kind = PARSE_MS },
	[DS_QUEUE] = { .name = "queue_time_ms", .kind = PARSE_MS },
	[DS_DEV] = { .name = "dev", .kind = PARSE_DEV },
	[DS_ERROR] = { .name = "error", .kind = PARSE_TEXT },
	[DS_OWNER_PID] = { .name = "owner_pid", .kind = PARSE_UINT },
	[DS_OWNER_COMMAND] = { .name = "owner_command", .kind = PARSE_TEXT },
	[DS_CAUSE] = { .name = "cause", .kind = PARSE_TEXT, .words = ds_causes },
	[DS_FILE] = { .name = "filename", .kind = PARSE_PATH },
	[DS_BIO_DEV] = { .name = "bio_dev", .kind = PARSE_DEV },
};

#define ENDS(at) \
	[at + END_PROTOCOL] = { .name = "protocol", .kind = PARSE_TEXT }, \
	[at + END_SOURCE] = { .name = "source_addr", .kind = PARSE_TEXT }, \
	[at + END_DEST] = { .name = "dest_addr", .kind = PARSE_TEXT }, \
	[at + END_SOURCE_PORT] = { .name = "source_port", .kind = PARSE_UINT }, \
	[at + END_DEST_PORT] = { .name = "dest_port", .kind = PARSE_UINT }

const struct read_column report_nw_columns[N_NW] = {
	COMMON(""),
	ENDS(NW_ENDS),
	[NW_SIZE] = { .name = "size", .kind = PARSE_UINT },
	[NW_DIRECTION] = { .name = "direction", .kind = PARSE_TEXT, .words = nw_directions },
	[NW_LATENCY] = { .name = "latency_ns", .kind = PARSE_UINT },
	[NW_ERROR] = { .name = "error_code", .kind = PARSE_TEXT },
	[NW_FLAGS] = { .name = "msg_flags", .kind = PARSE_TEXT },
};

const struct read_column report_drop_columns[N_DROP] = {
	COMMON(""),
	ENDS(DROP_ENDS),
	[DROP_EVENT] = { .name = "event_type", .kind = PARSE_TEXT, .words = drop_events },
};

const struct read_column report_cache_columns[N_CACHE] = {
	COMMON("filename"),
	[CACHE_EVENT] = { .name = "event_type", .kind = PARSE_TEXT, .words = cache_events },
	[CACHE_INODE] = { .name = "inode", .kind = PARSE_UINT },
	[CACHE_DEVICE] = { .name = "device", .kind = PARSE_DEV },
	[CACHE_COUNT] = { .name = "count", .kind = PARSE_UINT },
	[CACHE_SIZE] = { .name = "size", .kind = PARSE_UINT },
};

const struct read_column report_fault_columns[N_FAULT] = {
	COMMON("filename"),
	[FAULT_TYPE] = { .name = "fault_type", .kind = PARSE_TEXT },
	[FAULT_SEVERITY] = { .name = "severity", .kind = PARSE_TEXT, .words = fault_severities },
	[FAULT_INODE] = { .name = "inode", .kind = PARSE_UINT },
	[FAULT_DEVICE] = { .name = "device", .kind = PARSE_DEV },
	[FAULT_LATENCY] = { .name = "latency_ns", .kind = PARSE_UINT },
	[FAULT_TID] = { .name = "tid", .kind = PARSE_UINT },
};

const struct read_column report_uring_columns[N_URING] = {
	COMMON("filename"),
	[URING_EVENT] = { .name = "event_type", .kind = PARSE_TEXT, .words = uring_events },
	[URING_OPCODE] = { .name = "opcode", .kind = PARSE_TEXT },
	[URING_RESULT] = { .name = "result", .kind = PARSE_INT },
	[URING_LATENCY] = { .name = "latency_ns", .kind = PARSE_UINT },
};

const struct read_column report_event_columns[N_EVENT] = {
	COMMON(""),
	[EVENT_TYPE] = { .name = "event_type", .kind = PARSE_TEXT },
	[EVENT_RESULT] = { .name = "return_value", .kind = PARSE_INT },
	[EVENT_LATENCY] = { .name = "latency_ns", .kind = PARSE_UINT },
};

const struct read_column report_netfs_columns[N_NETFS] = {
	COMMON(""),
	[NETFS_OPERATION] = { .name = "operation", .kind = PARSE_TEXT },
	[NETFS_PROTOCOL] = { .name = "protocol", .kind = PARSE_TEXT },
	[NETFS_SERVER] = { .name = "server_addr", .kind = PARSE_TEXT },
	[NETFS_LATENCY] = { .name = "latency_ms", .kind = PARSE_MS },
	[NETFS_QUEUE] = { .name = "queue_time_ms", .kind = PARSE_MS },
	[NETFS_TIME] = { .name = "server_time_ms", .kind = PARSE_MS },
	[NETFS_SENT] = { .name = "sent", .kind = PARSE_UINT },
	[NETFS_RECEIVED] = { .name = "received", .kind = PARSE_UINT },
	[NETFS_SENDS] = { .name = "sends", .kind = PARSE_UINT },
	[NETFS_ERROR] = { .name = "error", .kind = PARSE_TEXT },
};

const struct read_column report_sched_columns[N_SCHED] = {
	COMMON(""),
	[SCHED_RUN] = { .name = "run_ns", .kind = PARSE_UINT },
	[SCHED_STATE] = { .name = "state", .kind = PARSE_TEXT },
	[SCHED_SLEEP] = { .name = "sleep_ns", .kind = PARSE_UINT },
	[SCHED_DELAY] = { .name = "delay_ns", .kind = PARSE_UINT },
};

const struct read_column report_layers_columns[N_LAYERS] = {
	COMMON(""),
	LAYERS_READ_COLUMNS,
};

const struct read_column report_stacks_columns[N_STACKS] = {
	COMMON("filename"),
	[STACKS_LATENCY] = { .name = "latency_ns", .kind = PARSE_UINT },
	[STACKS_STATUS] = { .name = "status", .kind = PARSE_TEXT },
	[STACKS_USER] = { .name = "user_stack", .kind = PARSE_TEXT },
	[STACKS_MODULES] = { .name = "modules", .kind = PARSE_TEXT },
	[STACKS_KERNEL] = { .name = "kernel_stack", .kind = PARSE_TEXT },
	[STACKS_WAIT] = { .name = "wait_ns", .kind = PARSE_UINT },
};

/* a wait status is no time, and there is none */
const struct read_column report_exec_columns[N_EXEC] = {
	COMMON(""),
	[EXEC_TID] = { .name = "tid", .kind = PARSE_UINT },
	[EVENT_TYPE] = { .name = "event_type", .kind = PARSE_TEXT },
	[EVENT_RESULT] = { .name = "return_value", .kind = PARSE_INT },
	[EVENT_LATENCY] = { .name = "", .kind = PARSE_UINT },
};
/* clang-format on */

const struct column_meaning report_column_meanings[] = {
	{ "owner_pid", "requests count for who submitted them" },
	{ "owner_command", "requests count for who submitted them" },
	{ "cause", "why requests were made" },
	{ "latency_ns", "no times, and no percentiles of them" },
	{ "latency_ms", "no times, and no percentiles of them" },
	{ "queue_time_ms", "no time in queues" },
	{ "return_value", "no errors, and no bytes" },
	{ "filename", "no names of files" },
	{ "user_stack", "no stacks of programs" },
	{ "modules", "no names of functions" },
	{ "severity", "minor and major faults are not told apart" },
	{ "error", "no errors" },
	{ "error_code", "no errors" },
	{ NULL, NULL },
};
