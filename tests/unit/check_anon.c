/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Anonymised names: the same name has the same token and no other has; what
 * stays in clear is what must; addresses keep their networks; the key is for
 * its owner alone.
 */
#include "row/anon.h"

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"
#include "base/status.h"
#include "fixture/session.h"
#include "row/anon_hash.h"
#include "row/anon_ip.h"
#include "row/anon_key.h"
#include "row/format.h"
#include "row/path.h"

#define KEY "0123456789abcdef0123456789abcdef"

static char scratch[256];
static char key_file[300];
static struct anon_options options;

static void setup(void)
{
	session_scratch(scratch, sizeof(scratch));
	snprintf(key_file, sizeof(key_file), "%s/key", scratch);
	session_write(scratch, "key", KEY "\n");
	chmod(key_file, 0600);
	options = (struct anon_options){ .on = true, .key_file = key_file };
}

static void teardown(void)
{
	anon_close();
	session_remove(scratch);
}

static void open_ok(void)
{
	anon_close();
	ck_assert_int_eq(anon_open(&options), 0);
}

static const char *hidden(const char *path)
{
	static char out[4][8192];
	static int turn;
	char *text = out[turn++ % 4];
	size_t len = anon_path(text, path, strlen(path));

	ck_assert_uint_le(len, anon_path_max(strlen(path)));
	text[len] = '\0';
	return text;
}

static const char *token(const char *name)
{
	static char out[4][ANON_TOKEN + 1];
	static int turn;
	char hex[SHA256_HEX_SIZE], *text = out[turn++ % 4];

	sha256_keyed(KEY, strlen(KEY), name, strlen(name), hex);
	snprintf(text, ANON_TOKEN + 1, "%.*s", ANON_TOKEN, hex);
	return text;
}

/* ---- names ---- */

START_TEST(off_means_off)
{
	options.on = false;
	ck_assert_int_eq(anon_open(&options), 0);
	ck_assert(!anon_on() && !anon_comm_on() && !anon_ip_on());
	ck_assert(anon_json() == NULL);
}
END_TEST

START_TEST(part_of_a_path_is_its_keyed_hash)
{
	char expect[300];

	open_ok();
	snprintf(expect, sizeof(expect), "/%s/%s", token("home"), token("jane.doe"));
	ck_assert_str_eq(hidden("/home/jane.doe"), expect);
	ck_assert_str_eq(hidden("/home/jane.doe"), expect); /* remembered */
	snprintf(expect, sizeof(expect), "%s/", token("home"));
	ck_assert_str_eq(hidden("home/"), expect);
	snprintf(expect, sizeof(expect), "@%s/%s", token("tmp"), token("x"));
	ck_assert_str_eq(hidden("@tmp/x"), expect);
}
END_TEST

START_TEST(what_is_no_name_stays)
{
	open_ok();
	ck_assert_str_eq(hidden(""), "");
	ck_assert_str_eq(hidden("/"), "/");
	ck_assert_str_eq(hidden("//"), "//");
	ck_assert_str_eq(hidden("../.././"), "../.././");
	ck_assert_str_eq(hidden("..."), token("..."));
	ck_assert_str_eq(hidden("@"), token("@")); /* a file may be called so */
}
END_TEST

START_TEST(ending_stays_when_it_is_asked_for)
{
	static const struct {
		const char *name;
		const char *ext;
	} names[] = {
		{ "a.csv", ".csv" },    { "a.tar.gz", ".gz" },
		{ "a.so.6", ".6" },     { ".profile", "" },
		{ "a.", "" },           { "a", "" },
		{ "a.longending", "" }, { "a.b-c", "" },
		{ "a.b c", "" },        { "..b", ".b" },
		{ ".b", "" },           { "a.\xc3\xa4", "" },
		{ "a.MP3", ".MP3" },    { "a.@@", "" },
		{ "a.[[", "" },         { "a.12345678", ".12345678" },
	};
	char expect[100];

	options.keep_ext = true;
	open_ok();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(expect, sizeof(expect), "%s%s", token(names[i].name), names[i].ext);
		ck_assert_str_eq(hidden(names[i].name), expect);
	}
}
END_TEST

