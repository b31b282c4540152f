/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finding kernel headers in the layouts that distributions use, refusing those
 * of another kernel, and questions about header text.
 */
#include "compat/host/headers.h"
#include "compat/host/host.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/host_fixture.h"

#define RELEASE "6.1.0-47-amd64"
#define BUILD "usr/src/linux-headers-" RELEASE
#define COMMON "usr/src/linux-headers-6.1.0-47-common"

static char *dir;

static void setup(void)
{
	dir = fixture_make();
	fixture_write(dir, "proc/sys/kernel/osrelease", RELEASE "\n");
}

static void teardown(void)
{
	fixture_remove(dir);
}

static void write_generated(const char *tree, const char *release)
{
	char path[PATH_MAX], text[256];

	snprintf(path, sizeof(path), "%s/include/generated/utsrelease.h", tree);
	snprintf(text, sizeof(text), "#define UTS_RELEASE \"%s\"\n", release);
	fixture_write(dir, path, text);
}

static void write_source(const char *tree)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/include/linux/kconfig.h", tree);
	fixture_write(dir, path, "");
}

/* by_hand is below dir, or NULL. */
static void expect(const char *by_hand, const char *headers, const char *source)
{
	char path[PATH_MAX], full[PATH_MAX];
	struct host *host;

	snprintf(path, sizeof(path), "%.2000s/%s", dir, by_hand ? by_hand : "");
	host = fixture_open_with(dir, by_hand ? path : NULL);
	ck_assert_str_eq(host->headers_why, "");
	snprintf(full, sizeof(full), "%.2000s/%s", dir, headers);
	ck_assert_str_eq(host->headers, full);
	snprintf(full, sizeof(full), "%.2000s/%s", dir, source);
	ck_assert_str_eq(host->headers_source, full);
	host_close(host);
}

static void expect_none(const char *by_hand, const char *why)
{
	char path[PATH_MAX];
	struct host *host;

	snprintf(path, sizeof(path), "%.2000s/%s", dir, by_hand ? by_hand : "");
	host = fixture_open_with(dir, by_hand ? path : NULL);
	ck_assert_str_eq(host->headers, "");
	ck_assert_str_eq(host->headers_source, "");
	ck_assert_msg(strstr(host->headers_why, why) != NULL, "\"%s\" does not say \"%s\"",
		      host->headers_why, why);
	host_close(host);
}

START_TEST(a_complete_tree_is_its_own_source)
{
	write_generated("usr/src/kernels/x", RELEASE);
	write_source("usr/src/kernels/x");
	fixture_link(dir, "lib/modules/" RELEASE "/build", "/usr/src/kernels/x");
	expect(NULL, "usr/src/kernels/x", "usr/src/kernels/x");
	expect("usr/src/kernels/x", "usr/src/kernels/x", "usr/src/kernels/x");
}
END_TEST

START_TEST(debian_splits_by_source_link)
{
	write_generated(BUILD, RELEASE);
	write_source(COMMON);
	fixture_link(dir, "usr/lib/modules/" RELEASE "/build",
		     "../../../src/linux-headers-" RELEASE);
	fixture_link(dir, "usr/lib/modules/" RELEASE "/source", "/" COMMON);
	expect(NULL, BUILD, COMMON);
}
END_TEST

START_TEST(debian_splits_by_makefile)
{
	write_generated(BUILD, RELEASE);
	write_source("usr/src/elsewhere");
	fixture_write(dir, BUILD "/Makefile",
		      "KBUILD_OUTPUT=/x\ninclude /usr/src/elsewhere/Makefile\n");
	fixture_link(dir, "lib/modules/" RELEASE "/build", "/" BUILD);
	expect(NULL, BUILD, "usr/src/elsewhere");
}
END_TEST

START_TEST(a_debian_tree_unpacked_by_hand_finds_its_common_part)
{
	write_generated("a/" BUILD, RELEASE);
	write_source("a/" COMMON);
	expect("a/" BUILD, "a/" BUILD, "a/" COMMON);
	fixture_write(dir, "a/" BUILD "/Makefile",
		      "include /usr/src/linux-headers-6.1.0-47-common/Makefile\n");
	expect("a/" BUILD, "a/" BUILD, "a/" COMMON);
}
END_TEST

START_TEST(suse_splits_into_obj_and_source)
{
	write_generated("usr/src/linux-5.14-obj/x86_64/default", RELEASE);
	write_source("usr/src/linux-5.14");
	fixture_link(dir, "lib/modules/" RELEASE "/build",
		     "/usr/src/linux-5.14-obj/x86_64/default");
	expect(NULL, "usr/src/linux-5.14-obj/x86_64/default", "usr/src/linux-5.14");
	fixture_write(dir, "usr/src/linux-5.14-obj/x86_64/default/Makefile",
		      "MAKEARGS := -C ../../../linux-5.14\n");
	expect(NULL, "usr/src/linux-5.14-obj/x86_64/default", "usr/src/linux-5.14");
}
END_TEST

