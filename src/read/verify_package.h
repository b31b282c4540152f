/* SPDX-License-Identifier: GPL-2.0-or-later */
/* datapackage.json against the manifest and the schema. Call it after verify_streams. */
#ifndef IOT_VERIFY_PACKAGE_H
#define IOT_VERIFY_PACKAGE_H

#include "read/verify_context.h"

void verify_package(struct verify *v);

#endif
