/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_32 FILE: a 32-bit program of an x86 or ARM machine; opens, writes 3 bytes
 * and closes, then one operation of each kind on names, and leaves nothing
 * behind. Without a C library, because machines have none for 32 bits:
 *   cc -m32 -nostdlib -static -ffreestanding -fno-stack-protector -fno-pie -no-pie
 */

/* These have the same numbers on both. */
enum {
	EXIT = 1,
	WRITE = 4,
	OPEN = 5,
	CLOSE = 6,
	LINK = 9,
	UNLINK = 10,
	CHMOD = 15,
	RENAME = 38,
	MKDIR = 39,
	RMDIR = 40,
	SYMLINK = 83,
	TRUNCATE = 92,
	STAT64 = 195
};
enum { WRITE_ONLY = 1, CREATE = 0100 };

#ifdef __arm__
static int call(int nr, const void *a, long b, long c)
{
	register int number __asm__("r7") = nr;
	register const void *first __asm__("r0") = a;
	register long second __asm__("r1") = b;
	register long third __asm__("r2") = c;

	__asm__ volatile("svc 0" : "+r"(first) : "r"(number), "r"(second), "r"(third) : "memory");
	return (int)first;
}

__asm__(".globl _start\n"
	"_start:\n"
	"	mov r0, sp\n"
	"	bic sp, sp, #7\n"
	"	bl begin\n");
#else
static int call(int nr, const void *a, long b, long c)
{
	int ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(nr), "b"(a), "c"(b), "d"(c) : "memory");
	return ret;
}

__asm__(".globl _start\n"
	"_start:\n"
	"	movl %esp, %eax\n"
	"	andl $-16, %esp\n"
	"	subl $12, %esp\n"
	"	pushl %eax\n"
	"	call begin\n");
#endif

static int names(int nr, const char *from, const char *to)
{
	return call(nr, from, (long)to, 0);
}

static void join(char *out, unsigned size, const char *a, const char *b)
{
	unsigned n = 0;

	while (*a && n + 1 < size)
		out[n++] = *a++;
	while (*b && n + 1 < size)
		out[n++] = *b++;
	out[n] = '\0';
}

static int run(const char *file)
{
	static char second[4096], other[4096], stat[256];
	int fd = call(OPEN, file, WRITE_ONLY | CREATE, 0644);

	if (fd < 0 || call(WRITE, (void *)fd, (long)"abc", 3) != 3 || call(CLOSE, (void *)fd, 0, 0))
		return 1;
	join(second, sizeof(second), file, ".second");
	join(other, sizeof(other), file, ".other");
	if (names(STAT64, file, stat) || call(CHMOD, file, 0600, 0) || call(TRUNCATE, file, 2, 0))
		return 2;
	if (names(RENAME, file, second) || names(LINK, second, file) ||
	    call(UNLINK, second, 0, 0) || call(UNLINK, file, 0, 0))
		return 3;
	if (names(SYMLINK, "target", other) || call(UNLINK, other, 0, 0) ||
	    call(MKDIR, other, 0750, 0) || call(RMDIR, other, 0, 0))
		return 4;
	return 0;
}

/* The stack begins with argc, argv[0], argv[1]. */
__attribute__((used)) static void begin(const int *stack)
{
	const char *const *argv = (const char *const *)(stack + 1);

	call(EXIT, (void *)(stack[0] == 2 ? run(argv[1]) : 5), 0, 0);
}
