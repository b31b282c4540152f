/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Amplification that is kept up to date while rows come is what a reader makes of the same rows,
 * to the byte, whatever processes begin, end and are forgotten meanwhile.
 */
#include "analysis/amp/amp_summary.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/amp/amp_print.h"
#include "analysis/amp/amp_read.h"
#include "base/clock.h"
#include "fixture/fixture_verify.h"
#include "fixture/session.h"
#include "read/split.h"

enum { N_ROWS = 40000, N_PIDS = 40 };

struct text {
	char *at;
	size_t len, size;
};

static struct text files[N_STREAMS];
static void *live;
static uint64_t now_ns, state;

static uint64_t random_below(uint64_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % n;
}

/* To the file, and to who adds up. */
static void tell(enum stream_id stream, const char *const *values)
{
	struct text *file = &files[stream];
	char row[2048];
	size_t len = text_row(row, stream, values);

	if (file->len + len + 1 > file->size) {
		file->size = 2 * file->size + sizeof(row);
		file->at = realloc(file->at, file->size);
		ck_assert(file->at != NULL);
	}
	memcpy(file->at + file->len, row, len + 1);
	file->len += len;
	ck_assert(amp_summary.row(live, stream, row, len));
}

static const char *number(uint64_t value)
{
	static char texts[16][24];
	static unsigned at;
	char *text = texts[at++ % 16];

	sprintf(text, "%" PRIu64, value);
	return text;
}

static void tell_exec(const char *event, uint64_t pid, uint64_t parent, const char *path)
{
	const char *const values[] = { "event_type", event,          "pid",      number(pid),
				       "ppid",       number(parent), "filename", path,
				       "mono_ns",    number(now_ns), NULL };

	tell(STREAM_exec, values);
}

static const char *name_of(uint64_t pid)
{
	static const char *const names[] = { "postgres", "checkpointer", "worker", "cat", "sh" };

	return names[(pid + random_below(2)) % 5];
}

static void tell_fs(uint64_t pid)
{
	bool writes = random_below(2);
	const char *const values[] = { "operation",
				       writes ? "WRITE" : "READ",
				       "pid",
				       number(pid),
				       "command",
				       name_of(pid),
				       "filename",
				       random_below(9) ? "/data/file" : "/dev/null",
				       "latency_ns",
				       number(random_below(1000000)),
				       "return_value",
				       random_below(9) ? number(random_below(9000)) : "-5",
				       "call",
				       random_below(9) ? "write" : "",
				       "mono_ns",
				       number(now_ns),
				       NULL };

	tell(STREAM_fs, values);
}

/* Some of them for another process than the one that submits them */
static void tell_ds(uint64_t pid)
{
	static const char *const causes[] = { "", "direct", "writeback", "journal", "metadata" };
	bool owned = random_below(2);
	uint64_t owner = random_below(2) ? pid : 1 + random_below(N_PIDS);
	const char *const values[] = { "operation",
				       random_below(2) ? "write" : "read",
				       "pid",
				       number(pid),
				       "command",
				       name_of(pid),
				       "size",
				       number(512 * random_below(99)),
				       "latency_ms",
				       "0.123456",
				       "mono_ns",
				       number(now_ns),
				       "cause",
				       causes[random_below(5)],
				       "owner_pid",
				       owned ? number(owner) : "",
				       "owner_command",
				       owned ? name_of(owner) : "",
				       NULL };

	tell(STREAM_ds, values);
}

/* As many processes as N_PIDS at a time; numbers come again after a while. */
static void tell_all(void)
{
	static const char *const programs[] = { "/usr/bin/postgres", "/opt/minio/minio", "/bin/cat",
						"/usr/bin/redis-server" };
	uint64_t pids[N_PIDS] = { 0 }, ended[N_PIDS] = { 0 }, next = 100;

	for (unsigned i = 0; i < N_ROWS; i++) {
		unsigned at = (unsigned)random_below(N_PIDS);
		uint64_t other = pids[random_below(N_PIDS)];

		now_ns += random_below(30) * NS_PER_S / 1000;
		if (!pids[at]) {
			/* the numbers go round after what any trace forgets */
			pids[at] = 100 + next++ % 5000;
			if (random_below(8))
				tell_exec("FORK", pids[at], other ? other : 1, "");
			if (random_below(3))
				tell_exec("EXEC", pids[at], 1, programs[random_below(4)]);
			continue;
		}
		if (!random_below(12)) {
			tell_exec("EXIT", pids[at], 1, "");
			ended[at] = pids[at];
			pids[at] = 0;
		} else if (random_below(3)) {
			tell_fs(pids[at]);
		} else {
			/* a request may complete after its process */
			tell_ds(ended[at] && !random_below(4) ? ended[at] : pids[at]);
		}
		ended[at] = random_below(2) ? ended[at] : 0;
	}
}

