/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The headers that the kernel carries in itself (CONFIG_IKHEADERS, 5.2 and later):
 * /sys/kernel/kheaders.tar.xz, unpacked once beside the compiled images.
 */
#pragma once

#include "compat/host/kernel.h"

/*
 * Fills headers… of the host when it finds none but these. cache: where they are
 * unpacked to, NULL: nowhere. On failure why says the reason; it is "" where this
 * kernel has no such file.
 */
bool kheaders_find(struct host *host, const char *cache, char why[HOST_WHY_SIZE]);

/* Removes copies of other kernels, and what somebody who was killed has left; cache may be NULL. */
void kheaders_clean(const struct host *host, const char *cache);
