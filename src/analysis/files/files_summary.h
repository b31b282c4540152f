/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The use of files from the rows of a recording that is under way, for --summary=files. */
#pragma once

#include "analysis/common/summary_kind.h"

extern const struct summary_kind files_summary;
