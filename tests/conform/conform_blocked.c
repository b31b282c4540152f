/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_blocked FILE THREADS: so many threads read a byte of FILE, all at the same
 * time: into memory that is not there until all of them wait for it (userfaultfd).
 * Meanwhile 100 reads of two bytes are performed. Exit 77 where the kernel has no such memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, MEANWHILE = 100, MAX_THREADS = 30000 };

static int file;
static char *pages;

static void *read_one(void *page)
{
	if (pread(file, page, 1, 0) != 1)
		_exit(1);
	return NULL;
}

/* Memory in which the first access waits; its descriptor, or -1. */
static int make_pages(size_t size)
{
	int fd = (int)syscall(__NR_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (uintptr_t)pages;
	range.range.len = size;
	if (fd < 0 || pages == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &range))
		return -1;
	return fd;
}

/* As many messages as threads: each waits. */
static int wait_for_all(int fd, long n)
{
	struct uffd_msg message;

	for (; n > 0; n--)
		if (read(fd, &message, sizeof(message)) != sizeof(message) ||
		    message.event != UFFD_EVENT_PAGEFAULT)
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	static pthread_t threads[MAX_THREADS];
	long n = argc == 3 ? atol(argv[2]) : 0;
	struct uffdio_zeropage zero = { .mode = 0 };
	pthread_attr_t small;
	char two[2];
	int fd;

	if (n < 1 || n > MAX_THREADS)
		return 2;
	file = open(argv[1], O_RDONLY);
	fd = make_pages((size_t)n * PAGE);
	if (file < 0 || fd < 0) {
		perror("conform_blocked");
		return file < 0 ? 1 : 77;
	}
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (long i = 0; i < n; i++)
		if (pthread_create(&threads[i], &small, read_one, pages + i * PAGE)) {
			perror("conform_blocked: a thread");
			_exit(77);
		}
	if (wait_for_all(fd, n))
		_exit(1);
	for (int i = 0; i < MEANWHILE; i++)
		if (pread(file, two, 2, i) != 2)
			_exit(1);
	zero.range.start = (uintptr_t)pages;
	zero.range.len = (size_t)n * PAGE;
	if (ioctl(fd, UFFDIO_ZEROPAGE, &zero))
		_exit(1);
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
