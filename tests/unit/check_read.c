/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of every stream, written by its row function with what is hardest to
 * read back, and read by the schema's parser: each column has the value that
 * was written.
 */
#include "read/rows_file.h"

#include <check.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "events/cache.h"
#include "events/ds.h"
#include "events/exec.h"
#include "events/fs.h"
#include "events/lost.h"
#include "events/netfs.h"
#include "events/pagefault.h"
#include "fixture/fixture_read.h"
#include "row/path.h"
#include "snapshot/snap_rows.h"

/* ---- files ---- */

START_TEST(fs_rows)
{
	struct fs_row row = {
		.start = when,
		.operation = "MREMAP",
		.pid = UINT32_MAX,
		.tid = UINT32_MAX,
		.comm = hostile_comm,
		.path = hostile_text(),
		.size = BIG,
		.ino = BIG,
		.flags = { &flags_open, 0x80000000u },
		.offset = INT64_MAX,
		.mmap_prot = { &flags_mmap_prot, 3 },
		.mmap_flags = { &flags_mmap_map, 0x11 },
		.address = BIG - 1,
		.new_address = 0,
		.latency = BIG - 1,
		.ret = INT64_MIN,
		.dev = UINT32_MAX,
		.fd = INT32_MAX,
		.mntns = UINT32_MAX,
		.path_status = "fe",
		.ofd = UINT32_MAX,
		.call = "preadv2",
		.given = { "\"/b, \\x\"", 8, false }, /* no escape, whatever path_status says */
	};

	CHECK_ROW(fs, &row, TIMES, T(operation, "MREMAP"), N(pid, UINT32_MAX), N(tid, UINT32_MAX),
		  T(command, SHOWN_COMM), T(filename, HOSTILE), N(size, BIG), N(inode, BIG),
		  T(flags, "O_RDONLY|0x80000000"), N(offset, INT64_MAX),
		  T(mmap_prot, "PROT_READ|PROT_WRITE"), T(mmap_flags, "MAP_SHARED|MAP_FIXED"),
		  N2(address, BIG - 1, 0), N(latency_ns, BIG - 1), N(return_value, INT64_MIN),
		  N(device, UINT32_MAX), N(fd, INT32_MAX), N(mntns, UINT32_MAX),
		  T(path_status, "fe"), N(ofd, UINT32_MAX), T(call, "preadv2"),
		  T(given, "/b, \\x"));
	row.new_address = 0x7fff;
	row.ret = INT64_MAX;
	row.path = path_text("\\n\\x41", 6); /* no escapes, though they look like some */
	row.path_status = "f";
	row.offset = 0;
	CHECK_ROW(fs, &row, TIMES, T(operation, "MREMAP"), N(pid, UINT32_MAX), N(tid, UINT32_MAX),
		  T(command, SHOWN_COMM), T(filename, "\\n\\x41"), N(size, BIG), N(inode, BIG),
		  T(flags, "O_RDONLY|0x80000000"), N(offset, 0),
		  T(mmap_prot, "PROT_READ|PROT_WRITE"), T(mmap_flags, "MAP_SHARED|MAP_FIXED"),
		  N2(address, BIG - 1, 0x7fff), N(latency_ns, BIG - 1), N(return_value, INT64_MAX),
		  N(device, UINT32_MAX), N(fd, INT32_MAX), N(mntns, UINT32_MAX),
		  T(path_status, "f"), N(ofd, UINT32_MAX), T(call, "preadv2"), T(given, "/b, \\x"));
	row = (struct fs_row){
		.start = when,
		.operation = "READ",
		.comm = "",
		.path = no_text(),
		.offset = -1,
		.address = FORMAT_UNKNOWN,
		.new_address = FORMAT_UNKNOWN,
		.ino2 = 77, /* of the second of two files */
		.latency = FORMAT_UNKNOWN,
		.fd = -1,
		.path_status = "n",
		.call = "",
	};
	CHECK_ROW(fs, &row, TIMES, T(operation, "READ"), N(pid, 0), N(tid, 0), NO(command),
		  NO(filename), N(size, 0), NO(inode), NO(flags), NO(offset), NO(mmap_prot),
		  NO(mmap_flags), N(address, 77), NO(latency_ns), N(return_value, 0), NO(device),
		  NO(fd), NO(mntns), T(path_status, "n"), NO(ofd), NO(call), NO(given));
}
END_TEST

