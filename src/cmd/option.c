/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the walk over an argument vector or a file of options, and --help, all along a command's table of options.
 */
#include "cmd/option.h"

#include <getopt.h>
#include <limits.h>
#include <string.h>

#include "analysis/common/conf_file.h"
#include "analysis/common/pool.h"
#include "base/log.h"

enum { FIRST_LONG = 256, NAME_MAX_LEN = 40 };

const char *const option_sections[N_OPTION_SECTIONS] = {
	[OPTIONS_MAIN] = "Common",
	[OPTIONS_PROCESSES] = "Which processes",
	[OPTIONS_ROWS] = "Which rows",
	[OPTIONS_DIRECTORY] = "Session directory",
	[OPTIONS_SNAPSHOTS] = "Snapshots",
	[OPTIONS_ANON] = "Anonymised mode",
	[OPTIONS_KERNEL] = "Probes and compilation",
	[OPTIONS_MESSAGES] = "Messages",
};

/* ---- help ---- */

static unsigned shown_rows(const struct command *command)
{
	unsigned n = 0;

	for (const struct option_row *row = command->options; row->name; row++)
		n += row->help != NULL;
	return n;
}

bool options_more_than_a_screen(const struct command *command)
{
	/* besides the rows: usage, summary, example and the blank lines between them */
	return shown_rows(command) + 6 > HELP_LINES;
}

/* "-o, --output DIR": its length */
static int left_column(char *out, size_t size, const struct option_row *row)
{
	const char *argument = row->argument ? row->argument : "";

	return snprintf(out, size, "%s%c%s--%s%s%s", row->letter ? "-" : " ",
			row->letter ? row->letter : ' ', row->letter ? ", " : "  ", row->name,
			argument[0] && argument[0] != '[' ? " " : "", argument);
}

static bool is_shown(const struct option_row *row, bool all)
{
	return row->help && (all || row->common);
}

static int widest(const struct command *command, bool all)
{
	char text[80];
	int width = 0;

	for (const struct option_row *row = command->options; row->name; row++) {
		int len = left_column(text, sizeof(text), row);

		if (is_shown(row, all) && len > width)
			width = len;
	}
	return width;
}

static void print_section(FILE *to, const struct command *command, enum option_section section,
			  bool all, int width)
{
	bool heading = all && options_more_than_a_screen(command);
	char left[80];

	for (const struct option_row *row = command->options; row->name; row++) {
		if (row->section != section || !is_shown(row, all))
			continue;
		if (heading)
			fprintf(to, "\n%s:\n", option_sections[section]);
		heading = false;
		left_column(left, sizeof(left), row);
		fprintf(to, "  %-*s  %s\n", width, left, row->help);
	}
}

void options_help(FILE *to, const struct command *command, bool all)
{
	int width;

	all = all || !options_more_than_a_screen(command);
	width = widest(command, all);
	fprintf(to, "usage: iotracer %s %s\n%s\n", command->name, command->usage, command->summary);
	if (!all || !options_more_than_a_screen(command))
		fputc('\n', to);
	for (int i = 0; i < N_OPTION_SECTIONS; i++)
		print_section(to, command, (enum option_section)i, all, width);
	fprintf(to, "\nexample: %s\n", command->example);
}

int options_wrong_usage(const struct command *command)
{
	log_error("usage: iotracer %s %s; see `iotracer %s --help`", command->name, command->usage,
		  command->name);
	return OPTIONS_WRONG;
}

/* ---- what is wrong with an option ---- */

/* How many letters have to be added, removed or replaced. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[NAME_MAX_LEN + 1];
	size_t n = strlen(b);

	if (n > NAME_MAX_LEN)
		return NAME_MAX_LEN;
	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (; *a; a++) {
		unsigned diagonal = row[0]++;

		for (size_t j = 1; j <= n; j++) {
			unsigned best = diagonal + (*a != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

static const char *nearest(const struct option_row *row, const char *name)
{
	const char *found = NULL;
	unsigned least = 3;

	for (; row->name; row++) {
		unsigned d = distance(name, row->name);

		if (row->help && d < least) {
			least = d;
			found = row->name;
		}
	}
	return found;
}

/* The first two options that a shortened name may mean. */
static unsigned candidates(const struct option_row *row, const char *name, const char *found[2])
{
	unsigned n = 0;

	for (; row->name; row++)
		if (row->help && !strncmp(row->name, name, strlen(name)) && n++ < 2)
			found[n - 1] = row->name;
	return n;
}

static void report_unknown(const struct command *command, const char *word)
{
	char name[NAME_MAX_LEN + 1];
	const char *found[2], *near;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	near = nearest(command->options, name);
	if (candidates(command->options, name, found) > 1)
		log_error("ambiguous option '%s': --%s or --%s; see `iotracer %s --help=all`", word,
			  found[0], found[1], command->name);
	else if (near)
		log_error("unknown option '%s', did you mean --%s? see `iotracer %s --help`", word,
			  near, command->name);
	else
		log_error("unknown option '%s'; see `iotracer %s --help`", word, command->name);
}

