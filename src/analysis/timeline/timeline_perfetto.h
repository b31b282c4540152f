/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline as Perfetto's protobuf. */
#pragma once

#include "analysis/timeline/timeline_encoder.h"

/* NULL without memory. */
struct timeline_encoder *timeline_perfetto(FILE *out);
