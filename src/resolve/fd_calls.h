/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What calls do to the descriptors, positions and working directory of a process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "resolve/procs.h"
#include "row/records.h"

/*
 * An open returned a descriptor; path as procs_resolve gave it (borrowed). The new description is
 * borrowed.
 */
const struct desc *fd_calls_open(struct procs *procs, const struct iot_fs *rec, struct path *path);

/*
 * A close that released the descriptor. True when it was the last of its description,
 * or nobody followed it. *out describes that, with a reference of its own to the path.
 */
bool fd_calls_close(struct procs *procs, const struct iot_fs *rec, struct desc *out);

/*
 * lseek, dup, fcntl, chdir, close_range …: records of class IOT_SEQ_STATE. path: where a chdir led,
 * or NULL.
 */
void fd_calls_state(struct procs *procs, const struct iot_fs *rec, const struct path *path);

/* A write that goes to the end of the file, whatever position the call names. */
bool desc_appends(const struct desc *desc, const struct iot_fs *rec);

/*
 * Where a read or write that uses the file's own position starts, moving it on; -1 when not known.
 */
int64_t desc_move(struct desc *desc, const struct iot_fs *rec);
