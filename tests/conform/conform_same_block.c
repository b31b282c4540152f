/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the first block of FILE past the page cache: EIGHT threads, as often as told each, all at once. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { EIGHT = 8, BLOCK = 4096 };

static const char *path;
static int n_reads;

static void *reads(void *arg)
{
	int fd = open(path, O_RDONLY | O_DIRECT);
	void *block = NULL;

	if (fd < 0 || posix_memalign(&block, BLOCK, BLOCK))
		_exit(1);
	for (int i = 0; i < n_reads; i++)
		if (pread(fd, block, BLOCK, 0) != BLOCK)
			_exit(1);
	free(block);
	close(fd);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[EIGHT];

	if (argc != 3)
		return 2;
	path = argv[1];
	n_reads = atoi(argv[2]);
	for (int i = 0; i < EIGHT; i++)
		if (pthread_create(&threads[i], NULL, reads, NULL))
			return 1;
	for (int i = 0; i < EIGHT; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
