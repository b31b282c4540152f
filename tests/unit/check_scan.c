/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of rows, read as strictly as they are written: what counts as a row,
 * what is only cut off, and what is damage.
 */
#include "read/scan.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/packing_copy.h"
#include "fixture/session.h"

#define HEAD "timestamp,name,mono_ns\n"
#define AT(s) "2026-11-20 23:59:0" #s ".000001"

static char scratch[256];

static void setup(void)
{
	session_scratch(scratch, sizeof(scratch));
}

static void teardown(void)
{
	session_remove(scratch);
}

static int open_with(const void *data, size_t len)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/file", scratch);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	ck_assert_int_eq(write(fd, data, len), (ssize_t)len);
	return fd;
}

static struct scan scan_bytes(const void *data, size_t len, struct scan_options *options)
{
	struct scan scan;
	int fd = open_with(data, len);

	ck_assert_int_eq(scan_file(fd, options, &scan), 0);
	ck_assert_uint_eq(scan.bytes, len);
	close(fd);
	return scan;
}

static struct scan scan_text(const char *text)
{
	struct scan_options options = { .header = HEAD };

	return scan_bytes(text, strlen(text), &options);
}

/* The same text, compressed. */
static size_t pack(enum packing packing, const char *text, char *out, size_t size)
{
	int in = open_with(text, strlen(text));
	char path[300], hex[SHA256_HEX_SIZE];
	struct sha256 *sum = sha256_new();
	uint64_t n;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "%s/packed", scratch);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	ck_assert_int_eq(packing_copy(packing, in, fd, sum, &n, NULL, NULL), 0);
	sha256_final(sum, hex);
	len = pread(fd, out, size, 0);
	close(in);
	close(fd);
	ck_assert_int_gt(len, 20);
	return (size_t)len;
}

START_TEST(whole_file_has_rows_times_and_a_checksum)
{
	static const char text[] =
		HEAD AT(2) ",a,20\n" AT(1) ",\"b,\"\"c\"\"\",10\n" AT(3) ",,30\n";
	struct scan scan = scan_text(text);
	char hex[SHA256_HEX_SIZE];

	ck_assert_msg(scan.trouble == SCAN_OK, "%s", scan.why);
	ck_assert_uint_eq(scan.rows, 3);
	ck_assert_uint_eq(scan.csv_bytes, strlen(text));
	ck_assert_uint_eq(scan.good_bytes, strlen(text));
	ck_assert_str_eq(scan.first, AT(1));
	ck_assert_str_eq(scan.last, AT(3));
	ck_assert_uint_eq(scan.first_ns, 10);
	ck_assert_uint_eq(scan.last_ns, 30);
	ck_assert_uint_eq(scan.disorder, 1);
	sha256_text(text, strlen(text), hex);
	ck_assert_str_eq(scan.sha256, hex);
}
END_TEST

#define NOT_A_TIME(text) "row 1: timestamp: '" text "' is not a time (YYYY-MM-DD HH:MM:SS.ffffff)"

static const struct {
	const char *row;
	const char *why;
} bad[] = {
	{ AT(1) ",a,b,1", "row 1: 4 fields instead of 3" },
	{ AT(1) ",1", "row 1: 2 fields instead of 3" },
	{ "", "row 1: 1 fields instead of 3" },
	{ AT(1) ",\"a,1", "row 1: unterminated quoted field" },
	{ AT(1) ",\"a\"b,1", "row 1: text after a closing quote" },
	{ AT(1) ",a\"b,1", "row 1: quote in an unquoted field" },
	{ AT(1) ",a\x01,1", "row 1: control character" },
	{ AT(1) ",a\r,1", "row 1: control character" },
	{ AT(1) ",a,", "row 1: invalid mono_ns" },
	{ AT(1) ",a,-1", "row 1: mono_ns: '-1' is not an unsigned number" },
	{ AT(1) ",a,12345678901234567890", "row 1: invalid mono_ns" },
	{ "2026-11-20,a,1", NOT_A_TIME("2026-11-20") },
	{ "2026-11-20 23:59:00,a,1", "row 1: invalid timestamp (microseconds expected)" },
	{ ",a,1", "row 1: invalid timestamp (microseconds expected)" },
	{ "2026-11-20 23:59:0x.000001,a,1", NOT_A_TIME("2026-11-20 23:59:0x.000001") },
};

START_TEST(bad_row_is_damage_and_not_counted)
{
	char text[512];
	struct scan scan;

	snprintf(text, sizeof(text), HEAD "%s\n" AT(3) ",,30\n", bad[_i].row);
	scan = scan_text(text);
	ck_assert_int_eq(scan.trouble, SCAN_DAMAGED);
	ck_assert_str_eq(scan.why, bad[_i].why);
	ck_assert_uint_eq(scan.rows, 1); /* the one behind it */
	ck_assert_uint_eq(scan.good_bytes, strlen(HEAD));
}
END_TEST

START_TEST(other_header_is_damage)
{
	struct scan scan = scan_text("timestamp,nam,mono_ns\n");

	ck_assert_int_eq(scan.trouble, SCAN_DAMAGED);
	scan = scan_text(HEAD);
	ck_assert_int_eq(scan.trouble, SCAN_OK);
	ck_assert_uint_eq(scan.rows, 0);
}
END_TEST

