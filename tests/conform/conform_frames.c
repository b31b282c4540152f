/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_frames FILE: writes and syncs three functions deep, until it is ended. Compiled by stack-frames.sh, with
 * and without frame pointers.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static char block[4096];

/* None of them is inlined, and no call is the last thing that one does. */
#define FUNCTION __attribute__((noinline)) void
#define STAYS __asm__ volatile("" ::: "memory")

FUNCTION innermost(int fd);
FUNCTION middle(int fd);
FUNCTION outermost(int fd);

FUNCTION innermost(int fd)
{
	if (pwrite(fd, block, sizeof(block), 0) != sizeof(block))
		exit(1);
	STAYS;
}

FUNCTION middle(int fd)
{
	innermost(fd);
	STAYS;
}

FUNCTION outermost(int fd)
{
	middle(fd);
	if (fsync(fd))
		exit(1);
	STAYS;
}

int main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	int fd = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT, 0600) : -1;

	if (fd < 0)
		return 1;
	for (;;) {
		outermost(fd);
		nanosleep(&pause, NULL);
	}
}
