/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two traces compared: what differs and by how much, what is noise, and what cannot be told, in
 * all encodings. The rows are made by rule, so that what is claimed of them is known.
 */
#include "analysis/report/report_answer.h"
#include "analysis/report/report_changes.h"
#include "analysis/report/report_changes_text.h"
#include "analysis/report/report_html.h"
#include "analysis/report/report_print.h"

#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/report/report_read.h"
#include "fixture/fixture_verify.h"
#include "fixture/random.h"
#include "fixture/session.h"

/* ---- a trace made by rule ---- */

struct made {
	unsigned n;         /* writes */
	unsigned each_ns;   /* one begins so long after the other */
	unsigned latency;   /* and takes from this on */
	unsigned variation; /* up to so much more */
	unsigned size;
	unsigned every_tenth; /* times as long; 0: as the others */
	const char *path;
	uint64_t seed;
	const char *manifest; /* NULL: nothing was lost */
	const char *others;   /* rows besides; NULL: none */
};

static const struct made usual = { 20000, 100000, 40000, 20000, 4096, 0, "/d/f", 1, NULL, NULL };

static char dirs[2][320];

static void make_trace(unsigned which, const struct made *m)
{
	char name[700], *text;
	size_t size;
	uint64_t state = m->seed;
	FILE *rows = open_memstream(&text, &size);

	snprintf(dirs[which], sizeof(dirs[which]), "%s-%u", dir, which);
	ck_assert_int_eq(mkdir(dirs[which], 0700), 0);
	session_write(dirs[which], "manifest.json",
		      m->manifest ?
			      m->manifest :
			      "{\"format\": \"iotracer\", \"schema_version\": 1, \"ended_ns\": 1, "
			      "\"host\": {\"name\": \"<b>\"}, \"lost\": []}");
	fputs("operation,pid,command,filename,size,inode,flags,offset,latency_ns,return_value,device,"
	      "mntns,path_status,mono_ns\n",
	      rows);
	for (unsigned i = 0; i < m->n; i++) {
		uint64_t latency = m->latency + random_u64(&state) % (m->variation + 1);

		if (m->every_tenth && i % 10 == 0)
			latency *= m->every_tenth;
		fprintf(rows,
			"WRITE,7,dd,%s,%u,12,O_RDWR,0,%" PRIu64 ",%u,8:1,4026531840,f,%" PRIu64
			"\n",
			m->path, m->size, latency, m->size,
			(uint64_t)5000000000 + (uint64_t)i * m->each_ns);
	}
	fputs(m->others ? m->others : "", rows);
	fclose(rows);
	snprintf(name, sizeof(name), "%s/fs", dirs[which]);
	ck_assert_int_eq(mkdir(name, 0700), 0);
	session_write(dirs[which], "fs/fs_20260101_000000_000_0001.csv", text);
	free(text);
}

/* ---- compared ---- */

static struct report reports[2];
static struct report_answer answers[2], changes;
static struct replayed replayed; /* none: they are compared by all files */

static void compare_made(const struct made *before, const struct made *after)
{
	const struct made *made[2] = { before, after };
	struct row_filter filter = { .replayed = replayed.n ? &replayed : NULL };

	for (unsigned t = 0; t < 2; t++) {
		make_trace(t, made[t]);
		memset(&reports[t], 0, sizeof(reports[t]));
		reports[t].replayed = filter.replayed;
		filter.side = t ? REPLAYED_COPY : REPLAYED_TRACE;
		report_limits_begin(&reports[t].limits);
		answers[t] = (struct report_answer){ .report = &reports[t] };
		said_begin();
		ck_assert_int_eq(report_open(&reports[t], dirs[t], &filter), 0);
		said_end();
		ck_assert_int_eq(report_answer_make(&answers[t]), 0);
	}
	changes = (struct report_answer){ .top = 0 };
	ck_assert_int_eq(report_changes_make(&changes, &answers[0], &answers[1]), 0);
}

static void done(void)
{
	report_answer_free(&changes);
	for (unsigned t = 0; t < 2; t++) {
		report_answer_free(&answers[t]);
		report_close(&reports[t]);
		session_remove(dirs[t]);
	}
}

