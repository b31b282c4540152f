/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What exec mapped, by the files alone: of this very program, held against /proc. */
#include "resolve/exec_image.h"

#include <check.h>
#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture/fixture_proc.h"
#include "resolve/procfs.h"

static struct exec_image image;
static struct mappings *maps;
static char self[PATH_MAX];

static void setup(void)
{
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	ck_assert_int_gt(n, 0);
	self[n] = '\0';
	fixture_proc_open(); /* for files; the rest is this machine's */
	fixture_proc_real();
	fixture_resolve.mounts.all_fs = true;
	maps = mappings_new(0);
	ck_assert(maps != NULL);
}

static void teardown(void)
{
	exec_image_clear(&image);
	mappings_free(maps);
	fixture_proc_close();
}

static void run(const char *path)
{
	struct path *program = path_new(path, strlen(path), PATH_FULL);

	exec_image_set(&image, program);
	path_put(program);
}

static uint64_t linker_entry(void)
{
	uint64_t base = getauxval(AT_BASE);

	return base ? base + ((const Elf64_Ehdr *)base)->e_entry : 0;
}

/* The faults of a process that begins, as far as they tell anything. */
static void begin(void)
{
	exec_image_fault(&image, PROC, maps, linker_entry() ? linker_entry() : getauxval(AT_ENTRY),
			 true);
	exec_image_fault(&image, PROC, maps, getauxval(AT_PHDR), false);
}

/* The pages of a line that show a file: those of its mapping that it has, not what follows (bss). */
static void expect_line(uint64_t start, uint64_t offset, uint64_t ino)
{
	const struct mapping *found = mappings_find(maps, start, start + 1);

	ck_assert_msg(found != NULL, "%" PRIx64, start);
	ck_assert_uint_eq(found->ino, ino);
	ck_assert_uint_eq(found->offset + start - found->start, offset);
}

/* Compares lines of /proc/self/maps: those of the files named have to be known, and no others. */
static void expect_maps(const char *const files[2])
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[PATH_MAX + 100], path[PATH_MAX];
	uint64_t start, end, offset, ino;
	unsigned n = 0;

	while (fgets(line, sizeof(line), file)) {
		path[0] = '\0';
		ck_assert_int_ge(sscanf(line,
					"%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %" SCNu64
					" %4095s",
					&start, &end, &offset, &ino, path),
				 4);
		if ((files[0] && !strcmp(path, files[0])) ||
		    (files[1] && !strcmp(path, files[1]))) {
			expect_line(start, offset, ino);
			expect_line(end - 1, offset + end - 1 - start, ino);
			n++;
			continue;
		}
		ck_assert_msg(!mappings_find(maps, start, end), "%s", line);
		ck_assert_msg(!exec_image_may_hold(&image, start), "%s", line);
	}
	fclose(file);
	ck_assert_uint_ge(n, 2);
}

static const char *linker_path(void)
{
	return image.has_linker ? image.linker.path->raw : NULL;
}

START_TEST(this_program_is_where_it_is)
{
	run(self);
	begin();
	ck_assert_int_eq(image.state, EXEC_IMAGE_READ);
	expect_maps((const char *const[]){ self, linker_path() });
}
END_TEST

START_TEST(nothing_is_sure_before_the_first_instruction)
{
	ck_assert(exec_image_may_hold(&image, 4711));
	run(self);
	ck_assert(exec_image_may_hold(&image, 4711));
	exec_image_fault(&image, PROC, maps, 0x7f0000000123, false);
	ck_assert(exec_image_may_hold(&image, 0x7f0000000123));
	begin();
	ck_assert(!exec_image_may_hold(&image, 0x7f0000000123));
}
END_TEST

START_TEST(instruction_that_is_not_the_first_tells_nothing)
{
	run(self);
	exec_image_fault(&image, PROC, maps, linker_entry() + 1, true);
	ck_assert_int_eq(image.state, EXEC_IMAGE_UNKNOWN);
	begin();
	ck_assert(exec_image_may_hold(&image, 4711));
	ck_assert(!mappings_find(maps, 0, UINT64_MAX));
}
END_TEST

