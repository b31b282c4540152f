/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns where such a file is made: $TMPDIR, else /var/tmp. */
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *temporary_folder(void)
{
	/* not /tmp: where that is a tmpfs, what does not fit in memory would be put back there */
	const char *folder = secure_getenv("TMPDIR");

	return folder && folder[0] == '/' ? folder : "/var/tmp";
}

int temporary_open(void)
{
	char name[PATH_MAX];
	int fd = open(temporary_folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	/* some file systems have no files without a name */
	if (snprintf(name, sizeof(name), "%s/iotracer.XXXXXX", temporary_folder()) >=
	    (int)sizeof(name))
		return -ENAMETOOLONG;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(name);
	return fd;
}