static bool text_is(const struct table_value *value, const char *text)
{
	return value->len == strlen(text) && !memcmp(value->text, text, value->len);
}

static uint64_t row_of(const char *kind, const char *name, const char *measure)
{
	const struct report_section *s = report_section(&changes, "differences");

	for (uint64_t i = 0; i < s->n; i++)
		if (text_is(report_cell(s, i, "kind"), kind) &&
		    text_is(report_cell(s, i, "name"), name) &&
		    text_is(report_cell(s, i, "measure"), measure))
			return i;
	ck_abort_msg("nothing on %s of %s %s", measure, kind, name);
	return 0;
}

static const struct table_value *cell(const char *kind, const char *name, const char *measure,
				      const char *column)
{
	return report_cell(report_section(&changes, "differences"), row_of(kind, name, measure),
			   column);
}

static void verdict_is(const char *kind, const char *name, const char *measure, const char *verdict)
{
	const struct table_value *value = cell(kind, name, measure, "verdict");

	ck_assert_msg(text_is(value, verdict), "%s of %s is %.*s", measure, name, (int)value->len,
		      value->text);
}

static unsigned n_claimed(void)
{
	const struct report_section *s = report_section(&changes, "differences");
	unsigned n = 0;

	for (uint64_t i = 0; i < s->n; i++) {
		const struct table_value *v = report_cell(s, i, "verdict");

		n += text_is(v, "higher") || text_is(v, "lower") || text_is(v, "new") ||
		     text_is(v, "gone");
	}
	return n;
}

static int64_t change_of(const char *kind, const char *name, const char *measure)
{
	const struct table_value *value = cell(kind, name, measure, "change");

	ck_assert(value->known);
	return (int64_t)value->u;
}

/* ---- what differs ---- */

START_TEST(a_trace_does_not_differ_from_itself)
{
	compare_made(&usual, &usual);
	ck_assert_uint_eq(n_claimed(), 0);
	verdict_is("operation", "fs WRITE", "p99_ns", "equal");
	verdict_is("operation", "fs WRITE", "count", "equal");
	ck_assert_uint_eq(report_section(&changes, "changed_files")->n, 0);
	done();
}
END_TEST

/* Other samples of the same distribution: percentiles differ, and it is noise. */
START_TEST(chance_is_noise)
{
	struct made again = usual;

	for (again.seed = 2; again.seed < 12; again.seed++) {
		compare_made(&usual, &again);
		ck_assert_msg(n_claimed() == 0, "seed %" PRIu64, again.seed);
		done();
	}
}
END_TEST

/* What comes in bursts has far fewer independent samples than operations. */
START_TEST(a_burst_is_not_taken_for_many_operations)
{
	struct made slow = usual;
	struct report_item *item;
	const struct report_key key = { REPORT_OPERATION, STREAM_fs, 0, "WRITE", 5 };
	struct estimate steady, bursts;

	compare_made(&usual, &slow);
	item = (struct report_item *)report_find(&reports[0].tally, &key);
	steady = report_percentile(&reports[0], item, 500);
	ck_assert(steady.bounded);
	/* all that is above 65,536 ns moves to one end: nothing else changes */
	for (unsigned i = 0; i < reports[0].tally.bins.n; i++) {
		uint32_t *row = &item->heat[i * REPORT_HEAT], all = 0;

		for (unsigned j = 0; j < REPORT_HEAT; j++) {
			all += row[j];
			row[j] = 0;
		}
		row[i < reports[0].tally.bins.n / 2 ? 8 : 9] = all;
	}
	bursts = report_percentile(&reports[0], item, 500);
	ck_assert(!bursts.bounded || bursts.high - bursts.low > 4 * (steady.high - steady.low));
	done();
}
END_TEST

