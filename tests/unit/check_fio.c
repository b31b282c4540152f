/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What fio is made to do, from rows as they stand in a directory to the lines of its logs. */
#include "analysis/fio/fio_read.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/fio/fio_check.h"
#include "analysis/fio/fio_profile.h"
#include "analysis/fio/fio_result.h"
#include "fixture/fixture_rows.h"

static struct fio_reading reading;
static struct row_filter filter;
static struct fio_plan plan;
static char out[300], *text;

static void setup(void)
{
	fixture_rows_setup();
	memset(&reading, 0, sizeof(reading));
	memset(&filter, 0, sizeof(filter));
	text = NULL;
	snprintf(out, sizeof(out), "%s/out", scratch);
	mkdir(out, 0700);
	plan = (struct fio_plan){
		.out = out,
		.into = "/into",
		.out_fd = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.format = FIO_FORMAT,
		.jobs = 1,
		.scale = 1,
	};
	ck_assert_int_ge(plan.out_fd, 0);
}

static void teardown(void)
{
	fio_reading_close(&reading);
	close(plan.out_fd);
	free(text);
	fixture_verify_teardown();
}

static void begin(void)
{
	rows_begin(
		"fs",
		"operation,pid,tid,command,filename,size,flags,offset,latency_ns,return_value,fd,ofd,call,mono_ns");
}

static void make(void)
{
	ck_assert_int_eq(fio_reading_open(&reading, dir, &filter), 0);
	ck_assert_int_eq(fio_reading_write(&reading, &filter, &plan), 0);
}

/* A file of the jobs, which is smaller than that. */
static const char *made(const char *name)
{
	static char path[400];
	FILE *file;
	size_t n;

	free(text);
	text = calloc(1, 65536);
	snprintf(path, sizeof(path), "%s/%s", out, name);
	file = fopen(path, "r");
	if (!file)
		return NULL;
	n = fread(text, 1, 65535, file);
	ck_assert_uint_lt(n, 65535);
	fclose(file);
	return text;
}

#define HAS(name, part) ck_assert_ptr_nonnull(strstr(made(name), part))

static unsigned n_lines(const char *log, const char *with)
{
	unsigned n = 0;

	for (const char *c = made(log); (c = strstr(c, with)); c++)
		n++;
	return n;
}

START_TEST(calls_become_lines)
{
	begin();
	rows_add("OPEN,7,7,db,/data/f,0,O_RDWR|O_CREAT,,1000,3,3,11,openat,1000000");
	rows_add("READ,7,7,db,/data/f,4096,O_RDWR,8192,1000,100,3,11,pread64,2000000");
	rows_add("WRITE,7,7,db,/data/f,10,O_RDWR,0,1000,10,3,11,pwrite64,5000000");
	rows_add("READ,7,7,db,/data/f,10,O_RDWR,0,1000,10,3,11,pread64,5100000");
	rows_add("FSYNC,7,7,db,/data/f,0,O_RDWR,,1000,0,3,11,fsync,6000000");
	rows_add("FDATASYNC,7,7,db,/data/f,0,O_RDWR,,1000,0,3,11,fdatasync,7000000");
	rows_add("CLOSE,7,7,db,/data/f,0,O_RDWR,,1000,0,3,11,close,8000000");
	rows_end();
	make();
	/* the first line has time 1, and the file is open when it is used first */
	ck_assert_str_eq(made("logs/0001.log"), "fio version 3 iolog\n"
						"1 /into/000001-f add\n"
						"1 /into/000001-f open\n"
						"1 /into/000001-f read 8192 100\n"
						"3001 /into/000001-f write 0 10\n"
						"3101 /into/000001-f read 0 10\n"
						"4001 /into/000001-f sync 0 0\n"
						"5001 /into/000001-f datasync 0 0\n"
						"6001 /into/000001-f close\n");
	ck_assert_str_eq(made("names.csv"), "name,filename,path_status\n/into/000001-f,/data/f,\n");
	/* what it wrote before it read it is not there before; opened again, it goes from memory */
	HAS("logs/layout-00001.log", "/into/000001-f write 8192 100\n1 /into/000001-f sync 0 0\n"
				     "1 /into/000001-f close\n1 /into/000001-f open\n");
	ck_assert_ptr_null(strstr(text, "000001-f write 0"));
	HAS("replay.fio", "\n; 5 reads, writes and syncs are repeated.\n");
	HAS("replay.fio", "\n; 1 reads and writes ask for what they got, which was less\n");
}
END_TEST

