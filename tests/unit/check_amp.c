/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Amplification: the factors of worked examples, who is which system, and from rows of a directory
 * to CSV, with what cannot be known left empty.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/amp_print.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/amp_read.h"
#include "fixture/fixture_rows.h"
#include "fixture/session.h"

/* ---- factors ---- */

static struct amp_group example(const uint64_t counts[6])
{
	struct amp_group group = { .vfs = true };

	for (unsigned i = 0; i < 6; i++)
		group.sums.sides[i / 2][i % 2].count = counts[i];
	return group;
}

START_TEST(factors_of_worked_examples)
{
	static const struct {
		uint64_t counts[6];
		double read, write;
	} examples[] = {
		{ { 45, 120, 67, 145, 89, 178 }, 3.47, 2.69 },
		{ { 23, 85, 78, 234, 95, 267 }, 7.52, 5.89 },
		{ { 156, 89, 234, 156, 267, 189 }, 3.21, 3.88 },
	};

	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		const struct amp_group group = example(examples[i].counts);
		uint64_t read, write;

		ck_assert(amp_by_count(&group, AMP_READ, &read));
		ck_assert(amp_by_count(&group, AMP_WRITE, &write));
		ck_assert_double_eq_tol((double)read / 1e6, examples[i].read, 0.005);
		ck_assert_double_eq_tol((double)write / 1e6, examples[i].write, 0.005);
	}
}
END_TEST

START_TEST(bytes_are_divided_apart)
{
	struct amp_group group = { .vfs = false };
	uint64_t ratio;

	group.sums.sides[AMP_SYS][AMP_WRITE].bytes = 1048576;
	group.sums.sides[AMP_BLK][AMP_WRITE].bytes = 8716288;
	ck_assert(amp_by_bytes(&group, AMP_WRITE, &ratio));
	ck_assert_uint_eq(ratio, 8312500);
	/* division by nothing, and what is not counted */
	ck_assert(!amp_by_bytes(&group, AMP_READ, &ratio));
	group.sums.sides[AMP_SYS][AMP_READ].count = 5;
	ck_assert(!amp_by_count(&group, AMP_READ, &ratio));
	ck_assert(amp_requests(&group, AMP_READ, &ratio));
	ck_assert_uint_eq(ratio, 0);
}
END_TEST

START_TEST(every_number_falls_in_a_band)
{
	ck_assert_str_eq(amp_band(0), "perfect");
	ck_assert_str_eq(amp_band(1000000), "perfect");
	ck_assert_str_eq(amp_band(1000001), "good");
	ck_assert_str_eq(amp_band(3000000), "good");
	ck_assert_str_eq(amp_band(3000001), "moderate");
	ck_assert_str_eq(amp_band(10000000), "moderate");
	ck_assert_str_eq(amp_band(10000001), "high");
	ck_assert_str_eq(amp_band(UINT64_MAX), "high");
}
END_TEST

/* ---- a directory ---- */

static struct files_filter filter;
static struct systems systems;
static struct amp_options options;
static struct amp_reading reading;
static struct amp_groups groups;

static void setup(void)
{
	static const char rules[] = "PostgreSQL postgres postmaster\nMinIO */minio\n";
	FILE *in = fmemopen((void *)(uintptr_t)rules, sizeof(rules) - 1, "r");

	fixture_rows_setup();
	ck_assert(in != NULL);
	ck_assert_int_eq(systems_parse(&systems, in, "rules"), 0);
	fclose(in);
	memset(&filter, 0, sizeof(filter));
	memset(&reading, 0, sizeof(reading));
	memset(&options, 0, sizeof(options));
	memset(&groups, 0, sizeof(groups));
	groups.systems = &systems;
}

static void teardown(void)
{
	systems_free(&systems);
	fixture_verify_teardown();
}

static const char fs_header[] =
	"operation,pid,command,filename,latency_ns,return_value,flags,call,mono_ns";
static const char ds_header[] = "pid,command,operation,size,latency_ms,flags,error,mono_ns";

