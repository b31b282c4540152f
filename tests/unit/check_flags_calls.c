/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of locks, and of calls on names: see check_flags.c. */
#include "row/flags_calls.h"

#include <check.h>
#include <stdlib.h>

#include "fixture/fixture_flags.h"

START_TEST(locks_have_their_words)
{
	static const char *const bits[32] = { "LOCK_SH",
					      "LOCK_EX",
					      "LOCK_NB",
					      "LOCK_UN",
					      [8] = "F_GETLK",
					      [9] = "F_SETLK",
					      [10] = "F_OFD_GETLK",
					      [12] = "F_RDLCK",
					      [13] = "F_WRLCK",
					      [16] = "SEEK_CUR",
					      [17] = "SEEK_END" };
	static const struct sample samples[] = {
		{ 0, "NO_FLAGS" },        { 6, "LOCK_EX|LOCK_NB" },
		{ 0x10, "0x10" },         { 0x3300, "F_SETLKW|F_UNLCK" },
		{ 0x500, "F_OFD_SETLK" }, { 0x12600, "F_OFD_SETLKW|F_WRLCK|SEEK_CUR" },
		{ 0x30700, "0x30700" },
	};

	check_bits(&flags_lock, bits, "", "0x%x");
	check_samples(&flags_lock, samples, N_OF(samples));
}
END_TEST

START_TEST(access_has_its_words)
{
	static const struct sample samples[] = {
		{ 0, "F_OK" },
		{ 7, "R_OK|W_OK|X_OK" },
		{ 0x200, "F_OK|AT_EACCESS" },
		{ 0x1104, "R_OK|AT_SYMLINK_NOFOLLOW|AT_EMPTY_PATH" },
		{ 0x8, "F_OK|0x8" },
	};

	check_samples(&flags_access, samples, N_OF(samples));
}
END_TEST

START_TEST(attributes_have_their_words)
{
	static const char *const bits[32] = { "XATTR_CREATE", "XATTR_REPLACE" };
	static const struct sample samples[] = {
		{ 0, "" },
		{ 3, "XATTR_CREATE|XATTR_REPLACE" },
	};

	check_bits(&flags_xattr, bits, "", "0x%x");
	check_samples(&flags_xattr, samples, N_OF(samples));
}
END_TEST

START_TEST(mounts_have_their_words)
{
	static const struct sample samples[] = {
		{ 0, "NO_FLAGS" },
		{ 1 | 4096 | 32, "MS_RDONLY|MS_REMOUNT|MS_BIND" },
		{ 1u << 18 | 16384, "MS_REC|MS_PRIVATE" },
		{ 1u << 22, "0x400000" },
		{ MOUNT_MOVES, "NO_FLAGS" },
		{ MOUNT_MOVES | 4, "MOVE_MOUNT_F_EMPTY_PATH" },
		{ MOUNT_MOVES | 0x230, "MOVE_MOUNT_T_SYMLINKS|MOVE_MOUNT_T_AUTOMOUNTS|"
				       "MOVE_MOUNT_BENEATH" },
	};
	static const struct sample ends[] = {
		{ 0, "NO_FLAGS" },
		{ 0xf, "MNT_FORCE|MNT_DETACH|MNT_EXPIRE|UMOUNT_NOFOLLOW" },
		{ 0x12, "MNT_DETACH|0x10" },
	};

	check_samples(&flags_mount, samples, N_OF(samples));
	check_samples(&flags_umount, ends, N_OF(ends));
}
END_TEST

START_TEST(watches_have_the_words_of_whom_they_are)
{
	static const struct sample samples[] = {
		{ 0x2, "IN_MODIFY" },
		{ 0x83000f00, "IN_CREATE|IN_DELETE|IN_DELETE_SELF|IN_MOVE_SELF|IN_ONLYDIR|"
			      "IN_DONT_FOLLOW|IN_ONESHOT" },
		{ 0x04000020, "IN_OPEN|IN_EXCL_UNLINK" },
		{ WATCH_FANOTIFY, "FAN_MARK_ADD" },
		{ WATCH_FANOTIFY | 0x2, "FAN_MODIFY" },
		{ WATCH_FANOTIFY | 0x40010020, "FAN_OPEN|FAN_OPEN_PERM|FAN_ONDIR" },
		{ WATCH_FANOTIFY | WATCH_REMOVES | WATCH_MOUNT | 1,
		  "FAN_MARK_REMOVE|FAN_MARK_MOUNT|FAN_ACCESS" },
		{ WATCH_FANOTIFY | WATCH_IGNORES | 0x20, "FAN_MARK_IGNORE|FAN_OPEN" },
		{ WATCH_FANOTIFY | WATCH_FLUSHES, "FAN_MARK_FLUSH" },
		{ 0x1000, "0x1000" },
	};

	check_samples(&flags_watch, samples, N_OF(samples));
}
END_TEST

START_TEST(every_value_is_text)
{
	static const struct flag_set *const sets[] = { &flags_lock,  &flags_access, &flags_xattr,
						       &flags_mount, &flags_umount, &flags_watch };

	for (size_t i = 0; i < N_OF(sets); i++)
		check_any_value(sets[i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flags of calls");
	TCase *tcase = tcase_create("words");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tcase, locks_have_their_words);
	tcase_add_test(tcase, access_has_its_words);
	tcase_add_test(tcase, attributes_have_their_words);
	tcase_add_test(tcase, mounts_have_their_words);
	tcase_add_test(tcase, watches_have_the_words_of_whom_they_are);
	tcase_add_test(tcase, every_value_is_text);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