START_TEST(what_differs_is_told_with_its_size)
{
	struct made other = usual;

	other.size = 16384;
	other.latency = 160000;
	other.variation = 80000;
	compare_made(&usual, &other);
	verdict_is("operation", "fs WRITE", "mean_write_bytes", "higher");
	ck_assert_int_eq(change_of("operation", "fs WRITE", "mean_write_bytes"), 3000000);
	verdict_is("operation", "fs WRITE", "count", "equal");
	verdict_is("operation", "fs WRITE", "p50_ns", "higher");
	ck_assert_int_ge(change_of("operation", "fs WRITE", "p50_ns"), 2700000);
	ck_assert_int_le(change_of("operation", "fs WRITE", "p50_ns"), 3300000);
	verdict_is("layer", "fs", "write_bytes_per_s", "higher");
	ck_assert_int_eq(change_of("layer", "fs", "write_bytes_per_s"), 3000000);
	verdict_is("layer", "fs", "operations_per_s", "equal");
	ck_assert(text_is(report_cell(report_section(&changes, "changed_files"), 0, "filename"),
			  "/d/f"));
	done();
	/* and the other way round */
	compare_made(&other, &usual);
	verdict_is("operation", "fs WRITE", "p99_ns", "lower");
	ck_assert_int_eq(change_of("operation", "fs WRITE", "mean_write_bytes"), -750000);
	done();
}
END_TEST

/* The median is what it was; only the slow tenth is slower. */
START_TEST(a_tail_is_found_where_it_is)
{
	struct made other = usual;

	other.every_tenth = 8;
	compare_made(&usual, &other);
	verdict_is("operation", "fs WRITE", "p99_ns", "higher");
	ck_assert_int_ge(change_of("operation", "fs WRITE", "p99_ns"), 5000000);
	ck_assert(!text_is(cell("operation", "fs WRITE", "p50_ns", "verdict"), "higher"));
	/* first what differs */
	ck_assert(text_is(report_cell(report_section(&changes, "differences"), 0, "verdict"),
			  "higher"));
	done();
}
END_TEST

START_TEST(a_small_difference_is_no_headline)
{
	struct made other = usual;

	other.latency = 42500;
	compare_made(&usual, &other);
	verdict_is("operation", "fs WRITE", "p50_ns", "small");
	ck_assert_uint_eq(n_claimed(), 0);
	done();
}
END_TEST

START_TEST(of_a_handful_nothing_is_claimed)
{
	struct made few = usual, slow = usual;

	few.n = slow.n = 12;
	slow.latency = 160000;
	compare_made(&few, &slow);
	verdict_is("operation", "fs WRITE", "p99_ns", "unsure");
	done();
}
END_TEST

/* What was lost may be what is missing. */
START_TEST(losses_make_counts_unsure)
{
	struct made lossy = usual;

	lossy.n = 15000;
	lossy.manifest =
		"{\"format\": \"iotracer\", \"schema_version\": 1, \"ended_ns\": 1, \"lost\": "
		"[{\"stream\": \"fs\", \"reason\": \"ring\", \"count\": 6000}]}";
	compare_made(&usual, &lossy);
	verdict_is("operation", "fs WRITE", "count", "noise");
	ck_assert(text_is(report_cell(report_section(&changes, "changed_files"), 0, "verdict"),
			  "unsure"));
	done();
	lossy.manifest =
		"{\"format\": \"iotracer\", \"schema_version\": 1, \"ended_ns\": 1, \"lost\": "
		"[{\"stream\": \"fs\", \"reason\": \"ring\", \"count\": 60}]}";
	compare_made(&usual, &lossy);
	verdict_is("operation", "fs WRITE", "count", "lower");
	done();
}
END_TEST

/* Compares them as a trace and its replay, of which names.csv has these lines. */
static void compare_replay(const struct made *before, const struct made *after, const char *lines)
{
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/names.csv", scratch);
	file = fopen(path, "w");
	fprintf(file, "name,filename,path_status\n%s", lines);
	fclose(file);
	ck_assert_int_eq(replayed_read(&replayed, scratch), 0);
	compare_made(before, after);
	replayed_free(&replayed);
}

