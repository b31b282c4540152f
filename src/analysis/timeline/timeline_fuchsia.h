/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline as Fuchsia's trace format. */
#pragma once

#include "analysis/timeline/timeline_encoder.h"

/* NULL without memory. */
struct timeline_encoder *timeline_fuchsia(FILE *out);
