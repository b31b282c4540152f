/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values to text: every code at its edges, times across a change of the
 * clocks, and texts that come back whole through a CSV reader.
 */
#include "base/clock.h"
#include "row/format.h"

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fixture/fixture_csv.h"

static char field[FORMAT_FIELD_MAX + 1];

/* The text that a put_ wrote up to end. */
static const char *ended(char *end)
{
	ck_assert(end >= field && end <= field + FORMAT_FIELD_MAX);
	*end = '\0';
	return field;
}

/* ---- numbers ---- */

START_TEST(unsigned_numbers_are_exact)
{
	char expected[32];

	ck_assert_str_eq(ended(put_u(field, 0)), "0");
	ck_assert_str_eq(ended(put_u(field, UINT64_MAX)), "18446744073709551615");
	for (uint64_t v = 1; v < UINT64_MAX / 10; v *= 10)
		for (int d = -1; d <= 1; d++) {
			snprintf(expected, sizeof(expected), "%llu", (unsigned long long)(v + d));
			ck_assert_str_eq(ended(put_u(field, v + d)), expected);
		}
	for (uint64_t v = 0; v < 20000; v++) {
		snprintf(expected, sizeof(expected), "%llu", (unsigned long long)v);
		ck_assert_str_eq(ended(put_u(field, v)), expected);
	}
}
END_TEST

START_TEST(signed_numbers_are_exact)
{
	ck_assert_str_eq(ended(put_s(field, 0)), "0");
	ck_assert_str_eq(ended(put_s(field, -1)), "-1");
	ck_assert_str_eq(ended(put_s(field, INT64_MAX)), "9223372036854775807");
	ck_assert_str_eq(ended(put_s(field, INT64_MIN)), "-9223372036854775808");
}
END_TEST

START_TEST(unknown_numbers_are_empty_and_zero_is_a_number)
{
	ck_assert_str_eq(ended(put_u_nz(field, 0)), "");
	ck_assert_str_eq(ended(put_u_nz(field, 1)), "1");
	ck_assert_str_eq(ended(put_u_opt(field, FORMAT_UNKNOWN)), "");
	ck_assert_str_eq(ended(put_u_opt(field, 0)), "0");
	ck_assert_str_eq(ended(put_s_nn(field, -1)), "");
	ck_assert_str_eq(ended(put_s_nn(field, INT64_MIN)), "");
	ck_assert_str_eq(ended(put_s_nn(field, 0)), "0");
	ck_assert_str_eq(ended(put_s_opt(field, FORMAT_NO_VALUE)), "");
	ck_assert_str_eq(ended(put_s_opt(field, -5)), "-5");
	ck_assert_str_eq(ended(put_s_opt(field, 0)), "0");
	ck_assert_str_eq(ended(put_sector(field, UINT64_MAX)), "");
	ck_assert_str_eq(ended(put_sector(field, 0)), "0");
	ck_assert_str_eq(ended(put_sector(field, 1ULL << 33)), "8589934592");
}
END_TEST

START_TEST(device_is_major_and_minor)
{
	ck_assert_str_eq(ended(put_dev(field, 0)), "");
	ck_assert_str_eq(ended(put_dev(field, 8 << 20 | 1)), "8:1");
	ck_assert_str_eq(ended(put_dev(field, 7)), "0:7");
	ck_assert_str_eq(ended(put_dev(field, UINT32_MAX)), "4095:1048575");
}
END_TEST

START_TEST(milliseconds_have_six_decimals)
{
	ck_assert_str_eq(ended(put_ms_opt(field, 0)), "0.000000");
	ck_assert_str_eq(ended(put_ms_opt(field, 1)), "0.000001");
	ck_assert_str_eq(ended(put_ms_opt(field, 999999)), "0.999999");
	ck_assert_str_eq(ended(put_ms_opt(field, 1000000)), "1.000000");
	ck_assert_str_eq(ended(put_ms_opt(field, 12345067089ULL)), "12345.067089");
	ck_assert_str_eq(ended(put_ms_opt(field, UINT64_MAX - 1)), "18446744073709.551614");
	ck_assert_str_eq(ended(put_ms_opt(field, FORMAT_UNKNOWN)), "");
}
END_TEST