START_TEST(files_stay_in_memory)
{
	begin();
	rows_add("READ,7,7,db,/data/f,4096,O_RDWR,8192,1000,100,3,11,pread64,2000000");
	rows_end();
	plan.warm = true;
	make();
	made("logs/layout-00001.log");
	ck_assert_str_eq(strstr(text, "1 /into/000001-f sync"),
			 "1 /into/000001-f sync 0 0\n1 /into/000001-f close\n");
	HAS("layout.fio", "\ninvalidate=0\n");
}
END_TEST

START_TEST(format_2_waits_until_a_time)
{
	begin();
	rows_add("READ,7,7,db,/f,10,O_RDONLY,0,1000,10,3,11,read,1000000");
	rows_add("READ,7,7,db,/f,10,O_RDONLY,10,1000,10,3,11,read,1500000");
	rows_add("READ,7,7,db,/f,10,O_RDONLY,20,1000,10,3,11,read,501000000");
	rows_end();
	plan.format = FIO_FORMAT_OLD;
	make();
	ck_assert_str_eq(made("logs/0001.log"), "fio version 2 iolog\n"
						"/into/000001-f add\n"
						"/into/000001-f wait 200 0\n"
						"/into/000001-f open\n"
						"/into/000001-f read 0 10\n"
						"/into/000001-f read 10 10\n"
						"/into/000001-f wait 700 0\n"
						"/into/000001-f read 20 10\n");
	HAS("replay.fio", "\n; 1 opens are added: ");
}
END_TEST

/* Two descriptions of one file at once; who closes is not who opened. */
START_TEST(open_files_are_told_apart)
{
	begin();
	rows_add("OPEN,7,7,db,/f,0,O_RDWR,,1000,3,3,11,openat,1000");
	rows_add("OPEN,7,7,db,/f,0,O_RDWR,,1000,4,4,12,openat,2000");
	rows_add("READ,7,7,db,/f,10,O_RDWR,0,1,10,3,11,read,3000");
	rows_add("READ,7,7,db,/f,10,O_RDWR,0,1,10,4,12,read,4000");
	rows_add("CLOSE,9,9,sh,/f,0,O_RDWR,,1000,0,4,12,close,5000");
	rows_add("OPEN,7,7,db,/f,0,O_RDWR,,1000,4,4,12,openat,6000");
	rows_add("CLOSE,7,7,db,/f,0,O_RDWR,,1000,0,4,12,close,7000");
	rows_end();
	make();
	ck_assert_str_eq(made("logs/0001.log"), "fio version 3 iolog\n"
						"1 /into/000001-f add\n"
						"1 /into/000001-f open\n"
						"1 /into/000001-f read 0 10\n"
						"2 /into//000001-f add\n"
						"2 /into//000001-f open\n"
						"2 /into//000001-f read 0 10\n"
						"3 /into//000001-f close\n"
						"5 /into//000001-f open\n"
						"5 /into//000001-f close\n");
}
END_TEST

START_TEST(jobs_have_one_way_each)
{
	begin();
	rows_add("READ,7,7,db,/a,512,O_RDWR|O_DIRECT,0,1000,512,3,1,read,1000");
	rows_add("WRITE,7,7,db,/b,10,O_WRONLY|O_DSYNC,0,1000,10,4,2,write,2000");
	rows_add("READ,7,7,db,/a,512,O_RDWR|O_DIRECT,0,5000,512,3,1,io_uring,3000");
	rows_add("READ,7,7,db,/a,512,O_RDWR|O_DIRECT,512,5000,512,3,1,io_uring,4000");
	rows_add("WRITE,7,7,db,/b,10,O_WRONLY,0,1000,10,4,2,aio,9000");
	rows_end();
	make();
	HAS("replay.fio", "ioengine=psync\ndirect=1\n");
	HAS("replay.fio", "ioengine=psync\nsync=dsync\n");
	HAS("replay.fio", "ioengine=io_uring\niodepth=2\ndirect=1\n");
	HAS("replay.fio", "ioengine=libaio\niodepth=1\n");
	ck_assert_uint_eq(reading.fio.n_jobs, 4);
}
END_TEST

