/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what rows of the network, of threads and of processes count as. */
#include "analysis/report/report_rows_others.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/report/report_failed.h"
#include "analysis/report/report_fields.h"

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

static void count_exchange(struct report_tally *tally, struct report_item *connection,
			   const struct field *f, bool sends, uint64_t bytes)
{
	struct report_exchange *exchange = report_item_exchange(tally, connection);
	uint64_t end_ns = f[REPORT_MONO].u + f[NW_LATENCY].u;

	if (!exchange || !bytes)
		return;
	if (sends)
		report_exchange_sent(exchange, bytes, end_ns);
	else
		report_exchange_received(exchange, end_ns);
}

void report_take_nw(struct report_tally *tally, const struct report_source *source,
		    const struct field *f, uint64_t *over)
{
	bool sends = f[NW_DIRECTION].u == NW_SENDS, failed = f[NW_ERROR].known;
	struct report_item *process = report_process(tally, source->stream, f);
	struct report_item *item = report_operation(tally, source->stream, f, &f[NW_DIRECTION],
						    &f[NW_LATENCY], failed, over);
	struct report_item *connection = connection_of(tally, &f[NW_ENDS]);
	uint64_t bytes = bytes_taken(f);

	if (failed)
		report_failed(tally, source->stream, f, &f[NW_DIRECTION], NULL, 0, &f[NW_ERROR]);
	report_move_bytes(item, !sends, sends, bytes);
	report_move_over(over, !sends, sends, bytes);
	report_add(process, sends ? REPORT_SENT : REPORT_RECEIVED, bytes);
	report_add(connection, sends ? REPORT_SENT : REPORT_RECEIVED, bytes);
	report_add(connection, REPORT_COUNT, 1);
	report_add(connection, REPORT_ERRORS, failed);
	if (connection)
		report_item_label(tally, connection, f[REPORT_COMMAND].text, f[REPORT_COMMAND].len,
				  f[REPORT_MONO].u);
	if (connection && !failed)
		count_exchange(tally, connection, f, sends, bytes);
	if (connection && f[NW_LATENCY].known)
		report_item_time(connection, f[NW_LATENCY].u);
}

void report_take_nw_drop(struct report_tally *tally, const struct report_source *source,
			 const struct field *f, uint64_t *over)
{
	bool again = f[DROP_EVENT].u == DROP_RETRANSMIT;

	report_operation(tally, source->stream, f, &f[DROP_EVENT], NULL, false, over);
	report_add(connection_of(tally, &f[DROP_ENDS]), again ? REPORT_RESENT : REPORT_DROPPED, 1);
}

/* ---- threads, and counters ---- */

void report_take_sched(struct report_tally *tally, const struct report_source *source,
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
void report_take_layers(struct report_tally *tally, const struct report_source *source,
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
	report_add(item, REPORT_COUNT, f[LAYERS_COUNT].u);
	report_add(item, REPORT_ERRORS, f[LAYERS_ERRORS].u);
	report_add(item, REPORT_READ_BYTES, f[LAYERS_BYTES].u);
	report_add(item, REPORT_NS, f[LAYERS_LATENCY].u);
	report_add(item, REPORT_TIMED, f[LAYERS_COUNT].u);
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

/* The name that a process has when it ends is its own, whichever thread ends last. */
void report_take_exec(struct report_tally *tally, const struct report_source *source,
		      const struct field *f, uint64_t *over)
{
	const struct report_key key = { .kind = REPORT_LIFE, .number = f[REPORT_PID].u };
	struct report_item *item = report_item(tally, &key);
	bool forked = field_is(&f[EVENT_TYPE], "FORK"), ended = field_is(&f[EVENT_TYPE], "EXIT");

	report_operation(tally, source->stream, f, &f[EVENT_TYPE], &f[EVENT_LATENCY], false, over);
	if (!item)
		return;
	/* of a fork the row is the child's, the name the parent's */
	report_item_label(tally, item, f[REPORT_COMMAND].text, f[REPORT_COMMAND].len,
			  report_label_time(f, &f[EXEC_TID]));
	if (forked)
		item->first_ns = f[REPORT_MONO].u;
	if (!ended)
		return;
	item->values[REPORT_COUNT]++;
	item->values[REPORT_ERRORS] += f[EVENT_RESULT].s != 0;
	item->values[REPORT_MAX_NS] = f[REPORT_MONO].u;
}

void report_take_event(struct report_tally *tally, const struct report_source *source,
		       const struct field *f, uint64_t *over)
{
	bool failed = f[EVENT_RESULT].s < 0;

	report_operation(tally, source->stream, f, &f[EVENT_TYPE], &f[EVENT_LATENCY], failed, over);
	if (source->stream == STREAM_nw_epoll)
		count_wait(tally, f);
	/* a connection that is being made has a row of its own when it is, or is not */
	if (failed && source->stream == STREAM_nw_conn && f[EVENT_RESULT].s != -EINPROGRESS)
		report_failed(tally, source->stream, f, &f[EVENT_TYPE], NULL,
			      (int)f[EVENT_RESULT].s, NULL);
}
