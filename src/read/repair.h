/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer verify --repair`: closes what is open, and writes a manifest that says so. */
#pragma once

#include "read/verify_context.h"

void repair_directory(struct verify *v);
