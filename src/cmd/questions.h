/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What people ask about a machine, and the commands that answer. The list is questions.def; help, the
 * manual page and doc/QUESTIONS.md are made of it. Knows no command.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct question {
	const char *topic, *name, *question;
	const char *record; /* "": the answer needs no recording */
	const char *answer, *look;
	const char *shown; /* lines of a real answer */
};

/* In the order of topics, up to one without a name. */
extern const struct question questions[];

enum questions_format { QUESTIONS_TEXT, QUESTIONS_CSV, QUESTIONS_MARKDOWN };

/* Of those that have all of these words, whatever their case. Returns how many there are. */
unsigned questions_print(FILE *out, enum questions_format format, char *const *words, int n_words);
