/* SPDX-License-Identifier: GPL-2.0-or-later */
/* datapackage.json against the manifest and the schema. Call it after verify_streams. */
#pragma once

#include "read/verify_context.h"

void verify_package(struct verify *v);
