/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report, from rows of several streams as they stand in a directory to its tables and its text:
 * by any number of threads, over segments, with what is missing.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/report_print.h"

#include <check.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/fixture_rows.h"
#include "fixture/session.h"

enum { K = 1024 };

/* ---- percentiles ---- */

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t random_u64(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 11;
}

START_TEST(percentiles_are_at_most_a_32nd_too_high)
{
	static const unsigned per_mille[] = { 1, 500, 950, 990, 999, 1000 };
	static uint64_t values[9973];
	static struct latencies l, halves[2];
	uint64_t state = 7, low, high;

	for (unsigned i = 0; i < 9973; i++) {
		values[i] = random_u64(&state) >> random_u64(&state) % 53;
		latencies_add(&l, values[i]);
		latencies_add(&halves[i % 2], values[i]);
	}
	qsort(values, 9973, sizeof(values[0]), compare_u64);
	latencies_join(&halves[0], &halves[1]);
	ck_assert_int_eq(memcmp(&halves[0], &l, sizeof(l)), 0);
	for (unsigned i = 0; i < sizeof(per_mille) / sizeof(per_mille[0]); i++) {
		uint64_t rank = (9973ull * per_mille[i] + 999) / 1000, exact = values[rank - 1];
		uint64_t told = latencies_percentile(&l, per_mille[i]);

		ck_assert_uint_ge(told, exact);
		ck_assert_uint_le(told - exact, exact / 32);
	}
	ck_assert_uint_eq(latencies_percentile(&l, 1000), values[9972]);
	ck_assert(latencies_interval(&l, 500, 1, &low, &high));
	ck_assert_uint_le(low, latencies_percentile(&l, 500));
	ck_assert_uint_ge(high, latencies_percentile(&l, 500));
}
END_TEST

START_TEST(few_values_have_no_interval)
{
	static struct latencies l;
	uint64_t low = 1, high = 2;

	ck_assert_uint_eq(latencies_percentile(&l, 500), 0);
	for (uint64_t i = 1; i <= 20; i++)
		latencies_add(&l, i);
	ck_assert_uint_eq(latencies_percentile(&l, 500), 10);
	ck_assert(latencies_interval(&l, 500, 1, &low, &high));
	ck_assert(low < 10 && high > 10);
	ck_assert(!latencies_interval(&l, 990, 1, &low, &high));
}
END_TEST

/* 95 of 100 samples of a known distribution have their median in the interval, or nearly. */
START_TEST(the_interval_holds_the_true_percentile)
{
	uint64_t state = 3, low, high;
	unsigned hits = 0;

	for (unsigned round = 0; round < 200; round++) {
		static struct latencies l;

		memset(&l, 0, sizeof(l));
		for (unsigned i = 0; i < 500; i++)
			latencies_add(&l, random_u64(&state) % 1000000);
		ck_assert(latencies_interval(&l, 900, 1, &low, &high));
		hits += low <= 900000 && high >= 900000;
	}
	ck_assert_uint_ge(hits, 184);
}
END_TEST

/* ---- time ---- */

START_TEST(spans_double_and_nothing_is_lost)
{
	static const uint64_t times[] = { 5000000000, 4999000000, 5200000000, 5700000000,
					  4000000000, 9000000000, 8999999999, 86400000000000 };
	struct time_bins bins = { .n = 0 };
	uint64_t counts[TIME_BINS][2] = { { 0 } };
	struct time_move move;

	for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		uint64_t sum[2] = { 0, 0 };
		int at;

		if (time_bins_find(&bins, times[i]) < 0 &&
		    time_bins_reach(&bins, times[i], 0, &move))
			ck_assert(time_move_u64(&move, counts[0], 2));
		at = time_bins_find(&bins, times[i]);
		ck_assert(at >= 0 && at < TIME_BINS);
		ck_assert(times[i] - time_bins_start(&bins, (unsigned)at) < time_bins_width(&bins));
		counts[at][0]++;
		counts[at][1] += times[i];
		for (unsigned b = 0; b < TIME_BINS; b++) {
			sum[0] += counts[b][0];
			sum[1] += counts[b][1];
			/* whatever moved lies where it belongs */
			if (counts[b][0] == 1)
				ck_assert_int_eq(time_bins_find(&bins, counts[b][1]), (int)b);
		}
		ck_assert_uint_eq(sum[0], i + 1);
	}
	ck_assert_uint_le(bins.n, TIME_BINS);
	ck_assert_uint_gt(bins.n, TIME_BINS / 2 - 1);
}
END_TEST

