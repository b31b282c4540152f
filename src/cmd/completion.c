/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run while building: completion for bash on its standard output, made of the commands,
 * their options and the streams as the program has them.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

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

static void put_streams(void)
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		printf("%s%s", i ? " " : "", streams[i].name);
}

/* Spellings that no help shows are not offered. */
static void put_options(const struct command *command)
{
	printf("\t%s)\n\t\toptions='", command->name);
	for (const struct option_row *row = command->options; row->name; row++)
		if (row->help)
			printf("--%s ", row->name);
	fputs("'\n", stdout);
	fputs("\t\tvalued='", stdout);
	for (const struct option_row *row = command->options; row->name; row++) {
		if (!row->help || !row->argument || row->argument[0] == '[')
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

int main(void)
{
	put_head();
	fputs("_iotracer_options()\n{\n"
	      "\tlocal options='' valued=''\n\n"
	      "\tcase $1 in\n",
	      stdout);
	for (int i = 0; commands[i]; i++)
		put_options(commands[i]);
	put_tail();
	return fflush(stdout) || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
