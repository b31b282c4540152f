/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the version of the running kernel, for kernels that load no kprobe program without it. */
#pragma once

#include <stdint.h>

/*
 * LINUX_VERSION_CODE of the running kernel, as compiled in: before 5.0 (6c4fc209fcf9) it takes
 * kprobe programs only that name it. Nothing else is decided by it.
 */
uint32_t load_kern_version(void);
