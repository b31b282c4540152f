/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the terminal while it is shown: all calls of ncurses are made by one thread. ncurses
 * compares with what is there, so that only what changed is sent.
 */
#include "screen/top_screen.h"

#ifdef HAVE_NCURSESW

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "screen/top_draw.h"
#include "screen/top_screen_state.h"

#include <term.h> /* last: it has words as macros */

enum { ESC = 27, CTRL_L = 12, DEL = 127 };

bool top_screen_possible(int in, int out)
{
	const char *term = getenv("TERM"), *move;
	int err;

	if (!isatty(in) || !isatty(out) || !term || !*term)
		return false;
	if (setupterm(NULL, out, &err) != OK)
		return false;
	move = tigetstr("cup");
	del_curterm(cur_term);
	return move && move != (const char *)-1;
}

struct top_screen *top_screen_open(int in, int out, bool colour)
{
	struct top_screen *s = calloc(1, sizeof(*s));

	if (s) {
		s->in = in;
		s->out = out;
		s->colour = colour;
	}
	return s;
}

void top_screen_close(struct top_screen *s)
{
	free(s);
}

/* ---- the terminal ---- */

static FILE *file_of(int fd, const char *mode)
{
	int own = dup(fd);
	FILE *file = own < 0 ? NULL : fdopen(own, mode);

	if (!file && own >= 0)
		close(own);
	return file;
}

/* ncurses' own handlers would draw in whichever thread the signal comes to. */
static void leave_signals(void)
{
	struct sigaction defaults = { .sa_handler = SIG_DFL };
	static const int signals[] = { SIGWINCH, SIGTSTP, SIGINT, SIGTERM };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &defaults, NULL);
}

/* Ctrl-Z would leave a screen that nobody restores. */
static void set_keys(struct top_screen *s)
{
	struct termios keys;

	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	if (!tcgetattr(s->in, &keys)) {
		keys.c_cc[VSUSP] = _POSIX_VDISABLE;
		tcsetattr(s->in, TCSANOW, &keys);
	}
}

static void set_colours(const struct top_screen *s)
{
	if (!s->colour || !has_colors())
		return;
	start_color();
	use_default_colors();
	init_pair(COLOUR_HEAD, COLOR_CYAN, -1);
	init_pair(COLOUR_ERROR, COLOR_RED, -1);
	init_pair(COLOUR_MARK, COLOR_GREEN, -1);
}

static bool begin(void *arg)
{
	struct top_screen *s = arg;

	tcgetattr(s->in, &s->before);
	s->in_file = file_of(s->in, "r");
	s->out_file = file_of(s->out, "w");
	if (s->in_file && s->out_file)
		s->screen = newterm(NULL, s->out_file, s->in_file);
	if (!s->screen)
		return false;
	leave_signals();
	set_keys(s);
	set_colours(s);
	curs_set(0);
	mvprintw(0, 0, "iotracer top: starting (Ctrl-C ends)");
	refresh();
	return true;
}

static void end(void *arg)
{
	struct top_screen *s = arg;

	if (s->screen) {
		set_term(s->screen);
		endwin();
		delscreen(s->screen);
		tcsetattr(s->in, TCSANOW, &s->before);
	}
	if (s->in_file)
		fclose(s->in_file);
	if (s->out_file)
		fclose(s->out_file);
	s->screen = NULL;
	s->in_file = s->out_file = NULL;
}

/* ---- keys ---- */

static void type(struct top_screen *s, int key)
{
	if (key == ESC) {
		s->filter_len = 0;
		s->typing = false;
	} else if (key == '\r' || key == '\n' || key == KEY_ENTER) {
		s->typing = false;
	} else if (key == KEY_BACKSPACE || key == DEL || key == '\b') {
		s->filter_len -= s->filter_len > 0;
	} else if (key >= ' ' && key < 256 && s->filter_len < FILTER_MAX) {
		s->filter[s->filter_len++] = (char)key;
	}
}

static void move_rows(struct top_screen *s, int by)
{
	s->selected = by < 0 && s->selected < (unsigned)-by ? 0 : s->selected + (unsigned)by;
	s->follows = false;
}

static void leave_rows(struct top_screen *s)
{
	s->first = s->selected = 0;
	s->follows = false;
}

