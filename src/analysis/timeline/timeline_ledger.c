/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what a timeline says of its recording: counters at its end that agree with the manifest. */
#include "analysis/timeline/timeline_ledger.h"

#include <stdio.h>

#include "read/members.h"

static struct timeline_place *group(struct timeline *t, uint64_t key, const char *name)
{
	char text[80];
	int n = snprintf(text, sizeof(text), "recording%s%s", *name ? ", " : "", name);

	return timeline_group(&t->tracks, OWNER_RECORDING, key,
			      (struct timeline_text){ text, (size_t)n });
}

/* A mark at the end: it holds for the whole trace. */
static void say_sampling(struct timeline *t, uint64_t rate, struct timeline_place *place)
{
	struct timeline_event e = timeline_event(TIMELINE_BEGIN, t->end_ns, 0);
	struct timeline_lane *lane = timeline_lane(&t->tracks, place, t->end_ns);

	if (!lane)
		return;
	e.track = lane->track;
	e.name = (struct timeline_text){ "SAMPLED", 7 };
	e.arguments[e.n_arguments++] = (struct timeline_argument){ .name = "one of",
								   .number = (int64_t)rate };
	timeline_slice(t, &e, t->end_ns);
}

/* Those that were read, or, of a stream that is not drawn, those of its files. */
static uint64_t rows_of(const struct timeline *t, const struct read_session *session,
			unsigned stream)
{
	const struct read_stream *s = &session->streams[stream];
	uint64_t rows = t->n_rows[stream];

	for (unsigned i = 0; !t->n_rows[stream] && i < s->n_segments; i++)
		rows += s->segments[i].rows;
	return rows;
}

static void tell_stream(struct timeline *t, const struct read_session *session, unsigned stream,
			bool whole)
{
	uint64_t rows = rows_of(t, session, stream);
	uint64_t rate = read_session_rate(session, stream);
	struct timeline_place *place = rows && (whole || rate > 1) ?
					       group(t, stream + 1, streams[stream].name) :
					       NULL;

	if (!place)
		return;
	if (whole) {
		timeline_value(&t->tracks, place, COUNTER_WRITTEN, t->end_ns, (int64_t)rows);
		timeline_value(&t->tracks, place, COUNTER_LOST, t->end_ns,
			       (int64_t)read_session_lost(session, stream));
	}
	if (rate > 1)
		say_sampling(t, rate, place);
}

void timeline_ledger(struct timeline *t, const struct read_session *session, bool whole)
{
	static const struct {
		const char *member;
		enum timeline_counter counter;
	} of_all[] = {
		{ "records", COUNTER_RECORDS },          { "kernel_lost", COUNTER_LOST },
		{ "programs_skipped", COUNTER_SKIPPED }, { "out_of_scope", COUNTER_NOT_RELATED },
		{ "bad_records", COUNTER_BAD },
	};
	const json_t *reader = json_object_get(session->manifest, "reader");
	struct timeline_place *place;
	uint64_t value;

	for (unsigned i = 0; i < N_STREAMS; i++)
		if (i != STREAM_lost)
			tell_stream(t, session, i, whole);
	place = reader && whole ? group(t, 0, "") : NULL;
	for (size_t i = 0; place && i < sizeof(of_all) / sizeof(of_all[0]); i++)
		if (member_number(reader, of_all[i].member, &value))
			timeline_value(&t->tracks, place, of_all[i].counter, t->end_ns,
				       (int64_t)value);
}
