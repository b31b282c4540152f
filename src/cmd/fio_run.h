/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs what `iotracer fio` made, and records it. */
#pragma once

/* profile.fio of an absolute directory; these streams are recorded, into OUT/check: 0 or -errno, reported. */
int fio_run_profile(const char *out, const char *streams);
