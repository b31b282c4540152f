/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The use of files, from rows of fs as they stand in a directory to the tables:
 * sums, histograms, errors, groups; by any number of threads and over segments.
 */
#include "analysis/files/files_batches.h"
#include "analysis/files/files_print.h"

#include <check.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/files/files_read.h"
#include "base/log.h"
#include "fixture/fixture_rows.h"
#include "fixture/fixture_verify.h"
#include "fixture/session.h"

enum { K = 1024 };

/* ---- a directory of rows ---- */

static const char header[] = "operation,pid,command,filename,size,inode,flags,offset,address,"
			     "latency_ns,return_value,device,fd,mntns,path_status,ofd,call,mono_ns";
static char text[512 * K];
static size_t len;
static unsigned segment;
static uint64_t now;

static void begin(void)
{
	len = (size_t)sprintf(text, "%s\n", header);
	now += 1000;
}

static void end_segment(void)
{
	char name[100];

	snprintf(name, sizeof(name), "fs/fs_20260101_000000_000_%04u.csv", ++segment);
	session_write(dir, name, text);
	begin();
}

/* A row that begins 1000 ns after the one before and takes 100 ns. */
__attribute__((format(printf, 1, 2))) static void row(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	len += (size_t)vsprintf(text + len, format, ap);
	va_end(ap);
	len += (size_t)sprintf(text + len, ",%llu\n", (unsigned long long)now);
	now += 1000;
}

static unsigned caller = 7; /* pid; each has a name of its own but 7 */

/* ofd 0: not known */
static void io(const char *operation, const char *path, unsigned ofd, long long offset, long size,
	       long result)
{
	char at[32] = "", description[32] = "", name[16] = "dd";

	if (caller != 7)
		sprintf(name, "c%u", caller % 3);
	if (offset >= 0)
		sprintf(at, "%lld", offset);
	if (ofd)
		sprintf(description, "%u", ofd);
	row("%s,%u,%s,%s,%ld,12,O_RDWR,%s,,100,%ld,8:1,3,4026531840,f,%s,%s", operation, caller,
	    name, path, size, at, result, description,
	    operation[0] == 'R' ? "read" :
	    operation[0] == 'W' ? "write" :
				  "fsync");
}

static void setup(void)
{
	char path[400];

	fixture_verify_setup();
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	snprintf(path, sizeof(path), "%s/fs", dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	segment = 0;
	caller = 7;
	now = 1000000;
	begin();
}

/* ---- what is told of it ---- */

static struct row_filter filter;
static struct files_options options;
static struct files_view view;
static enum files_by by;
static unsigned depth;
static bool all;
static uint64_t memory;

static char *tell_of(struct files_reading *r)
{
	struct files_answer answer = { .by = by, .depth = depth, .all = all };
	struct files_runs runs = { .column = view.sort, .top = view.top };
	struct files_source source = { r->host, r->models, r->n_models };
	const struct read_session *session = &r->session;
	char *out;
	size_t size;
	FILE *file = open_memstream(&out, &size);

	ck_assert_int_eq(files_batches_answer(&answer, &runs, &source, r, 1), 0);
	if (runs.n)
		ck_assert_int_eq(files_print_walls(file, &answer, &view, &session, 1,
						   files_runs_next, &runs),
				 0);
	else
		ck_assert_int_eq(files_print(file, &answer, &view, &session, 1), 0);
	ck_assert_int_eq(runs.err, 0);
	files_answer_free(&answer);
	files_runs_close(&runs);
	fclose(file);
	return out;
}

/* The table as CSV; free it. */
static char *tell(void)
{
	static struct files_reading r;
	char *out;

	view.format = TABLE_CSV;
	view.interval_ns = options.interval_ns;
	options.split = files_by_split(by);
	said_begin();
	ck_assert_int_eq(files_reading_open(&r, dir, &filter, &options), 0);
	said_end();
	out = tell_of(&r);
	files_reading_close(&r);
	return out;
}

/* The cell of the only row whose line has this text in it. */
static const char *cell(const char *csv, const char *which, const char *column)
{
	static char found[256];
	unsigned place = 0, n = 0;
	const char *line = strchr(csv, '\n') + 1, *at;
	char wanted[64];

	snprintf(wanted, sizeof(wanted), ",%s", column);
	at = strstr(csv, wanted);
	ck_assert_msg(at && at < line, "no column %s", column);
	for (const char *p = csv; p <= at; p++)
		place += *p == ',';
	for (; *line; line = strchr(line, '\n') + 1) {
		char copy[2048];

		snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(line, "\n"), line);
		if (!strstr(copy, which))
			continue;
		at = copy;
		for (unsigned i = 0; i < place; i++)
			at = strchr(at, ',') + 1;
		snprintf(found, sizeof(found), "%.*s", (int)strcspn(at, ","), at);
		n++;
	}
	ck_assert_msg(n == 1, "%u rows with %s in:\n%s", n, which, csv);
	return found;
}

static void expect(const char *which, const char *column, const char *value)
{
	char *csv = tell();

	ck_assert_msg(!strcmp(cell(csv, which, column), value), "%s of %s is %s, not %s:\n%s",
		      column, which, cell(csv, which, column), value, csv);
	free(csv);
}

static unsigned lines(const char *csv, const char *which)
{
	unsigned n = 0;

	for (const char *at = csv; (at = strstr(at, which)); at += strlen(which))
		n++;
	return n;
}

static void expect_line(const char *line)
{
	char *csv = tell();

	ck_assert_msg(lines(csv, line) == 1, "no %s in:\n%s", line, csv);
	free(csv);
}

static void reset(void)
{
	filter = (struct row_filter){ .from = NULL };
	options = (struct files_options){ .memory = memory };
	view = (struct files_view){ .table = FILES_SUMS };
	by = FILES_BY_FILE;
	depth = 0;
	all = false;
}

static void setup_all(void)
{
	memory = 0;
	setup();
	reset();
}

