/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the choice of a command and the exit status. It knows no option of any command. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/below.h"
#include "base/clock.h"
#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/version.h"

static bool asks_for_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "-h") || !strncmp(argv[i], "--help", 6))
			return true;
	return false;
}

/* Who sits there reads what to do next; who calls it from a script has no use for that. */
static int run(const struct command *command, int argc, char **argv)
{
	int status = command->run(argc, argv);

	if (status == STATUS_OK && command->next && !asks_for_help(argc, argv) &&
	    isatty(STDOUT_FILENO) && isatty(STDERR_FILENO)) {
		fflush(stdout);
		log_note("next: %s", command->next);
	}
	return status;
}

/* What root runs and compiles is not chosen by whoever could set its environment. */
static void drop_foreign_tools(void)
{
	static const char *const names[] = { "IOTRACER_BCC", "IOTRACER_STUB", "IOTRACER_SYSTEMS",
					     "IOTRACER_SYMBOLS" };

	for (size_t i = 0; !geteuid() && i < sizeof(names) / sizeof(names[0]); i++) {
		const char *path = getenv(names[i]);
		const char *why = path && *path ? below_name_not_ours(path) : NULL;

		if (why)
			log_warn("%s=%s is ignored: %s", names[i], path, why);
		if (why)
			unsetenv(names[i]);
	}
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		commands_usage(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("iotracer %s\n", program_version);
		return STATUS_OK;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		commands_usage(stdout);
		return STATUS_OK;
	}
	clock_find_ahead();
	drop_foreign_tools();
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp(argv[1], (*c)->name))
			return run(*c, argc - 1, argv + 1);
	log_error("unknown command '%s'; see `iotracer --help`", argv[1]);
	return STATUS_USAGE;
}
