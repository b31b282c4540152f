/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs what `iotracer fio` made, and records it. */
#pragma once

#include "analysis/fio/fio_plan.h"

/* profile.fio of an absolute directory; these streams are recorded, into OUT/check: 0 or -errno, reported. */
int fio_run_profile(const struct fio_plan *plan, const char *streams);
