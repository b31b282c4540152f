/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One table of a summary as a file: the old one stays until the new one is whole. */
#pragma once

#include "analysis/common/summary_kind.h"

#define SUMMARY_FOLDER "summary"

/*
 * Writes summary/NAME.csv below dir_fd and adds its entry for the manifest to files, its size to
 * *bytes. Returns 0 or -errno (reported).
 */
int summary_file_write(const char *dir, int dir_fd, const struct summary_kind *kind, void *self,
		       unsigned table, json_t *files, uint64_t *bytes);