START_TEST(words_and_paths_are_copied)
{
	struct format_text none = { .text = NULL }, some = { .text = "/a b", .len = 4 };

	ck_assert_str_eq(ended(put_word(field, "READ")), "READ");
	ck_assert_str_eq(ended(put_letters(field, "")), "");
	ck_assert_str_eq(ended(put_path(field, none)), "");
	ck_assert_str_eq(ended(put_path(field, some)), "/a b");
	ck_assert_str_eq(ended(put_bytes(field, "abc", 2)), "ab");
}
END_TEST

START_TEST(directories_end_in_one_slash)
{
	static const struct {
		const char *text, *field;
	} paths[] = {
		{ "", "" },
		{ "/", "/" },
		{ "/a", "/a/" },
		{ "/a/", "/a/" },
		{ "\"/a,b\"", "\"/a,b/\"" },
		{ "\"/a,b/\"", "\"/a,b/\"" },
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct format_text t = {
			.text = paths[i].text,
			.len = strlen(paths[i].text),
			.directory = true,
		};

		ck_assert_str_eq(ended(put_path(field, t)), paths[i].field);
	}
}
END_TEST

START_TEST(addresses_are_hexadecimal)
{
	char expected[32];

	ck_assert_str_eq(ended(put_hex(field, 0)), "0x0");
	ck_assert_str_eq(ended(put_hex(field, UINT64_MAX)), "0xffffffffffffffff");
	for (int bit = 0; bit < 64; bit++)
		for (int d = -1; d <= 1; d++) {
			uint64_t v = (1ULL << bit) + d;

			snprintf(expected, sizeof(expected), "0x%llx", (unsigned long long)v);
			ck_assert_str_eq(ended(put_hex(field, v)), expected);
		}
}
END_TEST

/* ---- time ---- */

/* The text of a wall clock time, given to put_time by the monotonic one that belongs to it. */
static const char *time_text(uint64_t real_ns)
{
	return ended(put_time(field, real_ns - format_real_ns(0)));
}

static void zone(const char *tz)
{
	setenv("TZ", tz, 1);
	tzset();
}

START_TEST(time_is_local_with_microseconds)
{
	zone("UTC0");
	ck_assert_str_eq(time_text(1700000000ULL * NS_PER_S), "2023-11-14 22:13:20.000000");
	ck_assert_str_eq(time_text(1700000000ULL * NS_PER_S + 999999999),
			 "2023-11-14 22:13:20.999999");
	ck_assert_str_eq(time_text(1700000000ULL * NS_PER_S + 1000), "2023-11-14 22:13:20.000001");
	ck_assert_str_eq(time_text(1700000001ULL * NS_PER_S + 12345678),
			 "2023-11-14 22:13:21.012345");
	ck_assert_str_eq(time_text(1700000000ULL * NS_PER_S + 54321000),
			 "2023-11-14 22:13:20.054321");
	ck_assert_str_eq(time_text(4102444799ULL * NS_PER_S), "2099-12-31 23:59:59.000000");
}
END_TEST

START_TEST(time_zone_counts)
{
	zone("<+0545>-5:45");
	ck_assert_str_eq(time_text(1700000000ULL * NS_PER_S), "2023-11-15 03:58:20.000000");
}
END_TEST

START_TEST(time_jumps_when_summer_time_begins_and_ends)
{
	zone("CET-1CEST,M3.5.0,M10.5.0/3");
	ck_assert_str_eq(time_text(1711846799ULL * NS_PER_S), "2024-03-31 01:59:59.000000");
	ck_assert_str_eq(time_text(1711846800ULL * NS_PER_S), "2024-03-31 03:00:00.000000");
	ck_assert_str_eq(time_text(1711846799ULL * NS_PER_S), "2024-03-31 01:59:59.000000");
	ck_assert_str_eq(time_text(1729990799ULL * NS_PER_S), "2024-10-27 02:59:59.000000");
	ck_assert_str_eq(time_text(1729990800ULL * NS_PER_S), "2024-10-27 02:00:00.000000");
}
END_TEST

START_TEST(first_second_of_the_clock_has_a_text)
{
	zone("UTC0");
	ck_assert_str_eq(time_text(5000), "1970-01-01 00:00:00.000005");
}
END_TEST