/* fsync(2) between requests of AIO is done by the job that has these. */
START_TEST(syncs_go_where_the_file_is_open)
{
	begin();
	rows_add("READ,7,7,db,/c,10,O_RDONLY,0,1000,10,5,3,read,500");
	rows_add("WRITE,7,7,db,/a,512,O_RDWR|O_DIRECT,0,5000,512,3,1,aio,1000");
	rows_add("FSYNC,7,7,db,/a,0,O_RDWR|O_DIRECT,,1000,0,3,1,fsync,9000");
	rows_add("WRITE,7,7,db,/b,10,O_RDWR,0,1000,10,4,2,write,11000");
	rows_add("FDATASYNC,7,7,db,/b,0,O_RDWR,,1000,0,4,2,fdatasync,13000");
	rows_add("FSYNC,7,7,db,/a,0,O_RDWR|O_DIRECT,,1000,0,3,1,fsync,19000");
	rows_end();
	make();
	ck_assert_uint_eq(reading.fio.n_jobs, 2);
	ck_assert_uint_eq(n_lines("logs/0001.log", "-a sync"), 0);
	ck_assert_uint_eq(n_lines("logs/0001.log", "-b datasync"), 1);
	ck_assert_uint_eq(n_lines("logs/0002.log", "-a sync"), 2);
	ck_assert_uint_eq(reading.replay.n, 6);
}
END_TEST

START_TEST(what_is_left_out_is_counted)
{
	begin();
	rows_add("READ,7,7,db,/f,10,O_RDONLY,0,1,10,3,11,read,1000");
	rows_add("READ,7,7,db,/f,10,O_RDONLY,10,1,0,3,11,read,2000");
	rows_add("READ,7,7,db,/f,10,O_RDONLY,10,1,-5,3,11,read,3000");
	rows_add("READ,7,7,db,/proc/stat,10,O_RDONLY,0,1,10,4,12,read,4000");
	rows_add("READ,7,7,db,pipe:[5],10,O_RDONLY,0,1,10,4,13,read,5000");
	rows_add("READ,7,7,db,,10,O_RDONLY,0,1,10,4,14,read,6000");
	rows_add("READ,7,7,db,/g,10,O_RDONLY,,1,10,4,15,read,7000");
	rows_add("UNLINK,7,7,db,/g,0,,,1,0,,,unlink,8000");
	rows_add("UNLINK,7,7,db,/g,0,,,1,0,,,unlink,8000");
	rows_add("FSYNC,8,8,idle,/g,0,O_RDONLY,,9000,0,4,16,fsync,900");
	rows_end();
	make();
	HAS("replay.fio", "\n; 1 reads, writes and syncs are repeated.\n");
	HAS("replay.fio", " 2 calls that fio's logs have no action for (UNLINK 2)\n");
	HAS("replay.fio", " 1 calls that failed (READ 1)\n");
	HAS("replay.fio", " 1 reads and writes that moved nothing (READ 1)\n");
	HAS("replay.fio",
	    " 2 calls on what is no regular file or disk, on /proc and /sys (READ 2)\n");
	HAS("replay.fio", " 1 calls on files whose name is not known (READ 1)\n");
	HAS("replay.fio", " 1 reads and writes whose offset is not known (READ 1)\n");
	HAS("replay.fio", " 1 calls of threads that neither read nor wrote (FSYNC 1)\n");
}
END_TEST

