/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own headers: unpacked once, of this kernel alone, and nothing is
 * left of an archive that is damaged, of another kernel, or leads out of its place.
 */
#include "compat/host/kheaders.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture/host_fixture.h"

#define RELEASE "6.1.0-47-amd64"
#define ARCHIVE "sys/kernel/kheaders.tar.xz"

static char *dir, cache[256], kept[400], why[HOST_WHY_SIZE];
static struct host host;

/* In dir; the test fails when the command does. */
static void run(const char *command)
{
	char line[1024];

	snprintf(line, sizeof(line), "cd '%.300s' && { %.600s; }", dir, command);
	ck_assert_int_eq(system(line), 0);
}

static void pack(const char *release)
{
	char text[128];

	snprintf(text, sizeof(text), "#define UTS_RELEASE \"%s\"\n", release);
	fixture_write(dir, "tree/include/generated/utsrelease.h", text);
	fixture_write(dir, "tree/include/generated/autoconf.h", "#define CONFIG_BPF 1\n");
	fixture_write(dir, "tree/include/linux/kconfig.h", "");
	fixture_write(dir, "tree/include/linux/fs.h", "struct file { int f_pos; };\n");
	fixture_write(dir, ARCHIVE, "");
	/* as scripts of the kernel do */
	run("ln -sf fs.h tree/include/linux/link.h; tar --owner=0 --group=0 -cf - -C tree . | xz >" ARCHIVE);
}

static void setup(void)
{
	if (system("xz --version >/dev/null 2>&1"))
		exit(77);
	dir = fixture_make();
	memset(&host, 0, sizeof(host));
	snprintf(host.root, sizeof(host.root), "%s", dir);
	strcpy(host.release, RELEASE);
	strcpy(host.build_id, "0123456789abcdef0123456789abcdef01234567");
	snprintf(cache, sizeof(cache), "%.200s/cache", dir);
	snprintf(kept, sizeof(kept), "%s/%s-kheaders", cache, host.build_id);
	pack(RELEASE);
}

static void teardown(void)
{
	fixture_remove(dir);
}

static unsigned n_entries(void)
{
	DIR *d = opendir(cache);
	struct dirent *entry;
	unsigned n = 0;

	while (d && (entry = readdir(d)))
		n += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	if (d)
		closedir(d);
	return n;
}

static void expect_refused(const char *reason)
{
	ck_assert(!kheaders_find(&host, cache, why));
	ck_assert_msg(strstr(why, reason) != NULL, "%s", why);
	ck_assert_str_eq(host.headers, "");
	ck_assert_uint_eq(n_entries(), 0);
}

START_TEST(they_are_found_and_their_text_answers)
{
	ck_assert_msg(kheaders_find(&host, cache, why), "%s", why);
	ck_assert_str_eq(host.headers, kept);
	ck_assert_str_eq(host.headers_source, kept);
	ck_assert_str_eq(why, "");
	ck_assert_uint_eq(n_entries(), 1);
}
END_TEST

START_TEST(the_second_time_nothing_is_unpacked)
{
	struct stat before, after;

	ck_assert(kheaders_find(&host, cache, why));
	ck_assert_int_eq(stat(kept, &before), 0);
	run("rm " ARCHIVE); /* nor is the archive needed */
	ck_assert(kheaders_find(&host, cache, why));
	ck_assert_int_eq(stat(kept, &after), 0);
	ck_assert(before.st_ino == after.st_ino && before.st_mtime == after.st_mtime);
}
END_TEST

START_TEST(copies_of_other_kernels_go_away)
{
	ck_assert(kheaders_find(&host, cache, why));
	run("touch cache/an-image; mkdir cache/.new-kheaders-old; touch -d '2 hours ago' "
	    "cache/.new-kheaders-old; mkdir cache/.new-kheaders-young");
	host.build_id[0] = 'f';
	ck_assert(kheaders_find(&host, cache, why));
	kheaders_clean(&host, cache);
	ck_assert(access(kept, F_OK) != 0 && access(host.headers, F_OK) == 0);
	run("test -e cache/an-image && ! test -e cache/.new-kheaders-old && test -e "
	    "cache/.new-kheaders-young");
}
END_TEST

