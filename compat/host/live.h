/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only the running host can say: its name, our privileges, its limits. */
#pragma once

#include "compat/host/kernel.h"

void live_identity(struct host *host);

/* The settings that doctor shows. */
void live_limits(struct host *host);

/* Fills bpf_why. */
void live_judge_bpf(struct host *host);
