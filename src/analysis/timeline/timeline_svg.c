/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what a picture of a timeline is made of, until all of it is known and can be drawn. */
#include "analysis/timeline/timeline_svg.h"

#include "analysis/timeline/timeline_picture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"
#include "analysis/common/table.h"
#include "analysis/common/units.h"
#include "base/log.h"

enum { MOST_POINTS = PICTURE_MOST * (TIMELINE_MAX_FLOWS + 1), TITLE_SIZE = 1024 };

struct svg {
	struct timeline_encoder encoder;
	struct picture picture;
	struct table text; /* escapes names */
	bool no_memory, too_many;
};

/* A text of an event is valid during the call alone. */
static const char *keep(struct svg *s, const struct timeline_text *name)
{
	size_t len;
	const char *text = table_escaped(&s->text, name->text ? name->text : "", name->len, &len);
	char *copy = text ? pool_text(&s->picture.pool, text, len) : NULL;

	if (!copy)
		s->no_memory = s->encoder.full = true;
	return copy;
}

static void svg_start(struct timeline_encoder *encoder, const char *release)
{
	(void)encoder;
	(void)release;
}

static void svg_track(struct timeline_encoder *encoder, const struct timeline_track *track)
{
	struct svg *s = (struct svg *)encoder;
	struct picture *p = &s->picture;
	const uint64_t n = p->n_tracks;

	if (!grow(&p->tracks, &p->n_tracks, track->id + 1, 256, sizeof(*p->tracks))) {
		s->no_memory = s->encoder.full = true;
		return;
	}
	memset(p->tracks + n, 0, (p->n_tracks - n) * sizeof(*p->tracks));
	p->tracks[track->id] = (struct picture_track){
		.parent = track->parent,
		.kind = track->kind,
		.tid = track->kind == TIMELINE_PROCESS ? track->pid : track->tid,
		.name = keep(s, &track->name),
	};
}

/* NULL: there is no room for another one. */
static struct picture_item *add(struct svg *s, enum picture_kind kind, uint64_t track, uint64_t ns)
{
	struct picture *p = &s->picture;

	if (p->n_items == PICTURE_MOST) {
		s->too_many = s->encoder.full = true;
		return NULL;
	}
	if (!p->n_items || ns < p->first_ns)
		p->first_ns = ns;
	if (ns > p->last_ns)
		p->last_ns = ns;
	p->items[p->n_items] =
		(struct picture_item){ .kind = kind, .track = track, .ns = ns, .end_ns = ns };
	return &p->items[p->n_items++];
}

static const char *title_of(struct svg *s, const struct timeline_event *e)
{
	char title[TITLE_SIZE];
	size_t n = 0;

	for (unsigned i = 0; i < e->n_arguments; i++) {
		const struct timeline_argument *a = &e->arguments[i];
		size_t len = a->len < TITLE_SIZE / 2 ? a->len : TITLE_SIZE / 2;

		/* 32: a number of 64 bits, and what stands between */
		if (n + strlen(a->name) + len + 32 > sizeof(title))
			break;
		n += (size_t)sprintf(title + n, "%s%s: ", i ? "; " : "", a->name);
		if (a->text)
			memcpy(title + n, a->text, len);
		else
			len = (size_t)sprintf(title + n, "%" PRId64, a->number);
		n += len;
	}
	return keep(s, &(struct timeline_text){ title, n });
}

static void add_points(struct svg *s, const struct timeline_event *e)
{
	struct picture *p = &s->picture;
	const uint64_t flows[] = { e->flows[0], e->flows[1], e->ended };

	for (unsigned i = 0; i < sizeof(flows) / sizeof(flows[0]); i++)
		if (flows[i])
			p->points[p->n_points++] = (struct picture_point){ flows[i],
									   p->n_items - 1 };
}

static void svg_event(struct timeline_encoder *encoder, const struct timeline_event *e)
{
	struct svg *s = (struct svg *)encoder;
	struct picture *p = &s->picture;
	struct picture_track *track = &p->tracks[e->track];
	struct picture_item *item;

	if (s->no_memory)
		return;
	if (e->kind == TIMELINE_END) {
		if (!track->open)
			return;
		/* the one begun last; the slice that was open before it is so again */
		item = &p->items[track->open - 1];
		item->end_ns = e->ns;
		track->open = item->before;
		if (e->ns > p->last_ns)
			p->last_ns = e->ns;
		return;
	}
	item = add(s,
		   e->kind == TIMELINE_BEGIN ? PICTURE_SLICE :
		   e->kind == TIMELINE_VALUE ? PICTURE_VALUE :
					       PICTURE_INSTANT,
		   e->track, e->ns);
	if (!item)
		return;
	item->value = e->value;
	item->name = keep(s, &e->name);
	item->title = title_of(s, e);
	add_points(s, e);
	if (e->kind != TIMELINE_BEGIN)
		return;
	item->before = track->open;
	/* its number + 1, so that 0 is none */
	track->open = p->n_items;
}

/* The track of a thread has no number that a run knows: it is found in the end. */
static void svg_run(struct timeline_encoder *encoder, const struct timeline_run *run)
{
	struct svg *s = (struct svg *)encoder;
	struct picture_item *item = s->no_memory ? NULL : add(s, PICTURE_RUN, 0, run->ns);

	if (!item)
		return;
	item->end_ns = run->ns + run->run_ns;
	item->value = run->tid;
	item->depth = run->cpu;
	if (item->end_ns > s->picture.last_ns)
		s->picture.last_ns = item->end_ns;
}

static int svg_finish(struct timeline_encoder *encoder)
{
	struct svg *s = (struct svg *)encoder;
	char span[UNITS_SIZE];

	if (s->too_many) {
		units_ns(span, s->picture.last_ns - s->picture.first_ns);
		log_error("more than %d slices, instants and values, which is the most that a "
			  "picture holds: choose a range shorter than %s with --from and --to "
			  "(e.g. --from +1s --to +1010ms), or write a .pftrace",
			  PICTURE_MOST, span);
		return -E2BIG;
	}
	s->picture.wall = s->encoder.wall;
	if (s->no_memory || picture_draw(s->encoder.out, &s->picture)) {
		log_error("%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	return 0;
}

static void svg_free(struct timeline_encoder *encoder)
{
	struct svg *s = (struct svg *)encoder;

	free(s->picture.tracks);
	free(s->picture.items);
	free(s->picture.points);
	pool_free(&s->picture.pool);
	free(s->text.scratch);
	free(s);
}

struct timeline_encoder *timeline_svg(FILE *out)
{
	struct svg *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->encoder = (struct timeline_encoder){
		.start = svg_start,
		.track = svg_track,
		.event = svg_event,
		.run = svg_run,
		.finish = svg_finish,
		.free = svg_free,
		.out = out,
	};
	/* all at once: pages that nothing is written to take no memory */
	s->picture.items = calloc(PICTURE_MOST, sizeof(*s->picture.items));
	s->picture.points = calloc(MOST_POINTS, sizeof(*s->picture.points));
	if (!s->picture.items || !s->picture.points) {
		svg_free(&s->encoder);
		return NULL;
	}
	return &s->encoder;
}
