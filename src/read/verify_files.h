/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files in the directories of streams that the manifest does not list. */
#pragma once

#include "read/verify_context.h"

void verify_unlisted(struct verify *v);
