/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline as Perfetto's protobuf. */
#ifndef IOT_TIMELINE_PERFETTO_H
#define IOT_TIMELINE_PERFETTO_H

#include "analysis/timeline/timeline_encoder.h"

/* NULL without memory. */
struct timeline_encoder *timeline_perfetto(FILE *out);

#endif
