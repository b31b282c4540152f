/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happened in an interval, added up; and the tables that are printed of it. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/top.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

static struct top_model *model;

static void set_up(void)
{
	model = top_model_open();
	ck_assert_ptr_ne(model, NULL);
}

static void tear_down(void)
{
	top_model_close(model);
}

static void set_text(struct operation *op, enum operation_part part, const char *text)
{
	op->parts[part] = (struct field){ .text = text,
					  .len = (uint32_t)strlen(text),
					  .known = text[0] != '\0' };
}

static struct operation make(enum stream_id stream, const char *event, const char *path)
{
	struct operation op = { .stream = stream };

	for (int i = 0; i < N_OPERATION_PARTS; i++)
		set_text(&op, (enum operation_part)i, "");
	set_text(&op, OP_EVENT, event);
	set_text(&op, OP_PID, "77");
	set_text(&op, OP_COMMAND, "dd");
	set_text(&op, stream == STREAM_ds ? OP_DEVICE : OP_PATH, path);
	return op;
}

static void feed(enum stream_id stream, const char *event, const char *path, int64_t result,
		 uint64_t ns)
{
	struct operation op = make(stream, event, path);

	op.parts[OP_RESULT].known = stream != STREAM_ds;
	op.parts[OP_RESULT].s = result;
	op.parts[OP_SIZE].known = true;
	op.parts[OP_SIZE].u = 4096;
	op.parts[OP_LATENCY].known = ns != 0;
	op.parts[OP_LATENCY].u = ns;
	top_model_feed(model, &op);
}

static bool is_named(const struct top_row *row, const char *name)
{
	return row->len == strlen(name) && !memcmp(row->name, name, row->len);
}

START_TEST(calls_of_a_file_are_added_up)
{
	const struct top_row *rows;

	feed(STREAM_fs, "READ", "/a", 100, 10);
	feed(STREAM_fs, "READ", "/a", 0, 30);
	feed(STREAM_fs, "WRITE", "/a", 7, 20);
	feed(STREAM_fs, "WRITE", "/a", -28, 0);
	feed(STREAM_fs, "DIO_READ", "/a", 100, 10); /* beside its READ */
	feed(STREAM_fs, "READ", "/b", 1000, 1);
	ck_assert_uint_eq(top_model_rows(model, TOP_FILES, TOP_BY_BYTES, &rows), 2);
	ck_assert(is_named(&rows[0], "/b"));
	ck_assert(is_named(&rows[1], "/a"));
	ck_assert_uint_eq(rows[1].ops, 4);
	ck_assert_uint_eq(rows[1].reads, 2);
	ck_assert_uint_eq(rows[1].read_bytes, 100);
	ck_assert_uint_eq(rows[1].writes, 2);
	ck_assert_uint_eq(rows[1].write_bytes, 7);
	ck_assert_uint_eq(rows[1].errors, 1);
	ck_assert_uint_eq(rows[1].timed, 3);
	ck_assert_uint_eq(rows[1].ns, 60);
	ck_assert_uint_eq(rows[1].max_ns, 30);
	top_model_rows(model, TOP_FILES, TOP_BY_ERRORS, &rows);
	ck_assert(is_named(&rows[0], "/a"));
	ck_assert_uint_eq(top_model_sums(model).ops, 5);
}
END_TEST

START_TEST(each_view_has_its_own_rows)
{
	const struct top_row *rows;
	struct operation op = make(STREAM_nw, "send", "");

	feed(STREAM_fs, "OPEN", "/a", 3, 10);
	feed(STREAM_fs, "CLOSE", "", 0, 10); /* without a name */
	feed(STREAM_ds, "write", "8:0", 0, 5);
	set_text(&op, OP_DETAIL, "TCP");
	set_text(&op, OP_FROM, "10.0.0.1");
	set_text(&op, OP_TO, "10.0.0.2");
	op.parts[OP_RESULT] = (struct field){ .s = 55, .known = true, .text = "55", .len = 2 };
	top_model_feed(model, &op);
	ck_assert_uint_eq(top_model_rows(model, TOP_FILES, TOP_BY_OPS, &rows), 1);
	ck_assert_uint_eq(top_model_rows(model, TOP_DEVICES, TOP_BY_OPS, &rows), 1);
	ck_assert(is_named(&rows[0], "8:0"));
	ck_assert_uint_eq(rows[0].write_bytes, 4096);
	ck_assert_uint_eq(top_model_rows(model, TOP_CONNECTIONS, TOP_BY_OPS, &rows), 1);
	ck_assert(is_named(&rows[0], "TCP 10.0.0.1 -> 10.0.0.2"));
	ck_assert_uint_eq(rows[0].write_bytes, 55);
	ck_assert_uint_eq(top_model_rows(model, TOP_PROCESSES, TOP_BY_OPS, &rows), 1);
	ck_assert(is_named(&rows[0], "77 dd"));
	ck_assert_uint_eq(rows[0].ops, 4);
	ck_assert_uint_eq(top_model_rows(model, TOP_STREAMS, TOP_BY_OPS, &rows), 3);
	ck_assert(is_named(&rows[0], "fs"));
}
END_TEST

START_TEST(losses_are_no_operations)
{
	struct operation op = make(STREAM_lost, "ring", "");

	op.parts[OP_SIZE] = (struct field){ .u = 17, .known = true, .text = "17", .len = 2 };
	top_model_feed(model, &op);
	ck_assert_uint_eq(top_model_sums(model).lost, 17);
	ck_assert_uint_eq(top_model_sums(model).ops, 0);
}
END_TEST

