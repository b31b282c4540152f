/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the screen is, for those who draw it and who take its keys. */
#pragma once

#include <ncurses.h>
#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

#include "analysis/top/top.h"

enum { HEAD_LINES = 4, FOOT_LINES = 1, FILTER_MAX = 64 };
enum { COLOUR_HEAD = 1, COLOUR_ERROR, COLOUR_MARK };

struct top_screen {
	int in, out;
	bool colour;
	FILE *in_file, *out_file;
	SCREEN *screen;
	struct termios before;
	bool exact; /* numbers, not 4.0K */
	bool help;
	bool typing; /* the filter */
	char filter[FILTER_MAX];
	unsigned filter_len;
	unsigned first, selected; /* of the rows that match */
	bool follows;             /* the selected one, wherever it is in the next interval */
	uint64_t follow;          /* its hash */
	struct top_file file;     /* the file whose users are shown, where one is chosen */
};
