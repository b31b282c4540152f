/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_moving DIR ROUNDS: a directory DIR/t0/sub with a file, whose top is
 * renamed ROUNDS times to t1 and back while two threads open, read and close
 * the file through a descriptor of its directory. Prints how often they did.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile int stop;

static void *read_all(void *arg)
{
	int dir = *(int *)arg;
	long n = 0;
	char byte;

	for (; !stop; n++) {
		int fd = openat(dir, "file", O_RDONLY);

		if (fd < 0 || pread(fd, &byte, 1, 0) != 1 || close(fd))
			_exit(1);
		usleep(50);
	}
	return (void *)n;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	long rounds = argc == 3 ? atol(argv[2]) : 0, total = 0;
	int dir, fd;

	if (rounds < 1)
		return 2;
	if (chdir(argv[1]) || mkdir("t0", 0755) || mkdir("t0/sub", 0755))
		return 1;
	fd = open("t0/sub/file", O_WRONLY | O_CREAT, 0644);
	dir = open("t0/sub", O_RDONLY | O_DIRECTORY);
	if (fd < 0 || dir < 0 || write(fd, "x", 1) != 1 || close(fd))
		return 1;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, read_all, &dir))
			return 1;
	for (long i = 0; i < rounds; i++)
		if (rename(i % 2 ? "t1" : "t0", i % 2 ? "t0" : "t1") || usleep(100))
			return 1;
	stop = 1;
	for (int i = 0; i < 2; i++) {
		void *n;

		pthread_join(threads[i], &n);
		total += (long)n;
	}
	return printf("%ld\n", total) < 0;
}
