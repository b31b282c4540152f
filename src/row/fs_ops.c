/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns nothing: the list, expanded. */
#include "row/fs_ops.h"

#include <stddef.h>

#define FS_OP(name, flags, traits) [IOT_##name] = { #name, flags, traits },
const struct fs_op fs_ops[IOT_N_OPS] = { IOT_FS_OPS(FS_OP) };

#define FS_GROUP(word, operations) { word, operations },
const struct fs_group fs_groups[] = { FS_GROUPS(FS_GROUP){ NULL, NULL } };
