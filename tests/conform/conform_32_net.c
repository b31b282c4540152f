/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_32_net PORT: connections of a 32-bit program of an x86 machine, to
 * itself on this port of 127.0.0.1: one through socketcall, with 5 bytes sent
 * and received; one through calls of its own for each (4.3), with 7 bytes, then
 * 3 by write and read. Without a C library, as conform_32.c.
 */

enum {
	EXIT = 1,
	READ = 3,
	WRITE = 4,
	CLOSE = 6,
	SOCKETCALL = 102,
	SOCKET = 359,
	CONNECT = 362,
	ACCEPT4 = 364,
	SENDTO = 369,
	RECVFROM = 371
};
enum {
	CALL_SOCKET = 1,
	CALL_BIND,
	CALL_CONNECT,
	CALL_LISTEN,
	CALL_ACCEPT,
	CALL_SEND = 9,
	CALL_RECV,
	CALL_SETSOCKOPT = 14
};
enum { INET = 2, STREAM = 1, LEVEL_SOCKET = 1, REUSEADDR = 2 };

static struct {
	unsigned short family;
	unsigned char port[2];
	unsigned char addr[4];
	unsigned char zero[8];
} address = { INET, { 0, 0 }, { 127, 0, 0, 1 }, { 0 } };

static int call(int nr, long a, long b, long c, long d, long e)
{
	int ret;

	/* the sixth argument is 0 where a call has one: no address is asked for */
	__asm__ volatile("push %%ebp\n\txor %%ebp, %%ebp\n\tint $0x80\n\tpop %%ebp"
			 : "=a"(ret)
			 : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
			 : "memory");
	return ret;
}

static int socketcall(int nr, long a, long b, long c, long d, long e)
{
	long args[5] = { a, b, c, d, e };

	return call(SOCKETCALL, nr, (long)args, 0, 0, 0);
}

static int run(unsigned port)
{
	static char bytes[64];
	static int yes = 1;
	long at = (long)&address;
	int listener, client, server;

	address.port[0] = port >> 8;
	address.port[1] = port & 255;
	listener = socketcall(CALL_SOCKET, INET, STREAM, 0, 0, 0);
	if (listener < 0 ||
	    socketcall(CALL_SETSOCKOPT, listener, LEVEL_SOCKET, REUSEADDR, (long)&yes, 4) ||
	    socketcall(CALL_BIND, listener, at, 16, 0, 0) ||
	    socketcall(CALL_LISTEN, listener, 4, 0, 0, 0))
		return 1;
	client = socketcall(CALL_SOCKET, INET, STREAM, 0, 0, 0);
	if (client < 0 || socketcall(CALL_CONNECT, client, at, 16, 0, 0))
		return 2;
	server = socketcall(CALL_ACCEPT, listener, 0, 0, 0, 0);
	if (server < 0 || socketcall(CALL_SEND, client, (long)bytes, 5, 0, 0) != 5 ||
	    socketcall(CALL_RECV, server, (long)bytes, 64, 0, 0) != 5)
		return 3;
	client = call(SOCKET, INET, STREAM, 0, 0, 0);
	if (client < 0 || call(CONNECT, client, at, 16, 0, 0))
		return 4;
	server = call(ACCEPT4, listener, 0, 0, 0, 0);
	if (server < 0 || call(SENDTO, client, (long)bytes, 7, 0, 0) != 7 ||
	    call(RECVFROM, server, (long)bytes, 64, 0, 0) != 7)
		return 5;
	if (call(WRITE, client, (long)bytes, 3, 0, 0) != 3 ||
	    call(READ, server, (long)bytes, 64, 0, 0) != 3)
		return 6;
	return 0;
}

static unsigned number(const char *text)
{
	unsigned n = 0;

	while (*text >= '0' && *text <= '9')
		n = n * 10 + *text++ - '0';
	return n;
}

/* The stack begins with argc, argv[0], argv[1]. */
__attribute__((used)) static void begin(const int *stack)
{
	const char *const *argv = (const char *const *)(stack + 1);

	call(EXIT, stack[0] == 2 ? run(number(argv[1])) : 7, 0, 0, 0, 0);
}

__asm__(".globl _start\n"
	"_start:\n"
	"	movl %esp, %eax\n"
	"	andl $-16, %esp\n"
	"	subl $12, %esp\n"
	"	pushl %eax\n"
	"	call begin\n");
