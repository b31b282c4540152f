/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a row counts as. */
#include "row/effects.h"
#include "row/row_words.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "row/format.h"
#include "row/fs_ops.h"

static struct field text(const char *s)
{
	return (struct field){ .text = s, .len = (uint32_t)strlen(s), .known = s[0] != '\0' };
}

static unsigned of_row(const char *word, const char *flags, const char *filename)
{
	const struct field op = text(word), f = text(flags), name = text(filename);

	return fs_row_effects(row_word(fs_operations, &op), &f, &name);
}

START_TEST(calls_that_move_bytes_between_files_count_for_both)
{
	ck_assert_uint_eq(of_row("SENDFILE", "", "/a -> /b"), READS | WRITES_SECOND);
	ck_assert_uint_eq(of_row("COPY_FILE_RANGE", "", "/a -> /b"), READS | WRITES_SECOND);
	/* to a socket or a pipe */
	ck_assert_uint_eq(of_row("SENDFILE", "", "/a"), READS);
	ck_assert_uint_eq(of_row("SPLICE", "SPLICE_F_MOVE", "/a"), READS);
	ck_assert_uint_eq(of_row("SPLICE", "SPLICE_F_MOVE|TO_FILE", "/a"), WRITES);
}
END_TEST

START_TEST(each_operation_has_its_effects)
{
	ck_assert_uint_eq(of_row("READ", "O_RDONLY", "/a"), READS);
	ck_assert_uint_eq(of_row("WRITE", "", "/a"), WRITES);
	ck_assert_uint_eq(of_row("FSYNC", "", "/a"), SYNCS);
	ck_assert_uint_eq(of_row("SYNC_FILE_RANGE", "", "/a"), SYNCS);
	ck_assert_uint_eq(of_row("MSYNC", "MS_SYNC", "/a"), SYNCS);
	ck_assert_uint_eq(of_row("MSYNC", "MS_ASYNC", "/a"), 0);
	ck_assert_uint_eq(of_row("LOCK", "F_OFD_SETLKW|F_RDLCK|SEEK_END", "/a"), LOCKS);
	ck_assert_uint_eq(of_row("LOCK", "LOCK_EX|LOCK_NB", "/a"), LOCKS);
	ck_assert_uint_eq(of_row("LOCK", "LOCK_UN", "/a"), 0);
	ck_assert_uint_eq(of_row("LOCK", "F_OFD_GETLK|F_WRLCK", "/a"), 0);
	ck_assert_uint_eq(of_row("RENAME", "", "/a -> /b"), 0);
	/* stands beside a READ */
	ck_assert_uint_eq(of_row("DIO_READ", "", "/a"), 0);
	ck_assert_uint_eq(of_row("NOTHING", "", "/a"), 0);
}
END_TEST

START_TEST(numbers_and_words_of_flags_say_the_same)
{
	char words[FORMAT_FIELD_MAX + 1];

	for (unsigned op = 1; op < IOT_N_OPS; op++) {
		ck_assert_uint_eq(fs_effects(op, 0), of_row(fs_ops[op].name, "", "/a -> /b"));
		ck_assert_uint_eq(fs_effects(op, IOT_SPLICE_TO_FILE | MS_SYNC),
				  of_row(fs_ops[op].name, "MS_SYNC|TO_FILE", "/a -> /b"));
	}
	for (unsigned flags = 0; flags < 4 * IOT_LOCK_TYPE; flags++) {
		if ((flags / IOT_LOCK_COMMAND & 7) == 7)
			continue; /* no command */
		*put_flags(words, (struct flags){ &flags_lock, flags }) = '\0';
		ck_assert_msg(fs_effects(IOT_LOCK, flags) == of_row("LOCK", words, "/a"), "%s",
			      words);
	}
}
END_TEST

START_TEST(requests_of_devices_and_rings_have_effects)
{
	static const struct {
		const char *word;
		unsigned effects;
	} of_device[] = { { "read", READS },    { "write", WRITES }, { "zone_append", WRITES },
			  { "discard", 0 },     { "flush", 0 },      { "zone_reset", 0 },
			  { "write_zeroes", 0 } },
	  of_ring[] = { { "READV", READS },  { "READ_FIXED", READS },
			{ "WRITE", WRITES }, { "WRITEV_FIXED", WRITES },
			{ "FSYNC", SYNCS },  { "RECV", 0 },
			{ "NOP", 0 } };
	struct field recv = text("RECVMSG"), send = text("SEND_ZC");

	for (size_t i = 0; i < sizeof(of_device) / sizeof(of_device[0]); i++) {
		const struct field word = text(of_device[i].word);

		ck_assert_uint_eq(ds_effects(row_word(ds_operations, &word)), of_device[i].effects);
	}
	for (size_t i = 0; i < sizeof(of_ring) / sizeof(of_ring[0]); i++) {
		const struct field word = text(of_ring[i].word);

		ck_assert_uint_eq(uring_effects(&word), of_ring[i].effects);
	}
	ck_assert_uint_eq(uring_socket_effects(&recv), READS);
	ck_assert_uint_eq(uring_socket_effects(&send), WRITES);
}
END_TEST

START_TEST(two_paths_are_told_apart)
{
	static const char both[] = "/a b -> /c";

	ck_assert_ptr_eq(second_path(both, strlen(both)), strrchr(both, '/'));
	ck_assert_ptr_eq(second_path("/a -> b", 7), NULL);
	ck_assert_ptr_eq(second_path("", 0), NULL);
}
END_TEST

START_TEST(files_and_disks_are_no_terminals)
{
	static const char *const yes[] = { "/etc/passwd", "/dev/vda", "/dev/shm/x",
					   "/dev/mapper/y" };
	static const char *const no[] = { "",          "pipe:[3]",   "socket:[7]",
					  "/dev/null", "/dev/pts/0", "/dev/tty1" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		ck_assert(is_file_or_disk(yes[i], strlen(yes[i])));
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		ck_assert(!is_file_or_disk(no[i], strlen(no[i])));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("effects");
	TCase *tcase = tcase_create("effects");
	SRunner *runner;
	int failed;

	tcase_add_test(tcase, calls_that_move_bytes_between_files_count_for_both);
	tcase_add_test(tcase, each_operation_has_its_effects);
	tcase_add_test(tcase, numbers_and_words_of_flags_say_the_same);
	tcase_add_test(tcase, requests_of_devices_and_rings_have_effects);
	tcase_add_test(tcase, two_paths_are_told_apart);
	tcase_add_test(tcase, files_and_disks_are_no_terminals);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
