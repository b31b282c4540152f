/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "row/calls.h"

#include <check.h>
#include <sys/syscall.h>

static struct calls calls;
static char text[CALL_WORD_MAX];

static const char *native(unsigned number)
{
	return calls_word(&calls, (u16)(IOT_CALL_NUMBER | number), text);
}

static const char *compat(unsigned number)
{
	return calls_word(&calls, (u16)(IOT_CALL_NUMBER | IOT_CALL_COMPAT | number), text);
}

START_TEST(call_of_a_program_for_one_call_has_its_word)
{
	ck_assert_str_eq(calls_word(&calls, IOT_CALL_preadv2, text), "preadv2");
	ck_assert_str_eq(calls_word(&calls, IOT_CALL_io_submit, text), "aio");
	ck_assert_str_eq(calls_word(&calls, IOT_CALL_io_uring_enter, text), "io_uring");
}
END_TEST

START_TEST(nobodys_call_has_no_word)
{
	ck_assert_str_eq(calls_word(&calls, IOT_NO_CALL, text), "");
	ck_assert_str_eq(calls_word(&calls, IOT_N_CALLS, text), "");
	/* a 32-bit caller, of which no more is known */
	ck_assert_str_eq(calls_word(&calls, IOT_CALL_COMPAT, text), "");
}
END_TEST

/* Those of the C library's headers, which are the kernel's. */
START_TEST(numbers_are_those_of_this_machine)
{
#define IS(call) ck_assert_str_eq(native(SYS_##call), #call)
	IS(read);
	IS(pwrite64);
	IS(preadv);
	IS(openat);
	IS(close);
	IS(fdatasync);
	IS(sendfile);
	IS(splice);
	IS(getdents64);
	IS(unlinkat);
	IS(renameat2);
	IS(utimensat);
	IS(exit_group);
	ck_assert_str_eq(native(SYS_io_submit), "aio");
#ifdef SYS_open
	IS(open);
	IS(creat);
	IS(stat);
	IS(lstat);
	IS(dup2);
	IS(rename);
	IS(getdents);
#endif
	ck_assert_str_eq(native(426), "io_uring");
}
END_TEST

/* The names of events in tracefs are not all those of the calls. */
START_TEST(events_have_the_numbers_of_their_calls)
{
#define EVENT(event, call) ck_assert_int_eq(calls_event_number(event), SYS_##call)
	EVENT("read", read);
	EVENT("newfstat", fstat);
	EVENT("newfstatat", newfstatat);
	EVENT("sendfile64", sendfile);
	EVENT("umount", umount2);
	EVENT("mount", mount);
	EVENT("pivot_root", pivot_root);
	EVENT("move_mount", move_mount);
	EVENT("unshare", unshare);
	EVENT("setns", setns);
	EVENT("execveat", execveat);
	EVENT("exit_group", exit_group);
	ck_assert_int_eq(calls_event_number("io_uring_enter"), 426);
#ifdef SYS_open
	EVENT("newstat", stat);
	EVENT("newlstat", lstat);
#endif
	ck_assert_int_eq(calls_event_number("no_such_call"), -1);
}
END_TEST

/* asm/unistd_32.h and arch/arm/tools/syscall.tbl agree in these */
START_TEST(callers_of_32_bits_have_their_own_numbers)
{
	ck_assert_str_eq(compat(3), "read");
	ck_assert_str_eq(compat(4), "write");
	ck_assert_str_eq(compat(5), "open");
	ck_assert_str_eq(compat(6), "close");
	ck_assert_str_eq(compat(195), "stat64");
	ck_assert_str_eq(compat(180), "pread64");
	ck_assert_str_eq(compat(426), "io_uring");
}
END_TEST

START_TEST(number_that_is_not_listed_is_shown)
{
	ck_assert_str_eq(native(39 + 600), "syscall_639");
	ck_assert_str_eq(native(4095), "syscall_4095");
	ck_assert_str_eq(compat(4094), "syscall_4094");
}
END_TEST

/* No two calls have one number, and every number fits. */
START_TEST(every_number_stands_once)
{
#define NONE (-1)
#define ALL_OF(x86_64, i386, arm64, arm) { x86_64, i386, arm64, arm },
#define ROW(call, word, numbers, ...) ALL_OF numbers
	static const int rows[][4] = { IOT_FS_CALLS(ROW, ROW) IOT_NET_CALLS(ROW) };
	static int seen[4][CALLS_MAX_NUMBER];

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int table = 0; table < 4; table++) {
			if (rows[i][table] == NONE)
				continue;
			ck_assert_int_ge(rows[i][table], 0);
			ck_assert_int_lt(rows[i][table], CALLS_MAX_NUMBER);
			ck_assert_int_eq(seen[table][rows[i][table]]++, 0);
		}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("calls");
	TCase *tcase = tcase_create("calls");
	SRunner *runner = srunner_create(suite);
	int failed;

	calls_read(&calls);
	tcase_add_test(tcase, call_of_a_program_for_one_call_has_its_word);
	tcase_add_test(tcase, nobodys_call_has_no_word);
	tcase_add_test(tcase, numbers_are_those_of_this_machine);
	tcase_add_test(tcase, callers_of_32_bits_have_their_own_numbers);
	tcase_add_test(tcase, events_have_the_numbers_of_their_calls);
	tcase_add_test(tcase, number_that_is_not_listed_is_shown);
	tcase_add_test(tcase, every_number_stands_once);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