/* Names are data: nothing in them leads out of the directory or becomes an option. */
START_TEST(names_are_numbers)
{
	static const char *const names[] = { "/../../etc/passwd",      "/a:b", "/with blank",
					     "/line\\nbreak",          "/c%d", "/dev/sda",
					     "/\xc3\xa4\xc3\xb6/\xff", "/d/",  "/" };
	unsigned n = sizeof(names) / sizeof(names[0]);
	char *line;

	begin();
	for (unsigned i = 0; i < n; i++)
		rows_add("READ,7,7,\"[x]\",\"%s\",10,O_RDONLY,0,1,10,3,%u,read,%u", names[i], i + 1,
			 1000 * i + 1000);
	rows_end();
	make();
	made("logs/0001.log");
	line = strchr(text, '\n') + 1;
	for (char *end; (end = strchr(line, '\n')); line = end + 1) {
		const char *name = strchr(line, ' ') + 1;

		ck_assert(!strncmp(name, "/into/0", 7));
		*end = '\0';
		ck_assert_uint_eq(strspn(name + 6, "0123456789abcdefghijklmnopqrstuvwxyz"
						   "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. "),
				  strlen(name + 6));
		ck_assert_ptr_null(strchr(name + 6, '/'));
	}
	ck_assert_uint_eq(reading.replay.n, n);
}
END_TEST

/* A read at 8 TiB: what is laid out is what is read. */
START_TEST(holes_stay_holes)
{
	begin();
	for (unsigned i = 0; i < 1000; i++)
		rows_add("READ,7,7,db,/big,4096,O_RDONLY,%llu,1,4096,3,11,pread64,%u",
			 (1ull << 43) - 4096 * 1000 + 4096 * i, 1000 * i + 1000);
	rows_add("READ,7,7,db,/big,1,O_RDONLY,0,1,1,3,11,pread64,2000000");
	rows_add("READ,7,7,db,/big,2,O_RDONLY,9223372036854775807,1,2,3,11,pread64,2000001");
	rows_end();
	make();
	ck_assert_uint_eq(reading.laid.bytes, 4096 * 1000 + 1);
	ck_assert_uint_eq(reading.replay.left[IOT_READ][FIO_NO_OFFSET], 1);
}
END_TEST

START_TEST(scattered_reads_take_bounded_room)
{
	begin();
	for (unsigned i = 0; i < 5000; i++)
		rows_add("READ,7,7,db,/f,10,O_RDONLY,%u,1,10,3,11,pread64,%u",
			 i * 7919 % 5000 * 100, 1000 * i + 1000);
	rows_end();
	make();
	ck_assert_uint_le(reading.replay.files.list[0].n_extents, FIO_MAX_EXTENTS);
	/* all that is read is there */
	ck_assert_uint_ge(reading.laid.bytes, 5000 * 10);
	ck_assert_uint_le(reading.laid.bytes, 5000 * 100);
}
END_TEST

enum { THREADS = 10000 };

/* A thread of process 7, busy for so long. */
static void threads(unsigned latency)
{
	begin();
	for (unsigned i = 0; i < THREADS; i++)
		rows_add("READ,7,%u,db,/f,10,O_RDONLY,0,%u,10,3,%u,read,%u", i + 10, latency, i + 1,
			 1000 * i + 1000);
	rows_end();
}

START_TEST(threads_one_after_the_other_are_one_job)
{
	threads(1);
	make();
	ck_assert_uint_eq(reading.fio.n_jobs, 1);
	ck_assert_uint_eq(reading.fio.jobs[0].n_threads, THREADS);
	ck_assert_uint_eq(reading.replay.n, THREADS);
}
END_TEST

START_TEST(more_threads_than_fio_takes_are_refused)
{
	threads(100000000);
	said_begin();
	ck_assert_int_eq(fio_reading_open(&reading, dir, &filter), -E2BIG);
	said_end();
	ck_assert_ptr_nonnull(strstr(said, "more than 4096 threads at once"));
}
END_TEST

/* Threads that read one after the other through one open file are one reader of it. */
START_TEST(threads_share_an_open_file)
{
	begin();
	for (unsigned i = 0; i < 100; i++)
		rows_add("READ,7,%u,node,/f,10,O_RDONLY,%u,1,10,3,11,read,%u", 10 + i % 4, 10 * i,
			 1000 * i + 1000);
	rows_end();
	make();
	ck_assert_ptr_null(strstr(made("replay.fio"), "job0002"));
	ck_assert_uint_eq(reading.replay.added_opens, 1);
	ck_assert_uint_eq(reading.replay.uses[0].shape->sequential[0], 100);
}
END_TEST