static void make_rows(void)
{
	rows_begin("exec", "event_type,pid,ppid,command,filename,return_value,mono_ns");
	rows_add("EXEC,20,1,sh,/opt/minio/minio,0,50");
	rows_add("EXEC,30,1,sh,/bin/cat,0,50");
	rows_add("EXEC,30,1,sh,/opt/minio/minio,-2,60");
	/* two forks, one of the other; then the first one runs something else */
	rows_add("FORK,21,20,worker,,21,70");
	rows_add("FORK,22,21,worker,,22,80");
	rows_add("EXEC,21,20,worker,/bin/cat,0,90");
	rows_end();
	rows_begin("fs", fs_header);
	rows_add("WRITE,10,postgres,/db/wal,100,8192,,pwrite64,1000");
	rows_add("WRITE,10,postgres,/db/wal,300,100,,pwrite64,1100");
	rows_add("WRITE,10,postgres,/db/wal,300,-28,,pwrite64,1150");
	rows_add("FSYNC,10,postgres,/db/wal,5000,0,,fsync,1200");
	/* it has changed its title: a process keeps its system */
	rows_add("WRITE,10,checkpointer,/db/1,100,4096,,write,1300");
	rows_add("READ,20,worker,/data/part.1,50,1024,,read,1400");
	rows_add("READ,20,worker,/dev/null,50,0,,read,1401");
	rows_add("READ,20,worker,/dev/sdb,50,512,,read,1402");
	/* that of the kernel itself reaches a file system, and is no system call */
	rows_add("READ,20,worker,/data/part.1,50,2048,,,1403");
	rows_add("READ,22,w,/data/part.2,50,100,,read,1404");
	rows_add("READ,21,cat,/data/part.2,50,1000,,read,1405");
	rows_add("READ,30,cat,/home/post.txt,20,700,,read,1500");
	rows_add("SENDFILE,30,cat,/home/post.txt,20,300,,sendfile,1501");
	rows_add("COPY_FILE_RANGE,30,cat,/home/a -> /home/b,20,50,,copy_file_range,1502");
	rows_add("SPLICE,30,cat,/home/a,20,7,TO_FILE,splice,1503");
	rows_add("OPEN,30,cat,/home/a,20,3,O_RDONLY,openat,1504");
	rows_end();
	rows_begin("ds", ds_header);
	rows_add("10,postgres,write,16384,1.000000,sync,,2000");
	rows_add("10,postgres,write,4096,3.000000,sync|meta,EIO,2001");
	rows_add("10,postgres,flush,0,3.000000,preflush,,2002");
	rows_add("20,worker,read,8192,0.500000,ahead,,2003");
	rows_add("5,jbd2/sda1-8,write,12288,0.500000,sync,,2004");
	rows_add("0,,write,512,,,,2005");
	rows_end();
}

static void make(void)
{
	said_begin();
	groups.by = options.by;
	groups.interval_ns = options.interval_ns;
	ck_assert_int_eq(amp_reading_open(&reading, dir, &filter, &options), 0);
	said_end();
	snprintf(reading.host, sizeof(reading.host), "h");
	ck_assert_int_eq(amp_reading_add(&reading, &groups), 0);
	amp_groups_sort(&groups);
}

static void done(void)
{
	amp_groups_free(&groups);
	amp_reading_close(&reading);
}

/* As CSV, without the header; all but percentiles, the columns behind total_operations. */
static void is(const char *want)
{
	enum { N_EXACT = 28 };
	const struct amp_view view = { .seconds = 1 };
	char *out = NULL, *rows, *to;
	size_t len = 0;
	FILE *stream = open_memstream(&out, &len);
	unsigned column = 0;

	ck_assert(stream != NULL);
	ck_assert_int_eq(amp_print_exact(stream, &groups, &view, TABLE_CSV), 0);
	fclose(stream);
	rows = strchr(out, '\n');
	ck_assert(rows != NULL);
	to = ++rows;
	for (const char *at = rows; *at; at++) {
		column = *at == '\n' ? 0 : column + (*at == ',');
		if (column < N_EXACT)
			*to++ = *at;
	}
	*to = '\0';
	ck_assert_str_eq(rows, want);
	free(out);
}

START_TEST(rows_become_sums_of_systems)
{
	make_rows();
	make();
	/* the manifest that says which tier there was is missing: what reached file systems is not known */
	is("h,PostgreSQL,,,,1.653213,0,4,,,0,2,0,12388,,,0,20480,16384,4096,0,,200,,,,2000000,6\n"
	   "h,kernel,,,,,0,0,,,0,2,0,0,,,0,12800,512,0,12288,,,,,,500000,2\n"
	   "h,MinIO,,,5.007335,,3,0,,,1,0,1636,0,,,8192,0,0,0,0,50,,,,500000,,4\n"
	   "h,others,,,0.000000,0.000000,4,2,,,0,0,2050,57,,,0,0,0,0,0,27,20,,,,,6\n");
	ck_assert_uint_eq(reading.first_ns, 1000);
	ck_assert_uint_eq(reading.last_ns, 2005);
	done();
}
END_TEST

