/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace.h"

#include <check.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "row/calls.h"
#include "row/records.h"
#include "trace/trace_calls.h"

static struct plan plan;
static struct iot_call_row rows[IOT_CALL_ROWS];

/* A plan in which every capability has its first candidate that takes system calls. */
static void want(const char *stream)
{
	memset(&plan, 0, sizeof(plan));
	plan.n_choices = N_CAPABILITIES;
	for (unsigned i = 0; i < N_CAPABILITIES; i++) {
		const struct candidate *c = capabilities[i].candidates;

		plan.choices[i].capability = &capabilities[i];
		while (c && !c->calls)
			c = candidate_next(c);
		plan.choices[i].chosen = c;
		plan.choices[i].wanted =
			c && (!stream || !strcmp(capability_stream(&capabilities[i]), stream));
	}
	trace_call_rows(&plan, rows);
}

static void goes_to(const struct iot_call_row *row, unsigned argument, size_t member)
{
	ck_assert_uint_eq(row->to[argument], member);
}

START_TEST(arguments_go_where_the_list_says)
{
	const struct iot_call_row *row = &rows[SYS_fallocate];

	want("fs");
	ck_assert_uint_eq(row->op, IOT_FALLOCATE);
	ck_assert_uint_eq(row->via, CAP_FS_FALLOCATE + 1);
	ck_assert_uint_eq(row->call, IOT_CALL_fallocate);
	ck_assert_uint_eq(row->begin, IOT_BEGIN_FD);
	ck_assert_uint_eq(row->placed, 4);
	goes_to(row, 1, offsetof(struct iot_call, more.IOT_GIVEN_FLAGS));
	goes_to(row, 2, offsetof(struct iot_call, more.fs.offset));
	goes_to(row, 3, offsetof(struct iot_call, more.fs.size));
	/* what is no argument of it is written where nothing is */
	goes_to(row, 4, offsetof(struct iot_call, more.IOT_GIVEN_NOTHING));
	goes_to(row, 5, offsetof(struct iot_call, more.IOT_GIVEN_NOTHING));
	row = &rows[SYS_unlinkat];
	ck_assert_uint_eq(row->at, 2);
	ck_assert_uint_eq(row->rules, IOT_RULE_REMOVEDIR);
	row = &rows[SYS_mkdirat];
	ck_assert_uint_eq(row->no_flags, ~07777u);
	row = &rows[SYS_fchmod];
	ck_assert_uint_eq(row->flags, 1);
}
END_TEST

/* One that is written elsewhere than in its entry would be written into another thread's. */
START_TEST(no_argument_leaves_its_entry)
{
	want(NULL);
	for (unsigned i = 0; i < IOT_CALL_ROWS; i++)
		for (unsigned k = 0; rows[i].begin >= IOT_BEGIN_FD && k < 6; k++) {
			ck_assert_uint_ge(rows[i].to[k], offsetof(struct iot_call, more));
			ck_assert_uint_le(rows[i].to[k] + sizeof(uint64_t),
					  sizeof(struct iot_call));
		}
}
END_TEST

/* Every call of the list is there, by the number of this machine, and no other. */
START_TEST(every_call_has_its_row)
{
	unsigned n = 0, listed = 0;

	want(NULL);
	for (unsigned i = 0; i < IOT_CALL_ROWS; i++) {
		u16 call = rows[i].call;

		if (!call)
			continue;
		n++;
		ck_assert_int_eq(calls_number(call), i);
		ck_assert(rows[i].begin || rows[i].sock_class);
	}
#define LISTED(call, ...) listed += calls_number(IOT_CALL_##call) >= 0;
#define NOT_LISTED(...)
	IOT_FS_CALLS(LISTED, NOT_LISTED)
	IOT_NET_CALLS(LISTED)
	ck_assert_uint_eq(n, listed);
}
END_TEST

START_TEST(what_is_not_wanted_has_no_row)
{
	want("fs");
	ck_assert_uint_eq(rows[SYS_fsync].op, IOT_FSYNC);
	ck_assert_uint_eq(rows[SYS_connect].sock_class, 0);
	ck_assert_uint_eq(rows[SYS_connect].call, 0);
	want("nw_conn");
	ck_assert_uint_eq(rows[SYS_fsync].op, 0);
	ck_assert_uint_eq(rows[SYS_connect].sock_class, IOT_SEQ_nw_conn);
	ck_assert_uint_eq(rows[SYS_connect].sock_via, CAP_NW_CONN_CONNECT + 1);
	ck_assert_uint_eq(rows[SYS_socket].begin, IOT_BEGIN_NONE);
}
END_TEST

/* socket(2) makes a descriptor that is no file's, also for who wants no row of it. */
START_TEST(what_is_followed_alone_makes_no_row)
{
	want("-");
	plan.choices[CAP_SOCKETS_MADE].wanted = false;
	trace_call_rows(&plan, rows);
	ck_assert_uint_eq(rows[SYS_socket].begin, IOT_BEGIN_NEWFD);
	ck_assert_uint_eq(rows[SYS_socket].sock_class, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace_calls");
	TCase *tcase = tcase_create("trace_calls");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tcase, arguments_go_where_the_list_says);
	tcase_add_test(tcase, no_argument_leaves_its_entry);
	tcase_add_test(tcase, every_call_has_its_row);
	tcase_add_test(tcase, what_is_not_wanted_has_no_row);
	tcase_add_test(tcase, what_is_followed_alone_makes_no_row);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
