/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The streams of the manifest against their files. */
#ifndef IOT_VERIFY_SEGMENTS_H
#define IOT_VERIFY_SEGMENTS_H

#include "read/verify_context.h"

void verify_streams(struct verify *v);

#endif