/* What a figure of the file is called, and nothing of another one. */
static const char *figure(const char *name, uint64_t values[2])
{
	const struct report_section *s = report_section(&changes, "replayed_files");
	static char verdict[16];

	for (uint64_t i = 0; i < s->n; i++) {
		const struct table_value *v = report_cell(s, i, "verdict");

		if (!text_is(report_cell(s, i, "measure"), name))
			continue;
		values[0] = report_cell(s, i, "before")->u;
		values[1] = report_cell(s, i, "after")->u;
		snprintf(verdict, sizeof(verdict), "%.*s", (int)v->len, v->text);
		return verdict;
	}
	return "";
}

#define FS_ROW(op, file, result, n)                                                                \
	op ",7,dd," file ",8192,12,O_RDWR,0,1000," result ",8:1,4026531840,f," n "\n"

/* Files have other names, and what fio does not repeat counts on neither side. */
START_TEST(a_replay_is_compared_by_its_files)
{
	struct made trace = usual, copy = usual;
	const struct report_section *s;
	uint64_t values[2];

	trace.path = "/d/a\\nb";
	trace.others = FS_ROW("READ", "/d/a\\nb", "0", "9000000001")
		FS_ROW("READ", "/other", "8192", "9000000002")
			FS_ROW("SYNC_FILE_RANGE", "/d/a\\nb", "0", "9000000003");
	copy.path = "/s/000001-a_b";
	copy.others = FS_ROW("READ", "/s/jobs", "8192", "9000000001");
	compare_replay(&trace, &copy,
		       "/s/000001-a_b,/d/a\\nb,\n/s/000002-x,/d/none,\n/s/000001-a_b,/other,\n");
	s = report_section(&changes, "replayed_files");
	ck_assert_uint_ge(s->n, 4);
	ck_assert_uint_eq(s->n, s->n_all);
	for (uint64_t i = 0; i < s->n; i++)
		ck_assert(text_is(report_cell(s, i, "verdict"), "equal"));
	ck_assert_str_eq(figure("writes", values), "equal");
	ck_assert_uint_eq(values[1], 20000);
	ck_assert_str_eq(figure("syncs", values), "");
	verdict_is("operation", "fs WRITE", "count", "equal");
	ck_assert_ptr_null(report_section(&changes, "changed_files"));
	s = report_section(&changes, "replay");
	ck_assert_uint_eq(report_cell(s, 0, "count")->u, 1);
	done();
}
END_TEST

START_TEST(a_replay_that_differs_says_in_what)
{
	struct made copy = usual;
	uint64_t values[2];

	copy.path = "/s/copy";
	copy.n = 15000;
	copy.others = FS_ROW("WRITE", "/s/copy", "100", "90000000001");
	compare_replay(&usual, &copy, "/s/copy,/d/f,\n");
	ck_assert_str_eq(figure("writes", values), "lower");
	ck_assert_uint_eq(values[1], 15001);
	/* 15,000 are as large, 5,000 are missing, and one is new */
	ck_assert_str_eq(figure("write_sizes", values), "lower");
	ck_assert_uint_eq(values[0], 20000);
	ck_assert_uint_eq(values[1], 14999);
	done();
}
END_TEST

START_TEST(other_files_are_no_names_of_a_replay)
{
	static const char *const texts[] = { "",
					     "name\n",
					     "name,filename\n",
					     "name,filename\n1\n",
					     "filename,x\n/a,/b\n",
					     "name,filename\n/a,/b" };
	char path[300];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/names.csv", scratch);
		file = fopen(path, "w");
		fputs(texts[i], file);
		fclose(file);
		said_begin();
		ck_assert_int_eq(replayed_read(&replayed, scratch), -EINVAL);
		said_end();
		ck_assert_ptr_nonnull(strstr(said, "name the directory of its jobs"));
		replayed_free(&replayed);
	}
	unlink(path);
	said_begin();
	ck_assert_int_eq(replayed_read(&replayed, scratch), -ENOENT);
	said_end();
}
END_TEST

START_TEST(files_come_and_go)
{
	struct made other = usual;
	const struct report_section *s;

	other.path = "/d/<i>";
	compare_made(&usual, &other);
	s = report_section(&changes, "changed_files");
	ck_assert_uint_eq(s->n, 2);
	for (uint64_t i = 0; i < 2; i++) {
		bool is_new = text_is(report_cell(s, i, "filename"), "/d/<i>");

		ck_assert(text_is(report_cell(s, i, "verdict"), is_new ? "new" : "gone"));
		ck_assert_uint_eq(report_cell(s, i, is_new ? "after_bytes" : "before_bytes")->u,
				  20000 * 4096);
	}
	done();
}
END_TEST

