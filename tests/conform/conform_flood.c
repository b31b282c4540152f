/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_flood FILE THREADS N: each thread opens FILE once and writes a byte
 * N times, and that is all: THREADS * (N + 1) operations when it is linked
 * statically. Nothing is closed and nothing is printed. Threads are spread
 * over the CPUs that the process may use.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static const char *path;
static long n_writes;

static void move_to(long n)
{
	cpu_set_t may, one;

	if (sched_getaffinity(0, sizeof(may), &may) || !CPU_COUNT(&may))
		return;
	n %= CPU_COUNT(&may);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &may) && n-- == 0) {
			CPU_ZERO(&one);
			CPU_SET(cpu, &one);
			sched_setaffinity(0, sizeof(one), &one);
		}
}

static void *flood(void *arg)
{
	int fd;

	move_to((long)arg);
	fd = open(path, O_WRONLY | O_CREAT, 0644);
	for (long i = 0; i < n_writes; i++)
		if (pwrite(fd, "x", 1, i % 4096) != 1)
			_exit(1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	long n = argc == 4 ? atol(argv[2]) : 0;

	if (n < 1 || n > 64)
		return 2;
	path = argv[1];
	n_writes = atol(argv[3]);
	for (long i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, flood, (void *)i))
			return 1;
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