START_TEST(busy_threads_have_jobs_of_their_own)
{
	begin();
	for (unsigned i = 0; i < 100; i++)
		rows_add("READ,7,%u,db,/f,10,O_RDONLY,%u,1500,10,3,11,pread64,%u", 10 + i % 4,
			 10 * i, 1000 * i + 1000);
	rows_end();
	make();
	ck_assert_uint_eq(reading.fio.n_jobs, 4);
	ck_assert_uint_eq(reading.replay.added_opens, 4);
	ck_assert_uint_eq(reading.replay.n, 100);
}
END_TEST

/* Writes of processes that have a lock keep their order; what else they do at the same time does not matter. */
static void two_writers(unsigned latency)
{
	begin();
	rows_add("READ,7,7,db,/a,10,O_RDWR,0,1000000000,10,3,1,read,1000");
	rows_add("READ,8,8,db,/b,10,O_RDWR,0,1000000000,10,3,2,read,1000");
	for (unsigned i = 0; i < 10; i++) {
		rows_add("WRITE,%u,%u,db,/wal,100,O_RDWR,%u,%u,100,4,%u,pwrite64,%u", 7 + i % 2,
			 7 + i % 2, i / 4 * 100, latency, 3 + i % 2, 10000 * i + 10000);
		rows_add("FDATASYNC,%u,%u,db,/wal,0,O_RDWR,,1000,0,4,%u,fdatasync,%u", 7 + i % 2,
			 7 + i % 2, 3 + i % 2, 10000 * i + 15000);
	}
	rows_end();
	make();
	ck_assert_uint_eq(reading.fio.n_jobs, 2);
}

START_TEST(files_that_are_written_in_turn_have_one_job)
{
	two_writers(1000);
	ck_assert_uint_eq(n_lines("logs/0001.log", "000002-wal write ") +
				  n_lines("logs/0001.log", "000003-wal write "),
			  10);
	ck_assert_uint_eq(n_lines("logs/0002.log", "-wal"), 0);
	/* a descriptor of each, as before */
	ck_assert_uint_eq(n_lines("logs/0001.log", "/into//0"), 1 + 1 + 5 + 5);
}
END_TEST

START_TEST(files_that_are_written_at_once_have_a_job_for_each)
{
	two_writers(12000);
	ck_assert_uint_eq(n_lines("logs/0001.log", "-wal write "), 5);
	ck_assert_uint_eq(n_lines("logs/0002.log", "-wal write "), 5);
}
END_TEST

enum { FILES = 100000 };

START_TEST(many_files)
{
	begin();
	for (unsigned i = 0; i < FILES; i++)
		rows_add("READ,7,7,db,/d/%u,10,O_RDONLY,0,1,10,3,%u,read,%u", i, i + 1,
			 1000 * i + 1000);
	rows_end();
	make();
	ck_assert_uint_eq(reading.laid.files, FILES);
	/* fio looks through all files of a job for each line */
	ck_assert_int_eq(faccessat(plan.out_fd, "logs/layout-00200.log", F_OK, 0), 0);
	ck_assert_int_eq(faccessat(plan.out_fd, "logs/layout-00201.log", F_OK, 0), -1);
}
END_TEST

/* The jobs of profile.fio, which text then is. */
static void profile(void)
{
	struct fio_groups groups = { .n = 0 };
	size_t size;
	FILE *memory;

	make();
	ck_assert(fio_groups_make(&groups, &reading.replay));
	free(text);
	memory = open_memstream(&text, &size);
	fio_profile_put(memory, &groups, &plan);
	fclose(memory);
	fio_groups_free(&groups);
}

#define SAYS(line) ck_assert_msg(strstr(text, "\n" line "\n") != NULL, "%s", text)