/* No model has room for more than one file. */
static void setup_little_memory(void)
{
	memory = 1;
	setup();
	reset();
	setenv("TMPDIR", scratch, 1);
}

/* ---- the examples of the contract ---- */

START_TEST(writes_at_0_0_4096_0_rewrite_once)
{
	static const int offsets[] = { 0, 0, 4096, 0 };

	for (int i = 0; i < 4; i++) {
		if (i == _i)
			end_segment();
		io("WRITE", "/d/f", 1, offsets[i], 4 * K, 4 * K);
	}
	end_segment();
	expect("/d/f", "rewrites", "1");
	expect("/d/f", "write_bytes", "16384");
	/* 0 -> 4096 alone began where the one before ended; the very first one was at 0 */
	expect("/d/f", "write_sequential", "0.500000");
}
END_TEST

START_TEST(bytes_between_syncs)
{
	static const int sizes[] = { 4 * K, 4 * K, -1, K, -1 };
	long long offset = 0;

	for (int i = 0; i < 5; i++) {
		if (i == _i)
			end_segment();
		if (sizes[i] < 0)
			io("FSYNC", "/d/f", 1, -1, 0, 0);
		else
			io("WRITE", "/d/f", 1, offset, sizes[i], sizes[i]);
		offset += sizes[i] > 0 ? sizes[i] : 0;
	}
	end_segment();
	expect("/d/f", "synced_bytes", "9216");
	view.table = FILES_HISTOGRAMS;
	expect_line("sync_gap,,8192,16384,1,8192\n");
	expect_line("sync_gap,,1024,2048,1,1024\n");
	expect_line("write_run,,8192,16384,1,9216\n");
}
END_TEST

START_TEST(four_reads_and_a_seek_are_a_run_of_16k)
{
	for (int i = 0; i < 5; i++) {
		if (i == _i)
			end_segment();
		io("READ", "/d/f", 1, i < 4 ? i * 4 * K : 1 << 20, 4 * K, 4 * K);
	}
	end_segment();
	view.table = FILES_HISTOGRAMS;
	expect_line("read_run,,16384,32768,1,16384\n");
	expect_line("read_run,,4096,8192,1,4096\n");
	expect_line("read_request,read,4096,8192,5,20480\n");
}
END_TEST

/* ---- descriptions ---- */

START_TEST(runs_follow_descriptions_not_descriptors)
{
	/* two descriptions of one process, each read from start to end, in turns, by one number */
	for (int i = 0; i < 8; i++)
		io("READ", "/d/f", 1 + i % 2, (i / 2) * 4 * K, 4 * K, 4 * K);
	end_segment();
	expect("/d/f", "read_sequential", "1.000000");
	view.table = FILES_HISTOGRAMS;
	expect_line("read_run,,16384,32768,2,32768\n");
}
END_TEST

START_TEST(open_and_close_end_a_run)
{
	io("READ", "/d/f", 1, 0, 4 * K, 4 * K);
	row("CLOSE,7,dd,/d/f,0,12,,,,,0,8:1,3,4026531840,f,1,close");
	row("OPEN,7,dd,/d/f,0,12,O_RDWR,,,5,3,8:1,3,4026531840,f,1,openat");
	io("READ", "/d/f", 1, 4 * K, 4 * K, 4 * K);
	/* its CLOSE was lost */
	row("OPEN,7,dd,/d/f,0,12,O_RDWR,,,5,3,8:1,3,4026531840,f,1,openat");
	io("READ", "/d/f", 1, 8 * K, 4 * K, 4 * K);
	end_segment();
	expect("/d/f", "read_sequential", "0.333333");
	expect("/d/f", "opens", "2");
	expect("/d/f", "closes", "1");
	view.table = FILES_HISTOGRAMS;
	expect_line("read_run,,4096,8192,3,12288\n");
}
END_TEST

START_TEST(close_of_a_duplicate_does_not_end_a_run)
{
	for (int i = 0; i < 8; i++) {
		io("READ", "/d/f", 1, i * 4 * K, 4 * K, 4 * K);
		row("CLOSE,7,dd,/d/f,0,12,,,,,0,8:1,%d,4026531840,f,1,close", 10 + i);
	}
	end_segment();
	expect("/d/f", "read_sequential", "1.000000");
	expect("/d/f", "closes", "8");
	view.table = FILES_HISTOGRAMS;
	expect_line("read_run,,32768,65536,1,32768\n");
}
END_TEST

/* Beyond the last few that were closed, what is closed is closed. */
START_TEST(closed_descriptions_do_not_pile_up)
{
	for (int i = 1; i <= 9; i++) {
		io("READ", "/d/f", (unsigned)i, 0, 4 * K, 4 * K);
		row("CLOSE,7,dd,/d/f,0,12,,,,,0,8:1,3,4026531840,f,%d,close", i);
	}
	io("READ", "/d/f", 9, 4 * K, 4 * K, 4 * K);
	io("READ", "/d/f", 1, 4 * K, 4 * K, 4 * K);
	end_segment();
	view.table = FILES_HISTOGRAMS;
	expect_line("read_run,,8192,16384,1,8192\n");
	expect_line("read_run,,4096,8192,9,36864\n");
}
END_TEST

START_TEST(without_descriptions_descriptors_stand_for_them)
{
	for (int i = 0; i < 4; i++)
		row("READ,%d,dd,/d/f,4096,12,O_RDWR,%d,,100,4096,8:1,3,4026531840,f,,read",
		    7 + i % 2, i / 2 * 4 * K);
	end_segment();
	expect("/d/f", "read_sequential", "1.000000");
	expect("/d/f", "pids", "2");
}
END_TEST

/* ---- what counts ---- */

