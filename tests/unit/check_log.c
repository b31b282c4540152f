/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages: who is heard at which level, and the status line that leaves none of itself behind. */
#include "base/clock.h"
#include "base/log.h"
#include "base/phase.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static char heard[16384];
static int saved_stderr;

static void take_stderr(int fd)
{
	fflush(stderr);
	saved_stderr = dup(STDERR_FILENO);
	dup2(fd, STDERR_FILENO);
}

static void give_back_stderr(void)
{
	fflush(stderr);
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
}

static void read_all(int fd)
{
	size_t used = 0;
	ssize_t n;

	while ((n = read(fd, heard + used, sizeof(heard) - 1 - used)) > 0)
		used += n;
	heard[used] = '\0';
}

static void say_all(void)
{
	log_error("e %d", 1);
	log_warn("w %s", "two");
	log_note("n");
	log_detail("d");
}

static const char *at_level(enum log_level level)
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	take_stderr(ends[1]);
	log_set_level(level);
	say_all();
	log_status("never in a pipe");
	give_back_stderr();
	close(ends[1]);
	read_all(ends[0]);
	close(ends[0]);
	log_set_level(LOG_NORMAL);
	return heard;
}

START_TEST(level_decides_what_is_heard)
{
	ck_assert_str_eq(at_level(LOG_QUIET), "iotracer: e 1\n");
	ck_assert_str_eq(at_level(LOG_NORMAL),
			 "iotracer: e 1\niotracer: warning: w two\niotracer: n\n");
	ck_assert_str_eq(at_level(LOG_VERBOSE),
			 "iotracer: e 1\niotracer: warning: w two\niotracer: n\niotracer: d\n");
}
END_TEST

/* What the phases say at a level */
static const char *phases_at(enum log_level level)
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	take_stderr(ends[1]);
	log_set_level(level);
	phase_end();
	phase_begin("facts");
	phase_begin("load");
	phase_end();
	phase_end();
	log_set_level(LOG_NORMAL);
	give_back_stderr();
	close(ends[1]);
	read_all(ends[0]);
	close(ends[0]);
	return heard;
}

START_TEST(notes_go_to_a_terminal_as_well_for_as_long_as_asked)
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	log_notes_to(ends[1]);
	log_note("first %d", 1);
	log_warn("not this");
	log_notes_to(-1);
	log_note("second");
	close(ends[1]);
	read_all(ends[0]);
	close(ends[0]);
	ck_assert_str_eq(heard, "\r\niotracer: first 1");
}
END_TEST

START_TEST(each_phase_of_a_start_is_told_once_with_v)
{
	const char *facts, *load, *all;

	ck_assert_str_eq(phases_at(LOG_NORMAL), "");
	facts = strstr(phases_at(LOG_VERBOSE), "iotracer: start: facts ");
	ck_assert_ptr_ne(facts, NULL);
	load = strstr(facts, "iotracer: start: load ");
	ck_assert_ptr_ne(load, NULL);
	all = strstr(load, "iotracer: start: all ");
	ck_assert_ptr_ne(all, NULL);
	ck_assert_ptr_ne(strstr(all, " s of CPU, "), NULL);
	ck_assert_ptr_eq(strchr(strchr(all, '\n') + 1, '\n'), NULL);
}
END_TEST

START_TEST(level_set_is_level_got)
{
	ck_assert_int_eq(log_get_level(), LOG_NORMAL);
	log_set_level(LOG_VERBOSE);
	ck_assert_int_eq(log_get_level(), LOG_VERBOSE);
	log_set_level(LOG_NORMAL);
}
END_TEST

START_TEST(very_long_message_is_one_cut_line)
{
	static char text[10000];
	int ends[2];

	memset(text, 'x', sizeof(text) - 1);
	ck_assert_int_eq(pipe(ends), 0);
	take_stderr(ends[1]);
	log_error("%s", text);
	give_back_stderr();
	close(ends[1]);
	read_all(ends[0]);
	close(ends[0]);
	ck_assert_uint_gt(strlen(heard), 4000);
	ck_assert_uint_lt(strlen(heard), 4200);
	ck_assert_ptr_eq(strchr(heard, '\n'), heard + strlen(heard) - 1);
}
END_TEST

