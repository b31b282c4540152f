/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_forks FILE N: two processes that make N children each, one after the
 * other, and read meanwhile, as the children do: so that tasks are freed
 * while a program of a tracer runs. Prints how many processes there were.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PARENTS = 2, READS = 25 };

static void read_often(int fd)
{
	char byte;

	for (int i = 0; i < READS; i++)
		if (pread(fd, &byte, 1, 0) != 1)
			_exit(1);
}

static int make_children(int fd, unsigned long n)
{
	while (n--) {
		pid_t child = fork();

		if (child < 0)
			return 1;
		read_often(fd);
		if (!child)
			_exit(0);
		if (waitpid(child, NULL, 0) != child)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	int fd = n ? open(argv[1], O_RDONLY) : -1, status, failed = 0;

	if (fd < 0) {
		fprintf(stderr, "usage: conform_forks FILE N\n");
		return 2;
	}
	for (int i = 0; i < PARENTS; i++) {
		pid_t parent = fork();

		if (parent < 0)
			return 1;
		if (!parent)
			_exit(make_children(fd, n));
	}
	for (int i = 0; i < PARENTS; i++)
		failed |= wait(&status) < 0 || status;
	printf("%lu\n", 1 + PARENTS + PARENTS * n);
	return failed;
}
