/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * completion SHELL: run while building. Completion for bash, zsh or fish on its standard output,
 * made of the commands, their options and the streams as the program has them.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "row/schema.h"

static void put_commands(void)
{
	for (int i = 0; commands[i]; i++)
		printf("%s ", commands[i]->name);
	fputs("--help --version", stdout);
}

/* What `iotracer help` has something on. */
static void put_topics(void)
{
	for (int i = 0; commands[i]; i++)
		printf("%s%s", i ? " " : "", commands[i]->name);
	for (const struct help_topic *t = help_topics; t->name; t++)
		printf(" %s", t->name);
}

/* Spellings that no help shows are not offered. */
static bool is_offered(const struct option_row *row)
{
	return row->help != NULL;
}

static bool has_value(const struct option_row *row)
{
	return row->argument && row->argument[0] != '[';
}

static bool is_stream_list(const struct option_row *row)
{
	return !strcmp(row->name, "events");
}

static void put_streams(void)
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		printf("%s%s", i ? " " : "", streams[i].name);
}

static void put_options(const struct command *command)
{
	printf("\t%s)\n\t\toptions='", command->name);
	for (const struct option_row *row = command->options; row->name; row++)
		if (is_offered(row))
			printf("--%s ", row->name);
	fputs("'\n", stdout);
	fputs("\t\tvalued='", stdout);
	for (const struct option_row *row = command->options; row->name; row++) {
		if (!is_offered(row) || !has_value(row))
			continue;
		printf("--%s ", row->name);
		if (row->letter)
			printf("-%c ", row->letter);
	}
	fputs("'\n\t\t;;\n", stdout);
}

static void put_head(void)
{
	fputs("# bash completion for iotracer                                -*- shell-script -*-\n"
	      "# Made of the program's own tables when it was built.\n"
	      "# shellcheck shell=bash\n\n"
	      "# _iotracer_words WORDS: those that the word under way begins\n"
	      "_iotracer_words()\n{\n"
	      "\tmapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$word\")\n}\n\n"
	      "# the last one of a list, which may be without a stream\n"
	      "_iotracer_streams()\n{\n"
	      "\tlocal list='' last=$word stream\n\n"
	      "\t[[ $word != *,* ]] || { list=${word%,*}, last=${word##*,}; }\n"
	      "\t[[ $last != ['!+']* ]] || { list=$list${last:0:1} last=${last:1}; }\n"
	      "\tfor stream in ",
	      stdout);
	put_streams();
	fputs("; do\n"
	      "\t\t[[ $stream != \"$last\"* ]] || COMPREPLY+=(\"$list$stream\")\n"
	      "\tdone\n"
	      "\tcompopt -o nospace\n}\n\n",
	      stdout);
}

static void put_tail(void)
{
	fputs("\tesac\n"
	      "\tcase $1:$before in\n"
	      "\t*:-e | *:--events) _iotracer_streams ;;\n"
	      "\t*)\n"
	      "\t\tif [[ \" $valued \" != *\" $before \"* && $word == -* ]]; then\n"
	      "\t\t\t_iotracer_words \"$options\"\n"
	      "\t\telif [[ $1 == schema && \" $valued \" != *\" $before \"* ]]; then\n"
	      "\t\t\t_iotracer_words '",
	      stdout);
	put_streams();
	fputs("'\n"
	      "\t\telif [[ $1:$COMP_CWORD == help:2 ]]; then\n"
	      "\t\t\t_iotracer_words '",
	      stdout);
	put_topics();
	fputs("'\n"
	      "\t\tfi\n"
	      "\t\t;;\n"
	      "\tesac\n}\n\n"
	      "_iotracer()\n{\n"
	      "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n\n"
	      "\tCOMPREPLY=()\n"
	      "\tif [ \"$COMP_CWORD\" = 1 ]; then\n"
	      "\t\t_iotracer_words '",
	      stdout);
	put_commands();
	fputs("'\n"
	      "\telse\n"
	      "\t\t_iotracer_options \"${COMP_WORDS[1]}\"\n"
	      "\tfi\n}\n\n"
	      "# names of files where nothing else fits\n"
	      "complete -o default -F _iotracer iotracer\n",
	      stdout);
}

static void put_bash(void)
{
	put_head();
	fputs("_iotracer_options()\n{\n"
	      "\tlocal options='' valued=''\n\n"
	      "\tcase $1 in\n",
	      stdout);
	for (int i = 0; commands[i]; i++)
		put_options(commands[i]);
	put_tail();
}

/* ---- zsh and fish show what an option does beside it ---- */

/*
 * A help text between single quotes, with a backslash before each of special. An apostrophe becomes
 * a typographic one, which needs no quoting in either shell.
 */
static void put_quoted(const char *text, const char *special)
{
	for (; *text; text++) {
		if (!strncmp(text, "@STREAMS@", strlen("@STREAMS@"))) {
			put_streams();
			text += strlen("@STREAMS@") - 1;
		} else if (*text == '\'') {
			fputs("’", stdout);
		} else if (*text != '`') {
			if (strchr(special, *text))
				putchar('\\');
			putchar(*text);
		}
	}
}

/* _arguments' "(-e --events)"{-e,--events}"[help]:LIST:function" */
/* "none|gz|zstd" */
static bool is_choice(const struct option_row *row)
{
	return strchr(row->argument, '|') &&
	       !row->argument[strspn(row->argument, "abcdefghijklmnopqrstuvwxyz|")];
}

static void put_choice(const char *words)
{
	fputs(":(", stdout);
	for (; *words; words++)
		putchar(*words == '|' ? ' ' : *words);
	putchar(')');
}