START_TEST(another_key_gives_other_tokens)
{
	char before[100];

	open_ok();
	strcpy(before, hidden("name"));
	remove(key_file);
	session_write(scratch, "key", KEY "x");
	chmod(key_file, 0600);
	open_ok();
	ck_assert_str_ne(hidden("name"), before);
}
END_TEST

/* Many more names than are remembered, long ones and all bytes: right each time, and within bounds. */
START_TEST(every_name_has_its_own_token)
{
	char name[300], expect[ANON_TOKEN + 1];

	open_ok();
	for (int round = 0; round < 2; round++)
		for (unsigned i = 0; i < 30000; i++) {
			size_t len = 1 + i * 7 % 255;

			memset(name, 1 + i % 46, len); /* never a slash */
			snprintf(name, sizeof(name), "%u", i);
			name[strlen(name)] = 'x';
			name[len < 8 ? 8 : len] = '\0';
			strcpy(expect, token(name));
			ck_assert_str_eq(hidden(name), expect);
		}
}
END_TEST

START_TEST(longest_paths_fit)
{
	char path[4097], out[4097 * 8 + 64];

	options.keep_ext = true;
	open_ok();
	for (int unit = 1; unit < 6; unit++) {
		for (int i = 0; i < 4096; i++)
			path[i] = i % unit == unit - 1 && unit > 1 ? '/' :
				  unit == 5 && i % unit == 1       ? '.' :
								     'a';
		ck_assert_uint_le(anon_path(out, path, 4096), anon_path_max(4096));
	}
}
END_TEST

/* ---- rows ---- */

static const char *shown(const struct path *path)
{
	static char text[4096];

	snprintf(text, sizeof(text), "%.*s", (int)path->csv_len, path->csv);
	return text;
}

START_TEST(paths_keep_their_names_inside_and_show_tokens)
{
	struct path *a, *b, *pair;
	char expect[400];

	open_ok();
	a = path_new("/etc/a,\"b\n", 10, PATH_FULL);
	ck_assert_str_eq(a->raw, "/etc/a,\"b\n");
	ck_assert_uint_eq(a->flags, PATH_FULL); /* nothing is escaped */
	snprintf(expect, sizeof(expect), "/%s/%s", token("etc"), token("a,\"b\n"));
	ck_assert_str_eq(shown(a), expect);
	b = path_new("/x", 2, PATH_FULL);
	pair = path_pair(a, b, false);
	snprintf(expect, sizeof(expect), "/%s/%s -> /%s", token("etc"), token("a,\"b\n"),
		 token("x"));
	ck_assert_str_eq(shown(pair), expect);
	path_put(pair);
	pair = path_pair(NULL, b, false);
	snprintf(expect, sizeof(expect), " -> /%s", token("x"));
	ck_assert_str_eq(shown(pair), expect);
	path_put(pair);
	path_put(a);
	path_put(b);
}
END_TEST

START_TEST(arguments_are_hidden_one_by_one)
{
	static const char args[] = "tool\0--file=/srv/data.db\0\0two words";
	struct path *line;
	char expect[400];

	open_ok();
	line = path_of_args(args, sizeof(args));
	snprintf(expect, sizeof(expect), "%s %s/%s", token("tool"), token("--file="), token("srv"));
	snprintf(expect + strlen(expect), sizeof(expect) - strlen(expect), "/%s '' ",
		 token("data.db"));
	strcat(expect, token("two words"));
	ck_assert_str_eq(shown(line), expect);
	path_put(line);
}
END_TEST

static void *hide_many(void *arg)
{
	uintptr_t bad = 0;

	(void)arg;
	for (unsigned i = 0; i < 10000; i++) {
		const unsigned char in[4] = { 198, 51, 100, (unsigned char)(i % 100) };
		char name[32], out[2][ANON_TOKEN], hex[SHA256_HEX_SIZE];
		unsigned char ip[2][4];
		size_t len = (size_t)snprintf(name, sizeof(name), "name-%u", i % 500);

		anon_token(out[0], name, len);
		anon_ip(AF_INET, in, ip[0]);
		anon_token(out[1], name, len);
		anon_ip(AF_INET, in, ip[1]);
		sha256_keyed(KEY, strlen(KEY), name, len, hex);
		bad += memcmp(out[0], hex, ANON_TOKEN) || memcmp(out[1], hex, ANON_TOKEN) ||
		       memcmp(ip[0], ip[1], 4);
	}
	return (void *)bad;
}

