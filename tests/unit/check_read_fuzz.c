/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Damaged files, thousands of them, the same in every run: each row is read as
 * a strict reader of CSV reads it, or told to be bad with its number. Never a
 * crash, never another value.
 */
#include "read/rows_file.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/packing_copy.h"
#include "events/fs.h"
#include "fixture/fixture_csv.h"
#include "fixture/fixture_read.h"
#include "fixture/session.h"

enum { N_ROWS = 20, N_ROUNDS = 700, TEXT_MAX = 256 * 1024 };

static char scratch[256];
static char text[TEXT_MAX];
static size_t len;
static unsigned seed;

static void setup(void)
{
	fixture_read_setup();
	session_scratch(scratch, sizeof(scratch));
}

static void teardown(void)
{
	session_remove(scratch);
	fixture_read_teardown();
}

static size_t below(size_t n)
{
	return n ? (size_t)rand_r(&seed) % n : 0;
}

/* ---- files ---- */

static void make_text(void)
{
	size_t n;

	len = schema_header(STREAM_fs, 0, text, sizeof(text));
	for (int i = 0; i < N_ROWS; i++) {
		struct fs_row row = {
			.start = when + (uint64_t)i,
			.operation = i % 3 ? "READ" : "MREMAP",
			.pid = (u32)below(100000),
			.tid = 1,
			.comm = i % 4 ? "dd" : hostile_comm,
			.path = i % 2 ? hostile_text() : path_text("/tmp/file", 9),
			.size = BIG,
			.ino = below(1000),
			.flags = { &flags_open, 0x8001 },
			.offset = -1,
			.address = i % 3 ? FORMAT_UNKNOWN : 0x7f0000000000,
			.new_address = i % 6 ? FORMAT_UNKNOWN : 0x1000,
			.latency = below(1000000),
			.ret = INT64_MIN,
			.dev = 8 << 20 | 1,
			.fd = 3,
			.path_status = i % 2 ? "fe" : "f",
			.ofd = below(1000),
			.call = i % 5 ? "readv" : "",
		};

		n = fs_row(line, &row);
		memcpy(text + len, line, n);
		len += n;
	}
}

static int open_with(const char *name, const void *data, size_t size)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", scratch, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
	return fd;
}

static int packed(enum packing packing)
{
	int plain = open_with("plain", text, len), gz = open_with("gz", "", 0);
	struct sha256 *sum = sha256_new();
	char hex[SHA256_HEX_SIZE];
	uint64_t n;

	ck_assert_int_eq(packing_copy(packing, plain, gz, sum, &n, NULL, NULL), 0);
	sha256_final(sum, hex);
	close(plain);
	return gz;
}

/* ---- damage ---- */

static void move_in(size_t at, size_t from, size_t n)
{
	memmove(text + at + n, text + at, len - at);
	memmove(text + at, text + (from < at ? from : from + n), n);
	len += n;
}

static void damage(void)
{
	static const char special[] = "\",\n\r\\0- :x\t\x7f\xff.";
	size_t at = below(len), n = 1 + below(200);

	switch (rand_r(&seed) % 7) {
	case 0:
		text[at] ^= (char)(1 << rand_r(&seed) % 8);
		break;
	case 1:
		text[at] = special[below(sizeof(special))]; /* its NUL, too */
		break;
	case 2:
		len = at;
		break;
	case 3: /* a piece is there twice */
		if (n < len - at)
			move_in(at, below(len - n - n), n);
		break;
	case 4: /* a piece is gone */
		if (n < len - at) {
			memmove(text + at, text + at + n, len - at - n);
			len -= n;
		}
		break;
	case 5:
		memset(text + at, (char)rand_r(&seed), n < len - at ? n : len - at);
		break;
	default: /* a digit */
		text[at] = (char)('0' + below(10));
		break;
	}
}

/* ---- what is read ---- */

static void open_columns(struct rows_file *rows, int fd, enum packing packing)
{
	static struct read_column columns[LAYOUT_MAX_COLUMNS];
	unsigned n = layout_columns(STREAM_fs, NULL, columns);

	ck_assert_int_eq(rows_file_open(rows, fd, packing, columns, n, NULL), 0);
}