static void put_zsh_option(const struct option_row *row)
{
	const char *equals = has_value(row) ? "=" : row->argument ? "=-" : "";

	if (row->letter)
		printf("\t\t\t'(-%c --%s)'{-%c%s,--%s%s}'[", row->letter, row->name, row->letter,
		       has_value(row) ? "+" : "", row->name, equals);
	else
		printf("\t\t\t'--%s%s[", row->name, equals);
	put_quoted(row->help, "\\[]:");
	putchar(']');
	if (row->argument) {
		fputs(has_value(row) ? ":" : "::", stdout);
		for (const char *at = row->argument; *at; at++)
			if (isalnum((unsigned char)*at))
				putchar(*at);
		if (is_choice(row))
			put_choice(row->argument);
		else
			fputs(is_stream_list(row) ? ":_iotracer_streams" : ":_files", stdout);
	}
	fputs("'\n", stdout);
}

static void put_zsh_command(const struct command *command)
{
	printf("\t%s)\n\t\targuments=(\n", command->name);
	for (const struct option_row *row = command->options; row->name; row++)
		if (is_offered(row))
			put_zsh_option(row);
	if (!strcmp(command->name, "help")) {
		fputs("\t\t\t'1:topic:(", stdout);
		put_topics();
		fputs(")'\n", stdout);
	} else {
		fputs(!strcmp(command->name, "schema") ?
			      "\t\t\t'*:stream:_iotracer_stream_names'\n" :
			      "\t\t\t'*:file:_files'\n",
		      stdout);
	}
	fputs("\t\t)\n\t\t;;\n", stdout);
}

static void put_zsh(void)
{
	fputs("#compdef iotracer\n"
	      "# Made of the program's own tables when it was built.\n\n"
	      "_iotracer_stream_names()\n{\n\tcompadd \"$@\" -- ",
	      stdout);
	put_streams();
	fputs("\n}\n\n"
	      "# the last one of a list, which may be without a stream\n"
	      "_iotracer_streams()\n{\n"
	      "\tcompset -P '*,'\n\tcompset -P '[+!]'\n\t_iotracer_stream_names \"$@\" -qS ,\n}\n\n"
	      "_iotracer()\n{\n"
	      "\tlocal -a commands arguments\n\n"
	      "\tif (( CURRENT == 2 )); then\n"
	      "\t\tcommands=(\n",
	      stdout);
	for (int i = 0; commands[i]; i++) {
		printf("\t\t\t'%s:", commands[i]->name);
		put_quoted(commands[i]->summary, "\\");
		fputs("'\n", stdout);
	}
	fputs("\t\t)\n"
	      "\t\t_describe command commands\n"
	      "\t\tcompadd -- --help --version\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tshift words\n"
	      "\t(( CURRENT-- ))\n"
	      "\tcase $words[1] in\n",
	      stdout);
	for (int i = 0; commands[i]; i++)
		put_zsh_command(commands[i]);
	fputs("\t*) return 1 ;;\n"
	      "\tesac\n"
	      "\t_arguments -s $arguments\n"
	      "}\n\n"
	      "_iotracer \"$@\"\n",
	      stdout);
}

static void put_fish_command(const struct command *command)
{
	printf("complete -c iotracer -n '__iotracer_command' -f -a %s -d '", command->name);
	put_quoted(command->summary, "\\");
	fputs("'\n", stdout);
	for (const struct option_row *row = command->options; row->name; row++) {
		if (!is_offered(row))
			continue;
		printf("complete -c iotracer -n '__iotracer_command %s' -l %s", command->name,
		       row->name);
		if (row->letter)
			printf(" -s %c", row->letter);
		if (is_stream_list(row))
			fputs(" -x -a '(__iotracer_streams)'", stdout);
		else if (has_value(row))
			fputs(" -r", stdout);
		fputs(" -d '", stdout);
		put_quoted(row->help, "\\");
		fputs("'\n", stdout);
	}
}

static void put_fish(void)
{
	fputs("# fish completion for iotracer\n"
	      "# Made of the program's own tables when it was built.\n\n"
	      "# whether the command of this line is that one; without an argument: whether it has none\n"
	      "function __iotracer_command\n"
	      "\tset -l words (commandline -opc)\n"
	      "\ttest \"$words[2]\" = \"$argv[1]\"\n"
	      "end\n\n"
	      "# the last one of a list, which may be without a stream\n"
	      "function __iotracer_streams\n"
	      "\tset -l word (string replace -r -- '^(--events=|-e)' '' (commandline -ct))\n"
	      "\tset -l list (string match -r -- '^.*[,!+]' $word)\n"
	      "\tfor stream in ",
	      stdout);
	put_streams();
	fputs("\n\t\techo \"$list$stream\"\n\tend\nend\n\n"
	      "complete -c iotracer -n '__iotracer_command' -f -l help\n"
	      "complete -c iotracer -n '__iotracer_command' -f -l version\n"
	      "complete -c iotracer -n '__iotracer_command schema' -f -a '",
	      stdout);
	put_streams();
	fputs("'\ncomplete -c iotracer -n '__iotracer_command help' -f -a '", stdout);
	put_topics();
	fputs("'\n", stdout);
	for (int i = 0; commands[i]; i++)
		put_fish_command(commands[i]);
}

int main(int argc, char **argv)
{
	const char *shell = argc == 2 ? argv[1] : "";

	if (!strcmp(shell, "bash"))
		put_bash();
	else if (!strcmp(shell, "zsh"))
		put_zsh();
	else if (!strcmp(shell, "fish"))
		put_fish();
	else
		return EXIT_FAILURE;
	return fflush(stdout) || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
