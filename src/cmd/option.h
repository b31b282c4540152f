/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An option is a row: what it is called, how its argument is parsed, where the
 * value goes, and what --help and the manual say about it. A command is a table
 * of them. Knows no option and no command by name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pool;

/* In the order of --help=all and of the manual. */
enum option_section {
	OPTIONS_MAIN,
	OPTIONS_PROCESSES,
	OPTIONS_ROWS,
	OPTIONS_DIRECTORY,
	OPTIONS_SNAPSHOTS,
	OPTIONS_ANON,
	OPTIONS_KERNEL,
	OPTIONS_MESSAGES,
	N_OPTION_SECTIONS
};
extern const char *const option_sections[N_OPTION_SECTIONS];

struct option_row {
	const char *name;
	char letter;          /* 0: it has none */
	bool common;          /* shown by --help where not all of them fit on a screen */
	const char *argument; /* NULL: takes none; "[=X]": may be left out, NULL is parsed then */
	/* False: refused, and reported under the option's name. */
	bool (*parse)(const struct option_row *row, const char *arg, void *target);
	size_t target;            /* offset in the struct that the command fills */
	const char *const *words; /* of option_word: up to NULL */
	enum option_section section;
	bool line_only;   /* only on the command line, not in a file of options */
	const char *help; /* NULL: another spelling, shown nowhere */
	const char *more; /* what the manual adds; `literal` words in backquotes */
};

struct command {
	const char *name;
	const char *summary;
	const char *usage; /* behind the name */
	const char *example;
	const char *next; /* what a person does when it went well; NULL: it says so itself */
	const struct option_row *options; /* up to a row without a name */
	bool words_first;                 /* the first word that is no option ends them */
	int (*run)(int argc, char **argv);
};

/* What a command line is besides right, as its exit status plus one. */
enum { OPTIONS_OK = 0, OPTIONS_HELP = 1, OPTIONS_WRONG = 3 };

enum { OPTIONS_MAX = 96, HELP_LINES = 24 };

/*
 * Parses into target; optind is then the index of the first word. OPTIONS_HELP: it was
 * printed. OPTIONS_WRONG: reported.
 */
int options_parse(const struct command *command, int argc, char **argv, void *target);

/*
 * The same of a file with an option a line: "name = argument", "name"; lines that begin with # are comments. All
 * that is wrong is reported, with file and line. Texts stay in the pool. OPTIONS_OK or OPTIONS_WRONG.
 */
int options_read(const struct command *command, const char *file, struct pool *texts, void *target);

/* Whether a command line, which may have errors, has an option, and its last argument. */
bool options_given(const struct command *command, int argc, char **argv, const char *name,
		   const char **argument);

/* Reports that the words do not fit the command's usage, in one line. Returns OPTIONS_WRONG. */
int options_wrong_usage(const struct command *command);

/* Whether --help leaves some to --help=all, and both it and the manual have sections. */
bool options_more_than_a_screen(const struct command *command);

/* all: not the common ones alone, where these would be more than a screen */
void options_help(FILE *to, const struct command *command, bool all);
