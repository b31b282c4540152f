/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps of this kernel: entries of an array are read many at a time, and one at a time where the kernel has no other way. */
#include "compat/sys/bpf.h"
#include "compat/sys/sys.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SKIP = 77, N = 1000 };

/* No multiple of eight bytes, which the kernel makes of it */
struct entry {
	uint32_t words[5];
};

static int array = -1;

static void setup(void)
{
	struct entry entry;

	array = bpf_map_create_fd(BPF_MAP_TYPE_ARRAY, "many", 4, sizeof(entry), N, 0);
	ck_assert_int_ge(array, 0);
	for (uint32_t i = 0; i < N; i++) {
		for (uint32_t k = 0; k < 5; k++)
			entry.words[k] = i * 5 + k + 1;
		ck_assert_int_eq(bpf_map_put(array, &i, &entry), 0);
	}
}

static void teardown(void)
{
	close(array);
}

static void assert_from(uint32_t from, uint32_t n)
{
	struct entry *entries = calloc(n + 1, sizeof(*entries));

	ck_assert_ptr_nonnull(entries);
	ck_assert_int_eq(bpf_array_get(array, from, n, sizeof(*entries), entries), 0);
	for (uint32_t i = 0; i < n * 5; i++)
		ck_assert_uint_eq(entries[i / 5].words[i % 5], from * 5 + i + 1);
	ck_assert_uint_eq(entries[n].words[0], 0);
	free(entries);
}

START_TEST(any_part_of_an_array_is_read)
{
	assert_from(0, N);
	assert_from(0, 1);
	assert_from(0, 256);
	assert_from(1, 257);
	assert_from(743, 257);
	assert_from(N - 1, 1);
	assert_from(512, 0);
}
END_TEST

START_TEST(behind_its_end_nothing_is_read)
{
	struct entry entries[3];

	ck_assert_int_eq(bpf_array_get(array, N - 1, 2, sizeof(entries[0]), entries), -ENOENT);
	ck_assert_int_eq(bpf_array_get(array, N, 1, sizeof(entries[0]), entries), -ENOENT);
	ck_assert_int_eq(bpf_array_get(-1, 0, 3, sizeof(entries[0]), entries), -EBADF);
}
END_TEST

/* No kernel reads many of these at once, as none before 5.6 does of any: its entries are interfaces (1: loopback). */
START_TEST(where_there_is_no_other_way_they_are_read_one_by_one)
{
	uint32_t loopback = 1, values[300];
	int fd = bpf_map_create_fd(BPF_MAP_TYPE_DEVMAP, "one", 4, 4, 300, 0);

	ck_assert_int_ge(fd, 0);
	for (uint32_t i = 0; i < 300; i++)
		ck_assert_int_eq(bpf_map_put(fd, &i, &loopback), 0);
	memset(values, 0, sizeof(values));
	ck_assert_int_eq(bpf_array_get(fd, 7, 280, sizeof(values[0]), values), 0);
	for (uint32_t i = 0; i < 300; i++)
		ck_assert_uint_eq(values[i], i < 280);
	close(fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bpf_maps");
	TCase *tcase = tcase_create("bpf_maps");
	SRunner *runner;
	int n_failed, fd;

	memlock_raise();
	fd = bpf_map_create_fd(BPF_MAP_TYPE_DEVMAP, NULL, 4, 4, 1, 0);
	if (fd < 0) {
		printf("bpf_maps: skipped: needs root and bpf(2)\n");
		return SKIP;
	}
	close(fd);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, any_part_of_an_array_is_read);
	tcase_add_test(tcase, behind_its_end_nothing_is_read);
	tcase_add_test(tcase, where_there_is_no_other_way_they_are_read_one_by_one);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed != 0;
}
