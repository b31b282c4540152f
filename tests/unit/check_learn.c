/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is believed of members whose places are learned: what every object
 * confirms, at one place alone. On the kernel that runs the test, as root, what
 * is learned is what its BTF says.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/learn/learn.h"
#include "compat/learn/learn_fits.h"
#include "compat/learn/learn_object.h"
#include "compat/sys/root.h"

static struct learn learn;
static struct learn_object object;

static void setup(void)
{
	memset(&learn, 0, sizeof(learn));
	memset(&object, 0, sizeof(object));
	object.size = 256;
}

static void put_word(size_t at, uint64_t word)
{
	memcpy(object.bytes + at, &word, 8);
}

static void judge(uint64_t value)
{
	learn_value(&learn, LAYOUT_file_f_pos, &object, 0, 256, &value, 8);
}

START_TEST(one_place_is_an_answer)
{
	put_word(112, 0x1234500067890);
	judge(0x1234500067890);
	ck_assert_int_eq(learn_offset(&learn, LAYOUT_file_f_pos), 112);
}
END_TEST

START_TEST(two_places_are_none_until_an_object_denies_one)
{
	put_word(112, 77777);
	put_word(200, 77777);
	judge(77777);
	ck_assert_int_eq(learn_offset(&learn, LAYOUT_file_f_pos), -1);
	put_word(112, 88888);
	judge(88888);
	ck_assert_int_eq(learn_offset(&learn, LAYOUT_file_f_pos), 112);
}
END_TEST

START_TEST(an_object_that_has_it_nowhere_ends_it)
{
	put_word(112, 77777);
	judge(77777);
	judge(99999);
	judge(77777);
	ck_assert_int_eq(learn_offset(&learn, LAYOUT_file_f_pos), -1);
	ck_assert(learn.guesses[LAYOUT_file_f_pos].failed);
}
END_TEST

START_TEST(an_object_that_has_it_elsewhere_ends_it)
{
	put_word(112, 77777);
	judge(77777);
	put_word(112, 0);
	put_word(16, 77777);
	judge(77777);
	ck_assert_int_eq(learn_offset(&learn, LAYOUT_file_f_pos), -1);
}
END_TEST

START_TEST(what_is_no_answer_any_more_is_not_looked_at)
{
	const uint32_t two[] = { 8, 24 };

	ck_assert(learn_may_be(&learn, LAYOUT_file_f_inode, 16));
	learn_fits(&learn, LAYOUT_file_f_inode, two, 2);
	ck_assert(learn_may_be(&learn, LAYOUT_file_f_inode, 24));
	ck_assert(!learn_may_be(&learn, LAYOUT_file_f_inode, 16));
}
END_TEST

START_TEST(words_end_with_what_was_read)
{
	object.size = 20;
	put_word(16, ~0ull);
	ck_assert_uint_eq(learn_word(&object, 16), 0);
	ck_assert_uint_eq(learn_word(&object, 4096), 0);
}
END_TEST

static struct layout learned, told;

/* Nothing learned differs, and enough is learned for tier b. */
START_TEST(this_kernel_is_learned_as_its_btf_says)
{
	static const char btf_file[] = "sys/kernel/btf/vmlinux";
	char why[256] = "";
	struct btf *btf;
	unsigned n = 0;
	size_t size;
	char *data = geteuid() ? NULL : root_read("", btf_file, &size);

	if (!data || !root_exists("", "sys/kernel/tracing/events/task/task_rename/id")) {
		free(data);
		return; /* who may not look, or has nothing to compare with */
	}
	btf = btf_open(data, size, NULL, why, sizeof(why));
	ck_assert_msg(btf != NULL, "%s", why);
	layout_from_btf(&told, btf);
	if (learn_layout(&learned, "/sys/kernel/tracing", why, sizeof(why))) {
		fprintf(stderr, "not learned: %s\n", why);
		btf_close(btf);
		free(data);
		return; /* a container, or a kernel that lets nobody look */
	}
	for (unsigned i = 0; i < LAYOUT_N_MEMBERS; i++) {
		const struct layout_member *a = &learned.members[i], *b = &told.members[i];

		if (!a->known)
			continue;
		ck_assert_msg(b->known && a->offset == b->offset, "%s: learned %u, told %u",
			      layout_member_name(i), a->offset, b->offset);
		ck_assert_msg(i == LAYOUT_files_struct_fdtab || i == LAYOUT_sock___sk_common ||
				      (a->size == b->size && a->is_signed == b->is_signed),
			      "%s: %u bytes, told %u", layout_member_name(i), a->size, b->size);
		n++;
	}
	ck_assert_msg(n >= 50, "%u members", n);
	btf_close(btf);
	free(data);
}
END_TEST

static int denied(const struct layout *layout, const char **name)
{
	static struct layout copy;
	char why[256] = "";
	int n;

	copy = *layout;
	n = learn_check(&copy, "/sys/kernel/tracing", name, why, sizeof(why));
	ck_assert_msg(n >= 0, "%s", why);
	return n;
}

/* Whatever is wrong in what was kept: one object after the other says so, and none without reason. */
START_TEST(no_wrong_place_or_size_is_believed)
{
	const char *name = NULL;
	char why[256] = "";

	if (geteuid() || !root_exists("", "sys/kernel/tracing/events/task/task_rename/id") ||
	    learn_layout(&learned, "/sys/kernel/tracing", why, sizeof(why)))
		return;
	ck_assert_int_eq(denied(&learned, &name), 0);
	for (unsigned i = 0; i < LAYOUT_N_MEMBERS; i++) {
		struct layout_member *m = &learned.members[i], right = *m;

		if (!m->known)
			continue;
		m->offset += 8;
		ck_assert_msg(denied(&learned, &name) > 0, "%s at %u is believed",
			      layout_member_name(i), m->offset);
		*m = right;
		m->size = right.size == 4 ? 8 : 4;
		ck_assert_msg(denied(&learned, &name) > 0, "%s of %u bytes is believed",
			      layout_member_name(i), m->size);
		*m = right;
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("learn");
	TCase *rules = tcase_create("rules"), *kernel = tcase_create("kernel");

	tcase_add_checked_fixture(rules, setup, NULL);
	tcase_add_test(rules, one_place_is_an_answer);
	tcase_add_test(rules, two_places_are_none_until_an_object_denies_one);
	tcase_add_test(rules, an_object_that_has_it_nowhere_ends_it);
	tcase_add_test(rules, an_object_that_has_it_elsewhere_ends_it);
	tcase_add_test(rules, what_is_no_answer_any_more_is_not_looked_at);
	tcase_add_test(rules, words_end_with_what_was_read);
	suite_add_tcase(s, rules);
	tcase_set_timeout(kernel, 60);
	tcase_add_test(kernel, no_wrong_place_or_size_is_believed);
	tcase_add_test(kernel, this_kernel_is_learned_as_its_btf_says);
	suite_add_tcase(s, kernel);
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
