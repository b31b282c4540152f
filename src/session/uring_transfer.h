/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One io_uring transfer by system calls alone: liburing is on few of the
 * machines that matter, and the self-test needs a single read and write.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Bytes moved at offset 0, or -errno (-ENOSYS without io_uring). */
int uring_transfer(int fd, void *data, size_t len, bool write);
