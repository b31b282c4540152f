/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the way from a directory to a timeline: its rows in their order, chosen, each once. */
#include "analysis/timeline/timeline_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/timeline/timeline_devices.h"
#include "analysis/timeline/timeline_ledger.h"
#include "analysis/timeline/timeline_rows.h"
#include "analysis/timeline/timeline_stacks.h"
#include "analysis/timeline/timeline_threads.h"
#include "analysis/timeline/timeline_uring.h"
#include "analysis/timeline/timeline_window.h"
#include "analysis/common/wall.h"
#include "base/log.h"
#include "read/members.h"
#include "read/read_merge.h"

static bool is_listed(const struct row_filter *filter, const struct field *pid, uint64_t ns)
{
	return row_filter_has_thread(filter, &(struct row_thread){ .pid_known = pid->known,
								   .pid = pid->u,
								   .command = "",
								   .mono_ns = ns });
}

static bool is_wanted(const struct row_filter *o, const struct timeline_source *source,
		      const struct read_merged *row)
{
	return source->pid == -1U || is_listed(o, &row->fields[source->pid], row->mono_ns) ||
	       (source->owner != -1U && is_listed(o, &row->fields[source->owner], row->mono_ns));
}

static const struct timeline_source *const all[] = {
	&timeline_rows[0],    &timeline_rows[1],    &timeline_rows[2],
	&timeline_device,     &timeline_threads[0], &timeline_threads[1],
	&timeline_threads[2], &timeline_uring,      &timeline_stacks,
};

enum { N_SOURCES = sizeof(all) / sizeof(all[0]) };

struct chosen {
	const struct timeline_source *sources[N_SOURCES];
	struct read_query queries[N_SOURCES];
	unsigned n;
};

static void choose(const struct read_session *session, struct chosen *chosen)
{
	for (unsigned i = 0; i < N_SOURCES; i++) {
		const struct timeline_source *s = all[i];

		if (!session->streams[s->query.stream].n_segments)
			continue;
		chosen->sources[chosen->n] = s;
		chosen->queries[chosen->n++] = s->query;
	}
}

/* A row of an operation that began before the part, or of a request that ended behind it, may reach into it. */
static bool may_reach(const struct timeline *t, const struct read_merged *row,
		      enum stream_id stream)
{
	return row->mono_ns < t->to_ns || stream == STREAM_ds || stream == STREAM_iouring;
}

static int read_rows(struct timeline *t, const struct read_session *session,
		     const struct row_filter *o, const struct timeline_encoder *window)
{
	struct chosen chosen = { .n = 0 };
	struct read_merge *merge;
	struct read_merged row;

	choose(session, &chosen);
	merge = read_merge_open(session, chosen.queries, chosen.n);
	if (!merge)
		return -ENOMEM;
	while (!t->tracks.no_memory && !t->encoder->full && read_merge_next(merge, &row)) {
		const struct timeline_source *source = chosen.sources[row.query];

		uint64_t before = window ? timeline_window_events(window) : 0;

		if (!may_reach(t, &row, source->query.stream) || !is_wanted(o, source, &row))
			continue;
		if (row.mono_ns > t->end_ns)
			t->end_ns = row.mono_ns;
		source->row(t, row.fields);
		if (window && timeline_window_events(window) == before)
			continue;
		t->totals.rows++;
		t->n_rows[source->query.stream]++;
	}
	read_merge_close(merge);
	return t->tracks.no_memory || (t->why && timeline_why_no_memory(t->why)) ||
			       (window && timeline_window_failed(window)) ?
		       -ENOMEM :
		       0;
}

/* Nothing of io_uring is missing: no sample, no loss. */
static bool has_all_requests(const struct read_session *session)
{
	return read_session_rate(session, STREAM_iouring) == 1 &&
	       !read_session_lost(session, STREAM_iouring);
}

static void end_all(struct timeline *t, const struct read_session *session,
		    const struct row_filter *o)
{
	if (t->end_ns >= t->to_ns)
		t->end_ns = t->to_ns - 1;
	timeline_uring_end(t);
	timeline_changes_end(&t->changes, &t->tracks);
	timeline_devices_end(t);
	/* of a part, no count agrees with those of the recorder */
	timeline_ledger(t, session, !o->from && !o->to && !o->n_pids && !o->n_containers);
}

static int write_all(struct timeline *t, const struct read_session *session,
		     const struct row_filter *filter, const struct timeline_encoder *window)
{
	const char *release = member_text(json_object_get(session->manifest, "host"),
					  "kernel_release");
	int err = devices_read(&t->devices, session);

	t->all_requests = has_all_requests(session);
	/* not known: any whose states of threads are as here (see perfetto_start) */
	t->encoder->start(t->encoder, release ? release : "5.0");
	if (!err)
		err = read_rows(t, session, filter, window);
	if (err) {
		log_error("%s: %s", session->dir, strerror(-err));
		return err;
	}
	end_all(t, session, filter);
	return t->encoder->finish ? t->encoder->finish(t->encoder) : 0;
}

static void free_all(struct timeline *t)
{
	ring_requests_free(&t->requests);
	free(t->changes.heap);
	free(t->writes);
	free(t->rings);
	devices_free(&t->devices);
	timeline_why_close(t->why);
	timeline_stacks_close(t);
	process_containers_free(&t->tracks.containers);
	timeline_tracks_free(&t->tracks);
}

int timeline_write(const struct read_session *session, const struct row_filter *filter,
		   struct timeline_encoder *encoder, struct timeline_totals *totals)
{
	struct timeline t = { .to_ns = 0 };
	struct timeline_encoder *window = NULL;
	struct wall wall;
	int err;

	wall_make(&wall, session);
	err = row_filter_begin(filter, &wall, &t.from_ns, &t.to_ns);
	if (err)
		return err;
	if (filter->from || filter->to) {
		window = timeline_window(encoder, t.from_ns, t.to_ns);
		if (!window) {
			log_error("%s: %s", session->dir, strerror(ENOMEM));
			return -ENOMEM;
		}
	}
	t.encoder = t.tracks.encoder = window ? window : encoder;
	t.why = timeline_why_open(session, filter, wall.start_ns, &err);
	if (!err)
		err = timeline_stacks_open(&t, session);
	if (err)
		log_error("%s: %s", session->dir, strerror(-err));
	else
		err = process_containers_look(&t.tracks.containers, session) ?:
			      write_all(&t, session, filter, window);
	if (window) {
		t.totals.slices = timeline_window_slices(window);
		window->free(window);
	}
	free_all(&t);
	*totals = t.totals;
	return err;
}
