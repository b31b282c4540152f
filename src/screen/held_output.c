/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the file that messages wait in, and shows its end when the screen is gone. */
#include "screen/held_output.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { SHOWN_AT_MOST = 64 * 1024 }; /* of what was held: its end */

/* A copy that dup2() to the standard descriptors does not touch, and that no command inherits. */
static int keep(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, 10);
}

static void forget(struct held_output *held)
{
	int err = errno;

	close(held->in);
	close(held->out);
	if (held->err >= 0)
		close(held->err);
	if (held->messages)
		fclose(held->messages);
	errno = err;
}

int held_output_begin(struct held_output *held)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return -errno;
	fflush(stdout);
	held->in = keep(STDIN_FILENO);
	held->out = keep(STDOUT_FILENO);
	held->err = isatty(STDERR_FILENO) ? keep(STDERR_FILENO) : -1;
	held->messages = tmpfile();
	if (held->in < 0 || held->out < 0 || !held->messages) {
		int err = errno;

		forget(held);
		close(null);
		return -err;
	}
	fcntl(fileno(held->messages), F_SETFD, FD_CLOEXEC);
	fcntl(fileno(held->messages), F_SETFL, O_APPEND);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	if (held->err >= 0)
		dup2(fileno(held->messages), STDERR_FILENO);
	close(null);
	return 0;
}

static void show_held(FILE *messages)
{
	char text[4096];
	size_t n;

	if (fseek(messages, -SHOWN_AT_MOST, SEEK_END))
		rewind(messages);
	while ((n = fread(text, 1, sizeof(text), messages)) > 0)
		fwrite(text, 1, n, stderr);
	fflush(stderr);
}

void held_output_end(struct held_output *held)
{
	fflush(stderr);
	dup2(held->in, STDIN_FILENO);
	dup2(held->out, STDOUT_FILENO);
	if (held->err >= 0)
		dup2(held->err, STDERR_FILENO);
	show_held(held->messages);
	forget(held);
}
