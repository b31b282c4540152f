/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The streams of the manifest against their files. */
#pragma once

#include "read/verify_context.h"

void verify_streams(struct verify *v);