/* 4,095 bytes of any value but NUL, in two names of a pair. */
START_TEST(longest_names_of_any_bytes)
{
	static char raw[PATH_TEXT_MAX];
	struct path *a, *b, *pair;
	unsigned seed = 1;
	struct fs_row row = {
		.start = when, .operation = "RENAME", .comm = "mv", .offset = -1, .call = "rename"
	};

	for (int i = 0; i < 4095; i++)
		raw[i] = (char)(1 + rand_r(&seed) % 255);
	a = path_new(raw, 4095, PATH_FULL);
	b = path_new("/b", 2, PATH_FULL);
	pair = path_pair(a, b, false);
	row.path = (struct format_text){ .text = pair->csv, .len = pair->csv_len };
	row.path_status = path_letters(pair->flags);
	write_row_file(STREAM_fs, fs_row(line, &row));
	open_row_file(STREAM_fs, (const char *const[]){ "filename", NULL });
	ck_assert_msg(rows_file_next(&file) == ROWS_ROW, "%s", file.why);
	ck_assert_uint_eq(file.fields[0].len, pair->raw_len);
	ck_assert_uint_eq(pair->raw_len, 4095 + 4 + 2);
	ck_assert(!memcmp(file.fields[0].text, pair->raw, pair->raw_len));
	ck_assert(!memcmp(file.fields[0].text, raw, 4095));
	path_put(pair);
	path_put(a);
	path_put(b);
}
END_TEST

START_TEST(cache_rows)
{
	struct iot_cache rec = {
		.head = { .ts = when, .tgid = 1, .tid = UINT32_MAX, .comm = "kswapd0" },
		.ino = BIG,
		.cpu = UINT32_MAX,
		.count = UINT32_MAX,
	};
	struct cache_row row = { .rec = &rec,
				 .event = "HIT",
				 .path = hostile_text(),
				 .index = BIG - 1,
				 .offset = BIG - 1,
				 .size = 0,
				 .dev = 8 << 20 | 1 };

	CHECK_ROW(cache, &row, TIMES, N(pid, 1), T(command, "kswapd0"), T(event_type, "HIT"),
		  N(inode, BIG), N(index, BIG - 1), N(size, 0), N(cpu_id, rec.cpu),
		  N(dev_id, 8 << 20 | 1), N(count, rec.count), T(filename, SHOWN),
		  N(offset, BIG - 1), N(tid, UINT32_MAX), N(device, 8 << 20 | 1));
	rec = (struct iot_cache){ .head = { .ts = when } };
	row = (struct cache_row){ .rec = &rec,
				  .event = "RECLAIM",
				  .path = no_text(),
				  .index = FORMAT_UNKNOWN,
				  .offset = FORMAT_UNKNOWN,
				  .size = FORMAT_UNKNOWN };
	CHECK_ROW(cache, &row, TIMES, N(pid, 0), NO(command), T(event_type, "RECLAIM"), NO(inode),
		  NO(index), NO(size), N(cpu_id, 0), NO(dev_id), N(count, 0), NO(filename),
		  NO(offset), N(tid, 0), NO(device));
}
END_TEST

START_TEST(pagefault_rows)
{
	struct iot_fault rec = { .head = { .ts = 1, .tgid = 7, .tid = 8 }, .address = BIG };
	struct pagefault_row row = { .rec = &rec,
				     .start = when,
				     .type = "WRITE",
				     .severity = "MAJOR",
				     .path = hostile_text(),
				     .ino = BIG,
				     .index = 0,
				     .latency = BIG - 1,
				     .dev = UINT32_MAX,
				     .mapping = "SHARED",
				     .pages = BIG - 1,
				     .mntns = UINT32_MAX };

	memcpy(rec.head.comm, hostile_comm, sizeof(hostile_comm));
	CHECK_ROW(pagefault, &row, TIMES, N(pid, 7), N(tid, 8), T(command, SHOWN_COMM),
		  T(fault_type, "WRITE"), T(severity, "MAJOR"), N(inode, BIG), N(offset, 0),
		  N(address, BIG), N(dev_id, UINT32_MAX), T(filename, SHOWN),
		  N(latency_ns, BIG - 1), N(device, UINT32_MAX), T(mapping, "SHARED"),
		  N(pages, BIG - 1), N(mntns, UINT32_MAX));
}
END_TEST

