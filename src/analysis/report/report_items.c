/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the sections whose rows are items of the tally: which value of one each column shows. */
#include "analysis/report/report_items.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/compare_text.h"
#include "analysis/report/report_failed.h"
#include "analysis/report/report_rows_servers.h"
#include "read/members.h"

enum from {
	NUMBER,
	SECOND,
	NAME,
	LABEL,
	LAYER,  /* the name of the stream that the number is */
	DEVICE, /* the name of the device that the number is */
	BELOW,  /* a second device, where there is one; and its name */
	BELOW_NAME,
	MEASURE,    /* which one */
	READ_BYTES, /* where the item has some */
	WRITE_BYTES,
	ERRORS, /* of an operation */
	TIME,   /* a measure that is known when latencies are */
	MEAN,
	QUEUE,
	QUEUE_SUM,  /* all of it */
	PERCENTILE, /* of a thousand */
	SEVERITY,   /* a measure that is known when faults have one */
	HIT_SHARE,
	PART,   /* of the name, whose parts have NULs between: which one */
	STREAM, /* the name of the stream that the second number is */
	FIRST,  /* when it was seen first, and last */
	LAST,
};

struct item_column {
	struct report_column column;
	enum from from;
	/* a measure, a part of the name, or how many of a thousand, as from says */
	unsigned which;
	int stream;            /* that must have been recorded; -1: whatever */
	const char *operation; /* of it, that must have had a probe; NULL: none */
};

struct item_section {
	enum report_kind kind;
	const char *name;
	const char *title;
	const struct item_column *columns;
	unsigned n_columns;
	enum report_measure order[2]; /* the highest sum of them comes first */
	enum report_measure next;     /* and when that is equal */
};

#define ANY -1
#define COL(name, type, shown)                                                                     \
	{                                                                                          \
		name, TABLE_##type, REPORT_##shown                                                 \
	}

/* clang-format off */
static const struct item_column operations[] = {
	{ COL("layer", NAME, SHOWN), LAYER, 0, ANY, NULL },
	{ COL("operation", NAME, SHOWN), NAME, 0, ANY, NULL },
	{ COL("count", COUNT, SHOWN), MEASURE, REPORT_COUNT, ANY, NULL },
	{ COL("errors", COUNT, SHOWN), ERRORS, 0, ANY, NULL },
	{ COL("read_bytes", BYTES, EXACT), READ_BYTES, 0, ANY, NULL },
	{ COL("write_bytes", BYTES, EXACT), WRITE_BYTES, 0, ANY, NULL },
	{ COL("time_ns", NS, SHOWN), TIME, REPORT_NS, ANY, NULL },
	{ COL("mean_ns", NS, EXACT), MEAN, 0, ANY, NULL },
	{ COL("p50_ns", NS, SHOWN), PERCENTILE, 500, ANY, NULL },
	{ COL("p95_ns", NS, EXACT), PERCENTILE, 950, ANY, NULL },
	{ COL("p99_ns", NS, SHOWN), PERCENTILE, 990, ANY, NULL },
	{ COL("p999_ns", NS, EXACT), PERCENTILE, 999, ANY, NULL },
	{ COL("max_ns", NS, SHOWN), TIME, REPORT_MAX_NS, ANY, NULL },
};