static void report(const struct command *command, int letter, const char *word)
{
	if (letter == ':')
		log_error("option '%s' needs an argument", word);
	else if (optopt > 0 && optopt < FIRST_LONG)
		log_error("unknown option '-%c'; see `iotracer %s --help`", optopt, command->name);
	else if (optopt)
		log_error("option '%s' takes no argument", word);
	else
		report_unknown(command, word);
}

/* ---- the walk ---- */

static int has_arg(const struct option_row *row)
{
	if (!row->argument)
		return no_argument;
	return row->argument[0] == '[' ? optional_argument : required_argument;
}

/* The table in getopt_long's two forms; a long option is known by its place in the table. */
static void make_tables(const struct command *command, struct option *longs, char *shorts)
{
	const struct option_row *row = command->options;

	if (command->words_first)
		*shorts++ = '+';
	*shorts++ = ':'; /* a missing argument is not an unknown option */
	for (int i = 0; row->name; row++, i++) {
		*longs++ = (struct option){ .name = row->name,
					    .val = FIRST_LONG + i,
					    .has_arg = has_arg(row) };
		if (!row->letter)
			continue;
		*shorts++ = row->letter;
		for (int n = has_arg(row); n > 0; n--)
			*shorts++ = ':';
	}
	*longs = (struct option){ 0 };
	*shorts = '\0';
}

static const struct option_row *find(const struct command *command, int letter)
{
	const struct option_row *row = command->options;

	if (letter >= FIRST_LONG)
		return &row[letter - FIRST_LONG];
	while (row->letter != letter)
		row++;
	return row;
}

int options_parse(const struct command *command, int argc, char **argv, void *target)
{
	struct option longs[OPTIONS_MAX];
	char shorts[3 * OPTIONS_MAX + 3];
	int letter;

	make_tables(command, longs, shorts);
	opterr = 0;
	optind = 0; /* main may have used getopt before */
	while ((letter = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct option_row *row;

		if (letter == '?' || letter == ':') {
			report(command, letter, argv[optind - 1]);
			return OPTIONS_WRONG;
		}
		row = find(command, letter);
		if (!row->parse) {
			options_help(stdout, command, optarg != NULL);
			return OPTIONS_HELP;
		}
		if (!row->parse(row, optarg, (char *)target + row->target))
			return OPTIONS_WRONG;
	}
	return OPTIONS_OK;
}

bool options_given(const struct command *command, int argc, char **argv, const char *name,
		   const char **argument)
{
	struct option longs[OPTIONS_MAX];
	char shorts[3 * OPTIONS_MAX + 3];
	bool given = false;
	int letter;

	make_tables(command, longs, shorts);
	opterr = 0;
	optind = 0;
	while ((letter = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (letter == '?' || letter == ':' || strcmp(find(command, letter)->name, name))
			continue;
		given = true;
		*argument = optarg;
	}
	return given;
}

/* ---- files of options ---- */

struct options_file {
	const struct command *command;
	const char *name;
	struct pool *texts;
	void *target;
	unsigned line, n_wrong;
};

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t\r\n");
	len = strlen(text);
	while (len && strchr(" \t\r\n", text[len - 1]))
		text[--len] = '\0';
	return text;
}

/* False, and reported: what stands in the line is not to be. */
static bool take_option(const struct options_file *file, const char *name, const char *argument)
{
	const struct option_row *row = file->command->options;

	while (row->name && strcmp(row->name, name) != 0)
		row++;
	if (!row->name) {
		const char *near = nearest(file->command->options, name);

		log_error("unknown option '%s'%s%s", name, near ? ", did you mean " : "",
			  near ? near : "");
		return false;
	}
	if (!row->parse || row->line_only)
		log_error("option '%s' is for the command line alone", name);
	else if (argument && has_arg(row) == no_argument)
		log_error("option '%s' takes no argument", name);
	else if (!argument && has_arg(row) == required_argument)
		log_error("option '%s' needs an argument", name);
	else
		return row->parse(row, argument, (char *)file->target + row->target);
	return false;
}

static const char *take_line(void *arg, char *line, size_t len)
{
	struct options_file *file = arg;
	char place[PATH_MAX + 16], *name, *argument;

	file->line++;
	if (memchr(line, '\0', len))
		return "a byte of zero";
	name = trim(line);
	if (!name[0] || name[0] == '#')
		return NULL;
	argument = strchr(name, '=');
	if (argument) {
		*argument++ = '\0';
		name = trim(name);
		argument = trim(argument);
		argument = pool_text(file->texts, argument, strlen(argument));
		if (!argument)
			return "out of memory";
	}
	snprintf(place, sizeof(place), "%s:%u", file->name, file->line);
	log_within(place);
	file->n_wrong += !take_option(file, name, argument);
	log_within(NULL);
	return NULL;
}

int options_read(const struct command *command, const char *name, struct pool *texts, void *target)
{
	struct options_file file = {
		.command = command, .name = name, .texts = texts, .target = target
	};

	if (conf_read(name, take_line, &file) || file.n_wrong)
		return OPTIONS_WRONG;
	return OPTIONS_OK;
}