/* ---- what both come to ---- */

static void total_is(const char *measure, uint64_t before, uint64_t after, const char *verdict)
{
	const struct report_section *s = &changes.sections[0];
	uint64_t i = 0;

	ck_assert_str_eq(s->name, "totals");
	while (i < s->n && !text_is(report_cell(s, i, "measure"), measure))
		i++;
	ck_assert_msg(i < s->n, "no %s", measure);
	ck_assert_uint_eq(report_cell(s, i, "before")->u, before);
	ck_assert_uint_eq(report_cell(s, i, "after")->u, after);
	ck_assert_msg(text_is(report_cell(s, i, "verdict"), verdict), "%s", measure);
}

START_TEST(totals_are_those_of_the_runs)
{
	struct made before = usual, after = usual;

	before.size = 1;
	after.size = 8192;
	after.n = 30000;
	compare_made(&before, &after);
	ck_assert(text_is(report_cell(&changes.sections[0], 0, "measure"), "run_time_ns"));
	total_is("run_time_ns", 19999u * 100000u, 29999u * 100000u, "higher");
	total_is("calls", 20000, 30000, "higher");
	total_is("read_bytes", 0, 0, "equal");
	total_is("write_bytes", 20000, 30000 * 8192, "higher");
	total_is("syncs", 0, 0, "equal");
	total_is("errors", 0, 0, "equal");
	total_is("findings_gone", 1, 0, "gone");
	total_is("findings_new", 0, 0, "equal");
	/* without a device, or a network, there is nothing of one */
	ck_assert_uint_eq(changes.sections[0].n, 8);
	done();
}
END_TEST

START_TEST(syncs_and_errors_are_totals)
{
	struct made after = usual;

	after.others = "FSYNC,7,dd,/d/f,,12,O_RDWR,,500000,0,8:1,4026531840,f,7100000000\n"
		       "OPEN,7,dd,/d/none,,,O_RDWR,,5000,-2,,4026531840,f,7200000000\n"
		       "OPEN,7,dd,/d/none,,,O_RDWR,,5000,-2,,4026531840,f,7300000000\n";
	compare_made(&usual, &after);
	total_is("syncs", 0, 1, "new");
	total_is("errors", 0, 2, "new");
	done();
}
END_TEST

START_TEST(totals_of_what_was_lost_are_unsure)
{
	struct made lossy = usual;

	lossy.n = 15000;
	lossy.manifest =
		"{\"format\": \"iotracer\", \"schema_version\": 1, \"ended_ns\": 1, \"lost\": "
		"[{\"stream\": \"fs\", \"reason\": \"ring\", \"count\": 6000}]}";
	compare_made(&usual, &lossy);
	total_is("calls", 20000, 15000, "noise");
	total_is("write_bytes", 20000 * 4096, 15000 * 4096, "unsure");
	done();
}
END_TEST

/* ---- in all encodings ---- */

static char *tell(int (*print)(FILE *out))
{
	char *out;
	size_t size;
	FILE *file = open_memstream(&out, &size);

	ck_assert_int_eq(print(file), 0);
	fclose(file);
	return out;
}

static int print_text(FILE *out)
{
	return report_print_changes(out, &changes);
}

START_TEST(findings_come_and_go)
{
	struct made before = usual, after = usual;
	const struct report_section *s;
	char *text;

	before.size = 1;
	after.size = 100;
	compare_made(&before, &after);
	s = report_section(&changes, "changed_findings");
	ck_assert(text_is(report_cell(s, 0, "change"), "new"));
	ck_assert(text_is(report_cell(s, 0, "id"), "small-writes"));
	ck_assert(!report_cell(s, 0, "before")->known);
	ck_assert(text_is(report_cell(s, 0, "after"), "high"));
	ck_assert(text_is(report_cell(s, 1, "change"), "gone"));
	ck_assert(text_is(report_cell(s, 1, "id"), "one-byte-calls"));
	ck_assert(text_is(report_cell(s, 1, "before"), "high"));
	ck_assert(!report_cell(s, 1, "after")->known);
	for (uint64_t i = 2; i < s->n; i++)
		ck_assert(text_is(report_cell(s, i, "change"), "stays"));
	text = tell(print_text);
	ck_assert(strstr(text, "\nnew     small-writes    -       high   dd (7)\n") != NULL);
	ck_assert(!strstr(text, "stays"));
	free(text);
	done();
}
END_TEST

