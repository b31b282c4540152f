/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer verify`: its command line. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "read/verify.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cmd/commands.h"

static int usage(FILE *to, int status)
{
	fputs("usage: iotracer verify DIR... [--repair]\n"
	      "compares trace directories with their manifests: files, rows, checksums, times,\n"
	      "the sequence of segments, the data package and the account of losses\n"
	      "  -r, --repair  first close what a killed run left open, at the last complete row\n"
	      "  -q, --quiet   errors only\n"
	      "  -h, --help    this text\n"
	      "exit status: 0 whole, 1 damaged, 2 wrong usage, 3 not finished (--repair closes it)\n",
	      to);
	return status;
}

/* Of several directories the worst: damage before what is merely open. */
static int worse(int a, int b)
{
	return a == VERIFY_DAMAGED || b == VERIFY_WHOLE ? a : b;
}

int verify_command(int argc, char **argv)
{
	static const struct option options[] = {
		{ "repair", no_argument, NULL, 'r' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int status = VERIFY_WHOLE;
	bool repair = false;
	int c;

	optind = 0; /* main may have used getopt before */
	while ((c = getopt_long(argc, argv, "rqh", options, NULL)) != -1) {
		switch (c) {
		case 'h':
			return usage(stdout, STATUS_OK);
		case 'r':
			repair = true;
			break;
		case 'q':
			log_set_level(LOG_QUIET);
			break;
		default:
			return usage(stderr, STATUS_USAGE);
		}
	}
	if (optind == argc)
		return usage(stderr, STATUS_USAGE);
	for (; optind < argc; optind++)
		status = worse(status, verify_directory(argv[optind], repair));
	if (fflush(stdout) || ferror(stdout)) {
		log_error("standard output: %s", strerror(errno));
		return STATUS_FAILED;
	}
	return status;
}
