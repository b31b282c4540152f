/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline as a picture of a short range. */
#pragma once

#include "analysis/timeline/timeline_encoder.h"

/* NULL without memory. Of more than fits in a picture nothing is written. */
struct timeline_encoder *timeline_svg(FILE *out);
