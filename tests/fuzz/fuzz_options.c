/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/options.h"

enum { WORDS = 24 };

static int record(int argc, char **argv)
{
	static struct recording_options o;

	return options_record(&o, argc, argv);
}

static int doctor(int argc, char **argv)
{
	static struct doctor_command o;

	return options_doctor(&o, argc, argv);
}

static int build(int argc, char **argv)
{
	static struct build_command o;

	return options_build(&o, argc, argv);
}

static int snapshot(int argc, char **argv)
{
	static struct snapshot_command o;

	return options_snapshot(&o, argc, argv);
}

/* The first byte is the command, then words, each a line. */
void fuzz_options(const uint8_t *data, size_t size)
{
	static int (*const fill[])(int, char **) = { record, doctor, build, snapshot };
	char *text, *argv[WORDS + 1], *save = NULL;
	int argc = 1;

	if (!size)
		return;
	text = fuzz_text(data + 1, size - 1);
	argv[0] = (char *)(uintptr_t) "record";
	for (char *w = strtok_r(text, "\n", &save); w && argc < WORDS;
	     w = strtok_r(NULL, "\n", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	fill[data[0] % 4](argc, argv);
	free(text);
}
