/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What fuzzing begins with and what it once found, each input to its parser, and as much of it as half a file: with
 * the compiler at hand, in every run. `make fuzz` looks for more.
 */
#include "fuzz/fuzz.h"

#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

enum {
	N_TARGETS = 0
#define TARGET(name, reads) +1
#include "fuzz/targets.def"
#undef TARGET
};

START_TEST(stored_inputs_are_read)
{
	const struct fuzz_target *target = &fuzz_targets[_i];
	const char *srcdir = getenv("srcdir");
	char dir[3000], path[4000];
	struct dirent *entry;
	unsigned n = 0;
	DIR *inputs;

	snprintf(dir, sizeof(dir), "%s/tests/fuzz/corpus/%s", srcdir ? srcdir : ".", target->name);
	inputs = opendir(dir);
	ck_assert_msg(inputs != NULL, "%s", dir);
	log_set_level(LOG_QUIET);
	ck_assert(freopen("/dev/null", "w", stderr) != NULL);
	while ((entry = readdir(inputs))) {
		size_t size;
		FILE *in;
		char *data;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%.900s", dir, entry->d_name);
		in = fopen(path, "r");
		data = malloc(1 << 20);
		size = fread(data, 1, 1 << 20, in);
		fclose(in);
		target->run((uint8_t *)data, size);
		target->run((uint8_t *)data, size / 2);
		free(data);
		n++;
	}
	closedir(inputs);
	target->run(NULL, 0);
	ck_assert_uint_gt(n, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fuzz");
	TCase *tcase = tcase_create("corpus");
	SRunner *runner;
	int n_failed;

	tcase_add_loop_test(tcase, stored_inputs_are_read, 0, N_TARGETS);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
