/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Archives in the ustar format, which may come from anybody: nothing is written
 * outside of the directory they are unpacked into, and no more than is allowed.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <zlib.h>

enum { TAR_BLOCK = 512 };

struct tar_header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type;
	char link[100], magic[6], version[2], user[32], group[32], major[8], minor[8];
	char prefix[155], pad[12];
};

/* The sum of its bytes, with blanks in place of the sum itself. */
unsigned tar_checksum(const struct tar_header *header);

struct untar_rules {
	unsigned long long max_bytes;
	unsigned max_files;
	bool skips_links; /* where it is false, an archive with links is refused */
};

/* Regular files of the archive, gzip or plain, into dir. Returns 0 or -errno, see untar_error(). */
int untar(gzFile in, const char *dir, const struct untar_rules *rules);
/* In words for a message, valid until the next call. */
const char *untar_error(int err);

/* Removes dir with all that is in it. */
void untar_remove(const char *dir);