static char *printed(int (*print)(FILE *out, void *arg), void *arg)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	ck_assert(out != NULL);
	ck_assert_int_eq(print(out, arg), 0);
	fclose(out);
	return text;
}

static int print_live(FILE *out, void *arg)
{
	int err = amp_summary.begin(arg);

	if (!err)
		err = amp_summary.print(arg, 0, out);
	amp_summary.end(arg);
	return err;
}

static int print_read(FILE *out, void *arg)
{
	const struct amp_view all = { .top = 0 };

	return amp_print_exact(out, arg, &all, TABLE_CSV);
}

static void write_files(void)
{
	static const enum stream_id told[] = { STREAM_fs, STREAM_ds, STREAM_exec };

	ck_assert_int_eq(mkdir(dir, 0700), 0);
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		const char *name = streams[told[i]].name;
		char path[400], file[100], header[4096];
		size_t len = schema_header(told[i], 0, header, sizeof(header));
		char *all = malloc(len + files[told[i]].len + 1);

		ck_assert(all != NULL);
		memcpy(all, header, len);
		memcpy(all + len, files[told[i]].at, files[told[i]].len + 1);
		snprintf(path, sizeof(path), "%s/%s", dir, name);
		ck_assert_int_eq(mkdir(path, 0700), 0);
		snprintf(file, sizeof(file), "%s/%s_20260101_000000_000_0001.csv", name, name);
		session_write(dir, file, all);
		free(all);
	}
}

static void compare(uint64_t seed)
{
	static const struct row_filter filter;
	static const struct amp_options options;
	const struct summary_room room = { .host = dir };
	struct systems systems = { .n = 0 };
	struct amp_groups groups = { .systems = &systems };
	static struct amp_reading reading;
	char *was, *is;

	state = seed;
	now_ns = 1000;
	live = amp_summary.open(&room);
	ck_assert(live != NULL);
	tell_all();
	was = printed(print_live, live);
	/* tables may be printed again and again */
	is = printed(print_live, live);
	ck_assert_str_eq(was, is);
	free(is);
	amp_summary.close(live);

	write_files();
	ck_assert_int_eq(systems_read_all(&systems, NULL), 0);
	said_begin();
	ck_assert_int_eq(amp_reading_open(&reading, dir, &filter, &options), 0);
	said_end();
	ck_assert_int_eq(amp_reading_add(&reading, &groups), 0);
	amp_groups_sort(&groups);
	is = printed(print_read, &groups);
	ck_assert_uint_ge(groups.n, 4);
	ck_assert_str_eq(was, is);
	free(was);
	free(is);
	amp_groups_free(&groups);
	amp_reading_close(&reading);
	memset(&reading, 0, sizeof(reading));
	systems_free(&systems);
	for (int i = 0; i < N_STREAMS; i++) {
		free(files[i].at);
		files[i] = (struct text){ .at = NULL };
	}
}

static void setup(void)
{
	static char rules[4096];

	snprintf(rules, sizeof(rules), "%s/data/systems.conf",
		 getenv("srcdir") ? getenv("srcdir") : ".");
	setenv("IOTRACER_SYSTEMS", rules, 1);
	unsetenv("HOME");
	fixture_verify_setup();
}

START_TEST(live_is_what_a_reader_tells)
{
	compare((uint64_t)_i + 1);
}
END_TEST

START_TEST(processes_that_have_ended_are_forgotten)
{
	const struct summary_room room = { .host = "h" };
	json_t *account;

	live = amp_summary.open(&room);
	now_ns = 1000;
	for (uint64_t pid = 1; pid <= 100000; pid++) {
		now_ns += NS_PER_S / 20;
		tell_exec("FORK", pid, 1, "");
		tell_fs(pid);
		tell_exec("EXIT", pid, 1, "");
	}
	account = amp_summary.account(live);
	/* those of the last 60 s, and what has come since the last look at them */
	ck_assert_int_le(json_integer_value(json_object_get(account, "processes")),
			 20 * 60 + 1024 + 20 * 31);
	json_decref(account);
	amp_summary.close(live);
	for (int i = 0; i < N_STREAMS; i++) {
		free(files[i].at);
		files[i] = (struct text){ .at = NULL };
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("amp_summary");
	TCase *tcase = tcase_create("amp_summary");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, setup, fixture_verify_teardown);
	tcase_add_loop_test(tcase, live_is_what_a_reader_tells, 0, 4);
	tcase_add_test(tcase, processes_that_have_ended_are_forgotten);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
