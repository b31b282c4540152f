/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of the machine that this is compiled for. The texts of BPF programs have that of the machine
 * whose kernel they are for (src/image/source.c).
 */
#pragma once

#if defined(__x86_64__)
#include "probes/arch/x86_64.h"
#elif defined(__aarch64__)
#include "probes/arch/arm64.h"
#else
#error "no table for this machine in probes/arch"
#endif
