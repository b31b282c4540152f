/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the running kernel's bpf(2) takes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether this kernel knows a BPF helper of probe_read's form (destination,
 * size, source), or a program type: a program of a few instructions tells.
 */
bool bpf_knows(bool helper, uint32_t number);
