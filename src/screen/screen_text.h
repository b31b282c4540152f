/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A name as characters of a screen: nothing in it moves the cursor or turns the line around. */
#pragma once

#include <stddef.h>
#include <wchar.h>

enum { SCREEN_TEXT_MAX = 1024 };

/*
 * What fits into so many cells, ended by 0: of a longer one the end, which says more than its
 * beginning. What is no text in this locale is a question mark.
 */
void screen_text(wchar_t out[SCREEN_TEXT_MAX], const char *text, size_t len, unsigned cells);