static const struct item_column processes[] = {
	{ COL("pid", COUNT, SHOWN), NUMBER, 0, ANY, NULL },
	{ COL("command", NAME, WIDE), LABEL, 0, ANY, NULL },
	{ COL("calls", COUNT, SHOWN), MEASURE, REPORT_COUNT, STREAM_fs, NULL },
	{ COL("errors", COUNT, SHOWN), MEASURE, REPORT_ERRORS, STREAM_fs, NULL },
	{ COL("reads", COUNT, EXACT), MEASURE, REPORT_READS, STREAM_fs, NULL },
	{ COL("read_bytes", BYTES, SHOWN), MEASURE, REPORT_READ_BYTES, STREAM_fs, NULL },
	{ COL("writes", COUNT, EXACT), MEASURE, REPORT_WRITES, STREAM_fs, NULL },
	{ COL("write_bytes", BYTES, SHOWN), MEASURE, REPORT_WRITE_BYTES, STREAM_fs, NULL },
	{ COL("time_ns", NS, SHOWN), TIME, REPORT_NS, STREAM_fs, NULL },
	{ COL("max_ns", NS, SHOWN), TIME, REPORT_MAX_NS, STREAM_fs, NULL },
	{ COL("disk_read_bytes", BYTES, EXACT), MEASURE, REPORT_DISK_READ, STREAM_ds, NULL },
	{ COL("disk_write_bytes", BYTES, EXACT), MEASURE, REPORT_DISK_WRITTEN, STREAM_ds, NULL },
	{ COL("received_bytes", BYTES, EXACT), MEASURE, REPORT_RECEIVED, STREAM_nw, NULL },
	{ COL("sent_bytes", BYTES, EXACT), MEASURE, REPORT_SENT, STREAM_nw, NULL },
	{ COL("minor_faults", COUNT, EXACT), SEVERITY, REPORT_MINOR, STREAM_pagefault, NULL },
	{ COL("major_faults", COUNT, EXACT), SEVERITY, REPORT_MAJOR, STREAM_pagefault, NULL },
};

static const struct item_column devices[] = {
	{ COL("device", DEVICE, SHOWN), NUMBER, 0, ANY, NULL },
	{ COL("name", NAME, WIDE), DEVICE, 0, ANY, NULL },
	{ COL("requests", COUNT, EXACT), MEASURE, REPORT_COUNT, ANY, NULL },
	{ COL("errors", COUNT, EXACT), MEASURE, REPORT_ERRORS, ANY, NULL },
	{ COL("reads", COUNT, SHOWN), MEASURE, REPORT_READS, ANY, NULL },
	{ COL("read_bytes", BYTES, SHOWN), MEASURE, REPORT_READ_BYTES, ANY, NULL },
	{ COL("writes", COUNT, SHOWN), MEASURE, REPORT_WRITES, ANY, NULL },
	{ COL("write_bytes", BYTES, SHOWN), MEASURE, REPORT_WRITE_BYTES, ANY, NULL },
	{ COL("flushes", COUNT, EXACT), MEASURE, REPORT_FLUSHES, ANY, NULL },
	{ COL("queue_mean_ns", NS, EXACT), QUEUE, 0, ANY, NULL },
	{ COL("p50_ns", NS, SHOWN), PERCENTILE, 500, ANY, NULL },
	{ COL("p95_ns", NS, EXACT), PERCENTILE, 950, ANY, NULL },
	{ COL("p99_ns", NS, SHOWN), PERCENTILE, 990, ANY, NULL },
	{ COL("max_ns", NS, SHOWN), TIME, REPORT_MAX_NS, ANY, NULL },
};

static const struct item_column bios[] = {
	{ COL("device", DEVICE, SHOWN), NUMBER, 0, ANY, NULL },
	{ COL("name", NAME, WIDE), DEVICE, 0, ANY, NULL },
	{ COL("below", DEVICE, SHOWN), BELOW, 0, ANY, NULL },
	{ COL("below_name", NAME, EXACT), BELOW_NAME, 0, ANY, NULL },
	{ COL("requests", COUNT, EXACT), MEASURE, REPORT_COUNT, ANY, NULL },
	{ COL("errors", COUNT, EXACT), MEASURE, REPORT_ERRORS, ANY, NULL },
	{ COL("reads", COUNT, SHOWN), MEASURE, REPORT_READS, ANY, NULL },
	{ COL("read_bytes", BYTES, SHOWN), MEASURE, REPORT_READ_BYTES, ANY, NULL },
	{ COL("writes", COUNT, SHOWN), MEASURE, REPORT_WRITES, ANY, NULL },
	{ COL("write_bytes", BYTES, SHOWN), MEASURE, REPORT_WRITE_BYTES, ANY, NULL },
	{ COL("flushes", COUNT, EXACT), MEASURE, REPORT_FLUSHES, ANY, NULL },
	{ COL("queue_mean_ns", NS, SHOWN), QUEUE, 0, ANY, NULL },
	{ COL("p50_ns", NS, SHOWN), PERCENTILE, 500, ANY, NULL },
	{ COL("p95_ns", NS, EXACT), PERCENTILE, 950, ANY, NULL },
	{ COL("p99_ns", NS, SHOWN), PERCENTILE, 990, ANY, NULL },
	{ COL("max_ns", NS, SHOWN), TIME, REPORT_MAX_NS, ANY, NULL },
};