START_TEST(clock_pair_is_now_and_does_not_move_by_itself)
{
	struct format_clock first, second;
	struct timespec now;

	ck_assert(!format_clock_update(&first));
	ck_assert(!format_clock_update(&second));
	ck_assert_uint_gt(second.mono_ns, first.mono_ns);
	clock_gettime(CLOCK_REALTIME, &now);
	ck_assert_uint_le(first.real_ns, now.tv_sec * NS_PER_S + now.tv_nsec);
	ck_assert_uint_ge(first.real_ns + 60 * NS_PER_S, now.tv_sec * NS_PER_S);
	ck_assert(format_real_ns(second.mono_ns) == second.real_ns);
}
END_TEST

/* ---- errno ---- */

START_TEST(errno_has_its_name)
{
	ck_assert_str_eq(ended(put_err(field, 0)), "");
	ck_assert_str_eq(ended(put_err(field, -ENOENT)), "ENOENT");
	ck_assert_str_eq(ended(put_err(field, -EAGAIN)), "EAGAIN");
	ck_assert_str_eq(ended(put_err(field, -EOPNOTSUPP)), "EOPNOTSUPP");
	ck_assert_str_eq(ended(put_err(field, -EBADE)), "EBADE");
	ck_assert_str_eq(ended(put_err(field, -524)), "ENOTSUPP");
	ck_assert_str_eq(ended(put_err(field, -529)), "EIOCBQUEUED");
	ck_assert_str_eq(ended(put_err(field, -515)), "ERRNO(515)");
	ck_assert_str_eq(ended(put_err(field, -4095)), "ERRNO(4095)");
	ck_assert_str_eq(ended(put_err(field, INT32_MIN)), "ERRNO(2147483648)");
	ck_assert_str_eq(ended(put_err(field, 5)), "ERRNO(-5)");
}
END_TEST

/* What the C library knows has a name here, the three numbers without one apart. */
START_TEST(every_errno_of_the_c_library_has_a_name)
{
	for (int n = 1; n <= EHWPOISON; n++) {
		const char *known = strerror(n);

		if (!strncmp(known, "Unknown", 7))
			continue;
		ck_assert_msg(!strchr(ended(put_err(field, -n)), '('), "%d (%s) is %s", n, known,
			      field);
	}
}
END_TEST

/* ---- addresses ---- */

/* The text, and that it is what the C library writes. */
static const char *ip_text(int family, const unsigned char *addr)
{
	const char *text = ended(put_ip(field, family, addr));

	ck_assert_uint_lt(strlen(text), 48);
#ifdef __GLIBC__
	char expected[INET6_ADDRSTRLEN];

	ck_assert_ptr_ne(inet_ntop(family, addr, expected, sizeof(expected)), NULL);
	ck_assert_str_eq(text, expected);
#endif
	return text;
}

START_TEST(ip4_addresses_are_four_numbers)
{
	ck_assert_str_eq(ip_text(AF_INET, (unsigned char[]){ 0, 0, 0, 0 }), "0.0.0.0");
	ck_assert_str_eq(ip_text(AF_INET, (unsigned char[]){ 127, 0, 0, 1 }), "127.0.0.1");
	ck_assert_str_eq(ip_text(AF_INET, (unsigned char[]){ 255, 255, 255, 255 }),
			 "255.255.255.255");
	for (unsigned i = 0; i < 256; i++)
		for (unsigned j = 0; j < 256; j++)
			ip_text(AF_INET, (unsigned char[]){ i, j, 255 - i, 255 - j });
}
END_TEST

