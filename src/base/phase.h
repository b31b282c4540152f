/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times the phases of a start: with -v, logs the CPU and wall time of each when it ends. */
#pragma once

/*
 * Ends the one before. The name must stay. Only from the main thread, whose children count when
 * they have ended.
 */
void phase_begin(const char *name);

/* Ends the last one, and tells the sum of all. */
void phase_end(void);
