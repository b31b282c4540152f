/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of commands; a new one is a line here. And `iotracer help`, which shows the list, the options of one of them,
 * or what a topic has: it stands here because it is in the list, too.
 */
#include "cmd/commands.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "analysis/report/report_rules.h"
#include "base/log.h"
#include "cmd/option_groups.h"
#include "cmd/option_values.h"
#include "cmd/questions.h"

static int help_command(int argc, char **argv);

/* clang-format off */
static const struct option_row rows[] = {
	{ .name = "csv", .section = OPTIONS_MAIN, OPTION_TO(flag, struct help_options, csv),
	  .help = "the questions as CSV, each with a real answer" },
	{ .name = "markdown", .section = OPTIONS_MAIN, OPTION_TO(flag, struct help_options, markdown),
	  .help = "questions or findings as their page of doc/" },
	OPTIONS_HELP_ROW,
	{ 0 },
};
/* clang-format on */

static const struct command command_help = {
	.name = "help",
	.summary = "shows the commands, a command's options, or which command answers a question",
	.usage = "[COMMAND | findings | questions [WORD]... [OPTION]...]",
	.example = "iotracer help questions fsync",
	.options = rows,
	.run = help_command,
};

const struct command *const commands[] = {
	&command_record,
	&command_doctor,
	&command_build,
	&command_snapshot,
	&command_watch,
	&command_top,
	&command_files,
	&command_report,
	&command_why,
	&command_amp,
	&command_uring,
	&command_timeline,
	&command_fio,
	&command_verify,
	&command_schema,
	&command_help,
	NULL,
};

void commands_usage(FILE *out)
{
	fprintf(out, "usage: iotracer COMMAND [options]\n\n");
	for (const struct command *const *c = commands; *c; c++)
		fprintf(out, "  %-8s  %s\n", (*c)->name, (*c)->summary);
	fprintf(out,
		"\nexample: iotracer record -o ~/trace -- ls -l\n"
		"`iotracer help questions` shows which command answers a question, `iotracer COMMAND --help`\n"
		"the options of a command; the manual is iotracer(8).\n");
}

static int help_questions(const struct help_options *o, char *const *words, int n_words)
{
	enum questions_format format = o->csv      ? QUESTIONS_CSV :
				       o->markdown ? QUESTIONS_MARKDOWN :
						     QUESTIONS_TEXT;

	if (!questions_print(stdout, format, words, n_words)) {
		log_error("no question has '%s'%s; `iotracer help questions` shows all of them",
			  words[0], n_words > 1 ? " and the other words" : "");
		return STATUS_FAILED;
	}
	if (format == QUESTIONS_TEXT && !n_words)
		printf("`iotracer help questions WORD` shows those that have a word, with a real answer.\n");
	return STATUS_OK;
}

static int help_findings(const struct help_options *o, char *const *words, int n_words)
{
	(void)words;
	if (o->csv || n_words)
		return options_wrong_usage(&command_help) - 1;
	report_rules_print(stdout, o->markdown);
	return STATUS_OK;
}

const struct help_topic help_topics[] = {
	{ "findings", help_findings },
	{ "questions", help_questions },
	{ 0 },
};

static int help_on_command(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp(name, (*c)->name)) {
			options_help(stdout, *c, false);
			return STATUS_OK;
		}
	log_error("no help on '%s': neither a command nor a topic, see `iotracer help --help`",
		  name);
	return STATUS_USAGE;
}

static const struct help_topic *find_topic(const char *name)
{
	for (const struct help_topic *t = help_topics; name && t->name; t++)
		if (!strcmp(name, t->name))
			return t;
	return NULL;
}

static int help_command(int argc, char **argv)
{
	struct help_options o = { 0 };
	int err = options_parse(&command_help, argc, argv, &o), status = STATUS_OK;
	const char *name = !err && optind < argc ? argv[optind++] : NULL;
	const struct help_topic *topic = find_topic(name);

	if (!err && (topic ? o.csv && o.markdown : o.csv || o.markdown || optind < argc))
		err = options_wrong_usage(&command_help);
	if (err)
		return err - 1;
	if (topic)
		status = topic->show(&o, argv + optind, argc - optind);
	else if (name)
		status = help_on_command(name);
	else
		commands_usage(stdout);
	if (fflush(stdout) || ferror(stdout)) {
		log_error("standard output: %s", strerror(errno));
		return STATUS_FAILED;
	}
	return status;
}
