/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The full-screen view of `iotracer top`, by ncursesw. Knows the choices made with keys;
 * the tables are given to it. Without ncursesw there is none.
 */
#pragma once

#include <stdbool.h>

#include "analysis/top/top.h"

struct top_screen;

/* Whether such a screen was built in, and both are terminals that can show one. */
bool top_screen_possible(int in, int out);
/* Of two terminals that stay the caller's. NULL without memory. */
struct top_screen *top_screen_open(int in, int out, bool colour);
void top_screen_close(struct top_screen *screen);

/* For top_options; its argument is the screen. */
extern const struct top_display top_screen_display;
