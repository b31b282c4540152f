/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_int80 FILE: a 64-bit program of x86 makes calls of 32-bit programs, which have other numbers:
 * 4 writes where stat(2) is 4, 3 reads where close(2) is 3, 106 is stat and statfs.
 * Exit status 77: this kernel or machine has no such calls.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __x86_64__
static long call32(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"(a), "c"(b), "d"(c)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static void none(int number)
{
	(void)number;
	_exit(77);
}

int main(int argc, char **argv)
{
	/* their addresses have 32 bits */
	char *low = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	int fd = argc == 2 ? open(argv[1], O_CREAT | O_RDWR, 0600) : -1;

	signal(SIGSEGV, none);
	if (low == MAP_FAILED || fd < 0)
		return 1;
	strcpy(low, argv[1]);
	if (call32(4, fd, (long)low, 5) != 5)
		return 77;
	call32(3, fd, (long)low, 5);
	call32(106, (long)low, (long)low + 2048, 0);
	return write(fd, "native", 6) != 6;
}
#else
int main(void)
{
	return 77;
}
#endif