START_TEST(failed_call_is_requested_not_completed)
{
	io("READ", "/d/f", 1, 0, 4 * K, 1000);
	io("READ", "/d/f", 1, 1000, 8 * K, -5);
	end_segment();
	expect("/d/f", "reads", "2");
	expect("/d/f", "read_errors", "1");
	expect("/d/f", "read_requested", "12288");
	expect("/d/f", "read_bytes", "1000");
	expect("/d/f", "first_read_ns", "1001000");
	/* the last successful one returned, not the failed one */
	expect("/d/f", "last_read_ns", "1001100");
	expect("/d/f", "read_ns", "200");
	view.table = FILES_ERRORS;
	expect_line("read,EIO,1\n");
	view.table = FILES_HISTOGRAMS;
	expect_line("read_complete,read,512,1024,1,1000\n");
	expect_line("read_request,read,8192,16384,1,8192\n");
	expect_line("read_latency,,64,128,2,200\n");
}
END_TEST

/* In the tables of errors and of sums. */
START_TEST(what_failed_most_often_comes_first)
{
	char *csv;

	io("READ", "/d/a", 1, 0, 4 * K, -5);
	io("READ", "/d/b", 2, 0, 4 * K, -5);
	io("WRITE", "/d/b", 2, 0, 4 * K, -28);
	end_segment();
	view.sort = "errors";
	view.table = _i ? FILES_ERRORS : FILES_SUMS;
	csv = tell();
	ck_assert_msg(strstr(csv, "/d/b") < strstr(csv, "/d/a"), "%s", csv);
	free(csv);
}
END_TEST

START_TEST(direct_reads_do_not_count_twice)
{
	io("READ", "/d/f", 1, 0, 4 * K, 4 * K);
	io("DIO_READ", "/d/f", 1, 0, 4 * K, 4 * K);
	end_segment();
	expect("/d/f", "reads", "1");
	expect("/d/f", "writes", "0");
}
END_TEST

/* A fault on page 0 of /d/f, or of another file. */
static void fault(const char *type, const char *path, const char *mapping, const char *pages)
{
	rows_add("%s,7,dd,12,%s,8:1,%s,%s,4026531840,%llu", type, path, mapping, pages,
		 (unsigned long long)now++);
}

static void begin_faults(void)
{
	rows_begin("pagefault",
		   "fault_type,pid,command,inode,filename,device,mapping,pages,mntns,mono_ns");
}

START_TEST(faults_are_bytes_through_mappings)
{
	char expected[32];

	io("READ", "/d/f", 1, 0, 4 * K, 4 * K);
	io("READ", "/d/calls", 2, 0, 4 * K, 4 * K);
	end_segment();
	begin_faults();
	fault("READ", "/d/f", "SHARED", "16");
	fault("READ", "/d/f", "SHARED", "");
	fault("WRITE", "/d/f", "SHARED", "1");
	fault("WRITE", "/d/f", "SHARED", "");
	fault("WRITE", "/d/f", "PRIVATE", "0");
	fault("WRITE", "/d/f", "PRIVATE", "");
	fault("READ", "/d/mapped", "PRIVATE", "3");
	rows_end();
	snprintf(expected, sizeof(expected), "%ld", 18 * sysconf(_SC_PAGESIZE));
	expect("/d/f", "mapped_read_bytes", expected);
	snprintf(expected, sizeof(expected), "%ld", 2 * sysconf(_SC_PAGESIZE));
	expect("/d/f", "mapped_written_bytes", expected);
	/* nothing else depends on them */
	expect("/d/f", "reads", "1");
	expect("/d/f", "pids", "1");
	expect("/d/calls", "mapped_read_bytes", "0");
	expect("/d/mapped", "pids", "0");
	by = FILES_BY_DIR;
	snprintf(expected, sizeof(expected), "%ld", 21 * sysconf(_SC_PAGESIZE));
	expect(",/d,", "mapped_read_bytes", expected);
}
END_TEST

/* Of another machine, or what no machine has */
START_TEST(pages_are_as_large_as_the_manifest_says)
{
	static const uint64_t sizes[] = { 65536, 4096, 0, 5000, 1 << 30 };
	uint64_t size = sizes[_i] == 65536 || sizes[_i] == 4096 ? sizes[_i] :
								  (uint64_t)sysconf(_SC_PAGESIZE);
	char string[200];

	snprintf(string, sizeof(string),
		 "{\"format\": \"iotracer\", \"schema_version\": 1, \"lost\": [], "
		 "\"host\": {\"page_size\": %llu}}",
		 (unsigned long long)sizes[_i]);
	session_write(dir, "manifest.json", string);
	io("READ", "/d/f", 1, 0, 4 * K, 4 * K);
	end_segment();
	begin_faults();
	fault("READ", "/d/f", "SHARED", "3");
	rows_end();
	snprintf(string, sizeof(string), "%llu", (unsigned long long)(3 * size));
	expect("/d/f", "mapped_read_bytes", string);
}
END_TEST

START_TEST(bytes_through_mappings_are_not_known_without_faults)
{
	io("READ", "/d/f", 1, 0, 4 * K, 4 * K);
	end_segment();
	expect("/d/f", "mapped_read_bytes", "");
	expect("/d/f", "mapped_written_bytes", "");
}
END_TEST

/* The time and path of a question hold for them, too. */
START_TEST(faults_are_filtered_as_calls_are)
{
	char expected[32];

	io("READ", "/d/f", 1, 0, 4 * K, 4 * K);
	end_segment();
	begin_faults();
	fault("READ", "/d/f", "SHARED", "1");
	rows_add("READ,8,cat,12,/d/f,8:1,SHARED,1,4026531840,%llu", (unsigned long long)now);
	rows_end();
	strcpy(filter.commands[0], "dd");
	filter.n_commands = 1;
	snprintf(expected, sizeof(expected), "%ld", sysconf(_SC_PAGESIZE));
	expect("/d/f", "mapped_read_bytes", expected);
}
END_TEST

START_TEST(copy_reads_one_file_and_writes_the_other)
{
	row("COPY_FILE_RANGE,7,cp,\"/d/a -> /d/b,\",9000,12,,0,77,100,8000,8:1,3,4026531840,f,1,"
	    "copy_file_range");
	end_segment();
	expect("/d/a", "read_bytes", "8000");
	expect("/d/a", "write_bytes", "0");
	view.sort = "writes";
	filter.path = "/d/b,";
	/* the quoted comma is part of the name: one column further */
	expect("/d/b", "write_errors", "1");
	expect("/d/b", "write_bytes", "9000");
	expect("/d/b", "write_ns", "8000");
}
END_TEST

