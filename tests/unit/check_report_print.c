/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is printed of a report: text, JSON, CSV and the page, with names that hold anything. */
#include "analysis/report/report_print.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/report_html.h"
#include "fixture/fixture_report.h"

static int print_json(FILE *out)
{
	const struct report_answer *list = &answer;

	return report_print_json(out, &list, 1, NULL);
}

static unsigned n_lines(const char *out)
{
	unsigned n = 0;

	for (; *out; out++)
		n += *out == '\n';
	return n;
}

START_TEST(the_text_has_two_screens)
{
	char *out;

	report_rows_many(3);
	report_rows_others();
	rows_begin("nw_drop", "pid,command,event_type,protocol,source_addr,dest_addr,source_port,"
			      "dest_port,mono_ns");
	for (unsigned i = 0; i < 100; i++)
		rows_add("0,,TCP_RETRANSMIT,TCP,10.0.0.1,10.0.0.3,%u,80,1000000000", 1000 + i);
	rows_end();
	rows_begin("exec", "pid,command,event_type,return_value,mono_ns");
	for (unsigned i = 0; i < 100; i++)
		rows_add("%u,sh,EXIT,256,1000000000", i);
	rows_end();
	report_make();
	out = report_tell(print_report_text);
	ck_assert_uint_le(n_lines(out), 48);
	ck_assert_uint_ge(n_lines(out), 40);
	ck_assert(strstr(out, "(8 of 287)") || strstr(out, "of 287)") || strstr(out, "OF 287)"));
	free(out);
	report_done();
}
END_TEST

START_TEST(names_are_told_as_they_are_and_do_no_harm)
{
	char *json, *out;
	json_t *parsed;

	rows_begin("fs", report_fs_header);
	rows_add(
		"WRITE,7,\"a\"\"b\",\"/x/<script>\\x1b[2J,\"\"q\"\" \xf0\x9f\x98\x80 \\xff\",4096,12,O_RDWR,0,"
		"100,4096,8:1,4026531840,fe,1000");
	rows_end();
	report_make();
	json = report_tell(print_json);
	parsed = json_loads(json, 0, NULL);
	ck_assert_msg(parsed != NULL, "%s", json);
	ck_assert(strstr(json, "<script>\\\\x1b[2J,\\\"q\\\" \xf0\x9f\x98\x80 \\\\xff") != NULL);
	json_decref(parsed);
	free(json);
	out = report_tell(print_report_text);
	ck_assert_ptr_eq(strchr(out, '\x1b'), NULL);
	ck_assert(strstr(out, "/x/<script>\\x1b[2J,\"q\"") != NULL);
	free(out);
	out = section_csv("files");
	ck_assert(strstr(out, "\"/x/<script>\\x1b[2J,\"\"q\"\"") != NULL);
	free(out);
	report_done();
}
END_TEST

static int print_html(FILE *out)
{
	const struct report_answer *list[] = { &answer, &answer };

	return report_print_html(out, list, 2, NULL);
}

static unsigned n_times(const char *where, const char *what)
{
	unsigned n = 0;

	for (; (where = strstr(where, what)); where++)
		n++;
	return n;
}

START_TEST(the_page_has_names_as_text_alone)
{
	char name[4200], *out;

	memset(name, 'x', sizeof(name));
	memcpy(name, "/\"\"><script>alert(1)</script>&amp;'", 36);
	name[4096] = '\0';
	rows_begin("fs", report_fs_header);
	rows_add("WRITE,7,<b>,\"%s\",4096,12,O_RDWR,0,100,4096,8:1,4026531840,f,1000", name);
	rows_add(
		"WRITE,7,<b>,\"/<i>\xc3\x28\xf0\x9f\x98\x80\",4096,13,O_RDWR,0,100,4096,8:1,4026531840,f,2000");
	rows_end();
	report_make();
	out = report_tell(print_html);
	ck_assert_uint_eq(n_times(out, "<script>"), 1);
	ck_assert_uint_eq(n_times(out, "<i>"), 0);
	ck_assert_uint_eq(n_times(out, "id=t1>"), 1);
	ck_assert_uint_eq(n_times(out, "id=t2>"), 1);
	ck_assert(strstr(out, "/&lt;i&gt;\\xc3(\xf0\x9f\x98\x80") != NULL);
	ck_assert(strstr(out, "&lt;b&gt;") != NULL);
	ck_assert_ptr_eq(strstr(out, "<b>/"), NULL);
	/* of a long name the end, everywhere */
	memset(name, 'x', 300);
	name[300] = '\0';
	ck_assert_ptr_eq(strstr(out, name), NULL);
	free(out);
	report_done();
}
END_TEST

START_TEST(a_list_is_cut_and_says_so)
{
	report_rows_many(1);
	report_top = 5;
	report_make();
	ck_assert_uint_eq(report_section(&answer, "files")->n, 5);
	ck_assert_uint_eq(report_section(&answer, "files")->n_all, 287);
	ck_assert_uint_eq(report_section(&answer, "processes")->n, 5);
	ck_assert_uint_eq(report_section(&answer, "processes")->n_all, 17);
	ck_assert_uint_gt(report_section(&answer, "time")->n, 100);
	report_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("report_print");
	TCase *tcase = tcase_create("encoders");
	SRunner *runner;
	int n_failed;

	tcase_add_checked_fixture(tcase, fixture_report_setup, fixture_verify_teardown);
	tcase_add_test(tcase, the_text_has_two_screens);
	tcase_add_test(tcase, names_are_told_as_they_are_and_do_no_harm);
	tcase_add_test(tcase, the_page_has_names_as_text_alone);
	tcase_add_test(tcase, a_list_is_cut_and_says_so);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
