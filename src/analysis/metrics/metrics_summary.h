/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The metrics of a recording (--metrics): a file that is replaced every few seconds. */
#pragma once

#include "analysis/common/summary_kind.h"

extern const struct summary_kind metrics_summary;
