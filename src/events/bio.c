/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream bio: see bio.h. A bio has what a request has, of the device that it is queued for. */
#include "events/bio.h"

#include "events/events_private.h"
#include "events/events_rows.h"
#include "probes/schema/bio.def"
#include "row/format.h"

EVENTS_ROW(bio)

static void handle_bio(struct events *ev, void *record, size_t len)
{
	const struct iot_ds *rec = record;
	struct bio_row row;

	(void)len;
	if (ds_row_of(ev, STREAM_bio, rec, &row.of))
		bio_push(ev, rec->head.ts, &row);
}

const struct stream_ops stream_bio = {
	.open = ds_look_at_groups,
	.records = {
		{ .type = IOT_REC_BIO, .least = sizeof(struct iot_ds), .handle = handle_bio },
	},
};
