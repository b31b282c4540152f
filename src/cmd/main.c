/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/schema_cmd.h"
#include "read/verify.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "record", record_command, "trace into a directory" },
	{ "doctor", doctor_command, "what can be traced on this host, and why not" },
	{ "build", build_command, "compile for another host" },
	{ "snapshot", snapshot_command,
	  "files, processes and system as they are now, without tracing" },
	{ "verify", verify_command, "whether a trace directory is whole; --repair" },
	{ "schema", schema_command, "the columns of every stream" },
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *out)
{
	fprintf(out, "usage: iotracer COMMAND [options]\n\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
	fprintf(out, "\n`iotracer COMMAND --help` lists the options; the manual is iotracer(8).\n");
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("iotracer %s\n", PACKAGE_VERSION);
		return STATUS_OK;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return STATUS_OK;
	}
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	log_error("there is no command '%s'; `iotracer --help` lists them", argv[1]);
	return STATUS_USAGE;
}