static void move_by_key(struct top_screen *s, int key)
{
	int page = LINES - HEAD_LINES - FOOT_LINES;

	if (key == KEY_UP || key == KEY_DOWN)
		move_rows(s, key == KEY_UP ? -1 : 1);
	else if (key == KEY_PPAGE || key == KEY_NPAGE)
		move_rows(s, key == KEY_PPAGE ? -page : page);
	else if (key == KEY_HOME || key == KEY_END)
		move_rows(s, key == KEY_HOME ? -(1 << 30) : 1 << 30);
}

/* Enter goes to who uses a file, and from processes to threads; Esc back, when no filter is left. */
static bool choose_file(struct top_screen *s, struct top_choice *choice, int key)
{
	bool back = key == KEY_BACKSPACE || key == DEL || key == '\b' ||
		    (key == ESC && !s->filter_len);

	if (choice->view != TOP_FILES || (back && !choice->file.chosen))
		return false;
	if (back)
		choice->file.chosen = false;
	else if (key != '\r' && key != '\n' && key != KEY_ENTER)
		return false;
	else if (choice->file.chosen)
		choice->file.threads = !choice->file.threads;
	else
		choice->file = s->file;
	s->filter_len = 0;
	leave_rows(s);
	return true;
}

static void choose_view(struct top_screen *s, struct top_choice *choice, int view)
{
	choice->view = (enum top_view)view;
	choice->file.chosen = false;
	leave_rows(s);
}

static void choose(struct top_screen *s, struct top_choice *choice, int key)
{
	if (choose_file(s, choice, key))
		return;
	if (key >= '1' && key < '1' + N_TOP_VIEWS)
		choose_view(s, choice, key - '1');
	else if (key == '\t')
		choose_view(s, choice, (choice->view + 1) % N_TOP_VIEWS);
	else if (key == KEY_BTAB)
		choose_view(s, choice, (choice->view + N_TOP_VIEWS - 1) % N_TOP_VIEWS);
	else if (key == 's')
		choice->sort = (enum top_sort)((choice->sort + 1) % N_TOP_SORTS);
	else if (key == ' ')
		choice->frozen = !choice->frozen;
	else if (key == 'u')
		s->exact = !s->exact;
	else if (key == '/')
		s->typing = true;
	else if (key == ESC)
		s->filter_len = 0;
	else if (key == CTRL_L)
		clearok(stdscr, TRUE);
	else
		move_by_key(s, key);
}

static bool take_key(struct top_screen *s, struct top_choice *choice, int key)
{
	if (s->typing) {
		type(s, key);
	} else if (s->help) {
		s->help = false;
	} else if (key == 'q' || key == KEY_F(10)) {
		return false;
	} else if (key == 'h' || key == '?' || key == KEY_F(1)) {
		s->help = true;
	} else {
		choose(s, choice, key);
	}
	return true;
}

static bool resized(const struct top_screen *s)
{
	struct winsize size;

	if (ioctl(s->out, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col ||
	    !is_term_resized(size.ws_row, size.ws_col))
		return false;
	resizeterm(size.ws_row, size.ws_col);
	clearok(stdscr, TRUE);
	return true;
}

/* A terminal that was closed has no keys, and never will. */
static bool hung_up(const struct top_screen *s)
{
	struct pollfd in = { .fd = s->in, .events = POLLIN };

	return poll(&in, 1, 0) > 0 && (in.revents & (POLLHUP | POLLERR | POLLNVAL));
}

static enum top_wish turn(void *arg, struct top_choice *choice)
{
	struct top_screen *s = arg;
	enum top_wish wish = resized(s) ? TOP_DRAW : TOP_NOTHING;
	int key;

	if (hung_up(s))
		return TOP_QUIT;
	while ((key = getch()) != ERR) {
		if (!take_key(s, choice, key))
			return TOP_QUIT;
		wish = TOP_DRAW;
	}
	return wish;
}

const struct top_display top_screen_display = {
	.begin = begin,
	.show = top_draw,
	.turn = turn,
	.end = end,
};

#else

bool top_screen_possible(int in, int out)
{
	(void)in;
	(void)out;
	return false;
}

struct top_screen *top_screen_open(int in, int out, bool colour)
{
	(void)in;
	(void)out;
	(void)colour;
	return NULL;
}

void top_screen_close(struct top_screen *screen)
{
	(void)screen;
}

const struct top_display top_screen_display = { 0 };

#endif