static const struct {
	uint16_t group[8];
	const char *text;
} ip6_texts[] = {
	{ { 0 }, "::" },
	{ { 0, 0, 0, 0, 0, 0, 0, 1 }, "::1" },
	{ { 1 }, "1::" },
	{ { 0, 0, 0, 0, 0, 0, 1, 0 }, "::0.1.0.0" },
	{ { 0, 0, 0, 0, 0, 0, 0x102, 0x304 }, "::1.2.3.4" },
	{ { 0, 0, 0, 0, 0, 0xffff, 0x7f00, 1 }, "::ffff:127.0.0.1" },
	{ { 0, 0, 0, 0, 0, 0xffff, 0, 0 }, "::ffff:0.0.0.0" },
	{ { 0, 0, 0, 0, 0, 0xfffe, 0x7f00, 1 }, "::fffe:7f00:1" },
	{ { 0, 0, 0, 0, 1, 0xffff, 0x7f00, 1 }, "::1:ffff:7f00:1" },
	{ { 0, 0, 0, 0, 0xffff, 0, 0x7f00, 1 }, "::ffff:0:7f00:1" },
	{ { 0xfe80, 0, 0, 0, 0x12, 0x345, 0x6789, 0xabcd }, "fe80::12:345:6789:abcd" },
	{ { 0x2001, 0xdb8, 0, 0, 1, 0, 0, 1 }, "2001:db8::1:0:0:1" },    /* the first of two */
	{ { 0x2001, 0xdb8, 0, 0, 1, 0, 0, 0 }, "2001:db8:0:0:1::" },     /* the longer one */
	{ { 0x2001, 0xdb8, 0, 1, 1, 1, 1, 1 }, "2001:db8:0:1:1:1:1:1" }, /* one is none */
	{ { 0, 2, 3, 4, 5, 6, 7, 0 }, "0:2:3:4:5:6:7:0" },
	{ { 0, 0, 3, 4, 5, 6, 7, 8 }, "::3:4:5:6:7:8" },
	{ { 1, 2, 3, 4, 5, 6, 0, 0 }, "1:2:3:4:5:6::" },
	{ { 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff },
	  "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" },
};

static const char *ip6_text(const uint16_t group[8])
{
	unsigned char addr[16];

	for (int i = 0; i < 8; i++) {
		addr[2 * i] = group[i] >> 8;
		addr[2 * i + 1] = group[i];
	}
	return ip_text(AF_INET6, addr);
}

START_TEST(ip6_addresses_are_shortened)
{
	ck_assert_str_eq(ip6_text(ip6_texts[_i].group), ip6_texts[_i].text);
}
END_TEST

/* Zero or not in every group, with each width of a number. */
START_TEST(ip6_addresses_are_short_wherever_zeros_are)
{
	static const uint16_t values[] = { 1, 0x10, 0x100, 0x1000, 0xffff, 0xa0b };
	uint16_t group[8];

	for (unsigned zero = 0; zero < 256; zero++)
		for (unsigned v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
			for (int i = 0; i < 8; i++)
				group[i] = zero >> i & 1 ? 0 : values[v];
			ip6_text(group);
		}
}
END_TEST

/* And read back. */
START_TEST(any_ip6_address_is_itself)
{
	static const uint16_t often[] = { 0, 0, 0, 0xffff, 1, 0x7f, 0xfe80, 0x2001 };
	unsigned seed = 5;
	uint16_t group[8];
	unsigned char back[16];

	for (int n = 0; n < 200000; n++) {
		for (int i = 0; i < 8; i++)
			group[i] = rand_r(&seed) % 4 ? often[rand_r(&seed) % 8] : rand_r(&seed);
		if (n % 4 == 0) { /* v4-mapped, and of old */
			memset(group, 0, 10);
			group[5] = n % 8 ? 0xffff : 0;
		}
		ck_assert_int_eq(inet_pton(AF_INET6, ip6_text(group), back), 1);
		for (int i = 0; i < 8; i++)
			ck_assert_uint_eq(back[2 * i] << 8 | back[2 * i + 1], group[i]);
	}
}
END_TEST

START_TEST(other_families_have_no_address)
{
	unsigned char addr[16] = { 1, 2, 3, 4 };

	ck_assert_str_eq(ended(put_ip(field, AF_UNSPEC, addr)), "");
	ck_assert_str_eq(ended(put_ip(field, AF_UNIX, addr)), "");
	ck_assert_str_eq(ended(put_ip(field, -1, NULL)), "");
}
END_TEST

/* ---- texts ---- */

static char quoted[70000];

static const char *quote(const char *text, size_t len, bool *escaped)
{
	size_t n = format_quote(quoted, text, len, escaped);

	ck_assert_uint_le(n, len * 4 + 2);
	quoted[n] = '\0';
	return quoted;
}