START_TEST(netfs_rows)
{
	struct iot_netfs rec = { .head = { .ts = when, .tgid = 7, .tid = 8 },
				 .id = UINT32_MAX,
				 .queue = 1000,
				 .server = IOT_NETFS_UNKNOWN,
				 .total = 1234567 };
	static const unsigned char addr[4] = { 10, 0, 0, 1 };
	struct netfs_row row = { .rec = &rec,
				 .protocol = "nfs4",
				 .operation = "READ",
				 .server = { .family = AF_INET, .addr = addr },
				 .size = BIG - 1,
				 .offset = 0,
				 .sent = UINT32_MAX,
				 .received = FORMAT_UNKNOWN,
				 .sends = 2,
				 .ino = BIG,
				 .dev = UINT32_MAX,
				 .error = -5,
				 .path = hostile_text() };

	memcpy(rec.head.comm, hostile_comm, sizeof(hostile_comm));
	CHECK_ROW(netfs, &row, TIMES, N(pid, 7), T(command, SHOWN_COMM), T(protocol, "nfs4"),
		  T(operation, "READ"), T(server_addr, "10.0.0.1"), N(size, BIG - 1), N(offset, 0),
		  N(latency_ms, 1234567), N(queue_time_ms, 1000), NO(server_time_ms), N(tid, 8),
		  N(sent, UINT32_MAX), NO(received), N(sends, 2), T(error, "EIO"),
		  N(dev, UINT32_MAX), N(inode, BIG), T(filename, SHOWN), N(request_id, UINT32_MAX));
}
END_TEST

START_TEST(filesystem_snapshot_rows)
{
	struct filesystem_snapshot_row row = {
		.when = "2023-11-14 22:13:20",
		.path = hostile_text(),
		.size = BIG,
		.birth = "1970-01-01 00:00:01",
		.modified = "2000-02-29 23:59:59",
		.accessed = "9999-12-31 23:59:59",
		.changed = "",
		.path_status = "fe",
		.ino = BIG,
		.dev = 8 << 20,
		.type = "f",
		.mode = 07777,
		.nlink = UINT32_MAX,
		.uid = UINT32_MAX,
		.gid = 0,
		.mono_ns = when,
	};

	CHECK_ROW(filesystem_snapshot, &row, N(snapshot_timestamp, 1700000000000000),
		  T(path, HOSTILE), N(size, BIG), N(ctime, 1000000), N(mtime, 951868799000000),
		  N(atime, 253402300799000000), NO(change_time), N(inode, BIG), N(device, 8 << 20),
		  T(type, "f"), N(mode, 07777), N(nlink, UINT32_MAX), N(uid, UINT32_MAX), N(gid, 0),
		  T(path_status, "fe"), N(mono_ns, when));
}
END_TEST

/* ---- devices, processes, losses ---- */

START_TEST(ds_rows)
{
	struct iot_ds rec = {
		.head = { .ts = when, .tgid = 3, .tid = 4, .comm = "fio" },
		.nr_sector = UINT32_MAX,
		.cpu = UINT16_MAX,
		.op = IOT_REQ_OP_WRITE,
		.cmd_flags = 1,
		.cmd_rest = 0x80000000u,
		.id = BIG,
		.above = BIG - 1,
		.above_dev = 253 << 20 | 7,
	};
	struct ds_row row = {
		.rec = &rec,
		.sector = BIG - 1,
		.operation = "write",
		.flags = "preflush|fua",
		.error = "EIO",
		.owner = { .cause = "writeback",
			   .inode = BIG,
			   .writer = { .pid = UINT32_MAX, .comm = "a,b", .count = 3 } },
		.path = path_text("/a,\"b\"", 6),
		.cgroup = BIG,
		.uring_req = BIG,
		.issue_ns = BIG - 1,
		.queue_ns = 0,
		.ppid = UINT32_MAX,
		.dev = 259 << 20 | 70000
	};
	char flags[64], op[64];

	*put_flags(op, (struct flags){ &flags_req_op, rec.op }) = '\0';
	*put_word(put_flags(flags, (struct flags){ &flags_req, 1 }), "|0x80000000") = '\0';
	CHECK_ROW(ds, &row, TIMES, N(pid, 3), T(command, "fio"), N(sector, BIG - 1),
		  T(operation, "write"), N(size, (uint64_t)UINT32_MAX * 512),
		  N(latency_ms, BIG - 1), N(tid, 4), N(cpu_id, UINT16_MAX), N(ppid, UINT32_MAX),
		  N(dev, 259 << 20 | 70000), N(queue_time_ms, 0), T(cmd_flags, flags),
		  T(op_code, op), T(flags, "preflush|fua"), T(error, "EIO"), N(request_id, BIG),
		  T(cause, "writeback"), N(inode, BIG), T(filename, "/a,\"b\""),
		  N(owner_pid, UINT32_MAX), T(owner_command, "a,b"), N(owner_count, 3),
		  N(cgroup, BIG), N(uring_req, BIG), N(bio_id, BIG - 1), N(bio_dev, 253 << 20 | 7));
	rec = (struct iot_ds){ .head = { .ts = when } };
	row = (struct ds_row){ .rec = &rec,
			       .sector = BIG,
			       .operation = "flush",
			       .flags = "",
			       .error = "",
			       .owner = { .cause = "" },
			       .issue_ns = FORMAT_UNKNOWN,
			       .queue_ns = FORMAT_UNKNOWN };
	CHECK_ROW(ds, &row, TIMES, N(pid, 0), NO(command), NO(sector), T(operation, "flush"),
		  N(size, 0), NO(latency_ms), N(tid, 0), N(cpu_id, 0), NO(ppid), NO(dev),
		  NO(queue_time_ms), NO(cmd_flags), NO(op_code), NO(flags), NO(error),
		  NO(request_id), NO(cause), NO(inode), NO(filename), NO(owner_pid),
		  NO(owner_command), NO(owner_count), NO(cgroup), NO(uring_req), NO(bio_id),
		  NO(bio_dev));
}
END_TEST

