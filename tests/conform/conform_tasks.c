/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tasks do seldom.
 *   conform_tasks execs: executes, in children, with strings that only the program's own file has: their
 *	pages are not mapped in the child when it calls
 *   conform_tasks leader FILE: opens FILE, ends its first thread, and does the rest in another one when there
 *	is a byte to be read: writes to FILE and to "rel", and ends
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int file;

static int executes(void)
{
	if (!fork()) {
		execl("/bin/true", "true", "by", "fork", (char *)NULL);
		_exit(1);
	}
	wait(NULL);
	if (!fork()) {
		execl("/no/such/program", "no", "program", (char *)NULL);
		_exit(1);
	}
	wait(NULL);
	return 0;
}

static void *outlive(void *arg)
{
	char byte;
	int fd;

	if (read(0, &byte, 1) != 1 || write(file, "inherit", 7) != 7)
		_exit(1);
	fd = open("rel", O_WRONLY | O_CREAT, 0644);
	if (fd < 0 || write(fd, "thread", 6) != 6)
		_exit(1);
	/* the tracer, which looks at descriptors, is to see them */
	usleep(500000);
	_exit(close(fd));
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc == 2 && !strcmp(argv[1], "execs"))
		return executes();
	if (argc != 3 || strcmp(argv[1], "leader"))
		return 2;
	file = open(argv[2], O_RDWR | O_CREAT, 0644);
	if (file < 0 || pthread_create(&thread, NULL, outlive, NULL))
		return 1;
	syscall(SYS_exit, 0);
	return 1;
}
