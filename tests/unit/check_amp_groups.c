/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Amplification: whose rows are added up, by processes, files, control groups and devices, and who caused a request. */
#include "analysis/amp/amp.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/amp/amp_factors.h"
#include "fixture/fixture_amp.h"
#include "fixture/fixture_rows.h"
#include "fixture/session.h"

START_TEST(by_process_and_name)
{
	make_amp_rows();
	options.by = AMP_BY_PROCESS;
	amp_make();
	ck_assert_uint_eq(groups.n, 8);
	ck_assert_str_eq(groups.list[0]->name, "postgres");
	ck_assert_uint_eq(groups.list[0]->pid, 10);
	amp_done();
	groups.systems = &systems;
	options.by = AMP_BY_COMM;
	amp_make();
	for (uint64_t i = 0; i < groups.n; i++)
		if (!strcmp(groups.list[i]->name, "checkpointer"))
			ck_assert_uint_eq(groups.list[i]->sums.sides[AMP_SYS][AMP_WRITE].bytes,
					  4096);
	amp_done();
}
END_TEST

/* Whoever submits them: a flusher for who wrote, a journal for nobody. */
START_TEST(requests_belong_to_who_caused_them)
{
	rows_begin("fs", amp_fs_header);
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
	/* for a loop device */
	rows_add("7,kworker/1:1,write,65536,1.000000,,,loop,10,postgres,2007");
	rows_end();
	amp_make();
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
	amp_done();
}
END_TEST

START_TEST(by_file)
{
	rows_begin("fs", amp_fs_header);
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
	options.memory = (uint64_t)_i; /* all of it, or so little that each row is put aside */
	amp_make();
	ck_assert_int_eq(was_spilled, _i);
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
	amp_done();
}
END_TEST

START_TEST(files_that_do_not_fit_are_told_all_the_same)
{
	char *whole = NULL, *csv;

	rows_begin("fs", amp_fs_header);
	for (unsigned i = 0; i < 900; i++)
		rows_add("%s,10,a,/d/%u,100,%u,%u,read,%u", i % 2 ? "READ" : "WRITE",
			 i * 7919 % 300, i, 1000 + i % 77 * 1000, 1000 + i);
	rows_end();
	options.by = AMP_BY_FILE;
	options.interval_ns = _i ? 100 : 0;
	for (uint64_t memory = 0; memory < 2; memory++) {
		options.memory = memory;
		amp_make();
		ck_assert_int_eq(was_spilled, memory == 1);
		csv = amp_csv();
		amp_done();
		if (memory)
			ck_assert_str_eq(whole, csv);
		free(whole);
		whole = csv;
	}
	free(whole);
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
	rows_begin("fs", amp_fs_header);
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
	amp_make();
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
	amp_done();
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
	amp_make();
	amp_is("h,sda,,,,40.960000,0,1,,,0,1,0,100,,,0,4096,4096,0,0,,100,,,,1000000,2\n"
	       "h,0:37,,,,0.000000,0,1,,,0,0,0,10,,,0,0,0,0,0,,100,,,,,1\n"
	       "h,not known,,,0.000000,,1,0,,,0,0,7,0,,,0,0,0,0,0,100,,,,,,1\n");
	amp_done();
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
	amp_make();
	for (uint64_t i = 0; i < groups.n; i++) {
		const struct amp_side *blk = &groups.list[i]->sums.sides[AMP_BLK][AMP_WRITE];

		ck_assert_uint_eq(blk->count, 1);
		ck_assert_uint_eq(blk->bytes,
				  strcmp(groups.list[i]->name, "sda") != 0 ? 4096 : 5120);
	}
	ck_assert_uint_eq(groups.n, _i ? 1 : 2);
	amp_done();
}
END_TEST

START_TEST(bytes_of_other_hosts)
{
	make_amp_rows();
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
	amp_make();
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
	amp_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("amp_groups");
	TCase *tcase = tcase_create("rows");
	SRunner *runner;
	int n_failed;

	tcase_add_checked_fixture(tcase, fixture_amp_setup, fixture_amp_teardown);
	tcase_add_test(tcase, by_process_and_name);
	tcase_add_test(tcase, requests_belong_to_who_caused_them);
	tcase_add_loop_test(tcase, by_file, 0, 2);
	tcase_add_loop_test(tcase, files_that_do_not_fit_are_told_all_the_same, 0, 2);
	tcase_add_test(tcase, by_cgroup);
	tcase_add_test(tcase, by_device);
	tcase_add_loop_test(tcase, a_loop_device_counts_once, 0, 2);
	tcase_add_test(tcase, bytes_of_other_hosts);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