/* Fields of text are those of the strict reader; those of numbers print as they stood there. */
static void compare_row(const struct rows_file *rows, const char *at, size_t n)
{
	struct csv_row strict;

	csv_parse(&strict, at, n);
	ck_assert_msg(strict.n == (int)rows->layout.n_fields, "row %llu: '%.*s'",
		      (unsigned long long)rows->n, (int)n, at);
	for (unsigned i = 0; i < rows->n_columns; i++) {
		const struct field *f = &rows->fields[i];
		int place = rows->layout.at[i];
		char number[32];

		if (place < 0) {
			ck_assert(!f->known && !f->len && !f->u);
			continue;
		}
		if (rows->columns[i].kind == PARSE_PATH && rows->layout.path_status >= 0 &&
		    strchr(strict.field[rows->layout.path_status], 'e'))
			ck_assert(csv_unescape(strict.field[place], &strict.len[place]));
		ck_assert_uint_eq(f->len, strict.len[place]);
		ck_assert(!memcmp(f->text, strict.field[place], f->len));
		snprintf(number, sizeof(number), "%llu", (unsigned long long)f->u);
		if (rows->columns[i].kind == PARSE_UINT && f->known)
			ck_assert_str_eq(number,
					 strict.field[place] +
						 (strspn(strict.field[place], "0") == f->len ?
							  f->len - 1 :
							  strspn(strict.field[place], "0")));
	}
	csv_free(&strict);
}

/* Each line is one row, good or bad. plain: the text that the file holds. */
static void check_rows_of(int fd, enum packing packing, bool plain)
{
	static struct rows_file rows;
	const char *at = text, *lf;
	uint64_t n = 0;
	int result;

	open_columns(&rows, fd, packing);
	result = rows_file_header(&rows);
	if (plain && (lf = memchr(at, '\n', len)))
		at = lf + 1;
	while (result > 0 && (result = rows_file_next(&rows)) > 0) {
		char told[32];

		ck_assert_uint_eq(rows.n, ++n);
		snprintf(told, sizeof(told), "row %llu: ", (unsigned long long)n);
		if (result == ROWS_BAD)
			ck_assert_msg(!strncmp(rows.why, told, strlen(told)), "%s", rows.why);
		if (!plain)
			continue;
		lf = memchr(at, '\n', len - (size_t)(at - text));
		ck_assert(lf != NULL);
		if (result == ROWS_ROW)
			compare_row(&rows, at, (size_t)(lf - at) + 1);
		at = lf + 1;
	}
	ck_assert_int_eq(result, ROWS_END);
	ck_assert_int_ne(rows.state, ROWS_GOING);
	ck_assert((rows.state == ROWS_WHOLE) == !rows.why[0] || rows.n_bad);
	if (plain && rows.state != ROWS_DAMAGED) {
		ck_assert_ptr_eq(memchr(at, '\n', len - (size_t)(at - text)), NULL);
		ck_assert_int_eq(rows.state == ROWS_CUT, at < text + len || !rows.has_header);
	}
	rows_file_close(&rows);
	close(fd);
}

/* ---- claims ---- */

START_TEST(damaged_text_is_read_or_told)
{
	seed = (unsigned)_i + 1;
	for (int i = 0; i < N_ROUNDS; i++) {
		make_text();
		for (size_t n = 1 + below(4); n && len > 500; n--)
			damage();
		check_rows_of(open_with("plain", text, len), PACKING_NONE, true);
	}
}
END_TEST

START_TEST(damaged_compression_is_told)
{
	char bytes[8192];
	ssize_t n;
	int fd;

	seed = (unsigned)_i + 100;
	make_text();
	fd = packed((enum packing)(PACKING_GZ + _i % (N_BUILT_IN - 1)));
	n = pread(fd, bytes, sizeof(bytes), 0);
	ck_assert(n > 100 && n < (ssize_t)sizeof(bytes));
	close(fd);
	for (int i = 0; i < N_ROUNDS; i++) {
		size_t at = below((size_t)n);
		char before = bytes[at];

		bytes[at] ^= (char)(1 << below(8));
		check_rows_of(open_with("gz", bytes, i % 3 ? (size_t)n : at),
			      (enum packing)(PACKING_GZ + _i % (N_BUILT_IN - 1)), false);
		bytes[at] = before;
	}
}
END_TEST

/* Of ten megabytes: one row is bad, those around it are rows. */
START_TEST(field_beyond_all_limits_is_one_bad_row)
{
	enum { LONG = 10 * 1000 * 1000 };
	static struct rows_file rows;
	size_t from, half;
	char *big;
	int fd;

	make_text();
	half = (size_t)((char *)memchr(text + len / 2, '\n', len / 2) - text) + 1;
	from = (size_t)((char *)memchr(text + half, ',', len - half) - text) + 1;
	big = malloc(len + LONG);
	memcpy(big, text, from);
	memset(big + from, _i == 1 ? ',' : _i == 2 ? '"' : 'x', LONG);
	memcpy(big + from + LONG, text + from, len - from);
	fd = open_with("plain", big, len + LONG);
	free(big);
	open_columns(&rows, fd, PACKING_NONE);
	for (int result; (result = rows_file_next(&rows)) > 0;)
		ck_assert_msg((result == ROWS_ROW) != (rows.n_bad && strstr(rows.why, "longer") &&
						       result == ROWS_BAD),
			      "%s", rows.why);
	ck_assert_int_eq(rows.state, ROWS_WHOLE);
	ck_assert_uint_eq(rows.n, N_ROWS);
	ck_assert_uint_eq(rows.n_bad, 1);
	ck_assert_msg(strstr(rows.why, ": longer than 1048576 bytes"), "%s", rows.why);
	rows_file_close(&rows);
	close(fd);
}
END_TEST

