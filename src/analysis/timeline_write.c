/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the way from a directory to a timeline: its rows in their order, chosen, each once. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/timeline_rows.h"
#include "analysis/wall.h"
#include "base/log.h"
#include "read/members.h"
#include "read/read_merge.h"

static int parse_time(const struct wall *wall, const char *option, const char *text, uint64_t *ns)
{
	const char *why;

	if (!text || wall_parse(wall, text, ns, &why))
		return 0;
	log_error("%s: --%s %s: %s", wall->session->dir, option, text, why);
	return -EINVAL;
}

static bool is_listed(const struct timeline_options *o, const struct field *pid)
{
	for (unsigned i = 0; i < o->n_pids; i++)
		if (pid->known && pid->u == o->pids[i])
			return true;
	return !o->n_pids;
}

static bool is_wanted(const struct timeline_options *o, const struct timeline_source *source,
		      const struct field *fields)
{
	return source->pid == -1U || is_listed(o, &fields[source->pid]) ||
	       (source->owner != -1U && is_listed(o, &fields[source->owner]));
}

static const struct timeline_source *const all[] = {
	&timeline_rows[0],    &timeline_rows[1],    &timeline_rows[2],    &timeline_device,
	&timeline_threads[0], &timeline_threads[1], &timeline_threads[2], &timeline_uring,
};

enum { N_SOURCES = sizeof(all) / sizeof(all[0]) };

struct chosen {
	const struct timeline_source *sources[N_SOURCES];
	struct read_wish wishes[N_SOURCES];
	unsigned n;
};

static void choose(const struct read_session *session, struct chosen *chosen)
{
	for (unsigned i = 0; i < N_SOURCES; i++) {
		const struct timeline_source *s = all[i];

		if (!session->streams[s->wish.stream].n_segments)
			continue;
		chosen->sources[chosen->n] = s;
		chosen->wishes[chosen->n++] = s->wish;
	}
}

static int read_rows(struct timeline *t, const struct read_session *session,
		     const struct timeline_options *o, uint64_t from, uint64_t to)
{
	struct chosen chosen = { .n = 0 };
	struct read_merge *merge;
	struct read_merged row;

	choose(session, &chosen);
	merge = read_merge_open(session, chosen.wishes, chosen.n);
	if (!merge)
		return -ENOMEM;
	while (!t->tracks.no_memory && !t->encoder->full && read_merge_next(merge, &row)) {
		const struct timeline_source *source = chosen.sources[row.wish];

		if (row.mono_ns < from || row.mono_ns >= to || !is_wanted(o, source, row.fields))
			continue;
		t->totals.rows++;
		t->n_rows[source->wish.stream]++;
		if (row.mono_ns > t->end_ns)
			t->end_ns = row.mono_ns;
		source->row(t, row.fields);
	}
	read_merge_close(merge);
	return t->tracks.no_memory ? -ENOMEM : 0;
}

/* Nothing of io_uring is missing: no sample, no loss, and it is from the beginning. */
static bool has_all_requests(const struct read_session *session, const struct timeline_options *o)
{
	return !o->from && read_session_rate(session, STREAM_iouring) == 1 &&
	       !read_session_lost(session, STREAM_iouring);
}

static void end_all(struct timeline *t, const struct read_session *session,
		    const struct timeline_options *o)
{
	timeline_uring_end(t);
	timeline_changes_end(&t->changes, &t->tracks);
	timeline_devices_end(t);
	/* of a part, no count agrees with those of the recorder */
	timeline_ledger(t, session, !o->from && !o->to && !o->n_pids);
}

int timeline_write(const struct read_session *session, const struct timeline_options *options,
		   struct timeline_encoder *encoder, struct timeline_totals *totals)
{
	struct timeline t = { .encoder = encoder, .tracks = { .encoder = encoder } };
	const char *release = member_text(json_object_get(session->manifest, "host"),
					  "kernel_release");
	uint64_t from = 0, to = UINT64_MAX;
	struct wall wall;
	int err;

	wall_make(&wall, session);
	err = parse_time(&wall, "from", options->from, &from);
	if (!err)
		err = parse_time(&wall, "to", options->to, &to);
	if (err)
		return err;
	err = devices_read(&t.devices, session);
	t.all_requests = has_all_requests(session, options);
	encoder->start(encoder, release ? release : "5.0");
	if (!err)
		err = read_rows(&t, session, options, from, to);
	if (err)
		log_error("%s: %s", session->dir, strerror(-err));
	else
		end_all(&t, session, options);
	if (!err && encoder->finish)
		err = encoder->finish(encoder);
	timeline_requests_free(&t.requests);
	free(t.changes.heap);
	free(t.writes);
	free(t.rings);
	devices_free(&t.devices);
	timeline_tracks_free(&t.tracks);
	*totals = t.totals;
	return err;
}
