/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the file system of a session has room for more rows. */
#include "write/write_room.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/below.h"
#include "write/finish_manifest.h"

/* The name of a file that exists only while it is tried. */
#define ROOM_NAME ".room"

enum { ROOM_BYTES = 1024 * 1024 };

uint64_t writer_free_bytes(int dir_fd)
{
	struct statvfs vfs;

	/* not known: only a write can show it */
	if (fstatvfs(dir_fd, &vfs))
		return UINT64_MAX;
	return (uint64_t)vfs.f_bavail * vfs.f_frsize;
}

double writer_mib(uint64_t bytes)
{
	return (double)bytes / (1024 * 1024);
}

/* A file of its own, since neither a quota nor a lack of inodes shows in statvfs. */
static bool can_allocate(int dir_fd, uint64_t bytes)
{
	int fd = below_create(dir_fd, ROOM_NAME, O_WRONLY);
	bool can;

	if (fd < 0)
		return false;
	can = !posix_fallocate(fd, 0, (off_t)bytes);
	close(fd);
	unlinkat(dir_fd, ROOM_NAME, 0);
	return can;
}

bool writer_has_room(const struct writer *w)
{
	/* the reserve was released for the manifest that says "stopped" */
	uint64_t want = ROOM_BYTES + finish_reserve_missing(w->finish);

	return writer_free_bytes(w->dir_fd) >= w->options.min_free + want &&
	       can_allocate(w->dir_fd, want);
}