/* A terminal that hands on what was written to it as it is. */
static int open_terminal(int *other)
{
	struct termios raw;
	int master = posix_openpt(O_RDWR | O_NOCTTY);

	ck_assert_int_ge(master, 0);
	ck_assert_int_eq(grantpt(master) | unlockpt(master), 0);
	*other = open(ptsname(master), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(*other, 0);
	ck_assert_int_eq(tcgetattr(*other, &raw), 0);
	cfmakeraw(&raw);
	ck_assert_int_eq(tcsetattr(*other, TCSANOW, &raw), 0);
	return master;
}

START_TEST(status_line_replaces_itself_and_clears_before_a_message)
{
	int terminal, master = open_terminal(&terminal);

	take_stderr(terminal);
	log_status("%s", ""); /* nothing shown, nothing to clear */
	log_status("%d rows", 1);
	log_status("%d rows", 2);
	log_note("news");
	log_note("more");
	log_status("%d rows", 3);
	log_status("%s", "");
	log_set_level(LOG_QUIET);
	log_status("not with -q");
	log_set_level(LOG_NORMAL);
	give_back_stderr();
	close(terminal); /* to its end, which is not there before all of it has arrived */
	read_all(master);
	close(master);
	ck_assert_str_eq(heard,
			 "\r1 rows\033[K\r2 rows\033[K\r\033[Kiotracer: news\niotracer: more\n"
			 "\r3 rows\033[K\r\033[K");
}
END_TEST

/* Waits in steps, as those do who wait for something that may take long. */
static void wait_for(const char *what, double seconds)
{
	uint64_t end = mono_ns() + (uint64_t)(seconds * 1e9);

	do {
		log_waiting(what);
		usleep(1000);
	} while (mono_ns() < end);
	log_waiting(NULL);
}

START_TEST(waiting_is_said_after_a_second_and_leaves_nothing)
{
	int terminal, master = open_terminal(&terminal), second, last = 0, n;
	const char *said = heard;

	take_stderr(terminal);
	wait_for("short", 0);
	wait_for("long", 1.3);
	wait_for("short again", 0);
	give_back_stderr();
	close(terminal);
	read_all(master);
	close(master);
	/* on a busy machine it may have been more than one second */
	while (sscanf(said, "\rlong (%d s)\033[K%n", &second, &n) == 1) {
		ck_assert_int_gt(second, last);
		last = second;
		said += n;
	}
	ck_assert_int_ge(last, 1);
	ck_assert_str_eq(said, "\r\033[K");
}
END_TEST

START_TEST(waiting_is_not_for_pipes)
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	take_stderr(ends[1]);
	wait_for("long", 1.3);
	give_back_stderr();
	close(ends[1]);
	read_all(ends[0]);
	close(ends[0]);
	ck_assert_str_eq(heard, "");
}
END_TEST

static Suite *log_suite(void)
{
	Suite *suite = suite_create("log");
	TCase *tcase = tcase_create("log");

	tcase_add_test(tcase, level_decides_what_is_heard);
	tcase_add_test(tcase, notes_go_to_a_terminal_as_well_for_as_long_as_asked);
	tcase_add_test(tcase, each_phase_of_a_start_is_told_once_with_v);
	tcase_add_test(tcase, level_set_is_level_got);
	tcase_add_test(tcase, very_long_message_is_one_cut_line);
	tcase_add_test(tcase, status_line_replaces_itself_and_clears_before_a_message);
	tcase_add_test(tcase, waiting_is_said_after_a_second_and_leaves_nothing);
	tcase_add_test(tcase, waiting_is_not_for_pipes);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(log_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
