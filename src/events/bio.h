/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream bio: bios of devices that have no requests to rows. */
#pragma once

#include "events/ds.h"

struct bio_row {
	struct ds_row of; /* as of a request */
};

/* Writes the row with the line end to out (ROW_MAX bytes) and returns the length. */
size_t bio_row(char *out, const struct bio_row *row);