START_TEST(a_profile_has_sizes_and_shares)
{
	begin();
	for (unsigned i = 0; i < 100; i++) {
		rows_add("READ,7,7,db,/f,4096,O_RDWR,%u,1000,4096,3,11,pread64,%u", 4096 * i,
			 100000 * i + 1000);
		if (i % 2)
			rows_add("WRITE,7,7,db,/f,8192,O_RDWR,%u,1000,8192,3,11,pwrite64,%u",
				 i * 7919 % 100 * 8192, 100000 * i + 5000);
		if (i % 10 == 9)
			rows_add("FSYNC,7,7,db,/f,0,O_RDWR,,1000,0,3,11,fsync,%u",
				 100000 * i + 9000);
	}
	rows_end();
	profile();
	ck_assert_ptr_null(strstr(strstr(text, "[profile0001]") + 1, "[profile"));
	SAYS("rw=randrw\nrwmixread=67");
	ck_assert_ptr_nonnull(strstr(text, "\npercentage_random=0,"));
	SAYS("bssplit=4096/100,8192/100");
	/* three times, before each of the three calls between two writes */
	SAYS("fsync=15");
	SAYS("number_ios=150");
	ck_assert_ptr_nonnull(strstr(text, "\nthinktime="));
}
END_TEST

START_TEST(syncs_of_directories_are_in_the_profile)
{
	begin();
	for (unsigned i = 0; i < 100; i++) {
		rows_add("WRITE,7,7,db,/f,4096,O_RDWR,%u,1000,4096,3,11,pwrite64,%u", 4096 * i,
			 100000 * i + 1000);
		if (i % 10 == 9) {
			rows_add("FSYNC,7,7,db,/f,0,O_RDWR,,1000,0,3,11,fsync,%u",
				 100000 * i + 5000);
			rows_add("FSYNC,7,7,db,/,0,O_RDONLY,,1000,0,4,12,fsync,%u",
				 100000 * i + 9000);
		}
	}
	rows_end();
	profile();
	SAYS("fsync=5");
	SAYS("numjobs=1");
	SAYS("nrfiles=1\nsize=409600\nnumber_ios=100\nio_size=819201");
}
END_TEST

/* Every other of 1,000 reads is in 4 of 40 zones, the rest all over the file. */
START_TEST(a_profile_is_as_uneven_as_the_trace)
{
	begin();
	for (unsigned i = 0; i < 1000; i++) {
		unsigned zone = i % 2 ? 20 + i / 2 % 4 : i / 2 * 7 % 40;

		rows_add("READ,7,7,db,/f,512,O_RDONLY,%u,1000,512,3,11,pread64,%u",
			 zone * 16384 + i * 512 % 16384, 100000 * i + 1000);
	}
	rows_end();
	profile();
	/* 500, and 4 of 40 of the other 500, of which 30 are sequential by chance */
	SAYS("random_distribution=zoned:54/10:5/10:5/10:5/10:5/10:5/10:5/10:5/10:5/10:6/10");
}
END_TEST

START_TEST(an_even_profile_has_no_zones)
{
	begin();
	for (unsigned i = 0; i < 1000; i++)
		rows_add("READ,7,7,db,/f,512,O_RDONLY,%u,1000,512,3,11,pread64,%u",
			 i * 7919 % 1000 * 4096, 100000 * i + 1000);
	rows_end();
	profile();
	ck_assert_ptr_null(strstr(text, "random_distribution"));
}
END_TEST

/* All in one place: no zone has a share of 0, which fio takes for one that is not given. */
START_TEST(zones_have_a_share)
{
	begin();
	for (unsigned i = 0; i < 1000; i++)
		rows_add("WRITE,7,7,db,/f,512,O_RDWR,%u,1000,512,3,11,pwrite64,%u",
			 i ? 4096 * (i % 2) : 1 << 30, 100000 * i + 1000);
	rows_end();
	profile();
	SAYS("random_distribution=zoned:99/10:1/90");
}
END_TEST

