/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layouts that are kept on disk: of this kernel and source, whole, and nobody else's. */
#include "compat/host/layout_cache.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct layout layout;
static struct host host;
static char dir[64], file[256];

static void setup(void)
{
	unsigned line;

	strcpy(dir, "/tmp/check_layout_cache.XXXXXX");
	ck_assert(mkdtemp(dir) != NULL);
	memset(&host, 0, sizeof(host));
	strcpy(host.build_id, "0123456789abcdef0123456789abcdef01234567");
	ck_assert_int_eq(layout_read(&layout, "type dentry 192\nmember dentry.d_parent 24 8 0\n",
				     &line),
			 0);
	snprintf(file, sizeof(file), "%s/%s-btf.layout", dir, host.build_id);
	layout_cache_put(&host, dir, LAYOUT_BTF, &layout);
}

static void teardown(void)
{
	unlink(file);
	rmdir(dir);
}

static bool found(enum layout_source source)
{
	struct layout *kept = layout_cache_get(&host, dir, source);
	bool ok = kept && !memcmp(kept, &layout, sizeof(layout));

	free(kept);
	return ok;
}

START_TEST(what_was_kept_comes_back)
{
	ck_assert(found(LAYOUT_BTF));
}
END_TEST

START_TEST(of_another_source_or_kernel_there_is_none)
{
	ck_assert(!found(LAYOUT_LEARNED));
	host.build_id[0] = 'f';
	ck_assert(!found(LAYOUT_BTF));
	host.build_id[0] = '\0';
	ck_assert(!found(LAYOUT_BTF));
}
END_TEST

START_TEST(what_others_may_write_is_not_used)
{
	ck_assert_int_eq(chmod(file, 0620), 0);
	ck_assert(!found(LAYOUT_BTF));
	ck_assert_int_eq(chmod(file, 0600), 0);
	ck_assert(found(LAYOUT_BTF));
	ck_assert_int_eq(chmod(dir, 0770), 0);
	ck_assert(!found(LAYOUT_BTF));
}
END_TEST

START_TEST(what_is_cut_off_is_not_used)
{
	struct stat st;

	ck_assert_int_eq(stat(file, &st), 0);
	for (off_t size = st.st_size - 1; size >= 0; size -= 7) {
		ck_assert_int_eq(truncate(file, size), 0);
		ck_assert(!found(LAYOUT_BTF));
	}
}
END_TEST

START_TEST(what_is_damaged_is_not_used)
{
	FILE *f = fopen(file, "r+");
	char text[1024];
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	char *number;

	text[n] = '\0';
	number = strstr(text, "d_parent 24");
	ck_assert(number != NULL);
	ck_assert_int_eq(fseek(f, number - text + 9, SEEK_SET), 0);
	fputs("xx", f);
	fclose(f);
	ck_assert(!found(LAYOUT_BTF));
}
END_TEST

START_TEST(a_digit_that_changed_is_no_other_offset)
{
	FILE *f = fopen(file, "r+");
	char text[1024];
	size_t n = fread(text, 1, sizeof(text) - 1, f);

	text[n] = '\0';
	ck_assert_int_eq(fseek(f, strstr(text, "d_parent 24") - text + 10, SEEK_SET), 0);
	fputs("5", f);
	fclose(f);
	ck_assert(!found(LAYOUT_BTF));
}
END_TEST

START_TEST(a_file_of_another_table_is_not_used)
{
	FILE *f = fopen(file, "r+");

	ck_assert_int_eq(fseek(f, 20, SEEK_SET), 0);
	fputs("0", f);
	fclose(f);
	ck_assert(!found(LAYOUT_BTF));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("layout_cache");
	TCase *tcase = tcase_create("cache");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, what_was_kept_comes_back);
	tcase_add_test(tcase, of_another_source_or_kernel_there_is_none);
	tcase_add_test(tcase, what_others_may_write_is_not_used);
	tcase_add_test(tcase, what_is_cut_off_is_not_used);
	tcase_add_test(tcase, what_is_damaged_is_not_used);
	tcase_add_test(tcase, a_digit_that_changed_is_no_other_offset);
	tcase_add_test(tcase, a_file_of_another_table_is_not_used);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
