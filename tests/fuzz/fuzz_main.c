/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For libFuzzer, which has a main of its own: FUZZ_TARGET names the target. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static fuzz_fn *run;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("FUZZ_TARGET");

	(void)argc;
	(void)argv;
	for (const struct fuzz_target *t = fuzz_targets; t->name; t++)
		if (name && !strcmp(name, t->name))
			run = t->run;
	FUZZ_CLAIM(run);
	log_set_level(LOG_QUIET);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	run(data, size);
	return 0;
}