static const struct {
	const char *text, *csv;
	bool escaped;
} texts[] = {
	{ "", "", false },
	{ "/plain", "/plain", false },
	{ "/a,b", "\"/a,b\"", false },
	{ "/a\"b", "\"/a\"\"b\"", false },
	{ "\"", "\"\"\"\"", false },
	{ "/a\nb", "/a\\nb", true },
	{ "/a\rb", "/a\\rb", true },
	{ "/a\n,b", "\"/a\\n,b\"", true },
	{ "/a\tb ", "/a\tb ", false },
	{ " -> ", " -> ", false },
	{ "/a\001\033\177b", "/a\\x01\\x1b\\x7fb", true },
	{ "/back\\slash", "/back\\slash", false },
	{ "/back\\,slash", "\"/back\\,slash\"", false },
	{ "/back\\\nslash", "/back\\\\\\nslash", true },
	{ "/\\n\n", "/\\\\n\\n", true },
	{ "\\x41\001", "\\\\x41\\x01", true },
	{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f", false },
	{ "\xe6\x97\xa5\xf0\x9f\x98\x80", "\xe6\x97\xa5\xf0\x9f\x98\x80", false },
	{ "\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80", "\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80",
	  false },
	{ "latin\xe4", "latin\\xe4", true }, /* no second byte */
	{ "\xe4,", "\"\\xe4,\"", true },
	{ "\x80", "\\x80", true },          /* a second byte alone */
	{ "\xc0\x80", "\\xc0\\x80", true }, /* overlong NUL */
	{ "\xc1\xbf", "\\xc1\\xbf", true },
	{ "\xe0\x80\xaf", "\\xe0\\x80\\xaf", true }, /* overlong / */
	{ "\xe0\x9f\xbf", "\\xe0\\x9f\\xbf", true },
	{ "\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf", true },
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80", true }, /* surrogates */
	{ "\xed\xbf\xbf", "\\xed\\xbf\\xbf", true },
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", true }, /* above U+10FFFF */
	{ "\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80", true },
	{ "\xff\xfe", "\\xff\\xfe", true },
	{ "\xe2\x82", "\\xe2\\x82", true }, /* cut */
	{ "\xe2\x82x", "\\xe2\\x82x", true },
	{ "\xf0\x9f\x98", "\\xf0\\x9f\\x98", true },
};

START_TEST(text_is_escaped_and_quoted_as_documented)
{
	bool escaped;

	ck_assert_str_eq(quote(texts[_i].text, strlen(texts[_i].text), &escaped), texts[_i].csv);
	ck_assert_int_eq(escaped, texts[_i].escaped);
}
END_TEST

START_TEST(nul_inside_a_text_is_escaped)
{
	bool escaped;

	ck_assert_str_eq(quote("a\0b", 3, &escaped), "a\\x00b");
	ck_assert(escaped);
}
END_TEST

START_TEST(cut_sequence_is_not_read_beyond_its_end)
{
	char *text = malloc(2);
	bool escaped;

	memcpy(text, "a\xc3", 2);
	ck_assert_str_eq(quote(text, 2, &escaped), "a\\xc3");
	free(text);
}
END_TEST

/* Bytes that make trouble, often. */
static size_t random_text(char *text, size_t max, unsigned *seed)
{
	static const char nasty[] =
		",,\"\"\n\r\\\\nrx0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff\x80\t a/";
	size_t len = rand_r(seed) % max;

	for (size_t i = 0; i < len; i++)
		text[i] = rand_r(seed) % 4 ? nasty[rand_r(seed) % sizeof(nasty)] :
					     (char)rand_r(seed);
	return len;
}

START_TEST(quoted_text_reads_back_as_it_was)
{
	char text[64], line[400];
	unsigned seed = 11;
	struct csv_row row;
	bool escaped;

	for (int i = 0; i < 200000; i++) {
		size_t len = random_text(text, sizeof(text), &seed), n;

		quote(text, len, &escaped);
		n = snprintf(line, sizeof(line), "x,%s,y\n", quoted);
		csv_parse(&row, line, n);
		ck_assert_int_eq(row.n, 3);
		ck_assert(!memchr(row.field[1], '\n', row.len[1]) &&
			  !memchr(row.field[1], '\r', row.len[1]));
		if (escaped)
			ck_assert(csv_unescape(row.field[1], &row.len[1]));
		ck_assert_uint_eq(row.len[1], len);
		ck_assert_int_eq(memcmp(row.field[1], text, len), 0);
		csv_free(&row);
	}
}
END_TEST

START_TEST(longest_text_fits_its_bound)
{
	static char text[8192];
	bool escaped;

	memset(text, 0xff, sizeof(text));
	quote(text, sizeof(text), &escaped);
	ck_assert_uint_eq(strlen(quoted), 4 * sizeof(text));
	text[0] = ',';
	quote(text, sizeof(text), &escaped);
	ck_assert_uint_eq(strlen(quoted), 4 * (sizeof(text) - 1) + 3);
}
END_TEST

START_TEST(comm_may_be_full_and_may_need_quotes)
{
	ck_assert_str_eq(ended(put_comm(field, (char[16]){ "dd" })), "dd");
	ck_assert_str_eq(ended(put_comm(field, (char[16]){ "" })), "");
	ck_assert_str_eq(ended(put_comm(field, (char[16]){ "0123456789abcdef" })),
			 "0123456789abcdef");
	ck_assert_str_eq(ended(put_comm(field, (char[16]){ "a,b\"c" })), "\"a,b\"\"c\"");
	ck_assert_str_eq(ended(put_comm(field, (char[16]){ "a\nb" })), "a\\nb");
	ck_assert_str_eq(ended(put_comm(field, (char[16]){ "gr\xc3\xbcn" })), "gr\xc3\xbcn");
	ck_assert_str_eq(ended(put_comm(field, (char[16]){ "cut at fifteen\xc3" })),
			 "cut at fifteen\\xc3");
	ck_assert_str_eq(ended(put_comm(field, (char[16]){ "(sd-pam) :x" })), "(sd-pam) :x");
}
END_TEST

static TCase *values_case(void)
{
	TCase *tcase = tcase_create("values");

	tcase_add_test(tcase, unsigned_numbers_are_exact);
	tcase_add_test(tcase, signed_numbers_are_exact);
	tcase_add_test(tcase, unknown_numbers_are_empty_and_zero_is_a_number);
	tcase_add_test(tcase, device_is_major_and_minor);
	tcase_add_test(tcase, milliseconds_have_six_decimals);
	tcase_add_test(tcase, words_and_paths_are_copied);
	tcase_add_test(tcase, time_is_local_with_microseconds);
	tcase_add_test(tcase, time_zone_counts);
	tcase_add_test(tcase, time_jumps_when_summer_time_begins_and_ends);
	tcase_add_test(tcase, first_second_of_the_clock_has_a_text);
	tcase_add_test(tcase, clock_pair_is_now_and_does_not_move_by_itself);
	tcase_add_test(tcase, directories_end_in_one_slash);
	tcase_add_test(tcase, addresses_are_hexadecimal);
	tcase_add_test(tcase, errno_has_its_name);
	tcase_add_test(tcase, every_errno_of_the_c_library_has_a_name);
	return tcase;
}

static TCase *addresses_case(void)
{
	TCase *tcase = tcase_create("addresses");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, ip4_addresses_are_four_numbers);
	tcase_add_loop_test(tcase, ip6_addresses_are_shortened, 0,
			    sizeof(ip6_texts) / sizeof(ip6_texts[0]));
	tcase_add_test(tcase, ip6_addresses_are_short_wherever_zeros_are);
	tcase_add_test(tcase, any_ip6_address_is_itself);
	tcase_add_test(tcase, other_families_have_no_address);
	return tcase;
}

static TCase *texts_case(void)
{
	TCase *tcase = tcase_create("texts");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, text_is_escaped_and_quoted_as_documented, 0,
			    sizeof(texts) / sizeof(texts[0]));
	tcase_add_test(tcase, nul_inside_a_text_is_escaped);
	tcase_add_test(tcase, cut_sequence_is_not_read_beyond_its_end);
	tcase_add_test(tcase, quoted_text_reads_back_as_it_was);
	tcase_add_test(tcase, longest_text_fits_its_bound);
	tcase_add_test(tcase, comm_may_be_full_and_may_need_quotes);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("format");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, values_case());
	suite_add_tcase(suite, addresses_case());
	suite_add_tcase(suite, texts_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