static const struct item_column servers[] = {
	{ COL("server", NAME, SHOWN), PART, SERVER_ADDRESS, ANY, NULL },
	{ COL("protocol", NAME, SHOWN), PART, SERVER_PROTOCOL, ANY, NULL },
	{ COL("operation", NAME, WIDE), PART, SERVER_OPERATION, ANY, NULL },
	{ COL("count", COUNT, SHOWN), MEASURE, REPORT_COUNT, ANY, NULL },
	{ COL("errors", COUNT, SHOWN), MEASURE, REPORT_ERRORS, ANY, NULL },
	{ COL("sent_again", COUNT, EXACT), MEASURE, REPORT_RESENT, ANY, NULL },
	{ COL("sent_bytes", BYTES, SHOWN), WRITE_BYTES, 0, ANY, NULL },
	{ COL("received_bytes", BYTES, SHOWN), READ_BYTES, 0, ANY, NULL },
	{ COL("time_ns", NS, SHOWN), TIME, REPORT_NS, ANY, NULL },
	{ COL("queue_ns", NS, SHOWN), QUEUE_SUM, 0, ANY, NULL },
	{ COL("server_ns", NS, SHOWN), TIME, REPORT_SERVER_NS, ANY, NULL },
	{ COL("p50_ns", NS, EXACT), PERCENTILE, 500, ANY, NULL },
	{ COL("p95_ns", NS, EXACT), PERCENTILE, 950, ANY, NULL },
	{ COL("p99_ns", NS, SHOWN), PERCENTILE, 990, ANY, NULL },
	{ COL("max_ns", NS, SHOWN), TIME, REPORT_MAX_NS, ANY, NULL },
};

static const struct item_column cache[] = {
	{ COL("filename", NAME, WIDE), NAME, 0, ANY, NULL },
	{ COL("device", DEVICE, EXACT), SECOND, 0, ANY, NULL },
	{ COL("inode", COUNT, EXACT), NUMBER, 0, ANY, NULL },
	{ COL("hits", COUNT, SHOWN), MEASURE, REPORT_HITS, STREAM_cache, "HIT" },
	{ COL("misses", COUNT, SHOWN), MEASURE, REPORT_MISSES, STREAM_cache, "MISS" },
	{ COL("hit_share", SHARE, SHOWN), HIT_SHARE, 0, STREAM_cache, "HIT" },
	{ COL("dirtied", COUNT, SHOWN), MEASURE, REPORT_DIRTIED, STREAM_cache, "DIRTY" },
	{ COL("written_back", COUNT, SHOWN), MEASURE, REPORT_WRITTEN_BACK, STREAM_cache, "WRITEBACK_END" },
	{ COL("evicted", COUNT, SHOWN), MEASURE, REPORT_EVICTED, STREAM_cache, "EVICT" },
};

