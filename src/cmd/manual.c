/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fills in the manual pages while they are built: reads a page on standard input and
 * replaces the lines @SYNOPSIS@, @OPTIONS command@, @QUESTIONS@, @COLUMNS stream@ and, for the streams
 * not named so far, @COLUMNS@ by what the tables of options, questions and columns have.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/questions.h"
#include "row/schema.h"

static void put_streams(void)
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (!schema_has(i, ALWAYS_RECORDED))
			printf("%s\\fB%s\\fR", i ? ", " : "", streams[i].name);
}

/*
 * Text of a table in roff: `words` in backquotes are bold, @STREAMS@ are those of -e, the
 * first letter is a capital one.
 */
static void put_text(const char *text, bool capital)
{
	static const char all_streams[] = "@STREAMS@", ellipsis[] = "…";
	bool bold = false;

	for (const char *at = text; *at; at++) {
		if (*at == '`') {
			bold = !bold;
			fputs(bold ? "\\fB" : "\\fR", stdout);
		} else if (!strncmp(at, all_streams, strlen(all_streams))) {
			put_streams();
			at += strlen(all_streams) - 1;
		} else if (!strncmp(at, ellipsis, strlen(ellipsis))) {
			fputs("...", stdout);
			at += strlen(ellipsis) - 1;
		} else if (*at == '-') {
			fputs("\\-", stdout);
		} else if (*at == '\\') {
			fputs("\\e", stdout);
		} else if (at == text && (*at == '.' || *at == '\'')) {
			printf("\\&%c", *at);
		} else if (*at == ' ' && at > text && at[-1] == '.') {
			putchar('\n'); /* a sentence is a line */
		} else {
			putchar(at == text && capital ? toupper((unsigned char)*at) : *at);
		}
	}
}

/* Names of arguments, which are in capital letters, are italic; the rest is bold. */
static void put_usage(const char *text)
{
	while (*text) {
		size_t len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		bool argument = len > 0;

		if (!argument)
			len = strcspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		fputs(argument ? "\\fI" : "\\fB", stdout);
		for (size_t i = 0; i < len; i++)
			printf("%s%c", text[i] == '-' ? "\\" : "", text[i]);
		fputs("\\fR", stdout);
		text += len;
	}
	putchar('\n');
}

static void put_synopsis(void)
{
	for (int i = 0; commands[i]; i++) {
		printf("%s\\fBiotracer %s\\fR ", i ? ".br\n" : "", commands[i]->name);
		put_usage(commands[i]->usage);
	}
}

static void put_option(const struct option_row *row)
{
	fputs(".TP\n", stdout);
	if (row->letter)
		printf("\\fB\\-%c\\fR, ", row->letter);
	fputs("\\fB\\-\\-", stdout);
	put_text(row->name, false);
	fputs("\\fR", stdout);
	if (row->argument)
		printf("%s\\fI%s\\fR", row->argument[0] == '[' ? "" : " ", row->argument);
	putchar('\n');
	put_text(row->help, true);
	fputs(".\n", stdout);
	if (row->more) {
		put_text(row->more, false);
		putchar('\n');
	}
}

static void put_section(const struct command *command, int section, bool heading)
{
	unsigned n = 0;

	for (const struct option_row *row = command->options; row->name; row++) {
		if ((int)row->section != section || !row->help)
			continue;
		if (heading && !n++)
			printf(".SS %s\n", option_sections[section]);
		put_option(row);
	}
}

static bool put_options(const char *name)
{
	bool large;

	for (int i = 0; commands[i]; i++) {
		if (strcmp(commands[i]->name, name))
			continue;
		large = options_more_than_a_screen(commands[i]);
		for (int s = 0; s < N_OPTION_SECTIONS; s++)
			put_section(commands[i], s, large);
		return true;
	}
	return false;
}

static void put_question(const struct question *q)
{
	fputs(".TP\n\\fI", stdout);
	put_text(q->question, true);
	fputs("\\fR\n", stdout);
	if (q->record[0]) {
		fputs("\\fB", stdout);
		put_text(q->record, false);
		fputs("\\fR\n.br\n", stdout);
	}
	fputs("\\fB", stdout);
	put_text(q->answer, false);
	fputs("\\fR\n.br\n", stdout);
	put_text(q->look, true);
	fputs(".\n", stdout);
}

static void put_questions(void)
{
	const char *topic = "";

	for (const struct question *q = questions; q->name; q++) {
		if (strcmp(topic, q->topic))
			printf(".SS %s\n", q->topic);
		topic = q->topic;
		put_question(q);
	}
}

static void put_columns(const struct stream *stream)
{
	for (unsigned i = 0; i < stream->n_columns; i++) {
		const struct column *c = &stream->columns[i];

		printf(".TP\n\\fB%s\\fR (%s%s%s)\n", c->name, c->type, c->unit[0] ? ", " : "",
		       c->unit);
		/* it may begin with a value, which is no other in capitals */
		put_text(c->doc[0] ? c->doc : c->name, false);
		fputs(".\n", stdout);
	}
}

static bool put_stream(int stream, bool named[N_STREAMS])
{
	if (stream < 0)
		return false;
	named[stream] = true;
	put_columns(&streams[stream]);
	return true;
}

static void put_other_streams(bool named[N_STREAMS])
{
	for (int i = 0; i < N_STREAMS; i++) {
		if (named[i])
			continue;
		printf(".SS %s\n", streams[i].name);
		put_text(streams[i].doc, true);
		fputs(".\n", stdout);
		put_stream(i, named);
	}
}

/* False: there is nothing of that name. */
static bool fill_in(char *line, bool named[N_STREAMS])
{
	char *name = strchr(line, ' ');

	*strrchr(line, '@') = '\0';
	name = name ? name + 1 : NULL;
	if (!strcmp(line, "@SYNOPSIS"))
		put_synopsis();
	else if (!strcmp(line, "@QUESTIONS"))
		put_questions();
	else if (!strcmp(line, "@COLUMNS"))
		put_other_streams(named);
	else if (name && !strncmp(line, "@COLUMNS ", 9))
		return put_stream(schema_find(name), named);
	else if (name && !strncmp(line, "@OPTIONS ", 9))
		return put_options(name);
	else
		return false;
	return true;
}

int main(void)
{
	bool named[N_STREAMS] = { false };
	char line[4096];

	while (fgets(line, sizeof(line), stdin)) {
		if (line[0] != '@') {
			fputs(line, stdout);
		} else if (!fill_in(line, named)) {
			fprintf(stderr, "manual: %s@: neither a command nor a stream\n", line);
			return EXIT_FAILURE;
		}
	}
	return fflush(stdout) || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
