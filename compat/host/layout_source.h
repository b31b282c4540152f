/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a layout comes from, by name. */
#pragma once

#include "compat/host/kernel.h"

/* "headers", "kheaders", "btf", "learned", "none" and back; LAYOUT_ANY for another name. */
const char *layout_source_name(enum layout_source source);
enum layout_source layout_source_of(const char *name);