/* Wherever a file ends, the rows before are whole, and nothing but the end is missing. */
START_TEST(file_cut_anywhere_is_cut_and_not_damaged)
{
	static const char text[] = HEAD AT(1) ",\"a,\",10\n" AT(2) ",b,20\n";
	struct scan_options options = { .header = HEAD };
	const size_t first = strlen(HEAD AT(1) ",\"a,\",10\n");

	for (size_t len = 0; len < strlen(text); len++) {
		struct scan scan = scan_bytes(text, len, &options);
		size_t good = len >= first ? first : len >= strlen(HEAD) ? strlen(HEAD) : 0;

		ck_assert_msg(scan.trouble == (len == good && len ? SCAN_OK : SCAN_CUT), "%zu: %s",
			      len, scan.why);
		ck_assert_uint_eq(scan.good_bytes, good);
		ck_assert_uint_eq(scan.rows, len >= first);
	}
}
END_TEST

START_TEST(zeros_of_a_power_cut_are_a_missing_end)
{
	char text[9000] = HEAD AT(1) ",a,10\n";
	struct scan_options options = { .header = HEAD };
	struct scan scan = scan_bytes(text, sizeof(text), &options);

	ck_assert_int_eq(scan.trouble, SCAN_CUT);
	ck_assert_uint_eq(scan.rows, 1);
	ck_assert_uint_eq(scan.good_bytes, strlen(text));
}
END_TEST

START_TEST(compressed_bytes_cut_or_flipped_are_noticed)
{
	static const char text[] = HEAD AT(1) ",a,10\n" AT(2) ",b,20\n";
	struct scan_options options = { .header = HEAD, .packing = (enum packing)_i };
	char packed[512];
	size_t len = pack(options.packing, text, packed, sizeof(packed));
	struct scan scan = scan_bytes(packed, len, &options);

	ck_assert_msg(scan.trouble == SCAN_OK, "%s", scan.why);
	ck_assert_uint_eq(scan.rows, 2);
	ck_assert_uint_eq(scan.csv_bytes, strlen(text));
	for (size_t i = 0; i < len; i++)
		ck_assert_int_eq(scan_bytes(packed, i, &options).trouble, SCAN_CUT);
	/* their headers have bytes that mean nothing: gzip's time, level, operating system, a flag for text; a bit of zstd's, and its window */
	for (size_t i = 0; i < len; i++) {
		if (_i == PACKING_GZ ? i >= 3 && i <= 9 : i == 4 || i == 5)
			continue;
		packed[i] ^= 0x10;
		ck_assert_msg(scan_bytes(packed, len, &options).trouble != SCAN_OK, "byte %zu", i);
		packed[i] ^= 0x10;
	}
	packed[len] = 'x';
	ck_assert_int_eq(scan_bytes(packed, len + 1, &options).trouble, SCAN_DAMAGED);
}
END_TEST

static void count_bytes(void *arg, const struct field *fields)
{
	uint64_t *n = arg;

	*n += fields[0].len;
}

START_TEST(rows_longer_than_a_piece_are_rows)
{
	enum { LONG = 700000 };
	uint64_t n_bytes = 0;
	static const struct read_column name[] = { { .name = "name" } };
	struct scan_options options = {
		.header = HEAD, .columns = name, .n_columns = 1, .row = count_bytes, .arg = &n_bytes
	};
	char *text = malloc(3 * LONG + 1000), *p = text;
	struct scan scan;

	p += sprintf(p, "%s", HEAD);
	for (int i = 0; i < 3; i++) {
		p += sprintf(p, AT(1) ",");
		memset(p, 'x', LONG);
		p += LONG;
		p += sprintf(p, ",%d\n", i);
	}
	scan = scan_bytes(text, (size_t)(p - text), &options);
	ck_assert_msg(scan.trouble == SCAN_OK, "%s", scan.why);
	ck_assert_uint_eq(scan.rows, 3);
	ck_assert_uint_eq(n_bytes, 3 * LONG);
	free(text);
}
END_TEST

START_TEST(order_goes_on_from_file_to_file)
{
	static const char text[] = HEAD AT(1) ",a,10\n" AT(2) ",b,20\n";
	struct scan_options options = { .header = HEAD, .high_ns = 15 };

	ck_assert_uint_eq(scan_bytes(text, strlen(text), &options).disorder, 1);
	options.high_ns = 10;
	ck_assert_uint_eq(scan_bytes(text, strlen(text), &options).disorder, 0);
}
END_TEST

START_TEST(unreadable_file_is_an_error)
{
	struct scan_options options = { .header = HEAD };
	struct scan scan;

	ck_assert_int_lt(scan_file(-1, &options, &scan), 0);
}
END_TEST

static Suite *scan_suite(void)
{
	Suite *suite = suite_create("scan");
	TCase *tcase = tcase_create("scan");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, whole_file_has_rows_times_and_a_checksum);
	tcase_add_loop_test(tcase, bad_row_is_damage_and_not_counted, 0,
			    sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(tcase, other_header_is_damage);
	tcase_add_test(tcase, file_cut_anywhere_is_cut_and_not_damaged);
	tcase_add_test(tcase, zeros_of_a_power_cut_are_a_missing_end);
	tcase_add_loop_test(tcase, compressed_bytes_cut_or_flipped_are_noticed, 1, N_BUILT_IN);
	tcase_add_test(tcase, rows_longer_than_a_piece_are_rows);
	tcase_add_test(tcase, order_goes_on_from_file_to_file);
	tcase_add_test(tcase, unreadable_file_is_an_error);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(scan_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
