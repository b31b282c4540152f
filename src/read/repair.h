/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer verify --repair`: closes what is open, and writes a manifest that says so. */
#pragma once

#include "read/verify_context.h"

/* What can be repaired is, and said; what cannot is left as it is, for the checks that follow. */
void repair_directory(struct verify *v);
