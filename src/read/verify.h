/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is a session directory what its manifest says, and does the manifest say all
 * of it? Needs neither root nor the tracer's host.
 */
#pragma once

#include <stdbool.h>

/* The exit status; 2 is wrong usage. */
enum verify_result {
	VERIFY_WHOLE = 0,
	VERIFY_DAMAGED = 1,
	VERIFY_UNFINISHED = 3, /* nothing is wrong but that nobody closed it: --repair does */
};

/*
 * Every trouble is one line on stderr, the result one on stdout, followed by
 * the account of losses. repair: first closes what a killed run left open.
 */
enum verify_result verify_directory(const char *dir, bool repair);
