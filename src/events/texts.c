/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See texts.h. */
#include "events/texts.h"

#include "events/events_private.h"
#include "events/fs_given.h"

static void texts_record(struct events *ev, void *record, size_t len)
{
	const struct iot_text *rec = record;
	bool cut = rec->flags & IOT_TEXT_CUT;
	struct path *path;

	if (rec->len > IOT_TEXT_SLOTS || rec->len > len - IOT_TEXT_HEAD) {
		ev->totals.bad++;
		return;
	}
	if (rec->kind == IOT_TEXT_WALK)
		path = path_from_walk(rec->data, rec->len, cut);
	else
		path = path_new(rec->data, rec->len, cut ? PATH_CUT : 0);
	if (!path)
		ev->totals.bad++;
	else if (rec->kind == IOT_TEXT_GIVEN || rec->kind == IOT_TEXT_GIVEN2)
		fs_given_sent(ev, rec, path);
	else
		names_add(ev->names, rec->id, path);
}

const struct stream_record texts_handler = { IOT_REC_TEXT, IOT_TEXT_HEAD, texts_record, false };

struct path *texts_known(struct events *ev, uint64_t id)
{
	struct path *path = id ? names_find(ev->names, id) : NULL;

	if (id && !path)
		ev->names_missing = true;
	return path;
}

struct format_text texts_cell(const struct path *path)
{
	return path ? (struct format_text){ .text = path->csv, .len = path->csv_len } :
		      (struct format_text){ .text = "" };
}

const struct path *texts_whole(const struct path *path)
{
	return path && (path->flags & PATH_FULL) && !(path->flags & PATH_CUT) ? path : NULL;
}

const struct path *texts_of_file(struct events *ev, uint64_t ino, uint32_t dev)
{
	return ev->files ?
		       names_of_file(ev->files, ino, mounts_host_dev(&ev->resolve->mounts, dev)) :
		       NULL;
}

void texts_learn(struct events *ev, uint64_t ino, uint32_t dev, const struct path *path)
{
	if (ev->files && ino && dev && texts_whole(path))
		names_learn(ev->files, ino, mounts_host_dev(&ev->resolve->mounts, dev),
			    (struct path *)path);
}

void texts_learn_old(struct events *ev, uint64_t ino, uint32_t dev, const struct path *path)
{
	if (!texts_of_file(ev, ino, dev))
		texts_learn(ev, ino, dev, path);
}