START_TEST(in_tier_a_file_systems_are_counted)
{
	make_rows();
	make();
	for (uint64_t i = 0; i < groups.n; i++)
		groups.list[i]->vfs = true;
	is("h,PostgreSQL,,1.500000,,1.653213,0,4,0,4,0,2,0,12388,0,12388,0,20480,16384,4096,0,,200,,200,,2000000,10\n"
	   "h,kernel,,,,,0,0,0,0,0,2,0,0,0,0,0,12800,512,0,12288,,,,,,500000,2\n"
	   "h,MinIO,1.666667,,5.007335,,3,0,4,0,1,0,1636,0,3684,0,8192,0,0,0,0,50,,50,,500000,,8\n"
	   "h,others,1.000000,1.000000,0.000000,0.000000,4,2,4,2,0,0,2050,57,2050,57,0,0,0,0,0,27,20,27,20,,,12\n");
	done();
}
END_TEST

START_TEST(by_process_and_name)
{
	make_rows();
	options.by = AMP_BY_PROCESS;
	make();
	ck_assert_uint_eq(groups.n, 8);
	ck_assert_str_eq(groups.list[0]->name, "postgres");
	ck_assert_uint_eq(groups.list[0]->pid, 10);
	done();
	groups.systems = &systems;
	options.by = AMP_BY_COMM;
	make();
	for (uint64_t i = 0; i < groups.n; i++)
		if (!strcmp(groups.list[i]->name, "checkpointer"))
			ck_assert_uint_eq(groups.list[i]->sums.sides[AMP_SYS][AMP_WRITE].bytes,
					  4096);
	done();
}
END_TEST

static const struct amp_group *group_called(const char *name)
{
	for (uint64_t i = 0; i < groups.n; i++)
		if (!strcmp(groups.list[i]->name, name))
			return groups.list[i];
	ck_abort_msg("no %s", name);
	return NULL;
}

START_TEST(percentiles_are_those_of_all_processes)
{
	const struct amp_group *group;
	uint64_t ns;

	make_rows();
	make();
	group = group_called("PostgreSQL");
	/* of 100, 300, 300, 100: a 32nd too high at most, and never above the highest */
	ck_assert(amp_percentile(group, AMP_SYS, AMP_WRITE, 500, &ns));
	ck_assert_uint_eq(ns, 101);
	ck_assert(amp_percentile(group, AMP_SYS, AMP_WRITE, 750, &ns));
	ck_assert_uint_eq(ns, 300);
	ck_assert(amp_percentile(group, AMP_BLK, AMP_WRITE, 990, &ns));
	ck_assert_uint_eq(ns, 3000000);
	ck_assert(!amp_percentile(group, AMP_SYS, AMP_READ, 500, &ns));
	ck_assert(!amp_percentile(group, AMP_VFS, AMP_WRITE, 500, &ns));
	done();
}
END_TEST

START_TEST(sets_of_times_are_those_of_all_of_them)
{
	static const unsigned kinds[] = { 0, 7, LATENCY_SET_KINDS - 1 };
	static struct latencies all[3], got;
	struct latency_set halves[2] = { { .n = 0 }, { .n = 0 } };
	uint64_t value = 88172645463325252ull;

	for (unsigned i = 0; i < 30000; i++) {
		uint64_t ns;

		value ^= value << 13;
		value ^= value >> 7;
		value ^= value << 17;
		ns = value >> (10 + value % 50);
		latencies_add(&all[i % 3], ns);
		ck_assert(latency_set_add(&halves[i / 15000], kinds[i % 3], ns));
	}
	ck_assert(latency_set_join(&halves[0], &halves[1]));
	for (unsigned k = 0; k < 3; k++) {
		latency_set_take(&halves[0], kinds[k], all[k].max, &got);
		got.sum = all[k].sum;
		ck_assert_int_eq(memcmp(&got, &all[k], sizeof(got)), 0);
	}
	latency_set_take(&halves[0], 3, 5, &got);
	ck_assert_uint_eq(got.n, 0);
	latency_set_free(&halves[0]);
	latency_set_free(&halves[1]);
}
END_TEST