START_TEST(splice_writes_what_is_open_for_writing_alone)
{
	row("OPEN,7,dd,/d/w,0,12,O_WRONLY|O_CREAT,,,5,3,8:1,3,4026531840,f,1,openat");
	row("SPLICE,7,dd,/d/w,4096,12,,0,,100,4096,8:1,3,4026531840,f,1,splice");
	row("OPEN,7,dd,/d/r,0,13,O_RDONLY,,,5,4,8:1,4,4026531840,f,2,openat");
	row("SPLICE,7,dd,/d/r,4096,13,,0,,100,4096,8:1,4,4026531840,f,2,splice");
	row("SENDFILE,7,dd,/d/r,4096,13,,4096,,100,4096,8:1,4,4026531840,f,2,sendfile");
	end_segment();
	expect("/d/w", "write_bytes", "4096");
	expect("/d/w", "read_bytes", "0");
	expect("/d/r", "read_bytes", "8192");
	expect("/d/r", "read_sequential", "1.000000");
}
END_TEST

START_TEST(splice_writes_where_its_row_says_so)
{
	row("OPEN,7,dd,/d/f,0,12,O_RDWR,,,5,3,8:1,3,4026531840,f,1,openat");
	row("SPLICE,7,dd,/d/f,4096,12,SPLICE_F_MOVE|TO_FILE,0,,100,4096,8:1,3,4026531840,f,1,splice");
	row("SPLICE,7,dd,/d/f,4096,12,SPLICE_F_MOVE,0,,100,1000,8:1,3,4026531840,f,1,splice");
	end_segment();
	expect("/d/f", "write_bytes", "4096");
	expect("/d/f", "read_bytes", "1000");
}
END_TEST

START_TEST(msync_counts_when_it_waits)
{
	row("MSYNC,7,db,/d/f,4096,12,MS_ASYNC,,0x1000,100,0,8:1,,4026531840,f,,msync");
	row("MSYNC,7,db,/d/f,4096,12,MS_SYNC,,0x1000,100,0,8:1,,4026531840,f,,msync");
	end_segment();
	expect("/d/f", "syncs", "1");
}
END_TEST

/* Those that are given back, and those that are only asked about, are none. */
START_TEST(locks_are_counted_with_their_waits)
{
	static const char *const flags[] = { "LOCK_EX",
					     "LOCK_UN",
					     "F_SETLKW|F_WRLCK",
					     "F_OFD_SETLK|F_RDLCK|SEEK_END",
					     "F_SETLK|F_UNLCK",
					     "F_GETLK|F_WRLCK",
					     "F_OFD_GETLK|F_RDLCK" };

	for (int i = 0; i < 7; i++)
		row("LOCK,7,db,/d/f,0,12,%s,,,%d,0,8:1,3,4026531840,f,1,flock", flags[i],
		    i == 2 ? 1000000 : 999999);
	row("LOCK,7,db,/d/f,0,12,LOCK_SH|LOCK_NB,,,5,-11,8:1,3,4026531840,f,1,flock");
	end_segment();
	expect("/d/f", "locks", "4");
	expect("/d/f", "lock_waits", "1");
	expect("/d/f", "lock_ns", "3000003");
	expect("/d/f", "lock_max_ns", "1000000");
	expect("/d/f", "syncs", "0");
}
END_TEST

/* Of a file that is used otherwise, too; who only asks about it is not among those who use it. */
START_TEST(calls_that_ask_about_a_file_are_counted)
{
	char *csv;

	row("GETATTR,8,ls,/d/f,0,12,,,,5,0,8:1,,4026531840,f,,newfstatat");
	row("GETXATTR,8,ls,/d/f,0,12,,,,5,-61,8:1,,4026531840,f,,getxattr");
	row("ACCESS,9,sh,/d/f,0,12,F_OK,,,5,0,8:1,,4026531840,f,,access");
	row("GETATTR,8,ls,/d/other,0,13,,,,5,0,8:1,,4026531840,f,,newfstatat");
	io("READ", "/d/f", 1, 0, 10, 10);
	end_segment();
	expect("/d/f", "metadata", "3");
	expect("/d/f", "pids", "2");
	expect("/d/f", "commands", "ls dd");
	csv = tell();
	ck_assert_uint_eq(lines(csv, "/d/other"), 0);
	free(csv);
}
END_TEST

START_TEST(figures_that_are_not_known_are_empty)
{
	row("WRITE,7,dd,/d/f,4096,,O_RDWR,,,,4096,,3,,f,1,write");
	end_segment();
	expect("/d/f", "rewrites", "");
	expect("/d/f", "write_sequential", "");
	expect("/d/f", "read_sequential", "");
	expect("/d/f", "write_ns", "");
	expect("/d/f", "write_max_ns", "");
	expect("/d/f", "last_write_ns", "");
	expect("/d/f", "inode", "");
	expect("/d/f", "device", "");
	expect("/d/f", "writes", "1");
	expect("/d/f", "first_read_ns", "");
}
END_TEST

/* The kernel's idle thread is one of those who use a file, in a file and in what files add up to. */
START_TEST(process_0_is_a_process)
{
	static const int pids[] = { 0, 7, 0, 7 };

	for (int i = 0; i < 4; i++)
		row("READ,%d,c,/d/%s,1,12,O_RDWR,0,,100,1,8:1,3,4026531840,f,1,read", pids[i],
		    i < 2 ? "f" : "g");
	end_segment();
	expect("/d/f", "pids", "2");
	by = FILES_BY_DIR;
	expect(",/d,", "pids", "2");
}
END_TEST

/* ---- which files ---- */