static int print_csv(FILE *out)
{
	return report_print_section(out, &changes, "differences", TABLE_CSV);
}

static int print_json(FILE *out)
{
	const struct report_answer *list[2] = { &answers[0], &answers[1] };

	return report_print_changes_json(out, &changes, list, NULL);
}

static int print_html(FILE *out)
{
	const struct report_answer *list[2] = { &answers[0], &answers[1] };

	return report_print_html(out, list, 2, &changes);
}

START_TEST(all_encodings_have_the_same)
{
	struct made other = usual;
	char *text, *csv, *json, *page;
	json_t *parsed, *row;
	unsigned lines = 0;

	other.size = 16384;
	other.path = "/d/<i>";
	compare_made(&usual, &other);
	text = tell(print_text);
	csv = tell(print_csv);
	json = tell(print_json);
	page = tell(print_html);
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	ck_assert_uint_le(lines, 48);
	/* after a line on each trace, and before anything else */
	ck_assert(strstr(text, "\n\nMEASURE") == strstr(text, "\n\n"));
	ck_assert(strstr(page, "<h2 id=\"c-totals\">") < strstr(page, "<h2 id=\"c-differences\">"));
	ck_assert(strstr(text, "mean_write_bytes") && strstr(text, "x4.00"));
	ck_assert(strstr(csv,
			 "operation,fs WRITE,mean_write_bytes,4096,4096,4096,16384,16384,16384,"
			 "3.000000,higher\n"));
	parsed = json_loads(json, 0, NULL);
	ck_assert_msg(parsed != NULL, "%s", json);
	row = json_array_get(json_object_get(parsed, "differences"),
			     row_of("operation", "fs WRITE", "mean_write_bytes"));
	ck_assert_int_eq(json_integer_value(json_object_get(row, "after")), 16384);
	ck_assert(json_real_value(json_object_get(row, "change")) == 3.0);
	ck_assert_uint_eq(json_array_size(json_object_get(parsed, "before")), 1);
	json_decref(parsed);
	ck_assert(strstr(page, "title=\"3.000000\">x4.00"));
	ck_assert(strstr(page, "/d/&lt;i&gt;") && !strstr(page, "<i>"));
	free(text);
	free(csv);
	free(json);
	free(page);
	done();
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("changes");
	TCase *tc = tcase_create("verdicts");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, fixture_verify_setup, fixture_verify_teardown);
	tcase_add_test(tc, a_trace_does_not_differ_from_itself);
	tcase_add_test(tc, chance_is_noise);
	tcase_add_test(tc, a_burst_is_not_taken_for_many_operations);
	tcase_add_test(tc, what_differs_is_told_with_its_size);
	tcase_add_test(tc, a_tail_is_found_where_it_is);
	tcase_add_test(tc, a_small_difference_is_no_headline);
	tcase_add_test(tc, of_a_handful_nothing_is_claimed);
	tcase_add_test(tc, losses_make_counts_unsure);
	tcase_add_test(tc, files_come_and_go);
	tcase_add_test(tc, a_replay_is_compared_by_its_files);
	tcase_add_test(tc, a_replay_that_differs_says_in_what);
	tcase_add_test(tc, other_files_are_no_names_of_a_replay);
	tcase_add_test(tc, findings_come_and_go);
	tcase_add_test(tc, totals_are_those_of_the_runs);
	tcase_add_test(tc, syncs_and_errors_are_totals);
	tcase_add_test(tc, totals_of_what_was_lost_are_unsure);
	tcase_add_test(tc, all_encodings_have_the_same);
	suite_add_tcase(s, tc);
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