START_TEST(a_row_for_each_interval)
{
	make_rows();
	options.interval_ns = 100;
	make();
	/* three of its calls: one from 1000 on, two from 1100 on, one from 1300 on */
	for (uint64_t i = 0, seen = 0; i < groups.n; i++) {
		const struct amp_group *group = groups.list[i];

		ck_assert_ptr_nonnull(group->time);
		if (strcmp(group->name, "PostgreSQL") != 0)
			continue;
		ck_assert_uint_eq(group->sums.sides[AMP_SYS][AMP_WRITE].count,
				  group->interval == 10 ? 1 :
				  group->interval == 11 ? 2 :
				  group->interval == 13 ? 1 :
							  0);
		seen += group->sums.sides[AMP_SYS][AMP_WRITE].count;
		ck_assert(i + 1 < groups.n || seen == 4);
	}
	done();
}
END_TEST

/* Whoever submits them: a flusher for who wrote, a journal for nobody. */
START_TEST(requests_belong_to_who_caused_them)
{
	rows_begin("fs", fs_header);
	rows_add("WRITE,10,postgres,/db/wal,100,8192,,pwrite64,1000");
	rows_add("WRITE,11,app,/app/wal,100,100,,write,1001");
	rows_end();
	rows_begin(
		"ds",
		"pid,command,operation,size,latency_ms,flags,error,cause,owner_pid,owner_command,mono_ns");
	rows_add("5,kworker/1:1,write,8192,1.000000,,,writeback,10,postgres,2000");
	rows_add("10,postgres,write,4096,1.000000,meta,,direct,10,postgres,2001");
	rows_add("5,kworker/1:1,write,512,1.000000,,,sync,11,app,2002");
	rows_add("11,app,write,1024,1.000000,sync|meta,,journal,11,app,2003");
	rows_add("11,app,write,2048,1.000000,,,metadata,11,app,2004");
	rows_add("7,jbd2/sda1-8,write,16384,1.000000,sync,,journal,,,2005");
	rows_add("7,kworker/1:1,write,32768,1.000000,sync,,,,,2006");
	rows_add(
		"7,kworker/1:1,write,65536,1.000000,,,loop,10,postgres,2007"); /* for a loop device */
	rows_end();
	make();
	for (uint64_t i = 0; i < groups.n; i++) {
		const struct amp_sums *sums = &groups.list[i]->sums;
		const char *name = groups.list[i]->name;
		uint64_t data = 32768, metadata = 0, journal = 16384; /* the kernel's own */

		if (!strcmp(name, "PostgreSQL")) {
			data = 12288;
			journal = 0;
		} else if (!strcmp(name, "others")) {
			data = 512;
			metadata = 2048;
			journal = 1024;
		}
		ck_assert_msg(sums->classes[AMP_DATA] == data, "%s", name);
		ck_assert_msg(sums->classes[AMP_METADATA] == metadata, "%s", name);
		ck_assert_msg(sums->classes[AMP_JOURNAL] == journal, "%s", name);
	}
	ck_assert_uint_eq(groups.n, 3);
	done();
}
END_TEST

START_TEST(by_file)
{
	rows_begin("fs", fs_header);
	rows_add("WRITE,10,a,/x,100,100,,write,1000");
	rows_add("WRITE,11,b,/x,100,50,,write,1001");
	rows_add("FSYNC,11,b,/x,100,0,,fsync,1001");
	rows_add("READ,10,a,/y,100,7,,read,1002");
	rows_add("COPY_FILE_RANGE,10,a,/y -> /x,20,30,,copy_file_range,1003");
	rows_end();
	rows_begin("ds",
		   "pid,command,operation,size,latency_ms,flags,error,cause,filename,mono_ns");
	rows_add("5,kworker/1:1,write,4096,1.000000,,,writeback,/x,2000");
	rows_add("10,a,read,8192,1.000000,,,read,/y,2001");
	rows_add("7,jbd2/sda1-8,write,512,1.000000,,,journal,,2002");
	rows_add("7,a,read,1024,1.000000,,,metadata,,2003");
	rows_add("7,a,write,2048,1.000000,,,,,2004");
	rows_end();
	options.by = AMP_BY_FILE;
	make();
	for (uint64_t i = 0; i < groups.n; i++) {
		const struct amp_sums *sums = &groups.list[i]->sums;
		const char *name = groups.list[i]->name;
		const struct amp_side *sys = sums->sides[AMP_SYS], *blk = sums->sides[AMP_BLK];
		bool x = !strcmp(name, "/x"), y = !strcmp(name, "/y");

		ck_assert_msg(sys[AMP_WRITE].bytes == (x ? 180 : 0), "%s", name);
		ck_assert_msg(sys[AMP_READ].bytes == (y ? 37 : 0), "%s", name);
		ck_assert_uint_eq(sums->syncs, x);
		ck_assert_uint_eq(blk[AMP_WRITE].bytes, x                            ? 4096 :
							!strcmp(name, "(journal)")   ? 512 :
							!strcmp(name, "(not known)") ? 2048 :
										       0);
		ck_assert_uint_eq(blk[AMP_READ].bytes, y                           ? 8192 :
						       !strcmp(name, "(metadata)") ? 1024 :
										     0);
	}
	ck_assert_uint_eq(groups.n, 5);
	done();
}
END_TEST

