/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a repair that makes a segment of rows that waited; waiting.h finds them. */
#pragma once

#include "read/repair_manifest.h"

/*
 * Rows of the stream that waited for their order become its last segment, once the others are
 * closed.
 */
void repair_waiting(struct repair *r, int stream);
