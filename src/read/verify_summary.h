/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "read/verify_context.h"

/* Checks that the tables in summary/ are those that the manifest lists. */
void verify_summary(struct verify *v);
