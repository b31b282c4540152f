/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the level, and the status line that each message must clear first. */
#include "base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/plain.h"

static enum log_level level = LOG_NORMAL;
static int notes_fd = -1;  /* where notes go as well */
static const char *within; /* of what is wrong; NULL: nowhere */
static bool status_shown;

void log_set_level(enum log_level new_level)
{
	level = new_level;
}

enum log_level log_get_level(void)
{
	return level;
}

void log_within(const char *place)
{
	within = place;
}

/*
 * A place gets half of the room at most, so that a name as long as a path may be leaves some
 * for what is wrong there.
 */
static void print(const char *prefix, const char *fmt, va_list ap)
{
	char text[4096], line[PLAIN_ROOM(sizeof(text))];
	size_t len = 0;

	if (within)
		len = (size_t)snprintf(text, sizeof(text) / 2, "%s: ", within);
	len = len < sizeof(text) / 2 ? len : sizeof(text) / 2 - 1;
	vsnprintf(text + len, sizeof(text) - len, fmt, ap);
	len = plain_text(line, text, strlen(text));
	fprintf(stderr, "%siotracer: %s%.*s\n", status_shown ? "\r\033[K" : "", prefix, (int)len,
		line);
	status_shown = false;
}

#define LOG_FUNCTION(name, at_least, prefix)                                                       \
	void name(const char *fmt, ...)                                                            \
	{                                                                                          \
		va_list ap;                                                                        \
                                                                                                   \
		if (level < (at_least))                                                            \
			return;                                                                    \
		va_start(ap, fmt);                                                                 \
		print(prefix, fmt, ap);                                                            \
		va_end(ap);                                                                        \
	}

LOG_FUNCTION(log_error, LOG_QUIET, "")
LOG_FUNCTION(log_warn, LOG_NORMAL, "warning: ")
LOG_FUNCTION(log_detail, LOG_VERBOSE, "")

void log_note(const char *fmt, ...)
{
	char text[1024], line[PLAIN_ROOM(sizeof(text))];
	va_list ap;
	size_t len;

	if (level < LOG_NORMAL)
		return;
	va_start(ap, fmt);
	print("", fmt, ap);
	va_end(ap);
	if (notes_fd < 0)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	len = plain_text(line, text, strlen(text));
	/* a terminal in ncurses' mode does not go back to the first column at a line end */
	dprintf(notes_fd, "\r\niotracer: %.*s", (int)len, line);
}

void log_notes_to(int fd)
{
	notes_fd = fd;
}

void log_status(const char *fmt, ...)
{
	char text[512], line[PLAIN_ROOM(sizeof(text))];
	va_list ap;
	size_t len;

	if (level < LOG_NORMAL || !isatty(STDERR_FILENO))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!text[0] && !status_shown)
		return;
	len = plain_text(line, text, strlen(text));
	fprintf(stderr, "\r%.*s\033[K", (int)len, line);
	fflush(stderr);
	status_shown = text[0] != '\0';
}

void log_waiting(const char *what)
{
	/* by address: callers pass the same literal again */
	static const char *last;
	static uint64_t since, shown;
	uint64_t now = mono_ns(), seconds;

	if (!what) {
		if (shown)
			log_status("%s", "");
		last = NULL;
		shown = 0;
		return;
	}
	if (what != last)
		since = now;
	last = what;
	seconds = (now - since) / NS_PER_S;
	if (seconds == shown)
		return;
	shown = seconds;
	log_status("%s (%llu s)", what, (unsigned long long)seconds);
}
