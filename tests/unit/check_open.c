/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is open at the end of a trace, by rows of opens, uses and closes in several segments. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/report_open.h"
#include "fixture/fixture_report.h"
#include "fixture/session.h"

static const char header[] =
	"operation,pid,tid,command,filename,latency_ns,return_value,fd,ofd,call,mono_ns";

static void begin(void)
{
	rows_begin("fs", header);
}

START_TEST(what_nothing_closed_is_open)
{
	begin();
	rows_add("OPEN,7,7,app,/a,10,3,3,100,openat,1000");
	rows_add("OPEN,7,8,app,/b,10,4,4,101,openat,1100");
	rows_add("OPEN,7,7,app,/c,10,5,5,102,openat,1200");
	rows_add("CLOSE,7,7,app,/b,5,0,4,101,close,1300");
	rows_add("OPEN,7,7,app,/none,10,-2,,,openat,1400");
	rows_add("WRITE,7,7,app,/c,10,1,5,102,write,5000");
	rows_end();
	report_make();
	section_is("open", "1,1010,3990,1010,7,app,/a\n"
			   "1,1210,3790,5000,7,app,/c\n");
	report_done();
}
END_TEST

/* A leak is one line. */
START_TEST(open_files_of_one_name_are_counted)
{
	begin();
	for (int i = 0; i < 30; i++)
		rows_add("OPEN,7,7,app,/leak,10,%d,%d,%d,openat,%d", i, i, 100 + i, 1000 + i);
	rows_add("OPEN,8,8,app,/leak,10,3,3,200,openat,3000");
	rows_end();
	report_make();
	section_is("open", "30,1010,1990,1039,7,app,/leak\n"
			   "1,3010,,3010,8,app,/leak\n");
	report_done();
}
END_TEST

/* Whatever was opened before the trace is not known to be open until it is used. */
START_TEST(of_what_was_open_before_no_beginning_is_known)
{
	begin();
	rows_add("READ,7,7,db,/old,10,1,3,50,read,1000");
	rows_add("READ,7,7,db,/older,10,1,4,51,read,1100");
	rows_add("CLOSE,7,7,db,/older,5,0,4,51,close,1200");
	rows_end();
	report_make();
	section_is("open", "1,,,1000,7,db,/old\n");
	report_done();
}
END_TEST

/* One description has several descriptors and processes, and one close: its last. */
START_TEST(a_description_is_one_file)
{
	begin();
	rows_add("OPEN,7,7,app,/log,10,3,3,100,openat,1000");
	/* by a duplicate, in a child, under the name that it has since */
	rows_add("WRITE,9,9,child,/log.1,10,1,5,100,write,2000");
	rows_add("OPEN,7,7,app,/log,10,3,3,101,openat,3000");
	rows_add("CLOSE,7,7,app,/log,5,0,3,101,close,3500");
	rows_end();
	report_make();
	section_is("open", "1,1010,2490,2000,9,child,/log.1\n");
	report_done();
}
END_TEST

/* A number is used again, and the rows of it are in any segment. */
START_TEST(segments_come_in_any_order)
{
	for (unsigned turn = 0; turn < 8; turn++) {
		begin();
		/* opened in one segment, closed in the next, in which it is another file's, too */
		rows_add("CLOSE,7,7,app,/f%u,5,0,3,%u,close,%u", turn, 100 + turn % 2,
			 1000 * turn + 100);
		rows_add("OPEN,7,7,app,/f%u,10,3,3,%u,openat,%u", turn + 2, 100 + turn % 2,
			 1000 * turn + 200);
		rows_end();
	}
	report_make();
	section_is("open", "1,6210,990,6210,7,app,/f8\n1,7210,,7210,7,app,/f9\n");
	report_done();
}
END_TEST