/* Snapshots tell it; of one that lived between them its parent's is. */
START_TEST(by_cgroup)
{
	rows_begin("process", "pid,cgroup,mono_ns");
	rows_add("10,/a.slice,500");
	rows_add("11,/b.slice,500");
	rows_add("11,/moved.slice,3000");
	rows_add("14,/late.slice,9000");
	rows_end();
	rows_begin("exec", "event_type,pid,ppid,command,filename,return_value,mono_ns");
	rows_add("FORK,12,10,a,,12,600");
	rows_add("FORK,13,12,a,,13,700");
	rows_add("EXEC,13,12,a,/bin/x,0,710");
	rows_end();
	rows_begin("fs", fs_header);
	rows_add("WRITE,10,a,/x,100,100,,write,1000");
	rows_add("WRITE,11,b,/x,100,50,,write,1001");
	rows_add("WRITE,11,b,/x,100,5,,write,4001");
	rows_add("WRITE,13,c,/x,100,7,,write,1002");
	rows_add("WRITE,14,d,/x,100,1,,write,1003");
	rows_add("WRITE,99,e,/x,100,3,,write,1004");
	rows_end();
	rows_begin(
		"ds",
		"pid,command,operation,size,latency_ms,flags,error,cause,owner_pid,owner_command,mono_ns");
	rows_add("5,kworker/1:1,write,4096,1.000000,,,writeback,13,c,2000");
	rows_end();
	options.by = AMP_BY_CGROUP;
	make();
	for (uint64_t i = 0; i < groups.n; i++) {
		const struct amp_sums *sums = &groups.list[i]->sums;
		const char *name = groups.list[i]->name;
		uint64_t want = !strcmp(name, "/a.slice")     ? 107 :
				!strcmp(name, "/b.slice")     ? 50 :
				!strcmp(name, "/moved.slice") ? 5 :
				!strcmp(name, "/late.slice")  ? 1 :
				!strcmp(name, "(not known)")  ? 3 :
								0;

		ck_assert_msg(sums->sides[AMP_SYS][AMP_WRITE].bytes == want, "%s", name);
		ck_assert_uint_eq(sums->sides[AMP_BLK][AMP_WRITE].bytes, want == 107 ? 4096 : 0);
	}
	ck_assert_uint_eq(groups.n, 5);
	done();
}
END_TEST

