/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform-32 FILE: to be built for 32 bits; opens, writes 3 bytes and closes,
 * then one operation of each kind on names, and leaves nothing behind.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_WRONLY | O_CREAT, 0644) : -1;
	char second[4096], other[4096];
	struct stat st;

	if (fd < 0 || write(fd, "abc", 3) != 3 || close(fd))
		return 1;
	snprintf(second, sizeof(second), "%s.second", argv[1]);
	snprintf(other, sizeof(other), "%s.other", argv[1]);
	if (stat(argv[1], &st) || chmod(argv[1], 0600) || truncate(argv[1], 2))
		return 2;
	if (rename(argv[1], second) || link(second, argv[1]) || unlink(second) || unlink(argv[1]))
		return 3;
	return symlink("target", other) || unlink(other) || mkdir(other, 0750) || rmdir(other);
}