/* ---- a directory of rows ---- */

static struct files_filter filter;
static uint64_t top;

static void setup(void)
{
	fixture_rows_setup();
	top = 0;
	memset(&filter, 0, sizeof(filter));
}

static const char fs_header[] = "operation,pid,command,filename,size,inode,flags,offset,latency_ns,"
				"return_value,device,mntns,path_status,mono_ns";

static void fs(const char *operation, unsigned pid, const char *path, unsigned latency, int result,
	       unsigned ms)
{
	rows_add("%s,%u,dd,%s,4096,12,O_RDWR,0,%u,%d,8:1,4026531840,f,%u000000", operation, pid,
		 path, latency, result, ms);
}

static void make_fs(void)
{
	rows_begin("fs", fs_header);
	fs("OPEN", 7, "/a/b/one", 100, 3, 1000);
	fs("WRITE", 7, "/a/b/one", 1000, 4096, 1001);
	fs("WRITE", 7, "/a/b/one", 3000, 4096, 1002);
	fs("READ", 8, "/a/two", 2000, 1024, 1003);
	rows_end();
	rows_begin("fs", fs_header);
	fs("READ", 8, "/a/two", 90000, -5, 1500);
	fs("FSYNC", 7, "/a/b/one", 800000, 0, 3000);
	rows_end();
}

static void make_others(void)
{
	rows_begin("ds", "pid,command,operation,size,latency_ms,dev,queue_time_ms,error,owner_pid,"
			 "owner_command,mono_ns");
	/* what dd left in the cache */
	rows_add("5,kworker/1:1,write,16384,0.500000,8:0,0.001000,,7,dd,1010000000");
	rows_add("0,,write,8192,1.500000,8:0,,EIO,,,1020000000");
	rows_add("0,,flush,0,,8:0,,,,,1021000000");
	rows_end();
	rows_begin("nw", "pid,command,protocol,source_addr,dest_addr,source_port,dest_port,size,"
			 "direction,latency_ns,error_code,mono_ns");
	rows_add("9,curl,TCP,::1,::1,100,80,10,send,50,,1100000000");
	rows_add("9,curl,TCP,::1,::1,100,80,990,receive,70,,1101000000");
	rows_add("9,curl,TCP,10.0.0.1,10.0.0.2,101,80,0,receive,70,EAGAIN,1101000000");
	rows_end();
	rows_begin("cache", "pid,command,event_type,inode,device,count,filename,mono_ns");
	rows_add("7,dd,HIT,12,8:1,3,/a/b/one,1000000000");
	rows_add("7,dd,MISS,12,8:1,1,/a/b/one,1000000000");
	rows_add("7,dd,EVICT,13,8:1,5,,1000000000");
	rows_end();
	rows_begin("pagefault",
		   "pid,command,fault_type,severity,inode,device,filename,latency_ns,mono_ns");
	rows_add("7,dd,READ,MAJOR,12,8:1,/a/b/one,600,1000000000");
	rows_add("7,dd,READ,MINOR,12,8:1,/a/b/one,100,1000000000");
	rows_end();
	rows_begin("iouring", "pid,command,event_type,opcode,result,latency_ns,filename,mono_ns");
	rows_add("7,dd,SUBMIT,READ,,,,1000000000");
	rows_add("7,dd,QUEUE_ASYNC,READ,,,,1000000000");
	rows_add("7,dd,COMPLETE,READ,512,400,,1000000000");
	rows_end();
}

/* ---- what is told ---- */

static struct report report;
static struct report_answer answer;

static void make(void)
{
	memset(&report, 0, sizeof(report));
	answer = (struct report_answer){ .report = &report, .top = top };
	said_begin();
	ck_assert_int_eq(report_open(&report, dir, &filter), 0);
	said_end();
	ck_assert_int_eq(report_answer_make(&answer), 0);
	for (unsigned i = 0; report_section_names[i]; i++)
		ck_assert_msg(report_section(&answer, report_section_names[i]) != NULL,
			      "no section %s", report_section_names[i]);
}

