/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include <string.h>

#include "cmd/commands.h"

enum { WORDS = 8 };

/* D is the directory, O a file for the answer. */
static const struct {
	int (*run)(int argc, char **argv);
	const char *words[WORDS];
} lines[] = {
	{ files_command, { "files", "D" } },
	{ files_command, { "files", "--json", "--from", "+0s", "D" } },
	{ report_command, { "report", "D" } },
	{ report_command, { "report", "-o", "O.html", "D" } },
	{ report_command, { "report", "D", "D" } },
	{ amp_command, { "amp", "D" } },
	{ amp_command, { "amp", "--by", "file", "--json", "D" } },
	{ why_command, { "why", "D" } },
	{ uring_command, { "uring", "D" } },
	{ timeline_command, { "timeline", "D", "-o", "O.pftrace" } },
	{ timeline_command, { "timeline", "D", "-o", "O.fxt" } },
	{ timeline_command, { "timeline", "D", "-o", "O.svg" } },
};

static void run_line(size_t line, const char *dir)
{
	char out[260] = "", *argv[WORDS + 1];
	int argc = 0, status;

	for (const char *const *w = lines[line].words; *w; w++) {
		argv[argc++] = (char *)(uintptr_t)(strcmp(*w, "D") ? *w : dir);
		if ((*w)[0] == 'O') {
			snprintf(out, sizeof(out), "%s.%s", dir, *w + 2);
			argv[argc - 1] = out;
		}
	}
	argv[argc] = NULL;
	status = lines[line].run(argc, argv);
	FUZZ_CLAIM(status == STATUS_OK || status == STATUS_FAILED || status == STATUS_USAGE);
	remove(out);
}

void fuzz_readers(const uint8_t *data, size_t size)
{
	const size_t n = sizeof(lines) / sizeof(lines[0]);
	const char *dir = fuzz_tree(data, size);

	if (!freopen("/dev/null", "w", stdout))
		return;
	for (size_t i = 0; i < n; i++)
		if (fuzz_turn(size, n, i))
			run_line(i, dir);
}
