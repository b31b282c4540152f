/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the second process: it waits for the end of a pipe, which comes however the first one ends. */
#include "screen/screen_guard.h"

#ifdef HAVE_NCURSESW

#include <errno.h>
#include <fcntl.h>
#include <ncurses.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <term.h> /* last: it has words as macros */

struct guarded {
	int in, out, pipe;
	struct termios before;
	char text[256]; /* that leaves the screen */
	size_t len;
};

static void add_text(struct guarded *g, const char *name)
{
	const char *text = tigetstr((char *)name);
	size_t len = text && text != (const char *)-1 ? strlen(text) : 0;

	if (!len || g->len + len > sizeof(g->text))
		return;
	memcpy(g->text + g->len, text, len);
	g->len += len;
}

static bool learn_terminal(struct guarded *g)
{
	/* colours and marks, keys, the cursor, and the screen of before */
	static const char *const names[] = { "sgr0", "op", "rmkx", "cnorm", "rmcup" };
	int err;

	if (tcgetattr(g->in, &g->before) || setupterm(NULL, g->out, &err) != OK)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add_text(g, names[i]);
	/* ncurses makes its own when the screen begins */
	del_curterm(cur_term);
	return true;
}

/* What ends the other process must not end this one first; nor may it be stopped in the background. */
static void ignore_signals(void)
{
	static const int signals[] = { SIGINT,  SIGQUIT, SIGTERM, SIGHUP,
				       SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_IGN);
}

/* All is well when a byte comes; when none does, nobody is left to give the terminal back. */
static void stand_guard(const struct guarded *g)
{
	char byte;
	ssize_t n;

	prctl(PR_SET_NAME, "iotracer-screen");
	ignore_signals();
	do
		n = read(g->pipe, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n == 0 && !tcsetattr(g->in, TCSANOW, &g->before))
		n = write(g->out, g->text, g->len);
	_exit(0);
}

void screen_guard_begin(struct screen_guard *guard, int in, int out)
{
	struct guarded g = { .in = in, .out = out };
	int ends[2];

	*guard = (struct screen_guard){ .pid = 0 };
	if (!learn_terminal(&g) || pipe2(ends, O_CLOEXEC))
		return;
	g.pipe = ends[0];
	guard->fd = ends[1];
	guard->pid = fork();
	if (!guard->pid) {
		close(ends[1]);
		stand_guard(&g);
	}
	close(ends[0]);
	if (guard->pid > 0)
		return;
	close(ends[1]);
	guard->pid = 0;
}

void screen_guard_end(struct screen_guard *guard)
{
	if (!guard->pid)
		return;
	while (write(guard->fd, "", 1) < 0 && errno == EINTR)
		;
	close(guard->fd);
	while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
		;
	guard->pid = 0;
}

#else

void screen_guard_begin(struct screen_guard *guard, int in, int out)
{
	(void)in;
	(void)out;
	*guard = (struct screen_guard){ .pid = 0 };
}

void screen_guard_end(struct screen_guard *guard)
{
	(void)guard;
}

#endif