START_TEST(exec_rows)
{
	struct iot_task rec = { .head = { .ts = when, .tid = 6, .comm = "sh" } };
	struct exec_row row = { .rec = &rec,
				.event = "EXEC",
				.pid = 6,
				.ppid = 1,
				.path = { .text = "/bin/sh", .len = 7 },
				.cmdline = hostile_text(),
				.container = { .text = "web", .len = 3 },
				.ret = -2 };

	CHECK_ROW(exec, &row, TIMES, T(event_type, "EXEC"), N(pid, 6), N(ppid, 1), N(tid, 6),
		  T(command, "sh"), T(filename, "/bin/sh"), T(cmdline, SHOWN), N(return_value, -2),
		  T(container, "web"));
	row.ret = FORMAT_NO_VALUE;
	row.cmdline = no_text();
	row.ppid = 0;
	row.container = no_text();
	CHECK_ROW(exec, &row, TIMES, T(event_type, "EXEC"), N(pid, 6), NO(ppid), N(tid, 6),
		  T(command, "sh"), T(filename, "/bin/sh"), NO(cmdline), NO(return_value),
		  NO(container));
}
END_TEST

START_TEST(lost_rows)
{
	struct lost_row row = { when, "state", "ring", BIG, -1, FORMAT_UNKNOWN, FORMAT_UNKNOWN };

	CHECK_ROW(lost, &row, TIMES, T(stream, "state"), NO(cpu), T(reason, "ring"), N(count, BIG),
		  NO(factor), NO(kept));
	row.cpu = 0;
	row.factor = 8;
	row.kept = 17;
	CHECK_ROW(lost, &row, TIMES, T(stream, "state"), N(cpu, 0), T(reason, "ring"),
		  N(count, BIG), N(factor, 8), N(kept, 17));
}
END_TEST

START_TEST(process_rows)
{
	struct process_row row = {
		.when = "2023-11-14 22:13:20.123456",
		.pid = 1,
		.name = "(a,\"b)",
		.cmdline = hostile_text(),
		.virtual_kb = BIG,
		.rss_kb = 0,
		.created = "2000-01-01 00:00:00",
		.cpu = { 12345, 0, -1 },
		.status = "sleeping",
		.ppid = 0,
		.uid = FORMAT_UNKNOWN,
		.threads = UINT32_MAX,
		.container_id = "",
		.cgroup = { .text = "/", .len = 1 },
		.container = { .text = "web", .len = 3 },
		.image = hostile_text(),
		.ns = { UINT32_MAX, 0, 1, 2, 3, 4, 5 },
		.mono_ns = when,
	};

	CHECK_ROW(process, &row, TIMES, N(pid, 1), T(name, "(a,\"b)"), T(cmdline, SHOWN),
		  N(virtual_mem_kb, BIG), N(rss_kb, 0), N(create_time, 946684800000000),
		  N(cpu_5s, 12345), N(cpu_2m, 0), NO(cpu_1h), T(status, "sleeping"), N(ppid, 0),
		  NO(uid), N(num_threads, UINT32_MAX), NO(container_id), T(cgroup, "/"),
		  N(mntns, UINT32_MAX), NO(pidns), N(netns, 1), N(userns, 2), N(utsns, 3),
		  N(ipcns, 4), N(cgroupns, 5), T(container, "web"), NO(pod), T(image, SHOWN));
}
END_TEST

static Suite *read_suite(void)
{
	Suite *suite = suite_create("read");
	TCase *tcase = tcase_create("streams");

	tcase_add_checked_fixture(tcase, fixture_read_setup, fixture_read_teardown);
	tcase_add_test(tcase, fs_rows);
	tcase_add_test(tcase, longest_names_of_any_bytes);
	tcase_add_test(tcase, cache_rows);
	tcase_add_test(tcase, pagefault_rows);
	tcase_add_test(tcase, netfs_rows);
	tcase_add_test(tcase, filesystem_snapshot_rows);
	tcase_add_test(tcase, ds_rows);
	tcase_add_test(tcase, exec_rows);
	tcase_add_test(tcase, lost_rows);
	tcase_add_test(tcase, process_rows);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(read_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