static const struct item_column faults[] = {
	{ COL("filename", NAME, WIDE), NAME, 0, ANY, NULL },
	{ COL("device", DEVICE, EXACT), SECOND, 0, ANY, NULL },
	{ COL("inode", COUNT, EXACT), NUMBER, 0, ANY, NULL },
	{ COL("faults", COUNT, SHOWN), MEASURE, REPORT_COUNT, ANY, NULL },
	{ COL("minor", COUNT, EXACT), SEVERITY, REPORT_MINOR, ANY, NULL },
	{ COL("major", COUNT, SHOWN), SEVERITY, REPORT_MAJOR, ANY, NULL },
	{ COL("time_ns", NS, SHOWN), TIME, REPORT_NS, ANY, NULL },
	{ COL("max_ns", NS, SHOWN), TIME, REPORT_MAX_NS, ANY, NULL },
};

static const struct item_column connections[] = {
	{ COL("connection", NAME, WIDE), NAME, 0, ANY, NULL },
	{ COL("command", NAME, SHOWN), LABEL, 0, ANY, NULL },
	{ COL("calls", COUNT, SHOWN), MEASURE, REPORT_COUNT, STREAM_nw, NULL },
	{ COL("errors", COUNT, EXACT), MEASURE, REPORT_ERRORS, STREAM_nw, NULL },
	{ COL("received_bytes", BYTES, SHOWN), MEASURE, REPORT_RECEIVED, STREAM_nw, NULL },
	{ COL("sent_bytes", BYTES, SHOWN), MEASURE, REPORT_SENT, STREAM_nw, NULL },
	{ COL("mean_ns", NS, EXACT), MEAN, 0, STREAM_nw, NULL },
	{ COL("max_ns", NS, SHOWN), TIME, REPORT_MAX_NS, STREAM_nw, NULL },
	{ COL("resent_segments", COUNT, EXACT), MEASURE, REPORT_RESENT, STREAM_nw_drop, "TCP_RETRANSMIT" },
	{ COL("dropped_packets", COUNT, EXACT), MEASURE, REPORT_DROPPED, STREAM_nw_drop, "PACKET_DROP" },
};

static const struct item_column uring[] = {
	{ COL("request", NAME, WIDE), NAME, 0, ANY, NULL },
	{ COL("submitted", COUNT, EXACT), MEASURE, REPORT_SUBMITTED, ANY, NULL },
	{ COL("completed", COUNT, SHOWN), MEASURE, REPORT_COUNT, ANY, NULL },
	{ COL("errors", COUNT, SHOWN), MEASURE, REPORT_ERRORS, ANY, NULL },
	{ COL("queued_async", COUNT, EXACT), MEASURE, REPORT_ASYNC, ANY, NULL },
	{ COL("poll_armed", COUNT, EXACT), MEASURE, REPORT_POLLED, ANY, NULL },
	{ COL("read_bytes", BYTES, EXACT), READ_BYTES, 0, ANY, NULL },
	{ COL("write_bytes", BYTES, EXACT), WRITE_BYTES, 0, ANY, NULL },
	{ COL("p50_ns", NS, SHOWN), PERCENTILE, 500, ANY, NULL },
	{ COL("p95_ns", NS, SHOWN), PERCENTILE, 950, ANY, NULL },
	{ COL("p99_ns", NS, SHOWN), PERCENTILE, 990, ANY, NULL },
	{ COL("max_ns", NS, SHOWN), TIME, REPORT_MAX_NS, ANY, NULL },
};

static const struct item_column owners[] = {
	{ COL("cause", NAME, SHOWN), PART, 0, ANY, NULL },
	{ COL("command", NAME, WIDE), PART, 1, ANY, NULL },
	{ COL("requests", COUNT, SHOWN), MEASURE, REPORT_COUNT, ANY, NULL },
	{ COL("read_bytes", BYTES, SHOWN), MEASURE, REPORT_READ_BYTES, ANY, NULL },
	{ COL("write_bytes", BYTES, SHOWN), MEASURE, REPORT_WRITE_BYTES, ANY, NULL },
	{ COL("mean_ns", NS, SHOWN), MEAN, 0, ANY, NULL },
	{ COL("max_ns", NS, SHOWN), TIME, REPORT_MAX_NS, ANY, NULL },
};