static void done(void)
{
	report_answer_free(&answer);
	report_close(&report);
}

static char *tell(int (*print)(FILE *out))
{
	char *out;
	size_t size;
	FILE *file = open_memstream(&out, &size);

	ck_assert_int_eq(print(file), 0);
	fclose(file);
	return out;
}

static const char *section_name;

static int print_section(FILE *out)
{
	return report_print_section(out, &answer, section_name, TABLE_CSV);
}

/* The section is this, below its header. */
static void is(const char *name, const char *rows)
{
	char *csv;

	section_name = name;
	csv = tell(print_section);
	ck_assert_str_eq(strchr(csv, '\n') + 1, rows);
	free(csv);
}

static int print_csv(FILE *out)
{
	const struct report_answer *list = &answer;

	return report_print_csv(out, &list, 1);
}

static int print_json(FILE *out)
{
	const struct report_answer *list = &answer;

	return report_print_json(out, &list, 1, NULL);
}

static int print_text(FILE *out)
{
	return report_print_text(out, &answer);
}

static bool says(const char *name, const char *words)
{
	const struct report_section *s = report_section(&answer, name);
	size_t n = strlen(words);

	for (uint64_t i = 0; i < s->n * s->n_columns; i++)
		if (s->rows[i].known && s->rows[i].text &&
		    memmem(s->rows[i].text, s->rows[i].len, words, n))
			return true;
	return false;
}

START_TEST(rows_become_tables)
{
	make_fs();
	make_others();
	make();
	is("operations",
	   "ds,write,2,1,,24576,2000000,1000000,507903,1500000,1500000,1500000,1500000\n"
	   "fs,FSYNC,1,0,,,800000,800000,800000,800000,800000,800000,800000\n"
	   "fs,READ,2,1,1024,,92000,46000,2015,90000,90000,90000,90000\n"
	   "fs,WRITE,2,0,,8192,4000,2000,1007,3000,3000,3000,3000\n"
	   "pagefault,READ,2,,,,700,350,101,600,600,600,600\n"
	   "iouring,READ,1,0,512,,400,400,400,400,400,400,400\n"
	   "nw,receive,2,1,990,,140,70,70,70,70,70,70\n"
	   "fs,OPEN,1,0,,,100,100,100,100,100,100,100\n"
	   "nw,send,1,0,,10,50,50,50,50,50,50,50\n"
	   "ds,flush,1,0,,,,,,,,,\n"
	   "cache,EVICT,1,,,,,,,,,,\n"
	   "cache,HIT,1,,,,,,,,,,\n"
	   "cache,MISS,1,,,,,,,,,,\n");
	done();
}
END_TEST

START_TEST(each_layer_has_its_sums)
{
	make_fs();
	make_others();
	make();
	/* the busiest span of 4 ms has 4 of fs, two of ds do not share one */
	is("layers", "fs,6,6,1,1024,8192,3,1000,512,4096\n"
		     "ds,3,3,1,0,24576,1,500,0,12288\n"
		     "cache,3,3,,,,1,750,,\n"
		     "pagefault,2,2,,,,1,500,,\n"
		     "nw,3,3,1,990,10,1,750,495,5\n"
		     "iouring,3,1,0,512,0,0,250,256,0\n");
	done();
}
END_TEST

START_TEST(every_kind_of_thing_has_its_table)
{
	make_fs();
	make_others();
	make();
	is("processes", "7,dd,4,0,0,0,2,8192,804100,800000,0,16384,0,0,1,1\n"
			"8,dd,2,1,2,1024,0,0,92000,90000,0,0,0,0,0,0\n"
			"0,,0,0,0,0,0,0,,,0,8192,0,0,0,0\n"
			"9,curl,0,0,0,0,0,0,,,0,0,990,10,0,0\n");
	is("devices", "8:0,,3,1,0,0,2,24576,1,1000,507903,1500000,1500000,1500000\n");
	is("owners", ",dd,1,0,16384,500000,500000\n"
		     ",,2,0,8192,1500000,1500000\n");
	is("connections", "TCP [::1]:100 [::1]:80,curl,2,0,990,10,60,70,,\n"
			  "TCP 10.0.0.1:101 10.0.0.2:80,curl,1,1,0,0,70,70,,\n");
	is("cache", "/a/b/one,8:1,12,3,1,0.750000,0,0,0\n,8:1,13,0,0,,0,0,5\n");
	is("faults", "/a/b/one,8:1,12,2,1,1,700,600\n");
	is("uring", "dd READ,1,1,0,1,0,512,,400,400,400,400\n");
	is("amplification", "read,1024,0,0.000000\nwrite,8192,24576,3.000000\n");
	done();
}
END_TEST

