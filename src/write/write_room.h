/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the file system of a session has room for more rows. */
#pragma once

#include "write/writer.h"

/* On the file system of the directory */
uint64_t writer_free_bytes(int dir_fd);
double writer_mib(uint64_t bytes);
/* Enough to go on after a full disk: tried, because a quota does not show in what is free. */
bool writer_has_room(const struct writer *writer);