START_TEST(place_of_the_program_is_not_guessed)
{
	run(self);
	if (!linker_entry() ||
	    ((const Elf64_Ehdr *)(getauxval(AT_PHDR) & ~4095UL))->e_type != ET_DYN)
		return; /* built to lie where it says */
	exec_image_fault(&image, PROC, maps, linker_entry(), true);
	exec_image_fault(&image, PROC, maps, 0x7ffe00000040,
			 false); /* the stack: not where programs are */
	ck_assert_int_eq(image.state, EXEC_IMAGE_READ);
	ck_assert(!exec_image_may_hold(&image, 0x7ffe00000040));
	exec_image_fault(&image, PROC, maps, 0x560000000ff8, false); /* no headers there */
	ck_assert_int_eq(image.state, EXEC_IMAGE_UNKNOWN);
	ck_assert(exec_image_may_hold(&image, 0x560000000ff8));
}
END_TEST

START_TEST(what_calls_mapped_stays)
{
	uint64_t at = linker_entry() & ~4095UL;
	struct mapping call = { .start = at, .end = at + 4096, .ino = 1 };

	if (!at)
		return;
	mappings_add(maps, &call);
	run(self);
	begin();
	ck_assert_uint_eq(mappings_find(maps, at, at + 1)->ino, 1);
}
END_TEST

static const char *script(const char *name, const char *interpreter)
{
	const char *path = fixture_file(name);
	FILE *file = fopen(path, "w");

	fprintf(file, "#! %s -x\n", interpreter);
	fclose(file);
	return path;
}

START_TEST(script_is_run_by_what_it_names)
{
	char first[PATH_MAX];

	snprintf(first, sizeof(first), "%s", script("first", self));
	run(script("second", first));
	begin();
	expect_maps((const char *const[]){ self, linker_path() });
}
END_TEST

START_TEST(script_of_itself_ends)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", fixture_file("itself"));
	run(script("itself", path));
	begin();
	ck_assert_int_eq(image.state, EXEC_IMAGE_UNKNOWN);
}
END_TEST

static const char *const no_programs[] = {
	"", "\177ELF", "#!", "#!/", "#!relative\n", "MZ and more"
};

START_TEST(file_of_anything_else_tells_nothing)
{
	const char *path = fixture_file("anything");
	FILE *file = fopen(path, "w");

	fputs(no_programs[_i], file);
	fclose(file);
	run(path);
	begin();
	ck_assert_int_eq(image.state, EXEC_IMAGE_UNKNOWN);
	ck_assert(exec_image_may_hold(&image, 4711));
}
END_TEST

START_TEST(program_that_is_gone_or_not_known_tells_nothing)
{
	struct path *rest = path_new("prog", 4, PATH_REST);

	run("/nonexistent/program");
	begin();
	ck_assert_int_eq(image.state, EXEC_IMAGE_UNKNOWN);
	exec_image_set(&image, rest);
	path_put(rest);
	begin();
	ck_assert_int_eq(image.state, EXEC_IMAGE_UNKNOWN);
	exec_image_set(&image, NULL);
	begin();
	ck_assert_int_eq(image.state, EXEC_IMAGE_UNKNOWN);
}
END_TEST

/* A damaged program must not take the reader with it. */
START_TEST(random_damage_is_survived)
{
	static char bytes[4096];
	FILE *file = fopen(self, "r");
	size_t n = fread(bytes, 1, sizeof(bytes), file);
	unsigned seed = 3;

	fclose(file);
	for (int i = 0; i < 300; i++) {
		static char copy[4096];
		const char *path = fixture_file("damaged");

		memcpy(copy, bytes, n);
		for (int k = 0; k < 6; k++)
			copy[16 + rand_r(&seed) % 1000] = rand_r(&seed);
		file = fopen(path, "w");
		fwrite(copy, 1, n, file);
		fclose(file);
		run(path);
		begin();
	}
}
END_TEST

static Suite *exec_image_suite(void)
{
	Suite *suite = suite_create("exec image");
	TCase *tcase = tcase_create("exec image");

	tcase_add_checked_fixture(tcase, setup, teardown);
#ifdef __x86_64__
	tcase_add_test(tcase, this_program_is_where_it_is);
	tcase_add_test(tcase, nothing_is_sure_before_the_first_instruction);
	tcase_add_test(tcase, instruction_that_is_not_the_first_tells_nothing);
	tcase_add_test(tcase, place_of_the_program_is_not_guessed);
	tcase_add_test(tcase, what_calls_mapped_stays);
	tcase_add_test(tcase, script_is_run_by_what_it_names);
#endif
	tcase_add_test(tcase, script_of_itself_ends);
	tcase_add_loop_test(tcase, file_of_anything_else_tells_nothing, 0,
			    (int)(sizeof(no_programs) / sizeof(no_programs[0])));
	tcase_add_test(tcase, program_that_is_gone_or_not_known_tells_nothing);
	tcase_add_test(tcase, random_damage_is_survived);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(exec_image_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