/* Counters in place of rows: sums without percentiles; beside both of fs and ds, these tell more. */
START_TEST(of_counters)
{
	uint64_t ns;

	session_write(
		dir, "manifest.json",
		"{\"format\": \"iotracer\", \"schema_version\": 1, \"plan\": ["
		"{\"stream\": \"layers\", \"operation\": \"READ\", \"path\": \"\", \"tier\": \"a\"},"
		"{\"stream\": \"layers\", \"operation\": \"WRITE\", \"path\": \"\", \"tier\": \"a\"}]}");
	rows_begin("layers",
		   "pid,command,layer,operation,class,count,bytes,errors,latency_ns,mono_ns");
	rows_add("10,a,SYSCALL,READ,,45,4500,1,900,1000");
	rows_add("10,a,SYSCALL,WRITE,,67,6700,0,670,1000");
	rows_add("10,a,VFS,READ,,120,4500,1,900,1000");
	rows_add("10,a,VFS,WRITE,,145,6700,0,670,1000");
	rows_add("10,a,BLOCK,READ,data,36,36000,0,3600,1000");
	rows_add("10,a,SYSCALL,SYNC,,2,0,0,10,1000");
	rows_add("10,a,BLOCK,WRITE,data,10,1000,0,100,1000");
	rows_add("10,a,BLOCK,WRITE,journal,20,2000,0,100,2000");
	rows_add("10,a,BLOCK,WRITE,metadata,4,400,0,100,2000");
	rows_add("10,a,BLOCK,WRITE,swap,1,40,0,100,2000");
	rows_add("10,a,BLOCK,WRITE,loop,7,70000,0,100,2000"); /* counted by a loop device */
	rows_add("10,a,BLOCK,READ,loop,7,70000,0,100,2000");
	rows_end();
	make();
	ck_assert(reading.counted);
	ck_assert_uint_eq(groups.n, 1);
	ck_assert_uint_eq(groups.list[0]->sums.syncs, 2);
	ck_assert_uint_eq(groups.list[0]->sums.sides[AMP_SYS][AMP_READ].errors, 1);
	ck_assert_uint_eq(groups.list[0]->sums.classes[AMP_DATA], 1040);
	ck_assert_uint_eq(groups.list[0]->sums.classes[AMP_METADATA], 400);
	ck_assert_uint_eq(groups.list[0]->sums.classes[AMP_JOURNAL], 2000);
	ck_assert(!amp_percentile(groups.list[0], AMP_SYS, AMP_READ, 500, &ns));
	is("h,others,3.466667,2.686567,8.000000,0.513433,45,67,120,145,36,35,4500,6700,4500,6700,"
	   "36000,3440,1040,400,2000,20,10,7,4,100,11,448\n");
	done();
}
END_TEST

START_TEST(by_device)
{
	session_write(dir, "manifest.json",
		      "{\"format\": \"iotracer\", \"schema_version\": 1, \"devices\": ["
		      "{\"name\": \"sda\", \"device\": \"8:0\", \"disk\": \"8:0\"},"
		      "{\"name\": \"sda2\", \"device\": \"8:2\", \"disk\": \"8:0\"}]}");
	rows_begin(
		"fs",
		"operation,pid,command,filename,latency_ns,return_value,flags,call,device,mono_ns");
	rows_add("WRITE,10,a,/x,100,100,,write,8:2,1000");
	rows_add("WRITE,10,a,/tmp/x,100,10,,write,0:37,1001");
	rows_add("READ,10,a,/y,100,7,,read,,1002");
	rows_end();
	rows_begin("ds", "pid,command,operation,size,latency_ms,flags,error,dev,mono_ns");
	rows_add("5,kworker/1:1,write,4096,1.000000,,,8:0,2000");
	rows_end();
	options.by = AMP_BY_DEVICE;
	make();
	is("h,sda,,,,40.960000,0,1,,,0,1,0,100,,,0,4096,4096,0,0,,100,,,,1000000,2\n"
	   "h,0:37,,,,0.000000,0,1,,,0,0,0,10,,,0,0,0,0,0,,100,,,,,1\n"
	   "h,not known,,,0.000000,,1,0,,,0,0,7,0,,,0,0,0,0,0,100,,,,,,1\n");
	done();
}
END_TEST

/* What its disk does for it counts for the disk, and in no other table. */
START_TEST(a_loop_device_counts_once)
{
	options.by = _i ? AMP_BY_HOST : AMP_BY_DEVICE;
	session_write(dir, "manifest.json",
		      "{\"format\": \"iotracer\", \"schema_version\": 1, \"devices\": ["
		      "{\"name\": \"sda\", \"device\": \"8:0\", \"disk\": \"8:0\"},"
		      "{\"name\": \"loop0\", \"device\": \"7:0\", \"disk\": \"7:0\"}]}");
	rows_begin(
		"fs",
		"operation,pid,command,filename,latency_ns,return_value,flags,call,device,mono_ns");
	rows_add("WRITE,10,a,/x,100,4096,,write,7:0,1000");
	rows_end();
	rows_begin("ds", "pid,command,operation,size,latency_ms,flags,error,cause,dev,mono_ns");
	rows_add("10,a,write,4096,1.000000,,,sync,7:0,2000");
	rows_add("5,kworker/1:1,write,5120,1.000000,,,loop,8:0,2001");
	rows_end();
	make();
	for (uint64_t i = 0; i < groups.n; i++) {
		const struct amp_side *blk = &groups.list[i]->sums.sides[AMP_BLK][AMP_WRITE];

		ck_assert_uint_eq(blk->count, 1);
		ck_assert_uint_eq(blk->bytes,
				  strcmp(groups.list[i]->name, "sda") != 0 ? 4096 : 5120);
	}
	ck_assert_uint_eq(groups.n, _i ? 1 : 2);
	done();
}
END_TEST