static const struct item_column sched[] = {
	{ COL("pid", COUNT, SHOWN), NUMBER, 0, ANY, NULL },
	{ COL("command", NAME, WIDE), LABEL, 0, ANY, NULL },
	{ COL("runs", COUNT, SHOWN), MEASURE, REPORT_COUNT, ANY, NULL },
	{ COL("preempted", COUNT, SHOWN), MEASURE, REPORT_PREEMPTED, ANY, NULL },
	{ COL("run_ns", NS, SHOWN), TIME, REPORT_NS, ANY, NULL },
	{ COL("run_max_ns", NS, SHOWN), TIME, REPORT_MAX_NS, ANY, NULL },
	{ COL("runqueue_ns", NS, SHOWN), MEASURE, REPORT_QUEUE_NS, ANY, NULL },
	{ COL("sleep_ns", NS, SHOWN), MEASURE, REPORT_SLEEP_NS, ANY, NULL },
};

static const struct item_column errors[] = {
	{ COL("layer", NAME, SHOWN), STREAM, 0, ANY, NULL },
	{ COL("operation", NAME, SHOWN), PART, FAILED_OPERATION, ANY, NULL },
	{ COL("call", NAME, EXACT), PART, FAILED_CALL, ANY, NULL },
	{ COL("error", NAME, SHOWN), PART, FAILED_ERROR, ANY, NULL },
	{ COL("count", COUNT, SHOWN), MEASURE, REPORT_COUNT, ANY, NULL },
	{ COL("pid", COUNT, EXACT), NUMBER, 0, ANY, NULL },
	{ COL("command", NAME, SHOWN), LABEL, 0, ANY, NULL },
	{ COL("first_ns", COUNT, EXACT), FIRST, 0, ANY, NULL },
	{ COL("last_ns", COUNT, EXACT), LAST, 0, ANY, NULL },
	{ COL("filename", NAME, WIDE), PART, FAILED_PATH, ANY, NULL },
};

static const struct item_column counted[] = {
	{ COL("operation", NAME, WIDE), PART, 0, ANY, NULL },
	{ COL("class", NAME, SHOWN), PART, 1, ANY, NULL },
	{ COL("count", COUNT, SHOWN), MEASURE, REPORT_COUNT, ANY, NULL },
	{ COL("errors", COUNT, SHOWN), MEASURE, REPORT_ERRORS, ANY, NULL },
	{ COL("bytes", BYTES, SHOWN), MEASURE, REPORT_READ_BYTES, ANY, NULL },
	{ COL("mean_ns", NS, SHOWN), MEAN, 0, ANY, NULL },
};

#define SECTION(kind, columns, title) kind, #columns, title, columns, sizeof(columns) / sizeof(columns[0])

