/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages to people, on stderr: lower case, subject first, no full stop.
 * Whoever knows what was attempted prints once; callers only return.
 */
#pragma once

enum log_level { LOG_QUIET = -1, LOG_NORMAL, LOG_VERBOSE };

void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/* Errors are always shown, warnings and notes unless -q, details with -v. */
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_detail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Errors and warnings begin with this place from now on ("FILE:3"); NULL: with none. Stays the caller's. */
void log_within(const char *place);

/*
 * Notes go to this terminal as well (-1: no more): while a screen has nothing to show yet, and
 * messages are kept for later.
 */
void log_notes_to(int fd);

/*
 * One line that replaces itself, on a terminal only; "" clears it. The next message clears it
 * first. Nothing with -q.
 */
void log_status(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * What a person waits for: call it again and again meanwhile, with the same
 * text, and with NULL at the end. After the first second it is a status line,
 * which counts them.
 */
void log_waiting(const char *what);
