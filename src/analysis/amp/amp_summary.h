/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `iotracer amp` tells by system, kept up to date by a recording (--summary=amp). */
#ifndef IOT_AMP_SUMMARY_H
#define IOT_AMP_SUMMARY_H

#include "analysis/common/summary_kind.h"

extern const struct summary_kind amp_summary;

#endif
