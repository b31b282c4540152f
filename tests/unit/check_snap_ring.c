/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages between two threads: whole, in order, each once. */
#include "snapshot/snap_ring.h"

#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 65536, MANY = 200000 };

static struct snap_ring ring;
static char message[SNAP_RING_MESSAGE_MAX];

static void setup(void)
{
	ck_assert_int_eq(snap_ring_open(&ring, SIZE), 0);
}

static void teardown(void)
{
	snap_ring_close(&ring);
}

START_TEST(an_empty_ring_has_no_message)
{
	uint32_t kind;
	size_t len;

	ck_assert(!snap_ring_get(&ring, &kind, message, &len));
	ck_assert(snap_ring_put(&ring, 7, "head", 4, "body", 5));
	ck_assert(snap_ring_get(&ring, &kind, message, &len));
	ck_assert_uint_eq(kind, 7);
	ck_assert_uint_eq(len, 9);
	ck_assert_str_eq(message, "headbody");
	ck_assert(snap_ring_put(&ring, 8, NULL, 0, NULL, 0));
	ck_assert(snap_ring_get(&ring, &kind, message, &len));
	ck_assert_uint_eq(len, 0);
	ck_assert(!snap_ring_get(&ring, &kind, message, &len));
}
END_TEST

START_TEST(a_full_ring_refuses_and_keeps_what_it_has)
{
	uint32_t kind, n = 0, taken = 0;
	size_t len;

	while (snap_ring_put(&ring, n, message, 1000, message, 23))
		n++;
	ck_assert_uint_eq(n, SIZE / (8 + 1023));
	while (snap_ring_get(&ring, &kind, message, &len)) {
		ck_assert_uint_eq(kind, taken++);
		ck_assert_uint_eq(len, 1023);
	}
	ck_assert_uint_eq(taken, n);
	ck_assert(!snap_ring_put(&ring, 0, message, SNAP_RING_MESSAGE_MAX, "x", 1));
	ck_assert(snap_ring_put(&ring, 0, message, SNAP_RING_MESSAGE_MAX, NULL, 0));
}
END_TEST

static size_t length_of(uint32_t i)
{
	return i * 2654435761u % 700;
}

static void *send(void *arg)
{
	char data[700];

	(void)arg;
	for (uint32_t i = 0; i < MANY; i++) {
		memset(data, (int)(i & 0xff), sizeof(data));
		while (!snap_ring_put(&ring, i, data, length_of(i) / 2, data,
				      length_of(i) - length_of(i) / 2))
			sched_yield();
	}
	return NULL;
}

START_TEST(two_threads_lose_nothing)
{
	uint32_t kind, bad = 0;
	pthread_t sender;
	size_t len;

	ck_assert_int_eq(pthread_create(&sender, NULL, send, NULL), 0);
	for (uint32_t i = 0; i < MANY; i++) {
		while (!snap_ring_get(&ring, &kind, message, &len))
			sched_yield();
		bad += kind != i || len != length_of(i);
		for (size_t k = 0; k < len; k++)
			bad += (unsigned char)message[k] != (i & 0xff);
	}
	ck_assert_uint_eq(bad, 0);
	pthread_join(sender, NULL);
	ck_assert(!snap_ring_get(&ring, &kind, message, &len));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("snap_ring");
	TCase *tcase = tcase_create("snap_ring");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, an_empty_ring_has_no_message);
	tcase_add_test(tcase, a_full_ring_refuses_and_keeps_what_it_has);
	tcase_add_test(tcase, two_threads_lose_nothing);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
