/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `iotracer amp` tells by system, kept up to date by a recording (--summary=amp). */
#pragma once

#include "analysis/common/summary_kind.h"

extern const struct summary_kind amp_summary;