START_TEST(one_path_in_two_mount_namespaces_is_two_files)
{
	io("READ", "/d/f", 1, 0, 10, 10);
	row("READ,8,cat,/d/f,20,13,O_RDWR,0,,100,20,8:1,3,4026531841,f,2,read");
	end_segment();
	expect("4026531840,/d/f", "read_bytes", "10");
	expect("4026531841,/d/f", "read_bytes", "20");
}
END_TEST

START_TEST(path_made_again_is_one_file_with_the_last_inode)
{
	io("WRITE", "/d/f", 1, 0, 10, 10);
	row("WRITE,8,cat,/d/f,20,13,O_RDWR,0,,100,20,8:2,3,4026531840,f,2,write");
	end_segment();
	expect("/d/f", "write_bytes", "30");
	expect("/d/f", "inode", "13");
	expect("/d/f", "device", "8:2");
	expect("/d/f", "commands", "dd cat");
}
END_TEST

START_TEST(directories_and_nameless_files_are_told_of_when_asked_for)
{
	char *csv;

	row("OPEN,7,ls,/d,0,2,O_RDONLY,,,5,3,8:1,3,4026531840,f,1,openat");
	row("FSYNC,7,ls,/d,0,2,O_RDONLY,,,5,0,8:1,3,4026531840,f,1,fsync");
	row("OPEN,7,ls,/e,0,3,O_RDONLY|O_DIRECTORY,,,5,3,8:1,3,4026531840,f,1,openat");
	row("READ,7,ls,,10,99,O_RDWR,0,,5,10,8:1,3,4026531840,n,1,read");
	row("OPEN,7,ls,/none,0,,O_RDONLY,,,5,-2,,,4026531840,f,,openat");
	io("READ", "/d/f", 1, 0, 10, 10);
	end_segment();
	csv = tell();
	ck_assert_uint_eq(lines(csv, "\n"), 2);
	free(csv);
	all = true;
	csv = tell();
	ck_assert_uint_eq(lines(csv, "\n"), 6);
	free(csv);
	expect(",,8:1,99,", "read_bytes", "10");
	view.table = FILES_ERRORS;
	expect_line("/none,openat,ENOENT,1\n");
}
END_TEST

START_TEST(four_commands_and_more)
{
	for (int i = 0; i < 10; i++)
		row("READ,%d,c%d,/d/f,1,12,O_RDWR,0,,100,1,8:1,3,4026531840,f,1,read", 100 + i % 6,
		    i % 6);
	end_segment();
	expect("/d/f", "commands", "c0 c1 c2 c3 …");
	expect("/d/f", "pids", "6");
}
END_TEST

/* ---- added up ---- */

static void many_files(void)
{
	for (int i = 0; i < 200; i++) {
		char path[64];

		sprintf(path, "/d%d/e%d/f%d.%s", i % 3, i % 5, i % 50, i % 2 ? "db" : "log");
		io(i % 4 ? "READ" : "WRITE", path, 1 + (unsigned)i % 50, i / 50 * 10, 10,
		   i % 7 ? 10 : -5);
		if (i % 60 == 0)
			end_segment();
	}
	end_segment();
}

static uint64_t sum_of(const char *csv, const char *which, const char *column)
{
	uint64_t sum = 0;
	const char *line = strchr(csv, '\n') + 1;

	for (; *line; line = strchr(line, '\n') + 1) {
		char one[4096];
		size_t n = strcspn(line, "\n");

		snprintf(one, sizeof(one), "%.*s%.*s\n", (int)(strchr(csv, '\n') + 1 - csv), csv,
			 (int)n, line);
		if (strstr(strchr(one, '\n'), which))
			sum += strtoull(cell(one, ",", column), NULL, 10);
	}
	return sum;
}

START_TEST(files_add_up_to_their_directory)
{
	static const char *const columns[] = { "reads",    "read_errors", "read_bytes",    "writes",
					       "rewrites", "read_ns",     "read_requested" };
	char *files, *dirs;

	many_files();
	files = tell();
	by = FILES_BY_DIR;
	dirs = tell();
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		ck_assert_uint_eq(sum_of(files, ",/d1/", columns[i]),
				  strtoull(cell(dirs, ",/d1,", columns[i]), NULL, 10));
		ck_assert_uint_eq(sum_of(files, ",/d2/e3/", columns[i]),
				  strtoull(cell(dirs, ",/d2/e3,", columns[i]), NULL, 10));
		ck_assert_uint_eq(sum_of(files, ",", columns[i]),
				  strtoull(cell(dirs, ",/,", columns[i]), NULL, 10));
	}
	free(dirs);
	depth = 1;
	dirs = tell();
	ck_assert_uint_eq(lines(dirs, "\n"), 1 + 1 + 3);
	ck_assert_uint_eq(lines(dirs, "/e"), 0);
	free(files);
	free(dirs);
}
END_TEST

START_TEST(every_key_has_the_same_sum)
{
	char *csv;

	many_files();
	by = (enum files_by)_i;
	csv = tell();
	if (by == FILES_BY_DIR)
		ck_assert_uint_eq(strtoull(cell(csv, ",/,", "reads"), NULL, 10), 150);
	else
		ck_assert_uint_eq(sum_of(csv, "", "reads"), 150);
	if (by == FILES_BY_EXT)
		ck_assert_uint_eq(lines(csv, "\n"), 3);
	if (by == FILES_BY_COMM)
		ck_assert(strstr(csv, "\ndd,") != NULL);
	if (by == FILES_BY_PROCESS)
		ck_assert(strstr(csv, "\n7,") != NULL);
	free(csv);
}
END_TEST

/* Two files, of which one is used by two processes of one program and by another one. */
static void used_by_several(void)
{
	static const struct {
		unsigned pid;
		const char *path;
		long bytes;
	} uses[] = {
		{ 10, "/d/a", 1 }, { 11, "/d/a", 20 }, { 13, "/d/a", 300 }, { 11, "/d/b", 4000 }
	};

	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		caller = uses[i].pid;
		io("READ", uses[i].path, 0, 0, uses[i].bytes, uses[i].bytes);
	}
	end_segment();
}