/* The thread of snapshots hides names as well; neither waits for the other. */
START_TEST(two_threads_have_the_same_tokens)
{
	pthread_t other;
	void *bad;

	options.ip = true;
	open_ok();
	ck_assert_int_eq(pthread_create(&other, NULL, hide_many, NULL), 0);
	ck_assert_uint_eq((uintptr_t)hide_many(NULL), 0);
	pthread_join(other, &bad);
	ck_assert_uint_eq((uintptr_t)bad, 0);
}
END_TEST

START_TEST(names_of_threads_are_hidden_on_request)
{
	char out[100];

	open_ok();
	*put_comm(out, "secret\0\0\0\0\0\0\0\0\0") = '\0';
	ck_assert_str_eq(out, "secret");
	options.comm = true;
	open_ok();
	*put_comm(out, "secret\0\0\0\0\0\0\0\0\0") = '\0';
	ck_assert_str_eq(out, token("secret"));
	*put_comm(out, "sixteen-bytes-xx") = '\0';
	ck_assert_str_eq(out, token("sixteen-bytes-xx"));
	*put_comm(out, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0") = '\0';
	ck_assert_str_eq(out, "");
}
END_TEST

START_TEST(manifest_tells_what_is_hidden_and_not_the_key)
{
	json_t *json;
	char *text;

	options.ip = true;
	open_ok();
	json = anon_json();
	text = json_dumps(json, 0);
	ck_assert(strstr(text, KEY) == NULL);
	ck_assert(json_is_true(json_object_get(json, "addresses_hashed")));
	ck_assert(json_is_false(json_object_get(json, "commands_hashed")));
	ck_assert_uint_eq(strlen(json_string_value(json_object_get(json, "key"))), ANON_TOKEN);
	free(text);
	json_decref(json);
	json = anon_json_text("/srv/x");
	ck_assert_str_eq(json_string_value(json), hidden("/srv/x"));
	json_decref(json);
	json = anon_json_text("host/name");
	ck_assert_str_eq(json_string_value(json), token("host/name"));
	json_decref(json);
	json = anon_json_text(NULL);
	ck_assert(json_is_null(json));
}
END_TEST

/* ---- addresses ---- */

static void hide(int family, const char *in, char out[INET6_ADDRSTRLEN])
{
	unsigned char addr[16];

	ck_assert_int_eq(inet_pton(family, in, addr), 1);
	*put_ip(out, family, addr) = '\0';
}

START_TEST(addresses_that_tell_nothing_stay)
{
	static const char *const four[] = { "0.0.0.0", "127.0.0.1", "127.0.0.53",
					    "127.255.255.255" };
	static const char *const six[] = { "::", "::1", "::ffff:127.0.0.1", "::ffff:0.0.0.0" };
	char out[INET6_ADDRSTRLEN];

	options.ip = true;
	open_ok();
	for (int i = 0; i < 4; i++) {
		hide(AF_INET, four[i], out);
		ck_assert_str_eq(out, four[i]);
		hide(AF_INET6, six[i], out);
		ck_assert_str_eq(out, six[i]);
	}
	options.ip = false;
	open_ok();
	hide(AF_INET, "192.0.2.1", out);
	ck_assert_str_eq(out, "192.0.2.1"); /* not asked for */
}
END_TEST

START_TEST(mapped_address_is_the_one_it_maps)
{
	char four[INET6_ADDRSTRLEN], six[INET6_ADDRSTRLEN];

	options.ip = true;
	open_ok();
	hide(AF_INET, "192.0.2.1", four);
	ck_assert_str_ne(four, "192.0.2.1");
	hide(AF_INET6, "::ffff:192.0.2.1", six);
	ck_assert(!strncmp(six, "::ffff:", 7));
	ck_assert_str_eq(six + 7, four);
}
END_TEST

static unsigned common_bits(const unsigned char *a, const unsigned char *b, unsigned len)
{
	unsigned n = 0;

	while (n < len * 8 && !((a[n / 8] ^ b[n / 8]) >> (7 - n % 8) & 1))
		n++;
	return n;
}

/* For any two: as many leading bits in common as before; so no two become one. */
START_TEST(networks_stay_networks)
{
	unsigned len = _i ? 16 : 4, family = _i ? AF_INET6 : AF_INET, n_same = 0;
	unsigned char a[16], b[16], x[16], y[16];

	options.ip = true;
	open_ok();
	srand(7);
	for (int round = 0; round < 1500; round++) {
		unsigned keep = (unsigned)rand() % (len * 8 + 1);

		for (unsigned i = 0; i < len; i++) {
			a[i] = (unsigned char)rand();
			b[i] = (unsigned char)rand();
		}
		for (unsigned i = 0; i < keep; i++) {
			b[i / 8] &= (unsigned char)~(0x80 >> i % 8);
			b[i / 8] |= a[i / 8] & (0x80 >> i % 8);
		}
		anon_ip((int)family, a, x);
		anon_ip((int)family, b, y);
		ck_assert_uint_eq(common_bits(a, b, len), common_bits(x, y, len));
		n_same += !memcmp(a, x, len);
	}
	ck_assert_uint_le(n_same, _i ? 0 : 20); /* 127.x and little else */
}
END_TEST

/* ---- the key ---- */

START_TEST(key_is_made_when_it_is_not_there)
{
	char before[100];
	struct stat st;

	remove(key_file);
	open_ok();
	strcpy(before, hidden("name"));
	ck_assert_int_eq(stat(key_file, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
	ck_assert_int_eq(st.st_size, 65);
	open_ok();
	ck_assert_str_eq(hidden("name"), before); /* used again */
	remove(key_file);
	open_ok();
	ck_assert_str_ne(hidden("name"), before);
}
END_TEST

START_TEST(key_that_is_none_is_refused)
{
	anon_close();
	chmod(key_file, 0640);
	ck_assert_int_eq(anon_open(&options), -EPERM);
	session_write(scratch, "key", "too short");
	chmod(key_file, 0600);
	ck_assert_int_eq(anon_open(&options), -EINVAL);
	session_write(scratch, "key", "                                          \n");
	ck_assert_int_eq(anon_open(&options), -EINVAL);
	options.key_file = scratch;
	ck_assert_int_lt(anon_open(&options), 0);
	options.key_file = "/nowhere/key";
	ck_assert_int_eq(anon_open(&options), -ENOENT);
	ck_assert(!anon_on());
}
END_TEST

/* With a status and no core file, which would have the names. */
START_TEST(what_libcrypto_refuses_ends_the_program)
{
	const struct anon_key impossible = { .len = SIZE_MAX };
	char hex[SHA256_HEX_SIZE];

	anon_hash_use(&impossible);
	anon_hash("a", 1, hex);
}
END_TEST

static Suite *anon_suite(void)
{
	Suite *suite = suite_create("anon");
	TCase *tcase = tcase_create("anon");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, off_means_off);
	tcase_add_test(tcase, part_of_a_path_is_its_keyed_hash);
	tcase_add_test(tcase, what_is_no_name_stays);
	tcase_add_test(tcase, ending_stays_when_it_is_asked_for);
	tcase_add_test(tcase, another_key_gives_other_tokens);
	tcase_add_exit_test(tcase, what_libcrypto_refuses_ends_the_program, STATUS_FAILED);
	tcase_add_test(tcase, every_name_has_its_own_token);
	tcase_add_test(tcase, longest_paths_fit);
	tcase_add_test(tcase, paths_keep_their_names_inside_and_show_tokens);
	tcase_add_test(tcase, arguments_are_hidden_one_by_one);
	tcase_add_test(tcase, two_threads_have_the_same_tokens);
	tcase_add_test(tcase, names_of_threads_are_hidden_on_request);
	tcase_add_test(tcase, manifest_tells_what_is_hidden_and_not_the_key);
	tcase_add_test(tcase, addresses_that_tell_nothing_stay);
	tcase_add_test(tcase, mapped_address_is_the_one_it_maps);
	tcase_add_loop_test(tcase, networks_stay_networks, 0, 2);
	tcase_add_test(tcase, key_is_made_when_it_is_not_there);
	tcase_add_test(tcase, key_that_is_none_is_refused);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(anon_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