START_TEST(files_and_directories_are_those_of_files)
{
	make_fs();
	make();
	is("files",
	   "/a/b/one,4026531840,8:1,12,1,0,0,0,,2,8192,4000,3000,1,1,800000,800000,,0.500000,1\n"
	   "/a/two,4026531840,8:1,12,0,2,1024,92000,90000,0,0,0,,0,0,0,,1.000000,,1\n");
	/* "/" has no more than "/a" */
	is("directories",
	   "/a,4026531840,,,1,2,1024,92000,90000,2,8192,4000,3000,1,1,800000,800000,1.000000,0.500000,2\n"
	   "/a/b,4026531840,,,1,0,0,0,,2,8192,4000,3000,1,1,800000,800000,,0.500000,1\n");
	done();
}
END_TEST

START_TEST(times_are_spans_with_their_numbers)
{
	make_fs();
	make();
	/* of 2 s, spans of 4 ms: 500 of them */
	is("time", "fs,1000000000,4000000,4,0,1024,8192,,,\n"
		   "fs,1500000000,4000000,1,1,0,0,,,\n"
		   "fs,3000000000,4000000,1,0,0,0,,,\n");
	is("latencies", "fs,FSYNC,3000000000,4000000,524288,1048576,1,\n"
			"fs,OPEN,1000000000,4000000,0,256,1,\n"
			"fs,READ,1000000000,4000000,1024,2048,1,\n"
			"fs,READ,1500000000,4000000,65536,131072,1,\n"
			"fs,WRITE,1000000000,4000000,512,1024,1,\n"
			"fs,WRITE,1000000000,4000000,2048,4096,1,\n");
	done();
}
END_TEST

START_TEST(the_answer_is_in_words)
{
	make_fs();
	make_others();
	make();
	ck_assert(says("answers", "0 read and 8.0K written: /a/b/one"));
	ck_assert(says("answers", "800.00us: FSYNC of fs by dd (7): /a/b/one"));
	ck_assert(says("answers",
		       "devices read 0.00 bytes for each byte that applications read, and "
		       "wrote 3.00 for each they wrote"));
	ck_assert(says("answers", "75.0 % of 4 pages looked up"));
	ck_assert(!says("answers", "TCP sent"));
	done();
}
END_TEST

START_TEST(what_is_missing_is_said)
{
	rows_begin("fs", "operation,pid,command,filename,return_value,mono_ns");
	rows_add("READ,7,dd,/a/b,10,1000");
	rows_add("READ,7,dd,/a/b,x,1000");
	rows_end();
	make();
	ck_assert(says("missing", "the recorder was killed"));
	ck_assert(says("missing", "events lost: unknown"));
	ck_assert(says("missing", "rows are damaged"));
	ck_assert(says("missing", "latency_ns: no times"));
	ck_assert(says("missing", "was not recorded"));
	is("operations", "fs,READ,1,0,10,,,,,,,,\n");
	ck_assert_str_eq(strstr(said, "rows left out") ? "once" : said, "once");
	ck_assert_ptr_eq(strstr(strstr(said, "rows left out") + 1, "rows left out"), NULL);
	done();
}
END_TEST

START_TEST(nothing_recorded_is_no_failure)
{
	char *out;

	rows_begin("fs", fs_header);
	rows_end();
	make();
	is("operations", "");
	is("layers", "fs,0,0,0,0,0,,,,\n");
	out = tell(print_text);
	ck_assert(strstr(out, ": 0 rows\n") != NULL);
	free(out);
	done();
}
END_TEST