static const struct item_section sections[] = {
	{ SECTION(REPORT_OPERATION, operations, "operations by the time they took"),
	  { REPORT_NS, REPORT_NS }, REPORT_COUNT },
	{ SECTION(REPORT_PROCESS, processes, "processes by bytes moved"),
	  { REPORT_READ_BYTES, REPORT_WRITE_BYTES }, REPORT_COUNT },
	{ SECTION(REPORT_DEVICE, devices, "devices by bytes moved"),
	  { REPORT_READ_BYTES, REPORT_WRITE_BYTES }, REPORT_COUNT },
	{ SECTION(REPORT_BIOS, bios, "devices made of bios, and what became of these below"),
	  { REPORT_READ_BYTES, REPORT_WRITE_BYTES }, REPORT_COUNT },
	{ SECTION(REPORT_SERVER, servers, "servers of network file systems by the time of their requests"),
	  { REPORT_NS, REPORT_NS }, REPORT_COUNT },
	{ SECTION(REPORT_OWNER, owners, "bytes of devices by cause and by who caused them"),
	  { REPORT_READ_BYTES, REPORT_WRITE_BYTES }, REPORT_COUNT },
	{ SECTION(REPORT_CACHED, cache, "page cache by pages looked up"),
	  { REPORT_HITS, REPORT_MISSES }, REPORT_DIRTIED },
	{ SECTION(REPORT_FAULTED, faults, "page faults by file"),
	  { REPORT_COUNT, REPORT_MAJOR }, REPORT_NS },
	{ SECTION(REPORT_CONNECTION, connections, "connections by bytes moved"),
	  { REPORT_RECEIVED, REPORT_SENT }, REPORT_RESENT },
	{ SECTION(REPORT_URING, uring, "io_uring requests by number"),
	  { REPORT_COUNT, REPORT_SUBMITTED }, REPORT_NS },
	{ SECTION(REPORT_SCHED, sched, "threads by the time on a CPU"),
	  { REPORT_NS, REPORT_NS }, REPORT_COUNT },
	{ SECTION(REPORT_FAILED, errors, "what failed, by how often"),
	  { REPORT_COUNT, REPORT_COUNT }, REPORT_NS },
	{ SECTION(REPORT_COUNTED, counted, "calls and requests that layers counted"),
	  { REPORT_COUNT, REPORT_COUNT }, REPORT_READ_BYTES },
};
/* clang-format on */

/* ---- order ---- */

struct sorted {
	const struct report_item *item;
	uint64_t first, next;
};

/* What makes items differ decides last, so that the same trace has the same order each time. */
static int compare(const void *x, const void *y)
{
	const struct sorted *a = x, *b = y;
	const struct report_item *i = a->item, *j = b->item;

	if (a->first != b->first)
		return a->first > b->first ? -1 : 1;
	if (a->next != b->next)
		return a->next > b->next ? -1 : 1;
	if (i->second != j->second)
		return i->second < j->second ? -1 : 1;
	if (i->number != j->number)
		return i->number < j->number ? -1 : 1;
	return compare_text(i->name, i->name_len, j->name, j->name_len);
}

static struct sorted *sort(const struct report_tally *tally, const struct item_section *s,
			   uint64_t *n)
{
	struct sorted *sorted = malloc((tally->n_items + 1) * sizeof(*sorted));
	const struct report_item *item = NULL;

	*n = 0;
	while (sorted && (item = report_next(tally, s->kind, item))) {
		sorted[*n].item = item;
		sorted[*n].first = item->values[s->order[0]] +
				   (s->order[1] != s->order[0] ? item->values[s->order[1]] : 0);
		sorted[(*n)++].next = item->values[s->next];
	}
	if (sorted)
		qsort(sorted, *n, sizeof(*sorted), compare);
	return sorted;
}

/* ---- values ---- */

/* By the list that the manifest has: this machine's devices may be others. */
struct table_value report_device_name(struct report_answer *answer, const struct report *report,
				      uint64_t device)
{
	const json_t *entry, *list = json_object_get(report->session.manifest, "devices");
	char number[TABLE_NUMBER_SIZE];
	size_t i;

	table_exact(number, TABLE_DEVICE, device);
	json_array_foreach(list, i, entry)
	{
		const char *its = member_text(entry, "device");

		if (its && !strcmp(its, number))
			return report_copy(answer, member_text(entry, "name"));
	}
	return (struct table_value){ .known = false };
}

static struct table_value percentile(const struct report_item *item, unsigned per_mille)
{
	bool known = item->latencies && item->latencies->n;

	return table_number_if(known, known ? latencies_percentile(item->latencies, per_mille) : 0);
}

/* An operation without a probe was not seen: its 0 would be taken for none. */
static bool is_recorded(const struct report_answer *answer, const struct item_column *column)
{
	if (column->stream == ANY)
		return true;
	return answer->report->on[column->stream] &&
	       (!column->operation ||
		report_sees(answer->report, (enum stream_id)column->stream, column->operation));
}