START_TEST(an_interval_begins_with_nothing)
{
	const struct top_row *rows;

	feed(STREAM_fs, "READ", "/a", 100, 10);
	top_model_rows(model, TOP_FILES, TOP_BY_OPS, &rows);
	top_model_reset(model);
	ck_assert_uint_eq(top_model_rows(model, TOP_FILES, TOP_BY_OPS, &rows), 0);
	ck_assert_uint_eq(top_model_sums(model).ops, 0);
	feed(STREAM_fs, "READ", "/a", 100, 10);
	ck_assert_uint_eq(top_model_rows(model, TOP_FILES, TOP_BY_OPS, &rows), 1);
	ck_assert_uint_eq(rows[0].ops, 1);
}
END_TEST

START_TEST(more_names_than_fit_are_one_row)
{
	const struct top_row *rows;
	uint64_t ops = 0;
	unsigned n;
	char name[32];

	for (unsigned i = 0; i < 30011; i++) {
		sprintf(name, "/file%u", i);
		feed(STREAM_fs, "READ", name, 1, 1);
	}
	for (int again = 0; again < 2; again++) {
		n = top_model_rows(model, TOP_FILES, TOP_BY_BYTES, &rows);
		ck_assert_uint_lt(n, 10000);
		ck_assert(is_named(&rows[0], "(others)"));
		ops = 0;
		for (unsigned i = 0; i < n; i++)
			ops += rows[i].ops;
		ck_assert_uint_eq(ops, 30011);
	}
}
END_TEST

/* ---- tables ---- */

static char printed[65536];

static void run_top(struct top_options options, unsigned n_rows, unsigned ms)
{
	char row[4096 + 64];
	struct top *top;
	size_t len = 0;
	uint64_t until = mono_ns() + ms * (NS_PER_S / 1000);

	for (unsigned i = 0; i < streams[STREAM_fs].n_columns; i++) {
		const char *name = streams[STREAM_fs].columns[i].name;

		len += (size_t)sprintf(row + len, "%s%s", i ? "," : "",
				       !strcmp(name, "operation")    ? "READ" :
				       !strcmp(name, "filename")     ? "/x" :
				       !strcmp(name, "pid")          ? "1" :
				       !strcmp(name, "return_value") ? "1024" :
				       !strcmp(name, "latency_ns")   ? "1000" :
								       "");
	}
	row[len++] = '\n';
	options.out = tmpfile();
	top = top_open(&options);
	ck_assert_ptr_ne(top, NULL);
	for (unsigned i = 0; i < n_rows; i++)
		top_row(top, STREAM_fs, row, len, i);
	while (top_tick(top) && mono_ns() < until)
		usleep(5000);
	top_end(top, false);
	ck_assert_int_eq(top_close(top), 0);
	rewind(options.out);
	printed[fread(printed, 1, sizeof(printed) - 1, options.out)] = '\0';
	fclose(options.out);
}

static unsigned n_rounds(void)
{
	unsigned n = 0;

	for (const char *at = printed; (at = strstr(at, "own CPU: ")); at++)
		n++;
	return n;
}

START_TEST(so_many_rounds_are_printed)
{
	run_top((struct top_options){ .interval_ns = NS_PER_S / 20, .rounds = 3 }, 0, 20000);
	ck_assert_uint_eq(n_rounds(), 3);
	ck_assert_ptr_ne(strstr(printed, "\n\n"), NULL);
}
END_TEST

START_TEST(the_rest_of_an_interval_is_printed)
{
	run_top((struct top_options){ .interval_ns = 3600 * NS_PER_S }, 100, 50);
	ck_assert_uint_eq(n_rounds(), 1);
	ck_assert_ptr_ne(strstr(printed, "files: 1  "), NULL);
	ck_assert_ptr_ne(strstr(printed, "lost: 0  dropped: 0  "), NULL);
	ck_assert_ptr_ne(strstr(printed, "  1.00us  1.00us  /x\n"), NULL);
}
END_TEST

START_TEST(one_that_never_began_prints_nothing)
{
	FILE *out = tmpfile();
	struct top *top = top_open(&(struct top_options){ .out = out, .interval_ns = NS_PER_S });

	ck_assert_int_eq(top_close(top), 0);
	ck_assert_int_eq(ftell(out), 0);
	fclose(out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("top");
	TCase *sums = tcase_create("sums"), *tables = tcase_create("tables");
	SRunner *runner;
	int failed;

	log_set_level(LOG_QUIET);
	tcase_add_checked_fixture(sums, set_up, tear_down);
	tcase_add_test(sums, calls_of_a_file_are_added_up);
	tcase_add_test(sums, each_view_has_its_own_rows);
	tcase_add_test(sums, losses_are_no_operations);
	tcase_add_test(sums, an_interval_begins_with_nothing);
	tcase_add_test(sums, more_names_than_fit_are_one_row);
	suite_add_tcase(suite, sums);
	tcase_add_test(tables, so_many_rounds_are_printed);
	tcase_add_test(tables, the_rest_of_an_interval_is_printed);
	tcase_add_test(tables, one_that_never_began_prints_nothing);
	suite_add_tcase(suite, tables);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