/* A table is written in few large requests, read in many small ones; a log has a line at a time. */
START_TEST(few_large_requests_have_a_job)
{
	begin();
	for (unsigned i = 0; i < 3; i++)
		rows_add("WRITE,7,7,db,/table,1048576,O_RDWR,%u,1000,1048576,3,11,write,%u",
			 i << 20, 1000 * i + 1000);
	for (unsigned i = 0; i < 1000; i++) {
		rows_add("READ,7,7,db,/table,4096,O_RDWR,%u,1000,4096,3,11,pread64,%u",
			 i % 700 * 4096, 10000 * i + 10000);
		rows_add("WRITE,7,7,db,/log,100,O_WRONLY,%u,1000,100,4,12,write,%u", i * 100,
			 10000 * i + 15000);
	}
	rows_end();
	profile();
	SAYS("rw=randread\npercentage_random=0,0\nbssplit=4096/100,4096/100");
	SAYS("rw=randwrite\npercentage_random=0,0\nbssplit=1048576/100,1048576/100");
	SAYS("rw=randwrite\npercentage_random=0,0\nbssplit=100/100,100/100");
	SAYS("number_ios=3");
}
END_TEST

START_TEST(seldom_sizes_are_put_together)
{
	begin();
	/* 85 of 100,000, and each of 1,000 to 15,000 once */
	for (unsigned i = 0; i < 100; i++)
		rows_add("READ,7,7,db,/f,1,O_RDONLY,0,1000,%u,3,11,pread64,%u",
			 i < 15 ? 1000 * (i + 1) : 100000, 1000 * i + 1000);
	rows_end();
	profile();
	SAYS("bssplit=2000/3:5000/3:8000/3:11000/3:14000/3:100000/85,2000/3:5000/3:8000/3:11000/3:14000/3:100000/85");
}
END_TEST

START_TEST(a_profile_is_made_larger)
{
	begin();
	for (unsigned i = 0; i < 100; i++)
		rows_add("WRITE,7,7,db,/f,4096,O_RDWR,%u,1000,4096,3,11,pwrite64,%u", 4096 * i,
			 100000 * i + 1000);
	rows_end();
	plan.jobs = 3;
	plan.scale = 4;
	profile();
	SAYS("numjobs=3");
	SAYS("nrfiles=1\nsize=1638400\nnumber_ios=400\nio_size=3276804");
}
END_TEST

START_TEST(a_check_says_what_is_apart)
{
	struct fio_sums before = { .shape = { .n = { 100, 0 },
					      .bytes = { 1000, 0 },
					      .busy_ns = 50 },
				   .span_ns = 1000 },
			after = before;
	unsigned apart = 9;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	after.shape.n[0] = after.shape.sequential[0] = 110;
	ck_assert_int_eq(fio_check_print(memory, &before, &after, &apart), 0);
	fclose(memory);
	/* 110 are within 10 %, and so is their size; none of 100 and all of 110 in sequence are not */
	ck_assert_uint_eq(apart, 1);
	ck_assert_ptr_nonnull(strstr(text, "no          sequential_reads"));
}
END_TEST

/* What fio_result_read() makes of a text. */
static int read_result(struct fio_result *result, const char *json)
{
	char path[400];
	FILE *file;
	int err;

	snprintf(path, sizeof(path), "%s/result.json", scratch);
	file = fopen(path, "w");
	fputs(json, file);
	fclose(file);
	fio_result_free(result);
	said_begin();
	err = fio_result_read(result, path);
	said_end();
	return err;
}

