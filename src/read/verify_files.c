/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the check of files in the directories of streams that the manifest does not list. */
#include "read/verify_files.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"
#include "read/segments.h"
#include "read/waiting.h"

static void look_into(struct verify *v, const struct segment_file *file)
{
	struct scan scan;
	int err;

	if (file->kind != SEGMENT_CLOSED) {
		/* what --repair would leave alone is more than not closed */
		if (file->kind == SEGMENT_PART && !v->recording &&
		    !verify_scan(v, file->path, 0, &scan) && scan.trouble == SCAN_DAMAGED)
			verify_damage(v, "%s: still open, and damaged: %s", file->path, scan.why);
		else
			verify_unfinished(v, "%s: still open", file->path);
		return;
	}
	err = verify_scan(v, file->path, 0, &scan);
	if (err) {
		verify_damage(v, "%s: %s", file->path, segment_why(err));
	} else if (scan.trouble != SCAN_OK) {
		verify_damage(v, "%s: not in the manifest, and damaged: %s", file->path, scan.why);
	} else {
		verify_unfinished(v, "%s: not in the manifest; its %" PRIu64 " rows are intact",
				  file->path, scan.rows);
		verify_count(v, &scan);
	}
}

static void look_at_waiting(struct verify *v, int stream)
{
	struct waiting waiting;

	waiting_read(v, stream, &waiting);
	if (waiting.n)
		verify_unfinished(v,
				  "%s: %zu rows that waited for their order are in no segment yet",
				  streams[stream].name, waiting.n);
	else if (waiting.n_readable && v->ended)
		verify_unfinished(v, "%s: copies of rows that waited are left over",
				  streams[stream].name);
	waiting_free(&waiting);
}

static void look_at_stream(struct verify *v, int stream)
{
	unsigned n;
	struct segment_file *files = segment_files(v->dir_fd, stream, &n);
	bool waiting = false;

	for (unsigned i = 0; i < n; i++) {
		if (files[i].kind == SEGMENT_WAITING)
			waiting = true;
		else if (files[i].kind == SEGMENT_OTHER)
			log_note("%s/%s: not written by iotracer", v->dir, files[i].path);
		else if (!json_object_get(v->listed, files[i].path))
			look_into(v, &files[i]);
	}
	free(files);
	if (waiting && !v->recording)
		look_at_waiting(v, stream);
}

void verify_unlisted(struct verify *v)
{
	for (int i = 0; i < N_STREAMS; i++)
		look_at_stream(v, i);
}