static const struct {
	const char *text;
	const char *why; /* NULL: one row, pid 7 and no size */
} foreign[] = {
	{ "a,pid,b\n1,7,x\n", NULL },
	{ "pid\n7\n", NULL },
	{ "\"a,b\",pid\n\"x,\"\"\",7\n", NULL },
	{ "pid,pid\n7,7\n", "duplicate column pid" },
	{ "\n7\n", "empty header row" },
	{ "\"pid\n7\n", "header row: unterminated quoted field" },
	{ "pid,x\n7\n", "row 1: 1 fields instead of 2" },
	{ "pid\n-7\n", "row 1: pid: '-7' is not an unsigned number" },
	{ "pid\n18446744073709551616\n",
	  "row 1: pid: '18446744073709551616' is not an unsigned number" },
	{ "pid\n\"7\"\n", "row 1: pid: '\"7\"' is not an unsigned number" },
	{ "timestamp,pid\n2023-13-01 00:00:00.000000,7\n",
	  "row 1: timestamp: '2023-13-01 00:00:00.000000' is not a time "
	  "(YYYY-MM-DD HH:MM:SS.ffffff)" },
	{ "filename,path_status,pid\n\\q,e,7\n",
	  "row 1: filename: '\\q' is not a path with valid escapes" },
	{ "device,pid\n8:1048576,7\n", "row 1: device: '8:1048576' is not major:minor" },
};

START_TEST(foreign_columns_are_passed_over)
{
	static struct rows_file rows;
	int fd = open_with("plain", foreign[_i].text, strlen(foreign[_i].text)), result;

	open_columns(&rows, fd, PACKING_NONE);
	result = rows_file_next(&rows);
	if (foreign[_i].why) {
		ck_assert_int_eq(result, ROWS_BAD);
		ck_assert_str_eq(rows.why, foreign[_i].why);
	} else {
		ck_assert_msg(result == ROWS_ROW, "%s", rows.why);
		ck_assert(rows_file_has(&rows, 2) && rows.fields[2].u == 7);
		ck_assert(!rows_file_has(&rows, 5) && !rows.fields[5].known);
		ck_assert_int_eq(rows_file_next(&rows), ROWS_END);
	}
	rows_file_close(&rows);
	close(fd);
}
END_TEST

START_TEST(more_columns_than_are_read)
{
	static struct rows_file rows;
	int fd;

	for (len = 0; len < 4000; len += 2)
		memcpy(text + len, "x,", 2);
	memcpy(text + len, "pid\n", 4);
	fd = open_with("plain", text, len + 4);
	open_columns(&rows, fd, PACKING_NONE);
	ck_assert_int_eq(rows_file_next(&rows), ROWS_BAD);
	ck_assert_str_eq(rows.why, "2001 columns, at most 256 are read");
	ck_assert_int_eq(rows_file_next(&rows), ROWS_END);
	rows_file_close(&rows);
	close(fd);
}
END_TEST

START_TEST(words_have_their_place_in_the_list)
{
	static const char *const list[] = { "READ", "WRITE", "", "READV", NULL };
	struct words words;

	words_make(&words, list);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(words_find(&words, list[i], strlen(list[i])), i);
	ck_assert_uint_eq(words_find(&words, "REA", 3), 4);
	ck_assert_uint_eq(words_find(&words, "READS", 5), 4);
}
END_TEST

static Suite *read_fuzz_suite(void)
{
	Suite *suite = suite_create("read_fuzz");
	TCase *tcase = tcase_create("fuzz");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, damaged_text_is_read_or_told, 0, 4);
	tcase_add_loop_test(tcase, damaged_compression_is_told, 0, 4);
	tcase_add_loop_test(tcase, field_beyond_all_limits_is_one_bad_row, 0, 3);
	tcase_add_loop_test(tcase, foreign_columns_are_passed_over, 0,
			    sizeof(foreign) / sizeof(foreign[0]));
	tcase_add_test(tcase, more_columns_than_are_read);
	tcase_add_test(tcase, words_have_their_place_in_the_list);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(read_fuzz_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
