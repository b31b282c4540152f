/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Passes a row of any stream, or its requested values, on to its place in the order. */
#pragma once

#include "events/events_private.h"

/* The row in ev->text, of len bytes, goes to its place. */
void events_push(struct events *ev, enum stream_id stream, uint64_t key, size_t len);
/* The same without the text of the row, of which ev->values of the stream are. */
void events_push_values(struct events *ev, enum stream_id stream);

/* STREAM_row(), and STREAM_push(ev, key, row), which passes on the row, or its requested values. */
#define EVENTS_ROW(stream)                                                                         \
	FORMAT_ROW(stream)                                                                         \
	FORMAT_ROW_SOME(stream)                                                                    \
	FORMAT_VALUES(stream)                                                                      \
	static void stream##_push(struct events *ev, uint64_t key, const struct stream##_row *row) \
	{                                                                                          \
		uint64_t omitted = ev->omitted.columns[STREAM_##stream];                           \
                                                                                                   \
		if (!ev->wanted_values) {                                                          \
			events_push(ev, STREAM_##stream, key,                                      \
				    omitted ? stream##_row_some(ev->text, row, omitted) :          \
					      stream##_row(ev->text, row));                        \
			return;                                                                    \
		}                                                                                  \
		stream##_values(ev->values[STREAM_##stream],                                       \
				ev->wanted_values->place[STREAM_##stream], ev->text, row);         \
		events_push_values(ev, STREAM_##stream);                                           \
	}

/* Whether rows of this stream are wanted, and the filters leave this one. */
bool events_keeps(struct events *ev, const struct filter_row *row);
/* An operation of which a row goes to its place; latency FORMAT_UNKNOWN: none is known. */
void events_note_time(struct events *ev, enum stream_id stream, const struct slowest *operation,
		      const struct format_text *path);
/* The mount namespace of a process: the one that was seen, else the last one that it was seen with; 0: none. */
uint32_t events_mntns(struct events *ev, uint32_t tgid, uint32_t seen);
/* A record that nobody can tell (any more) what it was about. */
void events_unresolved(struct events *ev, enum stream_id stream, uint64_t ts);