START_TEST(filters_narrow_all_of_it)
{
	make_fs();
	make_others();
	filter.pids[0] = 8;
	filter.n_pids = 1;
	make();
	is("operations", "fs,READ,2,1,1024,,92000,46000,2015,90000,90000,90000,90000\n");
	is("devices", "");
	done();
	memset(&filter, 0, sizeof(filter));
	filter.path = "one";
	make();
	is("layers", "fs,4,4,0,0,8192,2,750,0,4096\n"
		     "cache,2,2,,,,1,500,,\n"
		     "pagefault,2,2,,,,1,500,,\n"
		     "iouring,0,0,0,0,0,0,0,0,0\n");
	done();
}
END_TEST

/* ---- however it is read ---- */

static void make_many(unsigned n_segments)
{
	uint64_t state = 11;

	for (unsigned s = 0; s < n_segments; s++) {
		rows_begin("fs", fs_header);
		for (unsigned i = 0; i < 1200 / n_segments; i++) {
			unsigned n = s * (1200 / n_segments) + i;

			rows_add("%s,%u,t%u,/d%u/f%u,4096,12,O_RDWR,0,%u,%u,8:1,4026531840,f,%llu",
				 n % 3 ? "READ" : "WRITE", n % 17, n % 5, n % 7, n % 41,
				 (unsigned)(random_u64(&state) % 10000000), n % 4096,
				 1000000000ull + n * 7654321ull);
		}
		rows_end();
	}
}

static char *csv_with(unsigned n_threads)
{
	cpu_set_t before, set;
	char *out;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&set);
	for (unsigned i = 0, n = 0; i < CPU_SETSIZE && n < n_threads; i++)
		if (CPU_ISSET(i, &before)) {
			CPU_SET(i, &set);
			n++;
		}
	ck_assert_int_eq(sched_setaffinity(0, sizeof(set), &set), 0);
	make();
	out = tell(print_csv);
	done();
	ck_assert_int_eq(sched_setaffinity(0, sizeof(before), &before), 0);
	return out;
}

START_TEST(threads_and_segments_make_no_difference)
{
	char *one, *more, path[400];

	make_many(12);
	one = csv_with(1);
	more = csv_with(64);
	ck_assert_str_eq(one, more);
	free(more);
	snprintf(path, sizeof(path), "%s/fs", dir);
	session_remove(path);
	make_many(1);
	more = csv_with(64);
	ck_assert_str_eq(one, more);
	free(one);
	free(more);
}
END_TEST

/* ---- encoders ---- */

static unsigned n_lines(const char *out)
{
	unsigned n = 0;

	for (; *out; out++)
		n += *out == '\n';
	return n;
}

START_TEST(the_text_has_two_screens)
{
	char *out;

	make_many(3);
	make_others();
	rows_begin("nw_drop", "pid,command,event_type,protocol,source_addr,dest_addr,source_port,"
			      "dest_port,mono_ns");
	for (unsigned i = 0; i < 100; i++)
		rows_add("0,,TCP_RETRANSMIT,TCP,10.0.0.1,10.0.0.3,%u,80,1000000000", 1000 + i);
	rows_end();
	rows_begin("exec", "pid,command,event_type,return_value,mono_ns");
	for (unsigned i = 0; i < 100; i++)
		rows_add("%u,sh,EXIT,256,1000000000", i);
	rows_end();
	make();
	out = tell(print_text);
	ck_assert_uint_le(n_lines(out), 48);
	ck_assert_uint_ge(n_lines(out), 40);
	ck_assert(strstr(out, "(8 of 287)") || strstr(out, "of 287)") || strstr(out, "OF 287)"));
	free(out);
	done();
}
END_TEST

START_TEST(names_are_told_as_they_are_and_do_no_harm)
{
	char *json, *out;
	json_t *parsed;

	rows_begin("fs", fs_header);
	rows_add(
		"WRITE,7,\"a\"\"b\",\"/x/<script>\\x1b[2J,\"\"q\"\" \xf0\x9f\x98\x80 \\xff\",4096,12,O_RDWR,0,"
		"100,4096,8:1,4026531840,fe,1000");
	rows_end();
	make();
	json = tell(print_json);
	parsed = json_loads(json, 0, NULL);
	ck_assert_msg(parsed != NULL, "%s", json);
	ck_assert(strstr(json, "<script>\\\\x1b[2J,\\\"q\\\" \xf0\x9f\x98\x80 \\\\xff") != NULL);
	json_decref(parsed);
	free(json);
	out = tell(print_text);
	ck_assert_ptr_eq(strchr(out, '\x1b'), NULL);
	ck_assert(strstr(out, "/x/<script>\\x1b[2J,\"q\"") != NULL);
	free(out);
	section_name = "files";
	out = tell(print_section);
	ck_assert(strstr(out, "\"/x/<script>\\x1b[2J,\"\"q\"\"") != NULL);
	free(out);
	done();
}
END_TEST