START_TEST(what_others_may_write_is_not_used)
{
	ck_assert(kheaders_find(&host, cache, why));
	fixture_write(dir, "cache/0123456789abcdef0123456789abcdef01234567-kheaders/theirs", "");
	ck_assert_int_eq(chmod(kept, 0770), 0);
	ck_assert_msg(kheaders_find(&host, cache, why), "%s", why); /* unpacked anew */
	run("! test -e cache/*-kheaders/theirs");
	ck_assert_int_eq(chmod(cache, 0770), 0);
	host.headers[0] = '\0';
	ck_assert(!kheaders_find(&host, cache, why));
	ck_assert(strstr(why, "mode 0700") != NULL);
}
END_TEST

START_TEST(those_of_another_kernel_are_refused)
{
	pack("6.1.0-48-amd64");
	expect_refused("for 6.1.0-48-amd64, this kernel is " RELEASE);
}
END_TEST

START_TEST(those_that_do_not_say_of_which_kernel_are_refused)
{
	run("rm tree/include/generated/utsrelease.h; tar -cf - -C tree . | xz >" ARCHIVE);
	expect_refused("do not name their kernel");
}
END_TEST

START_TEST(an_archive_cut_off_anywhere_is_refused)
{
	char path[400];
	struct stat st;

	snprintf(path, sizeof(path), "%s/" ARCHIVE, dir);
	ck_assert_int_eq(stat(path, &st), 0);
	for (off_t size = st.st_size - 1; size > 0; size -= 1 + size / 5) {
		ck_assert_int_eq(truncate(path, size), 0);
		expect_refused("damaged");
	}
	ck_assert_int_eq(truncate(path, 0), 0);
	expect_refused("larger than any kernel");
}
END_TEST

START_TEST(damaged_bytes_are_noticed)
{
	run("printf 'xx' | dd of=" ARCHIVE " bs=1 seek=100 conv=notrunc 2>/dev/null");
	expect_refused("damaged");
	fixture_write(dir, ARCHIVE, "this is no archive at all");
	expect_refused("damaged");
}
END_TEST

START_TEST(names_that_lead_out_are_refused)
{
	run("mkdir -p tree/in && echo x >tree/evil && tar -cf - -C tree/in --transform "
	    "'s,^x,../../x,' -P ../evil --transform 's,.*evil,../../evil,' | xz >" ARCHIVE);
	expect_refused("outside of it");
	run("! test -e evil");
}
END_TEST

START_TEST(a_full_disk_leaves_nothing_behind)
{
	char command[600];

	if (geteuid() || system("unshare -m true 2>/dev/null"))
		return; /* who may not mount */
	run("head -c 300000 /dev/urandom >tree/include/linux/large.h; tar -cf - -C tree . | xz >" ARCHIVE);
	ck_assert_int_eq(mkdir(cache, 0700), 0);
	snprintf(command, sizeof(command),
		 "mount -t tmpfs -o size=1m,mode=700 none cache 2>/dev/null");
	if (chdir(dir) || system(command))
		return;
	ck_assert(!kheaders_find(&host, cache, why));
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_uint_eq(n_entries(), 0);
	run("umount cache");
	ck_assert_msg(strstr(why, "no space") != NULL, "%s", why);
}
END_TEST

START_TEST(a_kernel_without_them_is_no_news)
{
	run("rm " ARCHIVE);
	ck_assert(!kheaders_find(&host, cache, why));
	ck_assert_str_eq(why, "");
}
END_TEST

START_TEST(without_a_cache_they_are_not_unpacked)
{
	ck_assert(!kheaders_find(&host, NULL, why));
	ck_assert(strstr(why, "no image cache to unpack") != NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kheaders");
	TCase *tcase = tcase_create("archive");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, they_are_found_and_their_text_answers);
	tcase_add_test(tcase, the_second_time_nothing_is_unpacked);
	tcase_add_test(tcase, copies_of_other_kernels_go_away);
	tcase_add_test(tcase, what_others_may_write_is_not_used);
	tcase_add_test(tcase, those_of_another_kernel_are_refused);
	tcase_add_test(tcase, those_that_do_not_say_of_which_kernel_are_refused);
	tcase_add_test(tcase, an_archive_cut_off_anywhere_is_refused);
	tcase_add_test(tcase, damaged_bytes_are_noticed);
	tcase_add_test(tcase, names_that_lead_out_are_refused);
	tcase_add_test(tcase, a_full_disk_leaves_nothing_behind);
	tcase_add_test(tcase, a_kernel_without_them_is_no_news);
	tcase_add_test(tcase, without_a_cache_they_are_not_unpacked);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