START_TEST(a_result_of_fio_is_read)
{
	struct fio_result r = { .n = 0 };

	ck_assert_int_eq(
		read_result(
			&r,
			"fio: a warning\n{\"global options\": {\"filename\": \"a:dir/b\"}, \"jobs\": ["
			"{\"jobname\": \"x\", \"job options\": {\"filename\": \"c\"}, \"read\": {\"clat_ns\": "
			"{\"N\": 5, \"max\": 9, \"percentile\": {\"50.000000\": 7, \"99.000000\": -1}}}},"
			"{\"jobname\": \"y\", \"sync\": {\"lat_ns\": {\"N\": 2}}}]}"),
		0);
	ck_assert_uint_eq(r.n, 2);
	ck_assert_uint_eq(r.jobs[0].told[0].n, 5);
	ck_assert_uint_eq(r.jobs[0].told[0].percentile[0], 7);
	ck_assert_uint_eq(r.jobs[0].told[0].percentile[2], 0);
	ck_assert_uint_eq(r.jobs[1].told[2].n, 2);
	ck_assert_int_eq(fio_result_job_of(&r, "/d/c", 4), 0);
	ck_assert_int_eq(fio_result_job_of(&r, "/d/dir/b", 8), 1);
	ck_assert_int_eq(fio_result_job_of(&r, "/d/b", 4), -1);
	ck_assert_int_eq(fio_result_job_of(&r, "/d/xa", 5), -1);
	/* names that fio makes */
	ck_assert_int_eq(read_result(&r,
				     "{\"jobs\": [{\"jobname\": \"x\"}, {\"jobname\": \"x\"}]}"),
			 0);
	ck_assert_int_eq(fio_result_job_of(&r, "/d/x.0.3", 8), 0);
	ck_assert_int_eq(fio_result_job_of(&r, "/d/x.1.0", 8), 1);
	ck_assert_int_eq(fio_result_job_of(&r, "/d/x.11.0", 9), -1);
	fio_result_free(&r);
}
END_TEST

START_TEST(other_files_are_no_result_of_fio)
{
	static const char *const texts[] = { "",
					     "x",
					     "{",
					     "{}",
					     "[]",
					     "{\"jobs\": 5}",
					     "{\"jobs\": [5]}",
					     "{\"jobs\": [{\"jobname\": 7}]}",
					     "{\"jobs\": []}" };
	struct fio_result r = { .n = 0 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ck_assert_int_eq(read_result(&r, texts[i]),
				 strchr(texts[i], '}') ? -EINVAL : -EBADMSG);
		ck_assert_ptr_nonnull(strstr(said, "result.json: "));
	}
	fio_result_free(&r);
}
END_TEST

START_TEST(nothing_to_repeat_is_an_error)
{
	begin();
	rows_add("OPEN,7,7,db,/f,0,O_RDONLY,,1000,3,3,11,openat,1000");
	rows_end();
	said_begin();
	ck_assert_int_eq(fio_reading_open(&reading, dir, &filter), -ENOENT);
	said_end();
	ck_assert_ptr_nonnull(strstr(said, "no reads, writes or syncs of files to repeat"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fio");
	TCase *tc = tcase_create("fio");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, calls_become_lines);
	tcase_add_test(tc, files_stay_in_memory);
	tcase_add_test(tc, format_2_waits_until_a_time);
	tcase_add_test(tc, open_files_are_told_apart);
	tcase_add_test(tc, jobs_have_one_way_each);
	tcase_add_test(tc, syncs_go_where_the_file_is_open);
	tcase_add_test(tc, what_is_left_out_is_counted);
	tcase_add_test(tc, names_are_numbers);
	tcase_add_test(tc, holes_stay_holes);
	tcase_add_test(tc, scattered_reads_take_bounded_room);
	tcase_add_test(tc, threads_one_after_the_other_are_one_job);
	tcase_add_test(tc, more_threads_than_fio_takes_are_refused);
	tcase_add_test(tc, threads_share_an_open_file);
	tcase_add_test(tc, busy_threads_have_jobs_of_their_own);
	tcase_add_test(tc, files_that_are_written_in_turn_have_one_job);
	tcase_add_test(tc, files_that_are_written_at_once_have_a_job_for_each);
	tcase_add_test(tc, many_files);
	tcase_add_test(tc, a_profile_has_sizes_and_shares);
	tcase_add_test(tc, syncs_of_directories_are_in_the_profile);
	tcase_add_test(tc, a_profile_is_as_uneven_as_the_trace);
	tcase_add_test(tc, an_even_profile_has_no_zones);
	tcase_add_test(tc, zones_have_a_share);
	tcase_add_test(tc, few_large_requests_have_a_job);
	tcase_add_test(tc, seldom_sizes_are_put_together);
	tcase_add_test(tc, a_profile_is_made_larger);
	tcase_add_test(tc, a_check_says_what_is_apart);
	tcase_add_test(tc, a_result_of_fio_is_read);
	tcase_add_test(tc, other_files_are_no_result_of_fio);
	tcase_add_test(tc, nothing_to_repeat_is_an_error);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
