/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Complete writes and atomic replacement: what every part of the writer needs
 * to leave no half file behind. Prints nothing; the caller knows what failed.
 */
#pragma once

#include <stddef.h>

/*
 * All of data, through EINTR and short writes. *done (may be NULL) is exact in any case.
 * Returns 0 or -errno.
 */
int file_write_all(int fd, const void *data, size_t len, size_t *done);

/*
 * dir_fd/name holds the old bytes or the new ones, never a mixture; also after a power cut.
 * name has no folder. Written as ".NAME.part" until then. Returns 0 or -errno.
 */
int file_replace(int dir_fd, const char *name, const void *data, size_t len);

/* To read, and regular: a pipe would be waited for. Returns a descriptor or -errno (-EINVAL). */
int file_open_regular(const char *path);
/*
 * The same of what is open: the descriptor, or, after closing it, -errno (-EINVAL: no regular
 * file).
 */
int file_only_regular(int fd);

/* Makes the names in dir_fd/path durable; errors do not matter to a reader and are ignored. */
void file_sync_dir(int dir_fd, const char *path);