START_TEST(a_file_and_who_uses_it)
{
	char *csv;

	used_by_several();
	by = FILES_BY_FILE_AND_COMM;
	csv = tell();
	ck_assert(!strncmp(csv, "mntns,comm,filename,device,inode,", 33));
	/* c1 is 10 and 13, c2 is 11 */
	ck_assert_str_eq(cell(csv, ",c1,/d/a,", "read_bytes"), "301");
	ck_assert_str_eq(cell(csv, ",c1,/d/a,", "pids"), "2");
	ck_assert_str_eq(cell(csv, ",c2,/d/a,", "read_bytes"), "20");
	ck_assert_str_eq(cell(csv, ",c2,/d/b,", "read_bytes"), "4000");
	ck_assert_uint_eq(lines(csv, "\n"), 4);
	/* by bytes, as everything */
	ck_assert(strstr(csv, ",c2,/d/b,") < strstr(csv, ",c1,/d/a,"));
	free(csv);
	by = FILES_BY_FILE_AND_PROCESS;
	view.sort = "pid";
	csv = tell();
	ck_assert(!strncmp(csv, "mntns,pid,filename,device,inode,", 32));
	ck_assert_uint_eq(lines(csv, "\n"), 5);
	ck_assert_str_eq(cell(csv, ",10,/d/a,", "read_bytes"), "1");
	ck_assert(strstr(csv, ",13,/d/a,") < strstr(csv, ",11,/d/a,"));
	ck_assert(strstr(csv, ",11,/d/b,") < strstr(csv, ",10,/d/a,"));
	free(csv);
}
END_TEST

START_TEST(intervals_add_up)
{
	char *csv;

	many_files();
	options.interval_ns = 50000;
	csv = tell();
	ck_assert_uint_eq(sum_of(csv, "", "reads"), 150);
	ck_assert(!strncmp(csv, "time,mntns,filename,", 20));
	ck_assert_uint_gt(lines(csv, "\n"), 60);
	ck_assert(strstr(csv, "\n1050000,") != NULL);
	free(csv);
}
END_TEST

START_TEST(the_same_from_any_number_of_threads)
{
	cpu_set_t all_cpus, one;
	char *first, *again;

	sched_getaffinity(0, sizeof(all_cpus), &all_cpus);
	CPU_ZERO(&one);
	for (int i = CPU_SETSIZE - 1; i >= 0 && !CPU_COUNT(&one); i--)
		if (CPU_ISSET(i, &all_cpus))
			CPU_SET(i, &one);
	many_files();
	view.sort = _i == 0 ? NULL : _i == 1 ? "filename" : "write_ns";
	view.table = _i == 3 ? FILES_HISTOGRAMS : FILES_SUMS;
	first = tell();
	for (int i = 0; i < 3; i++) {
		/* with all CPUs, and with one: a single thread and model */
		if (i == 1)
			sched_setaffinity(0, sizeof(one), &one);
		again = tell();
		ck_assert_str_eq(first, again);
		free(again);
	}
	sched_setaffinity(0, sizeof(all_cpus), &all_cpus);
	if (_i == 1)
		ck_assert(strstr(first, "/d0/e0/f0.log") < strstr(first, "/d2/e4/f9.db") ||
			  !strstr(first, "/d2/e4/f9.db"));
	free(first);
}
END_TEST

/* ---- filters ---- */

START_TEST(filters_choose_rows)
{
	io("READ", "/d/f", 1, 0, 10, 10);
	row("READ,8,cat,/d/g,20,13,O_RDWR,0,,100,20,8:1,3,4026531840,f,2,read");
	row("READ,9,cat,/e/f,40,14,O_RDWR,0,,100,40,8:1,3,4026531840,f,2,read");
	end_segment();
	if (_i == 0)
		filter = (struct row_filter){ .pids = { 8, 7 }, .n_pids = 2 };
	else if (_i == 1)
		filter = (struct row_filter){ .commands = { "cat" }, .n_commands = 1 };
	else if (_i == 2)
		filter.path = "f";
	else
		filter.path = "/e/*";
	by = FILES_BY_HOST;
	view.format = TABLE_CSV;
	expect(dir, "read_bytes", _i == 0 ? "30" : _i == 1 ? "60" : _i == 2 ? "50" : "40");
}
END_TEST

/* Of a trace that began at 12:03:20 an hour east of Greenwich */
START_TEST(a_minute_needs_no_seconds)
{
	static const struct {
		const char *from;
		const char *bytes; /* NULL: it is not a time */
	} times[] = { { "12:03", "111" },
		      { "12:04", "110" },
		      { "12:04:01", "100" },
		      { "12:05", "100" },
		      { "12:05:00.5", "0" },
		      { "2026-11-20 12:04", "110" },
		      { "2026-11-20T12:04:00.5", "100" },
		      { "2026-11-21 00:00", "0" },
		      { "12:60", NULL },
		      { "25:00", NULL },
		      { "12:04:61", NULL },
		      { "12:04:", NULL },
		      { "12:04x", NULL },
		      { "12", NULL },
		      { "2026-11-20", NULL } };
	static struct files_reading r;

	/* 2026-11-20T11:03:20Z */
	session_write(dir, "manifest.json",
		      "{\"format\": \"iotracer\", \"schema_version\": 1, "
		      "\"started\": \"2026-11-20T12:03:20.000000000+01:00\", "
		      "\"started_ns\": 1795172600000000000, \"ended_ns\": 1795172800000000000, "
		      "\"lost\": [], \"clocks\": [{\"mono_ns\": 1000000000000, "
		      "\"real_ns\": 1795172600000000000}]}");
	now = 1000000000000;
	io("READ", "/d/f", 1, 0, 1, 1);
	now = 1040000000000;
	io("READ", "/d/f", 1, 0, 10, 10);
	now = 1100000000000;
	io("READ", "/d/f", 1, 0, 100, 100);
	end_segment();
	by = FILES_BY_DEVICE;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		filter.from = times[i].from;
		if (times[i].bytes) {
			char *csv = tell();
			const char *cell_of = strchr(csv, '\n') + 1;

			ck_assert_msg(*cell_of ? !strcmp(cell(csv, "8:1,", "read_bytes"),
							 times[i].bytes) :
						 !strcmp(times[i].bytes, "0"),
				      "%s: %s", times[i].from, csv);
			free(csv);
			continue;
		}
		said_begin();
		ck_assert_int_ne(files_reading_open(&r, dir, &filter, &options), 0);
		said_end();
		files_reading_close(&r);
		ck_assert_msg(strstr(said, "not a time"), "%s: %s", times[i].from, said);
	}
}
END_TEST