static int print_html(FILE *out)
{
	const struct report_answer *list[] = { &answer, &answer };

	return report_print_html(out, list, 2, NULL);
}

static unsigned n_times(const char *where, const char *what)
{
	unsigned n = 0;

	for (; (where = strstr(where, what)); where++)
		n++;
	return n;
}

START_TEST(the_page_has_names_as_text_alone)
{
	char name[4200], *out;

	memset(name, 'x', sizeof(name));
	memcpy(name, "/\"\"><script>alert(1)</script>&amp;'", 36);
	name[4096] = '\0';
	rows_begin("fs", fs_header);
	rows_add("WRITE,7,<b>,\"%s\",4096,12,O_RDWR,0,100,4096,8:1,4026531840,f,1000", name);
	rows_add(
		"WRITE,7,<b>,\"/<i>\xc3\x28\xf0\x9f\x98\x80\",4096,13,O_RDWR,0,100,4096,8:1,4026531840,f,2000");
	rows_end();
	make();
	out = tell(print_html);
	ck_assert_uint_eq(n_times(out, "<script>"), 1);
	ck_assert_uint_eq(n_times(out, "<i>"), 0);
	ck_assert_uint_eq(n_times(out, "id=t1>"), 1);
	ck_assert_uint_eq(n_times(out, "id=t2>"), 1);
	ck_assert(strstr(out, "/&lt;i&gt;\\xc3(\xf0\x9f\x98\x80") != NULL);
	ck_assert(strstr(out, "&lt;b&gt;") != NULL);
	ck_assert_ptr_eq(strstr(out, "<b>/"), NULL);
	/* of a long name the end, everywhere */
	memset(name, 'x', 300);
	name[300] = '\0';
	ck_assert_ptr_eq(strstr(out, name), NULL);
	free(out);
	done();
}
END_TEST

START_TEST(a_list_is_cut_and_says_so)
{
	make_many(1);
	top = 5;
	make();
	ck_assert_uint_eq(report_section(&answer, "files")->n, 5);
	ck_assert_uint_eq(report_section(&answer, "files")->n_all, 287);
	ck_assert_uint_eq(report_section(&answer, "processes")->n, 5);
	ck_assert_uint_eq(report_section(&answer, "processes")->n_all, 17);
	ck_assert_uint_gt(report_section(&answer, "time")->n, 100);
	done();
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report");
	TCase *tc = tcase_create("numbers");

	tcase_add_test(tc, percentiles_are_at_most_a_32nd_too_high);
	tcase_add_test(tc, few_values_have_no_interval);
	tcase_add_test(tc, the_interval_holds_the_true_percentile);
	tcase_add_test(tc, spans_double_and_nothing_is_lost);
	suite_add_tcase(s, tc);
	tc = tcase_create("tables");
	tcase_add_checked_fixture(tc, setup, fixture_verify_teardown);
	tcase_add_test(tc, rows_become_tables);
	tcase_add_test(tc, each_layer_has_its_sums);
	tcase_add_test(tc, every_kind_of_thing_has_its_table);
	tcase_add_test(tc, files_and_directories_are_those_of_files);
	tcase_add_test(tc, times_are_spans_with_their_numbers);
	tcase_add_test(tc, the_answer_is_in_words);
	tcase_add_test(tc, what_is_missing_is_said);
	tcase_add_test(tc, nothing_recorded_is_no_failure);
	tcase_add_test(tc, filters_narrow_all_of_it);
	tcase_add_test(tc, threads_and_segments_make_no_difference);
	suite_add_tcase(s, tc);
	tc = tcase_create("encoders");
	tcase_add_checked_fixture(tc, setup, fixture_verify_teardown);
	tcase_add_test(tc, the_text_has_two_screens);
	tcase_add_test(tc, names_are_told_as_they_are_and_do_no_harm);
	tcase_add_test(tc, the_page_has_names_as_text_alone);
	tcase_add_test(tc, a_list_is_cut_and_says_so);
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
