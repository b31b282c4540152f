/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes rows of stream fs of calls on open files. */
#pragma once

#include "events/fs_private.h"

/* A call on one open file, or two. */
void fs_files_call(struct events *ev, struct iot_more *more);
/* The followed file of the record's descriptor. */
struct fs_subject fs_files_followed(struct events *ev, struct iot_more *more);