START_TEST(bytes_of_other_hosts)
{
	make_rows();
	rows_begin("nw", "pid,command,source_addr,dest_addr,size,direction,mono_ns");
	rows_add("10,postgres,10.0.0.1,10.0.0.2,100,receive,1000");
	rows_add("10,postgres,10.0.0.1,10.0.0.3,130,send,1001");
	rows_add("10,checkpointer,fe80::1,fe80::2,120,send,1002");
	/* the host itself, and what nobody knows */
	rows_add("10,postgres,10.0.0.1,10.0.0.1,1000,send,1003");
	rows_add("10,postgres,127.0.0.1,127.0.0.2,1000,send,1004");
	rows_add("10,postgres,::1,::1,1000,send,1005");
	rows_add("10,postgres,::ffff:127.0.0.1,::ffff:127.0.0.9,1000,receive,1006");
	rows_add("10,postgres,,,1000,send,1007");
	rows_add("40,sshd,10.0.0.1,10.0.0.2,7,send,1008");
	rows_end();
	options.net = true;
	make();
	for (uint64_t i = 0; i < groups.n; i++) {
		const struct amp_group *group = groups.list[i];
		bool postgres = !strcmp(group->name, "PostgreSQL");
		uint64_t ratio = 0;

		ck_assert_uint_eq(group->sums.net[AMP_READ], postgres ? 100 : 0);
		ck_assert_uint_eq(group->sums.net[AMP_WRITE], postgres                       ? 250 :
							      !strcmp(group->name, "others") ? 7 :
											       0);
		ck_assert(amp_by_net(group, &ratio) == postgres);
		ck_assert_uint_eq(ratio, postgres ? 2500000 : 0);
	}
	done();
}
END_TEST

START_TEST(rows_are_chosen_by_process_and_time)
{
	make_rows();
	filter.pids[0] = 10;
	filter.n_pids = 1;
	snprintf(filter.commands[0], sizeof(filter.commands[0]), "checkpointer");
	filter.n_commands = 1;
	make();
	/* nothing but its name tells what it is, now that the others are left out */
	is("h,others,,,,0.000000,0,1,,,0,0,0,4096,,,0,0,0,0,0,,100,,,,,1\n");
	done();
}
END_TEST

START_TEST(without_streams_there_is_no_answer)
{
	rows_begin("exec", "event_type,pid,ppid,command,filename,return_value,mono_ns");
	rows_end();
	said_begin();
	ck_assert_int_eq(amp_reading_open(&reading, dir, &filter, &options), -ENOENT);
	said_end();
	ck_assert_ptr_nonnull(strstr(said, "neither fs and ds nor layers was recorded"));
	done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("amp");
	TCase *tcase = tcase_create("factors");
	SRunner *runner;
	int n_failed;

	tcase_add_test(tcase, factors_of_worked_examples);
	tcase_add_test(tcase, bytes_are_divided_apart);
	tcase_add_test(tcase, every_number_falls_in_a_band);
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("rows");
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, rows_become_sums_of_systems);
	tcase_add_test(tcase, in_tier_a_file_systems_are_counted);
	tcase_add_test(tcase, by_process_and_name);
	tcase_add_test(tcase, percentiles_are_those_of_all_processes);
	tcase_add_test(tcase, sets_of_times_are_those_of_all_of_them);
	tcase_add_test(tcase, a_row_for_each_interval);
	tcase_add_test(tcase, requests_belong_to_who_caused_them);
	tcase_add_test(tcase, by_file);
	tcase_add_test(tcase, by_cgroup);
	tcase_add_test(tcase, of_counters);
	tcase_add_test(tcase, by_device);
	tcase_add_loop_test(tcase, a_loop_device_counts_once, 0, 2);
	tcase_add_test(tcase, bytes_of_other_hosts);
	tcase_add_test(tcase, rows_are_chosen_by_process_and_time);
	tcase_add_test(tcase, without_streams_there_is_no_answer);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
