/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel configuration of no kernel: libbcc includes this file before all
 * others, and insists on CONFIG_BPF_SYSCALL.
 */
#ifndef IOT_STUB_KCONFIG_H
#define IOT_STUB_KCONFIG_H

#define CONFIG_BPF_SYSCALL 1

#endif