START_TEST(time_without_clocks_is_refused)
{
	static struct files_reading r;

	io("READ", "/d/f", 1, 0, 10, 10);
	end_segment();
	filter.from = _i ? "+10s" : "yesterday";
	said_begin();
	ck_assert_int_ne(files_reading_open(&r, dir, &filter, &options), 0);
	said_end();
	files_reading_close(&r);
	ck_assert_msg(strstr(said, _i ? "start and end of this trace are unknown" : "not a time"),
		      "%s", said);
}
END_TEST

/* ---- what cannot be read ---- */

START_TEST(bad_rows_are_told_and_the_rest_counts)
{
	char *csv;

	io("READ", "/d/f", 1, 0, 10, 10);
	row("READ,pid,cat,/d/g,20,13,O_RDWR,0,,100,20,8:1,3,4026531840,f,2,read");
	row("NEWOP,8,cat,/d/g,20,13,O_RDWR,0,,100,20,8:1,3,4026531840,f,2,read");
	io("READ", "/d/f", 1, 10, 10, 10);
	end_segment();
	csv = tell();
	ck_assert_msg(strstr(said, "row 2: pid: 'pid' is not an unsigned number: 1 of 4 rows left "
				   "out"),
		      "%s", said);
	ck_assert_uint_eq(lines(csv, "\n"), 2);
	ck_assert_str_eq(cell(csv, "/d/f", "read_bytes"), "20");
	free(csv);
}
END_TEST

START_TEST(columns_that_are_missing_are_told)
{
	static struct files_reading r;
	char *gaps, *csv;
	size_t size;
	FILE *out;

	len = (size_t)sprintf(text,
			      "operation,pid,command,filename,size,return_value,fd,mono_ns\n");
	len += (size_t)sprintf(text + len, "READ,7,dd,/d/f,10,10,3,1000\n");
	end_segment();
	said_begin();
	ck_assert_int_eq(files_reading_open(&r, dir, &filter, &options), 0);
	said_end();
	out = open_memstream(&gaps, &size);
	gaps_print(out, "", &r.gaps, true);
	fclose(out);
	ck_assert_msg(strstr(gaps, "column call is missing: ") &&
			      strstr(gaps, "column ofd is missing: ") &&
			      strstr(gaps, "column offset is missing: ") &&
			      strstr(gaps, "events lost: unknown"),
		      "%s", gaps);
	free(gaps);
	view = (struct files_view){ .table = FILES_HISTOGRAMS, .format = TABLE_CSV };
	csv = tell_of(&r);
	ck_assert_msg(strstr(csv, "read_complete,read,8,16,1,10\n"), "%s", csv);
	free(csv);
	files_reading_close(&r);
}
END_TEST

/* Random bytes in rows of many files: never a crash, and an answer of the rest. */
START_TEST(damage_changes_nothing_but_its_row)
{
	unsigned seed = (unsigned)_i + 1;

	for (int round = 0; round < 30; round++) {
		char *csv;

		segment = 0;
		for (int s = 0; s < 4; s++) {
			for (int i = 0; i < 300; i++) {
				char name[64];

				sprintf(name, "/d/%d", rand_r(&seed) % 40);
				io(rand_r(&seed) % 2 ? "READ" : "WRITE", name,
				   (unsigned)rand_r(&seed) % 9, rand_r(&seed) % 9 * 10, 10, 10);
			}
			for (int i = 0; i < 8; i++)
				text[(size_t)rand_r(&seed) % len] = (char)(1 + rand_r(&seed) % 255);
			if (round % 3 == 0)
				text[(size_t)rand_r(&seed) % len] = '\0';
			end_segment();
		}
		view.table = (enum files_table)(round % 3);
		by = (enum files_by)(round % N_FILES_BY);
		options.interval_ns = round % 2 ? 100000 : 0;
		csv = tell();
		ck_assert_uint_ge(lines(csv, "\n"), 1);
		free(csv);
	}
}
END_TEST

/* ---- many rows ---- */

START_TEST(segments_and_pieces_are_fed_in_order)
{
	/* each segment is several pieces; a run goes through all of them */
	enum { ROWS = 3500, SEGMENTS = 6 };
	char expected[64];
	long long offset = 0;

	for (int s = 0; s < SEGMENTS; s++) {
		for (int i = 0; i < ROWS; i++, offset += 10) {
			char other[32];

			sprintf(other, "/d/%d", i % 100);
			io("READ", i % 2 ? "/d/long" : other, i % 2 ? 1 : 2 + (unsigned)i,
			   i % 2 ? offset / 20 * 10 : 0, 10, 10);
		}
		end_segment();
	}
	expect("/d/long", "read_sequential", "1.000000");
	view.table = FILES_HISTOGRAMS;
	filter.path = "/d/long";
	sprintf(expected, "read_run,,65536,131072,1,%d\n", ROWS * SEGMENTS / 2 * 10);
	expect_line(expected);
}
END_TEST