static struct table_value value_of(struct report_answer *answer, const struct report_item *item,
				   const struct item_column *column)
{
	const uint64_t *v = item->values;
	const char *part;
	size_t len;

	if (!is_recorded(answer, column))
		return (struct table_value){ .known = false };
	switch (column->from) {
	case NUMBER: /* of a failure that is added up with others: no process */
		return table_number_if(item->number || item->kind != REPORT_FAILED, item->number);
	case SECOND:
		return table_number(item->second);
	case NAME:
		return table_bytes(item->name, item->name_len);
	case LABEL:
		return table_bytes(item->label, item->label_len);
	case LAYER:
		return table_text(streams[item->number].name);
	case DEVICE:
		return report_device_name(answer, answer->report, item->number);
	case BELOW:
		return table_number_if(item->second, item->second);
	case BELOW_NAME:
		return item->second ? report_device_name(answer, answer->report, item->second) :
				      (struct table_value){ .known = false };
	case READ_BYTES:
		return table_number_if(item->read_known, v[REPORT_READ_BYTES]);
	case WRITE_BYTES:
		return table_number_if(item->write_known, v[REPORT_WRITE_BYTES]);
	case ERRORS:
		return table_number_if(report_knows_errors(answer->report,
							   (enum stream_id)item->number),
				       v[REPORT_ERRORS]);
	case TIME:
		return table_number_if(v[REPORT_TIMED], v[column->which]);
	case MEAN:
		return table_number_if(v[REPORT_TIMED],
				       v[REPORT_TIMED] ? v[REPORT_NS] / v[REPORT_TIMED] : 0);
	case QUEUE:
		return table_number_if(v[REPORT_QUEUED],
				       v[REPORT_QUEUED] ? v[REPORT_QUEUE_NS] / v[REPORT_QUEUED] :
							  0);
	case QUEUE_SUM:
		return table_number_if(v[REPORT_QUEUED], v[REPORT_QUEUE_NS]);
	case PERCENTILE:
		return percentile(item, column->which);
	case SEVERITY:
		return table_number_if(answer->knows_severity, v[column->which]);
	case PART:
		part = report_item_part(item, column->which, &len);
		return table_bytes(part, len);
	case STREAM:
		return table_text(streams[item->second].name);
	case FIRST:
		return table_number_if(item->first_ns, item->first_ns);
	case LAST:
		return table_number_if(item->label_ns, item->label_ns);
	case HIT_SHARE:
		return table_share(v[REPORT_HITS], v[REPORT_HITS] + v[REPORT_MISSES]);
	default:
		return table_number(v[column->which]);
	}
}

/* ---- sections ---- */

static void add_section(struct report_answer *answer, const struct item_section *s)
{
	struct report_column columns[REPORT_MAX_COLUMNS];
	struct report_section *section;
	struct sorted *sorted;
	uint64_t n;

	for (unsigned i = 0; i < s->n_columns; i++)
		columns[i] = s->columns[i].column;
	section = report_section_add(answer, s->name, s->title, columns, s->n_columns);
	sorted = sort(&answer->report->tally, s, &n);
	answer->no_memory = answer->no_memory || !sorted;
	for (uint64_t i = 0; sorted && i < n && (!answer->top || i < answer->top); i++) {
		struct table_value *row = report_section_row(answer, section);

		for (unsigned c = 0; row && c < s->n_columns; c++)
			row[c] = value_of(answer, sorted[i].item, &s->columns[c]);
	}
	section->n_all = n;
	free(sorted);
}

static bool knows_severity(const struct report_tally *tally)
{
	for (uint64_t i = 0; i < tally->n_slots; i++)
		for (const struct report_item *item = tally->slots[i]; item; item = item->next)
			if (item->values[REPORT_MINOR] + item->values[REPORT_MAJOR])
				return true;
	return false;
}

void report_add_items(struct report_answer *answer)
{
	answer->knows_severity = knows_severity(&answer->report->tally);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		add_section(answer, &sections[i]);
}
