/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer verify`: its command line. */
#include "read/verify.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/option_groups.h"

struct verify_options {
	bool repair;
};

/* clang-format off */
static const struct option_row rows[] = {
	{ .name = "repair", .letter = 'r', .section = OPTIONS_MAIN,
	  OPTION_TO(flag, struct verify_options, repair),
	  .help = "first close what a killed recording left open",
	  .more = "Hidden .part files are cut after their last complete row and become segments, closed segments "
		  "that the manifest does not list yet are added, rows that waited for their order (about the "
		  "last second of them) become one more segment, a missing or damaged manifest is "
		  "rebuilt (the damaged one is kept as manifest.json.damaged). No complete row is removed, and files "
		  "that are not understood are left alone. Refused while a tracer is writing there." },
	{ .name = "quiet", .letter = 'q', .section = OPTIONS_MESSAGES, .parse = option_quiet,
	  .help = "errors only" },
	OPTIONS_HELP_ROW,
	{ 0 },
};
/* clang-format on */

const struct command command_verify = {
	.name = "verify",
	.summary = "checks that a trace directory is complete and undamaged",
	.usage = "DIR... [OPTION]...",
	.example = "iotracer verify --repair ~/trace",
	.next = "iotracer report DIR",
	.options = rows,
	.run = verify_command,
};

/* Of several directories the worst: damage before what is merely open. */
static int worse(int a, int b)
{
	return a == VERIFY_DAMAGED || b == VERIFY_WHOLE ? a : b;
}

int verify_command(int argc, char **argv)
{
	struct verify_options o = { 0 };
	int status = VERIFY_WHOLE;
	int err = options_parse(&command_verify, argc, argv, &o);

	if (!err && optind == argc)
		err = options_wrong_usage(&command_verify);
	if (err)
		return err - 1;
	for (; optind < argc; optind++)
		status = worse(status, verify_directory(argv[optind], o.repair));
	if (fflush(stdout) || ferror(stdout)) {
		log_error("standard output: %s", strerror(errno));
		return STATUS_FAILED;
	}
	return status;
}