/* All of it in any order and with any options, whatever the memory. */
START_TEST(what_does_not_fit_is_told_all_the_same)
{
	static const char *const sorts[] = { NULL, "filename", "commands", "inode", "write_ns" };
	enum { FEW = 4096, FILES = 300 };
	char *whole, *parts;

	for (int i = 0; i < 3 * FILES; i++) {
		char name[40];

		sprintf(name, "/d%d/e%d%s", i % 3, i * 7919 % FILES, i % 5 ? "/f.log" : "");
		caller = (unsigned)(i / 7 % 11);
		io(i % 2 ? "READ" : "WRITE", name, (unsigned)(i % 17), i % 11, 100 + i, i % 13 - 1);
		if (i % 100 == 99)
			end_segment();
	}
	end_segment();
	by = _i % 2 ? FILES_BY_FILE : (enum files_by)(_i / 2 % N_FILES_BY);
	view.sort = files_by_is_file(by) ? sorts[_i % 5] : NULL;
	view.table = (enum files_table)(_i % 3);
	view.top = _i % 4 == 3 ? 10 : 0;
	all = _i % 5 == 4;
	options.interval_ns = _i % 7 == 6 ? 1000 : 0;
	whole = tell();
	setenv("TMPDIR", scratch, 1);
	for (int little = 0; little < 2; little++) {
		options.memory = little ? 1 : FEW * 64;
		parts = tell();
		ck_assert_str_eq(whole, parts);
		free(parts);
	}
	free(whole);
}
END_TEST

START_TEST(what_is_put_aside_is_said)
{
	static struct files_reading r;

	options.memory = 1;
	for (int i = 0; i < 100; i++) {
		char name[40];

		sprintf(name, "/d/f%d", i);
		io("READ", name, 1, 0, 10, 10);
	}
	end_segment();
	log_set_level(LOG_NORMAL);
	said_begin();
	ck_assert_int_eq(files_reading_open(&r, dir, &filter, &options), 0);
	said_end();
	ck_assert_msg(strstr(said, "more files than fit in memory") &&
			      strstr(said, " rows of others"),
		      "%s", said);
	files_reading_close(&r);
	/* where there is no room, there is no answer */
	setenv("TMPDIR", "/nonexistent", 1);
	said_begin();
	ck_assert_int_eq(files_reading_open(&r, dir, &filter, &options), -ENOENT);
	said_end();
	unsetenv("TMPDIR");
	ck_assert_msg(strstr(said, "a temporary file in /nonexistent: No such file"), "%s", said);
	files_reading_close(&r);
}
END_TEST

static TCase *all_tests(const char *name, void (*before)(void))
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, before, fixture_verify_teardown);
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, writes_at_0_0_4096_0_rewrite_once, 0, 5);
	tcase_add_loop_test(tcase, bytes_between_syncs, 0, 6);
	tcase_add_loop_test(tcase, four_reads_and_a_seek_are_a_run_of_16k, 0, 6);
	tcase_add_test(tcase, runs_follow_descriptions_not_descriptors);
	tcase_add_test(tcase, open_and_close_end_a_run);
	tcase_add_test(tcase, close_of_a_duplicate_does_not_end_a_run);
	tcase_add_test(tcase, closed_descriptions_do_not_pile_up);
	tcase_add_test(tcase, without_descriptions_descriptors_stand_for_them);
	tcase_add_test(tcase, failed_call_is_requested_not_completed);
	tcase_add_loop_test(tcase, what_failed_most_often_comes_first, 0, 2);
	tcase_add_test(tcase, direct_reads_do_not_count_twice);
	tcase_add_test(tcase, faults_are_bytes_through_mappings);
	tcase_add_loop_test(tcase, pages_are_as_large_as_the_manifest_says, 0, 5);
	tcase_add_test(tcase, bytes_through_mappings_are_not_known_without_faults);
	tcase_add_test(tcase, faults_are_filtered_as_calls_are);
	tcase_add_test(tcase, copy_reads_one_file_and_writes_the_other);
	tcase_add_test(tcase, splice_writes_what_is_open_for_writing_alone);
	tcase_add_test(tcase, splice_writes_where_its_row_says_so);
	tcase_add_test(tcase, msync_counts_when_it_waits);
	tcase_add_test(tcase, locks_are_counted_with_their_waits);
	tcase_add_test(tcase, calls_that_ask_about_a_file_are_counted);
	tcase_add_test(tcase, figures_that_are_not_known_are_empty);
	tcase_add_test(tcase, process_0_is_a_process);
	tcase_add_test(tcase, one_path_in_two_mount_namespaces_is_two_files);
	tcase_add_test(tcase, path_made_again_is_one_file_with_the_last_inode);
	tcase_add_test(tcase, directories_and_nameless_files_are_told_of_when_asked_for);
	tcase_add_test(tcase, four_commands_and_more);
	tcase_add_test(tcase, files_add_up_to_their_directory);
	tcase_add_loop_test(tcase, every_key_has_the_same_sum, 0, N_FILES_BY);
	tcase_add_test(tcase, a_file_and_who_uses_it);
	tcase_add_test(tcase, intervals_add_up);
	tcase_add_loop_test(tcase, the_same_from_any_number_of_threads, 0, 4);
	tcase_add_loop_test(tcase, filters_choose_rows, 0, 4);
	tcase_add_test(tcase, a_minute_needs_no_seconds);
	tcase_add_loop_test(tcase, time_without_clocks_is_refused, 0, 2);
	tcase_add_test(tcase, bad_rows_are_told_and_the_rest_counts);
	tcase_add_test(tcase, columns_that_are_missing_are_told);
	tcase_add_loop_test(tcase, damage_changes_nothing_but_its_row, 0, 4);
	tcase_add_test(tcase, segments_and_pieces_are_fed_in_order);
	return tcase;
}

static Suite *files_suite(void)
{
	Suite *suite = suite_create("files");
	TCase *tcase = tcase_create("memory");

	suite_add_tcase(suite, all_tests("files", setup_all));
	suite_add_tcase(suite, all_tests("in little memory", setup_little_memory));
	tcase_add_checked_fixture(tcase, setup_all, fixture_verify_teardown);
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, what_does_not_fit_is_told_all_the_same, 0, 42);
	tcase_add_test(tcase, what_is_put_aside_is_said);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(files_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
