/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Versions decide nothing in our text. The oldest supported one is claimed, so
 * that libbcc's headers choose what every kernel can run.
 */
#ifndef IOT_STUB_VERSION_H
#define IOT_STUB_VERSION_H

#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + (c))
#define LINUX_VERSION_CODE KERNEL_VERSION(4, 14, 0)

#endif