START_TEST(a_tree_built_elsewhere_names_its_source)
{
	write_generated("build", RELEASE);
	write_source("src");
	fixture_link(dir, "build/source", "../src");
	expect("build", "build", "src");
}
END_TEST

START_TEST(headers_of_another_kernel_are_refused)
{
	write_generated(BUILD, "6.1.0-46-amd64");
	write_source(BUILD);
	fixture_link(dir, "lib/modules/" RELEASE "/build", "/" BUILD);
	expect_none(NULL, "are for 6.1.0-46-amd64, this kernel is " RELEASE);
	expect_none(BUILD, "are for 6.1.0-46-amd64, this kernel is " RELEASE);
}
END_TEST

START_TEST(headers_of_another_build_are_refused)
{
	write_generated(BUILD, RELEASE);
	write_source(BUILD);
	fixture_write(dir, BUILD "/include/generated/compile.h",
		      "#define UTS_VERSION \"#1 SMP Debian 6.1.170\"\n");
	fixture_write(dir, "proc/sys/kernel/version", "#1 SMP Debian 6.1.170\n");
	expect(BUILD, BUILD, BUILD);
	fixture_write(dir, "proc/sys/kernel/version", "#1 SMP Debian 6.1.192\n");
	expect_none(BUILD, "this kernel is \"#1 SMP Debian 6.1.192\"");
	fixture_write(dir, BUILD "/include/generated/utsversion.h",
		      "#define UTS_VERSION \"#1 SMP Debian 6.1.192\"\n");
	expect(BUILD, BUILD, BUILD);
}
END_TEST

START_TEST(half_a_tree_is_refused)
{
	write_source(BUILD);
	expect_none(BUILD, "not a prepared build tree");
	write_generated("usr/src/only-build", RELEASE);
	expect_none("usr/src/only-build", "lack include/linux/kconfig.h");
	expect_none("usr/src/nothing", "No such file");
}
END_TEST

START_TEST(a_dangling_link_is_no_tree)
{
	fixture_link(dir, "lib/modules/" RELEASE "/build", "/" BUILD);
	expect_none(NULL, "no kernel headers for " RELEASE);
}
END_TEST

START_TEST(links_of_a_saved_host_do_not_reach_this_machine)
{
	char *other = fixture_make(), path[PATH_MAX];

	fixture_write(other, "include/linux/kconfig.h", "");
	fixture_write(other, "include/generated/autoconf.h", "");
	fixture_link(dir, "lib/modules/" RELEASE "/build", other);
	expect_none(NULL, "no kernel headers");
	write_generated(BUILD, RELEASE);
	snprintf(path, sizeof(path), "%.2000s/include/linux", other);
	fixture_link(dir, BUILD "/include/linux", path);
	fixture_link(dir, "usr/lib/modules/" RELEASE "/build", "/" BUILD);
	expect_none(NULL, "lack include/linux/kconfig.h");
	fixture_remove(other);
}
END_TEST

START_TEST(distributions_name_their_packages)
{
	static const struct {
		const char *os_release, *why;
	} cases[] = {
		{ "NAME=x\nID=debian\n", "apt-get install linux-headers-" RELEASE },
		{ "ID=\"ubuntu\"\nID_LIKE=debian\n", "apt-get install linux-headers-" RELEASE },
		{ "ID=\"rhel\"\n", "yum install kernel-devel-" RELEASE },
		{ "ID=amzn\n", "yum install kernel-devel-" RELEASE },
		{ "ID=sles\n", "zypper install kernel-default-devel" },
		{ "ID=mine\nID_LIKE=\"foo suse\"\n", "zypper install kernel-default-devel" },
		{ "ID=other\n", "provides /lib/modules/" RELEASE "/build" },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture_write(dir, "etc/os-release", cases[i].os_release);
		expect_none(NULL, cases[i].why);
	}
}
END_TEST

START_TEST(shuffled_structures_make_headers_useless)
{
	write_generated(BUILD, RELEASE);
	write_source(BUILD);
	fixture_write(dir, "boot/config-" RELEASE, "CONFIG_RANDSTRUCT_FULL=y\n");
	expect_none(BUILD, "CONFIG_RANDSTRUCT");
}
END_TEST

START_TEST(no_headers_means_none)
{
	struct host_options options = { .root = dir, .layout = LAYOUT_NONE };
	struct host *host;

	write_generated(BUILD, RELEASE);
	write_source(BUILD);
	fixture_link(dir, "lib/modules/" RELEASE "/build", "/" BUILD);
	host = host_open(&options);
	ck_assert_str_eq(host->headers, "");
	ck_assert_str_eq(host->headers_why, "not used because of --layout none");
	ck_assert(!headers_have(host, "linux/kconfig.h"));
	host_close(host);
}
END_TEST

static const char text[] =
	"/* struct file { int commented; }; word_in_comment */\n"
	"union first { int u; };\n"
	"struct file_lock { int other; };\nstruct file;\nstruct file *f(struct file *);\n"
	"struct file {\n\tstruct path f_path; // int line_comment;\n"
	"\tunion {\n\t\tint inner;\n\t};\n} __randomize_layout;\n"
	"int after;\n#define FMODE_OPENED 1\n/* never closed";

