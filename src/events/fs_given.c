/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the names that programs gave, from the ring until their row is written. */
#include "events/fs_given.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events/events_private.h"

/* Threads whose record has not come yet: it follows at once, on the same CPU */
enum { WAITING = 64 };

struct fs_given {
	struct waiting {
		uint32_t tid;
		uint64_t ts[2];
		struct path *names[2];
	} waiting[WAITING];
	uint32_t tid; /* the record that names are of */
	uint64_t ts;
	struct path *names[2];
	struct path *pair;
};

int fs_given_open(void **state, const struct plan *plan)
{
	if (!plan->given)
		return 0;
	*state = calloc(1, sizeof(struct fs_given));
	return *state ? 0 : -ENOMEM;
}

static void drop(struct path **names)
{
	path_put(names[0]);
	path_put(names[1]);
	names[0] = names[1] = NULL;
}

static void forget_record(struct fs_given *given)
{
	drop(given->names);
	path_put(given->pair);
	given->pair = NULL;
}

void fs_given_close(void *state)
{
	struct fs_given *given = state;

	if (!given)
		return;
	for (int i = 0; i < WAITING; i++)
		drop(given->waiting[i].names);
	forget_record(given);
	free(given);
}

void fs_given_sent(struct events *ev, const struct iot_text *text, struct path *path)
{
	struct fs_given *given = ev->state[STREAM_fs];
	struct waiting *w = given ? &given->waiting[text->head.tid % WAITING] : NULL;
	bool second = text->kind == IOT_TEXT_GIVEN2;

	if (!w) {
		path_put(path);
		return;
	}
	if (w->tid != text->head.tid)
		drop(w->names);
	path_put(w->names[second]);
	w->tid = text->head.tid;
	w->ts[second] = text->head.ts;
	w->names[second] = path;
}

void fs_given_begin(struct events *ev, uint32_t tid, uint64_t start)
{
	struct fs_given *given = ev->state[STREAM_fs];
	struct waiting *w = given ? &given->waiting[tid % WAITING] : NULL;

	if (!w)
		return;
	forget_record(given);
	given->tid = tid;
	given->ts = ev->cause.ts;
	if (w->tid != tid)
		return;
	for (int i = 0; i < 2; i++) {
		/* the record of an earlier call was lost */
		if (w->ts[i] < start)
			path_put(w->names[i]);
		else
			given->names[i] = w->names[i];
		w->names[i] = NULL;
	}
}

void fs_given_came(struct events *ev, bool second, struct path *path)
{
	struct fs_given *given = ev->state[STREAM_fs];

	if (!given || !path)
		return;
	path_put(given->names[second]);
	given->names[second] = path_get(path);
}

static bool same_text(const struct path *a, const struct path *b, bool directory)
{
	size_t len = a->raw_len;

	if (directory && len > 1 && a->raw[len - 1] == '/')
		len--;
	return len == b->raw_len && !memcmp(a->raw, b->raw, len);
}

struct format_text fs_given_cell(struct events *ev, const struct path *shown, bool pair,
				 bool directory)
{
	struct fs_given *given = ev->state[STREAM_fs];
	const struct path *text;

	/* rows are made of other records, too */
	if (!given || given->tid != ev->cause.tid || given->ts != ev->cause.ts ||
	    (!given->names[0] && !given->names[1]))
		return (struct format_text){ .text = "" };
	text = given->names[0];
	if (pair) {
		path_put(given->pair);
		given->pair = path_pair(given->names[0], given->names[1], true);
		text = given->pair;
	}
	if (!text || (shown && same_text(text, shown, directory)))
		return (struct format_text){ .text = "" };
	return (struct format_text){ .text = text->csv, .len = text->csv_len };
}