/* A use in another segment than opening and closing. */
START_TEST(a_use_elsewhere_opens_nothing)
{
	begin();
	rows_add("OPEN,7,7,app,/f,10,3,3,100,openat,1000");
	rows_end();
	begin();
	rows_add("READ,7,7,app,/f,10,1,3,100,read,2000");
	rows_end();
	begin();
	rows_add("CLOSE,7,7,app,/f,10,0,3,100,close,3000");
	rows_end();
	report_make();
	section_is("open", "");
	report_done();
}
END_TEST

/* Tier c: descriptors of processes, which end with them. */
START_TEST(without_descriptions_descriptors_count)
{
	begin();
	rows_add("OPEN,7,7,app,/a,10,3,3,,openat,1000");
	rows_add("OPEN,8,8,app,/a,10,3,3,,openat,1100");
	rows_add("OPEN,9,9,app,/a,10,3,3,,openat,1200");
	/* beside a path it is a directory's */
	rows_add("UNLINK,7,7,app,/d/x,10,0,9,,unlinkat,1250");
	rows_add("CLOSE,7,7,app,/a,5,0,3,,close,1300");
	rows_end();
	rows_begin("exec", "event_type,pid,tid,command,return_value,mono_ns");
	rows_add("EXIT,8,8,app,0,2000");
	rows_end();
	report_make();
	section_is("open", "1,1210,790,1210,9,app,/a\n");
	report_done();
}
END_TEST

/* The new one gets the number while the old one's close is on its way. */
START_TEST(an_open_counts_from_its_return)
{
	begin();
	rows_add("OPEN,7,7,app,/old,10,3,3,,openat,1000");
	rows_add("OPEN,7,8,app,/new,1000,3,3,,openat,1900");
	rows_add("CLOSE,7,7,app,/old,100,0,3,,close,2000");
	rows_end();
	report_make();
	section_is("open", "1,2900,,2900,7,app,/new\n");
	report_done();
}
END_TEST

START_TEST(without_closes_nothing_is_known)
{
	session_write(
		dir, "manifest.json",
		"{\"format\": \"iotracer\", \"schema_version\": 1, \"ended_ns\": 1, \"lost\": [], "
		"\"filters\": {\"operation\": [\"OPEN\", \"READ\"]}}");
	begin();
	rows_add("OPEN,7,7,app,/a,10,3,3,100,openat,1000");
	rows_end();
	report_make();
	section_is("open", "");
	report_done();
}
END_TEST

/* As many as were open at once, and no more: of 100,000 files one after the other none is kept. */
START_TEST(what_is_closed_is_forgotten)
{
	struct report *r;

	begin();
	for (unsigned i = 0; i < 100000; i++) {
		rows_add("OPEN,7,7,app,/f%u,1,3,3,%u,openat,%u", i, i + 1, 10 * i);
		rows_add("CLOSE,7,7,app,/f%u,1,0,3,%u,close,%u", i, i + 1, 10 * i + 5);
	}
	rows_end();
	r = report_read();
	ck_assert_uint_eq(r->tally.open.n, 0);
	ck_assert_uint_eq(r->tally.open.n_left_out, 0);
	report_answer_all();
	section_is("open", "");
	report_done();
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("open");
	TCase *tc = tcase_create("open");

	tcase_add_checked_fixture(tc, fixture_report_setup, fixture_verify_teardown);
	tcase_add_test(tc, what_nothing_closed_is_open);
	tcase_add_test(tc, open_files_of_one_name_are_counted);
	tcase_add_test(tc, of_what_was_open_before_no_beginning_is_known);
	tcase_add_test(tc, a_description_is_one_file);
	tcase_add_test(tc, segments_come_in_any_order);
	tcase_add_test(tc, a_use_elsewhere_opens_nothing);
	tcase_add_test(tc, without_descriptions_descriptors_count);
	tcase_add_test(tc, an_open_counts_from_its_return);
	tcase_add_test(tc, without_closes_nothing_is_known);
	tcase_add_test(tc, what_is_closed_is_forgotten);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