static struct host *open_text(void)
{
	char path[PATH_MAX];

	write_generated(BUILD, RELEASE);
	write_source(BUILD);
	fixture_write(dir, BUILD "/include/linux/fs.h", text);
	fixture_write(dir, BUILD "/include/linux/open.h", "struct open { int never_closed;");
	snprintf(path, sizeof(path), "%.2000s/%s", dir, BUILD);
	return fixture_open_with(dir, path);
}

START_TEST(words_are_whole_and_not_in_comments)
{
	struct host *host = open_text();

	ck_assert(headers_have(host, "linux/fs.h"));
	ck_assert(!headers_have(host, "linux/absent.h"));
	ck_assert(headers_have_word(host, "linux/fs.h", "FMODE_OPENED"));
	ck_assert(!headers_have_word(host, "linux/fs.h", "FMODE_OPEN"));
	ck_assert(!headers_have_word(host, "linux/fs.h", "MODE_OPENED"));
	ck_assert(!headers_have_word(host, "linux/fs.h", "word_in_comment"));
	ck_assert(!headers_have_word(host, "linux/absent.h", "int"));
	ck_assert(!headers_have_word(host, "linux/fs.h", ""));
	ck_assert(host->fact[FACT_FMODE_OPENED]);
	ck_assert(!host->fact[FACT_OPEN_HOW]);
	host_close(host);
}
END_TEST

START_TEST(members_belong_to_their_struct)
{
	static const struct {
		const char *type, *member;
		bool there;
	} cases[] = {
		{ "file", "f_path", true },
		{ "file", "inner", true },
		{ "first", "u", true },
		{ "file", "after", false },
		{ "file", "other", false },
		{ "file", "commented", false },
		{ "file", "line_comment", false },
		{ "file", "f_pat", false },
		{ "absent", "f_path", false },
		{ "file_lock", "other", true },
	};
	struct host *host = open_text();

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(headers_have_member(host, "linux/fs.h", cases[i].type,
						  cases[i].member) == cases[i].there,
			      "%s.%s", cases[i].type, cases[i].member);
	ck_assert(headers_have_member(host, "linux/open.h", "open", "never_closed"));
	host_close(host);
}
END_TEST

START_TEST(saved_header_text_answers_the_facts)
{
	static const struct {
		const char *name;
		bool opened, open_how, ms_extensions;
	} cases[] = {
		{ "4.14", false, false, false }, { "4.18-el8", true, false, false },
		{ "5.4", true, false, false },   { "5.10", true, true, false },
		{ "6.1", true, true, false },    { "6.12", true, true, false },
		{ "7.2", true, true, true },
	};
	char path[PATH_MAX];
	struct host *host;

	fixture_headers(dir, cases[_i].name);
	snprintf(path, sizeof(path), "%.2000s/headers", dir);
	host = fixture_open_with(fixture_saved(cases[_i].name), path);
	ck_assert_str_eq(host->headers_why, "");
	ck_assert_int_eq(host->fact[FACT_FMODE_OPENED], cases[_i].opened);
	ck_assert(host->fact[FACT_BLK_MQ_H]);
	ck_assert_int_eq(host->fact[FACT_OPEN_HOW], cases[_i].open_how);
	ck_assert_int_eq(host->fact[FACT_MS_EXTENSIONS], cases[_i].ms_extensions);
	ck_assert_int_eq(host->fact[FACT_SYSCALL_WRAPPER], strcmp(cases[_i].name, "4.14") != 0);
	host_close(host);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("headers");
	TCase *trees = tcase_create("trees"), *words = tcase_create("text");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(trees, setup, teardown);
	tcase_add_test(trees, a_complete_tree_is_its_own_source);
	tcase_add_test(trees, debian_splits_by_source_link);
	tcase_add_test(trees, debian_splits_by_makefile);
	tcase_add_test(trees, a_debian_tree_unpacked_by_hand_finds_its_common_part);
	tcase_add_test(trees, suse_splits_into_obj_and_source);
	tcase_add_test(trees, a_tree_built_elsewhere_names_its_source);
	tcase_add_test(trees, headers_of_another_kernel_are_refused);
	tcase_add_test(trees, headers_of_another_build_are_refused);
	tcase_add_test(trees, half_a_tree_is_refused);
	tcase_add_test(trees, a_dangling_link_is_no_tree);
	tcase_add_test(trees, links_of_a_saved_host_do_not_reach_this_machine);
	tcase_add_test(trees, distributions_name_their_packages);
	tcase_add_test(trees, shuffled_structures_make_headers_useless);
	tcase_add_test(trees, no_headers_means_none);
	suite_add_tcase(suite, trees);
	tcase_add_checked_fixture(words, setup, teardown);
	tcase_add_test(words, words_are_whole_and_not_in_comments);
	tcase_add_test(words, members_belong_to_their_struct);
	tcase_add_loop_test(words, saved_header_text_answers_the_facts, 0, 7);
	suite_add_tcase(suite, words);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
