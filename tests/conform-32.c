/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conform-32 FILE: to be built for 32 bits; opens, writes 3 bytes and closes. */
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_WRONLY | O_CREAT, 0644) : -1;

	return fd < 0 || write(fd, "abc", 3) != 3 || close(fd);
}
