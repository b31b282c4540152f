/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows: the exact line of every stream, with everything known, with nothing
 * known and at the edges of every number; and the kernel's rwbs letters.
 */
#include "events/bio.h"
#include "events/cache.h"
#include "events/ds.h"
#include "events/exec.h"
#include "events/fs.h"
#include "events/iouring.h"
#include "events/lost.h"
#include "events/nw.h"
#include "events/nw_conn.h"
#include "events/nw_drop.h"
#include "events/nw_epoll.h"
#include "events/nw_sockopt.h"
#include "events/pagefault.h"
#include "events/nw_ends.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fixture/fixture_csv.h"
#include "row/flags_net.h"
#include "row/flags_calls.h"
#include "row/flags_uring.h"
#include "row/schema.h"

static char line[ROW_MAX];
static char expected[4096];
static uint64_t when; /* the monotonic time of 2023-11-14 22:13:20.123456789 */

static void setup(void)
{
	setenv("TZ", "UTC0", 1);
	tzset();
	when = 1700000000123456789ULL - format_real_ns(0);
	memset(line, '!', sizeof(line));
}

#define WHEN "2023-11-14 22:13:20.123456"

/* The line is the text, ends with one LF, and has as many fields as the header. */
static void expect(enum stream_id stream, size_t len, const char *text)
{
	struct csv_row row;

	snprintf(expected, sizeof(expected), "%s,%llu\n", text, (unsigned long long)when);
	ck_assert_int_eq(line[len], '!');
	line[len] = '\0';
	ck_assert_str_eq(line, expected);
	csv_parse(&row, line, len);
	ck_assert_int_eq(row.n, (int)streams[stream].n_columns);
	csv_free(&row);
}

static struct format_text text(const char *t)
{
	return (struct format_text){ .text = t, .len = strlen(t) };
}

/* ---- fs ---- */

/* clang-format off */
#define OPEN_FLAGS(bits) { &flags_open, bits }
/* clang-format on */

START_TEST(fs_row_of_a_write)
{
	struct fs_row row = {
		.start = when,
		.operation = "WRITE",
		.pid = 100,
		.tid = 101,
		.comm = "dd",
		.path = text("/tmp/F"),
		.size = 4096,
		.ino = 12,
		.flags = OPEN_FLAGS(0x8001),
		.offset = 0,
		.address = FORMAT_UNKNOWN,
		.new_address = FORMAT_UNKNOWN,
		.latency = 1500,
		.ret = 4096,
		.dev = 8 << 20 | 1,
		.fd = 1,
		.mntns = 4026531840u,
		.path_status = "f",
		.ofd = 4294967295u,
		.call = "pwrite64",
		.given = text("../F"),
	};

	expect(STREAM_fs, fs_row(line, &row),
	       WHEN ",WRITE,100,dd,/tmp/F,4096,12,O_WRONLY|O_LARGEFILE,0,101,,,,1500,4096,8:1,1,"
		    "4026531840,f,4294967295,pwrite64,../F");
}
END_TEST

START_TEST(fs_row_of_which_nothing_is_known)
{
	struct fs_row row = {
		.start = when,
		.operation = "READ",
		.comm = "",
		.path = { .text = "" },
		.address = FORMAT_UNKNOWN,
		.new_address = FORMAT_UNKNOWN,
		.offset = -1,
		.latency = FORMAT_UNKNOWN,
		.fd = -1,
		.path_status = "n",
		.call = "",
	};

	expect(STREAM_fs, fs_row(line, &row), WHEN ",READ,0,,,0,,,,0,,,,,0,,,,n,,,");
}
END_TEST

static const struct {
	uint32_t flags;
	const char *word, *field;
} attributes[] = {
	{ 0, "user.a", "user.a" },
	{ 1, "user.a", "XATTR_CREATE|user.a" },
	{ 1, "", "XATTR_CREATE" },
	{ 0, "\"user.a,\"\"\"", "\"user.a,\"\"\"" },
	{ 2, "\"user.a,\"\"\"", "\"XATTR_REPLACE|user.a,\"\"\"" },
};

START_TEST(fs_row_of_an_attribute)
{
	struct fs_row row = {
		.start = when,
		.operation = "SETXATTR",
		.comm = "x",
		.path = text("/f"),
		.flags = { &flags_xattr, attributes[_i].flags },
		.word = text(attributes[_i].word),
		.address = FORMAT_UNKNOWN,
		.new_address = FORMAT_UNKNOWN,
		.offset = -1,
		.fd = -1,
		.path_status = "f",
		.call = "",
	};
	char all[200];

	snprintf(all, sizeof(all), WHEN ",SETXATTR,0,x,/f,0,,%s,,0,,,,0,0,,,,f,,,",
		 attributes[_i].field);
	expect(STREAM_fs, fs_row(line, &row), all);
}
END_TEST

START_TEST(fs_row_of_a_failed_open)
{
	struct fs_row row = {
		.start = when,
		.operation = "OPEN",
		.pid = 1,
		.tid = 1,
		.comm = "a,b",
		.path = text("\"/x,\"\"y\""),
		.flags = OPEN_FLAGS(0),
		.offset = -1,
		.latency = 0,
		.ret = -2,
		.address = FORMAT_UNKNOWN,
		.new_address = FORMAT_UNKNOWN,
		.fd = -1,
		.path_status = "f",
		.call = "",
	};

	expect(STREAM_fs, fs_row(line, &row),
	       WHEN ",OPEN,1,\"a,b\",\"/x,\"\"y\",0,,O_RDONLY,,1,,,,0,-2,,,,f,,,");
}
END_TEST

START_TEST(fs_row_of_extreme_values)
{
	struct fs_row row = {
		.start = when,
		.operation = "FDATASYNC",
		.pid = UINT32_MAX,
		.tid = UINT32_MAX,
		.comm = "0123456789abcde",
		.path = text("/"),
		.size = UINT64_MAX,
		.ino = UINT64_MAX,
		.flags = OPEN_FLAGS(0x80000000u),
		.address = FORMAT_UNKNOWN,
		.new_address = 1, /* of nothing */
		.offset = INT64_MAX,
		.latency = UINT64_MAX - 1,
		.ret = INT64_MIN,
		.dev = UINT32_MAX,
		.fd = INT32_MAX,
		.mntns = UINT32_MAX,
		.path_status = "frtmden",
		.call = "",
	};

	expect(STREAM_fs, fs_row(line, &row),
	       WHEN
	       ",FDATASYNC,4294967295,0123456789abcde,/,18446744073709551615,"
	       "18446744073709551615,O_RDONLY|0x80000000,9223372036854775807,4294967295,,,,"
	       "18446744073709551614,-9223372036854775808,4095:1048575,2147483647,4294967295,frtmden,,,");
}
END_TEST

static struct fs_row memory_row(const char *operation)
{
	return (struct fs_row){
		.start = when,
		.operation = operation,
		.pid = 1,
		.tid = 1,
		.comm = "x",
		.path = text("/f"),
		.size = 4096,
		.ino = 5,
		.offset = -1,
		.address = FORMAT_UNKNOWN,
		.new_address = FORMAT_UNKNOWN,
		.latency = 1,
		.dev = 8 << 20,
		.fd = -1,
		.path_status = "f",
		.call = "",
	};
}

START_TEST(fs_row_of_a_mapping)
{
	struct fs_row row = memory_row("MMAP");

	row.offset = 0;
	row.mmap_prot = (struct flags){ &flags_mmap_prot, 3 };
	row.mmap_flags = (struct flags){ &flags_mmap_map, 0x11 };
	row.address = 0x7f0000001000;
	row.ret = 0x7f0000001000;
	row.fd = 3;
	expect(STREAM_fs, fs_row(line, &row),
	       WHEN ",MMAP,1,x,/f,4096,5,,0,1,PROT_READ|PROT_WRITE,MAP_SHARED|MAP_FIXED,"
		    "0x7f0000001000,1,139637976731648,8:0,3,,f,,,");
}
END_TEST

START_TEST(fs_row_of_a_mapping_that_moved)
{
	struct fs_row row = memory_row("MREMAP");

	row.flags = (struct flags){ &flags_mremap, 1 };
	row.address = 0x1000;
	row.new_address = 0x2000;
	expect(STREAM_fs, fs_row(line, &row),
	       WHEN ",MREMAP,1,x,/f,4096,5,MREMAP_MAYMOVE,,1,,,0x1000 -> 0x2000,1,0,8:0,,,f,,,");
	memset(line, '!', sizeof(line));
	row.new_address = FORMAT_UNKNOWN;
	row.ret = -12;
	expect(STREAM_fs, fs_row(line, &row),
	       WHEN ",MREMAP,1,x,/f,4096,5,MREMAP_MAYMOVE,,1,,,0x1000,1,-12,8:0,,,f,,,");
}
END_TEST

START_TEST(address_zero_is_an_address)
{
	struct fs_row row = memory_row("MUNMAP");

	row.address = 0;
	expect(STREAM_fs, fs_row(line, &row),
	       WHEN ",MUNMAP,1,x,/f,4096,5,,,1,,,0x0,1,0,8:0,,,f,,,");
}
END_TEST

static const struct {
	const char *csv, *field;
} directories[] = {
	{ "/d", "/d/" },
	{ "/", "/" },
	{ "", "" },
	{ "\"/a,b\"", "\"/a,b/\"" },
	{ "\"/a\"\"\"", "\"/a\"\"/\"" },
};

START_TEST(directories_end_in_one_slash)
{
	struct fs_row row = memory_row("MKDIR");
	char all[200];

	row.path = text(directories[_i].csv);
	row.path.directory = true;
	snprintf(all, sizeof(all), WHEN ",MKDIR,1,x,%s,4096,5,,,1,,,,1,0,8:0,,,f,,,",
		 directories[_i].field);
	expect(STREAM_fs, fs_row(line, &row), all);
}
END_TEST

START_TEST(row_of_the_longest_path_fits)
{
	/* path.c: both of two as tokens; and as they were given, 4,096 bytes each */
	static char path[9 * 12288 + 4], given[9 * 2 * 4096 + 4];
	struct fs_row row = { .start = when,
			      .operation = "OPEN",
			      .comm = "x",
			      .path = { path, sizeof(path), true },
			      .flags = OPEN_FLAGS(UINT32_MAX),
			      .mmap_prot = { &flags_mmap_prot, UINT32_MAX },
			      .mmap_flags = { &flags_mmap_map, UINT32_MAX },
			      .path_status = "f",
			      .call = "",
			      .given = { given, sizeof(given), false } };
	size_t len;

	memset(given, 'x', sizeof(given));
	memset(path, 'x', sizeof(path));
	len = fs_row(line, &row);
	ck_assert_uint_gt(len, sizeof(path));
	ck_assert_uint_lt(len, ROW_MAX);
}
END_TEST

/* ---- ds ---- */

START_TEST(ds_row_of_a_write)
{
	struct iot_ds rec = {
		.head = { .ts = when, .tgid = 100, .tid = 101, .comm = "dd" },
		.sector = 2048,
		.id = 7,
		.nr_sector = 8,
		.cpu = 3,
	};
	struct ds_row row = { .rec = &rec,
			      .uring_req = 0xffff888100000100,
			      .owner = { .cause = "" },
			      .sector = 2048,
			      .operation = "write",
			      .flags = "sync|meta",
			      .error = "",
			      .issue_ns = 1234567,
			      .queue_ns = 1,
			      .ppid = 99,
			      .dev = 8 << 20 };

	expect(STREAM_ds, ds_row(line, &row),
	       WHEN
	       ",100,dd,2048,write,4096,1.234567,101,3,99,8:0,0.000001,,,sync|meta,,7,,,,,,,,0xffff888100000100,,");
}
END_TEST

/* What became of a bio of a device above, and that bio itself */
START_TEST(rows_of_a_bio_and_its_part)
{
	struct iot_ds rec = {
		.head = { .ts = when, .tgid = 100, .tid = 101, .comm = "dd" },
		.id = 9,
		.above = 7,
		.above_dev = 253 << 20 | 1,
		.nr_sector = 8,
		.cpu = 3,
	};
	struct bio_row row = { .of = { .rec = &rec,
				       .owner = { .cause = "direct" },
				       .sector = 2048,
				       .operation = "write",
				       .flags = "sync",
				       .error = "",
				       .issue_ns = 1234567,
				       .queue_ns = 1000,
				       .ppid = 99,
				       .dev = 9 << 20 } };

	expect(STREAM_ds, ds_row(line, &row.of),
	       WHEN
	       ",100,dd,2048,write,4096,1.234567,101,3,99,9:0,0.001000,,,sync,,9,direct,,,,,,,,7,253:1");
	memset(line, '!', sizeof(line));
	expect(STREAM_bio, bio_row(line, &row),
	       WHEN
	       ",100,dd,2048,write,4096,1.234567,101,3,99,9:0,0.001000,sync,,9,7,253:1,direct,,,,,,");
}
END_TEST

START_TEST(ds_row_of_which_little_is_known)
{
	struct iot_ds rec = { .head = { .ts = when }, .sector = UINT64_MAX };
	struct ds_row row = { .rec = &rec,
			      .owner = { .cause = "" },
			      .sector = UINT64_MAX,
			      .operation = "flush",
			      .flags = "",
			      .error = "EIO",
			      .issue_ns = FORMAT_UNKNOWN,
			      .queue_ns = FORMAT_UNKNOWN };

	expect(STREAM_ds, ds_row(line, &row), WHEN ",0,,,flush,0,,0,0,,,,,,,EIO,,,,,,,,,,,");
}
END_TEST

START_TEST(ds_row_beyond_two_terabytes)
{
	struct iot_ds rec = {
		.head = { .ts = when, .comm = "x" },
		.sector = 1ULL << 40,
		.nr_sector = UINT32_MAX,
		.id = UINT64_MAX,
		.cpu = UINT16_MAX,
	};
	struct ds_row row = { .rec = &rec,
			      .owner = { .cause = "" },
			      .sector = 1ULL << 40,
			      .operation = "discard",
			      .flags = "",
			      .error = "ERRNO(4000)",
			      .issue_ns = 0,
			      .queue_ns = 0,
			      .ppid = 1,
			      .dev = 259 << 20 | 70000 };

	expect(STREAM_ds, ds_row(line, &row),
	       WHEN
	       ",0,x,1099511627776,discard,2199023255040,0.000000,0,65535,1,259:70000,0.000000,"
	       ",,,ERRNO(4000),18446744073709551615,,,,,,,,,,");
}
END_TEST

static const struct {
	u32 flags, rest;
	u16 op;
	const char *cells;
} commands[] = {
	{ 0, 0, 0, "," },
	{ 1, 2, 0, "," }, /* not known is not known */
	{ 0, 0, IOT_REQ_OP_READ, "NO_FLAGS,REQ_OP_READ" },
	{ 1 << IOT_REQ_SYNC | 1 << IOT_REQ_META, 0, IOT_REQ_OP_WRITE,
	  "REQ_SYNC|REQ_META,REQ_OP_WRITE" },
	{ 1 << IOT_REQ_NOUNMAP | 1 << IOT_REQ_FAILFAST_DEV, 0, IOT_REQ_OP_WRITE_ZEROES,
	  "REQ_FAILFAST_DEV|REQ_NOUNMAP,REQ_OP_WRITE_ZEROES" },
	{ 0, 0x40000000, IOT_REQ_OP_DRV_OUT, "0x40000000,REQ_OP_DRV_OUT" },
	{ 1 << IOT_REQ_FUA, 0x80000000, IOT_REQ_OP_ZONE_RESET_ALL,
	  "REQ_FUA|0x80000000,REQ_OP_ZONE_RESET_ALL" },
	{ 0, 0, 4, "NO_FLAGS,REQ_OP(4)" },
	{ 0, 0, 255, "NO_FLAGS,REQ_OP(255)" },
	{ UINT32_MAX, UINT32_MAX, UINT16_MAX, NULL },
};

START_TEST(command_of_a_request)
{
	struct iot_ds rec = { .head = { .ts = when },
			      .cmd_flags = commands[_i].flags,
			      .cmd_rest = commands[_i].rest,
			      .op = commands[_i].op };
	struct ds_row row = { .rec = &rec,
			      .owner = { .cause = "" },
			      .sector = UINT64_MAX,
			      .operation = "none",
			      .flags = "",
			      .error = "",
			      .issue_ns = FORMAT_UNKNOWN,
			      .queue_ns = FORMAT_UNKNOWN };
	size_t len = ds_row(line, &row);
	char all[200];

	if (!commands[_i].cells) {
		ck_assert_uint_lt(len, FORMAT_FIELD_MAX * 2);
		return;
	}
	snprintf(all, sizeof(all), WHEN ",0,,,none,0,,0,0,,,,%s,,,,,,,,,,,,,", commands[_i].cells);
	expect(STREAM_ds, len, all);
}
END_TEST

/* The operation itself says what rwbs could not; a command of a driver stays none. */
static const struct {
	const char rwbs[IOT_RWBS + 1];
	u16 op;
	const char *operation;
} corrections[] = {
	{ "NS", IOT_REQ_OP_WRITE_ZEROES, "write_zeroes" },
	{ "N", IOT_REQ_OP_ZONE_RESET, "zone_reset" },
	{ "WS", IOT_REQ_OP_WRITE_SAME, "write_same" },
	{ "N", IOT_REQ_OP_DRV_IN, "none" },
	{ "N", IOT_REQ_OP_SCSI_OUT, "none" },
	{ "N", 4, "none" },
	{ "R", IOT_REQ_OP_END, "read" },
	{ "W", UINT16_MAX, "write" },
};

START_TEST(operation_of_a_request_is_corrected)
{
	ck_assert_str_eq(ds_operation(corrections[_i].rwbs, corrections[_i].op),
			 corrections[_i].operation);
}
END_TEST

START_TEST(first_zone_begins_at_sector_zero)
{
	struct iot_ds rec = { .sector = UINT64_MAX };

	ck_assert_uint_eq(ds_sector(&rec, "zone_open"), 0);
	ck_assert_uint_eq(ds_sector(&rec, "zone_reset_all"), UINT64_MAX);
	ck_assert_uint_eq(ds_sector(&rec, "flush"), UINT64_MAX);
	ck_assert_uint_eq(ds_sector(&rec, "none"), UINT64_MAX);
	rec.sector = 8192;
	ck_assert_uint_eq(ds_sector(&rec, "zone_open"), 8192);
}
END_TEST

/* Old kernels tell a negative errno, 5.16 and later a blk_status_t. */
START_TEST(error_of_a_request_is_an_errno_name)
{
	static const struct {
		int error;
		const char *name;
	} errors[] = {
		{ 0, "" },
		{ -5, "EIO" },
		{ -28, "ENOSPC" },
		{ -52, "EBADE" },
		{ -524, "ENOTSUPP" },
		{ -4000, "ERRNO(4000)" },
		{ 1, "EOPNOTSUPP" },
		{ 2, "ETIMEDOUT" },
		{ 3, "ENOSPC" },
		{ 4, "ENOLINK" },
		{ 5, "EREMOTEIO" },
		{ 6, "EBADE" },
		{ 7, "ENODATA" },
		{ 8, "EILSEQ" },
		{ 9, "ENOMEM" },
		{ 10, "EIO" },
		{ 12, "EAGAIN" },
		{ 200, "BLK_STS(200)" },
		{ INT32_MAX, "BLK_STS(2147483647)" },
		{ INT32_MIN, "ERRNO(2147483648)" },
	};

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		ck_assert_str_eq(ds_error(errors[i].error), errors[i].name);
}
END_TEST

/* ---- exec, lost ---- */

START_TEST(exec_rows)
{
	struct iot_task rec = { .head = { .ts = when, .tid = 6, .comm = "sh" } };
	struct exec_row row = { .rec = &rec,
				.event = "EXEC",
				.pid = 5,
				.ppid = 4,
				.path = text("/bin/ls"),
				.cmdline = text("\"ls -l a,b\""),
				.container = text("shop/web-0/app"),
				.ret = -2 };

	expect(STREAM_exec, exec_row(line, &row),
	       WHEN ",EXEC,5,4,6,sh,/bin/ls,\"ls -l a,b\",-2,shop/web-0/app");
	memset(line, '!', sizeof(line));
	row = (struct exec_row){ .rec = &rec, .event = "EXIT", .pid = 5, .ret = FORMAT_NO_VALUE };
	expect(STREAM_exec, exec_row(line, &row), WHEN ",EXIT,5,,6,sh,,,,");
	memset(line, '!', sizeof(line));
	row.ret = 0;
	expect(STREAM_exec, exec_row(line, &row), WHEN ",EXIT,5,,6,sh,,,0,");
}
END_TEST

START_TEST(lost_rows)
{
	struct lost_row row = {
		.when = when,
		.stream = "fs",
		.reason = "ring",
		.count = 17,
		.cpu = 0,
		.factor = FORMAT_UNKNOWN,
		.kept = FORMAT_UNKNOWN,
	};

	expect(STREAM_lost, lost_row(line, &row), WHEN ",fs,0,ring,17,,");
	memset(line, '!', sizeof(line));
	row.cpu = -1;
	row.count = UINT64_MAX;
	expect(STREAM_lost, lost_row(line, &row), WHEN ",fs,,ring,18446744073709551615,,");
	memset(line, '!', sizeof(line));
	row.factor = 64;
	row.kept = 0;
	expect(STREAM_lost, lost_row(line, &row), WHEN ",fs,,ring,18446744073709551615,64,0");
}
END_TEST

/* ---- cache, pagefault ---- */

START_TEST(cache_row_of_which_all_is_known)
{
	struct iot_cache rec = {
		.head = { .ts = when, .tgid = 100, .tid = 101, .comm = "kworker/u8:2" },
		.ino = 12,
		.count = 16,
		.cpu = 3,
	};
	struct cache_row row = { .rec = &rec,
				 .event = "WRITEBACK_START",
				 .path = text("/tmp/F"),
				 .index = 256,
				 .offset = 1048576,
				 .size = 1024,
				 .dev = 8 << 20 | 2 };

	expect(STREAM_cache, cache_row(line, &row),
	       WHEN
	       ",100,kworker/u8:2,WRITEBACK_START,12,256,1024,3,8388610,16,/tmp/F,1048576,101,8:2");
}
END_TEST

START_TEST(cache_row_of_which_little_is_known)
{
	struct iot_cache rec = { .head = { .ts = when, .comm = "kswapd0" }, .count = 32 };
	struct cache_row row = { .rec = &rec,
				 .event = "RECLAIM",
				 .path = text(""),
				 .index = FORMAT_UNKNOWN,
				 .offset = FORMAT_UNKNOWN,
				 .size = FORMAT_UNKNOWN };

	expect(STREAM_cache, cache_row(line, &row), WHEN ",0,kswapd0,RECLAIM,,,,0,,32,,,0,");
	memset(line, '!', sizeof(line));
	row.index = row.offset = row.size = 0; /* the first page of an empty file */
	expect(STREAM_cache, cache_row(line, &row), WHEN ",0,kswapd0,RECLAIM,,0,0,0,,32,,0,0,");
}
END_TEST

START_TEST(cache_row_of_extreme_values)
{
	struct iot_cache rec = {
		.head = { .ts = when, .tgid = UINT32_MAX, .tid = UINT32_MAX, .comm = "a,\"b\"" },
		.ino = UINT64_MAX,
		.count = UINT64_MAX,
		.cpu = UINT32_MAX,
	};
	struct cache_row row = { .rec = &rec,
				 .event = "HIT",
				 .path = text("\"/a,\"\"b\"\"\""),
				 .index = UINT64_MAX - 1,
				 .offset = UINT64_MAX - 1,
				 .size = UINT64_MAX - 1,
				 .dev = UINT32_MAX };

	expect(STREAM_cache, cache_row(line, &row),
	       WHEN ",4294967295,\"a,\"\"b\"\"\",HIT,18446744073709551615,18446744073709551614,"
		    "18446744073709551614,4294967295,4294967295,18446744073709551615,"
		    "\"/a,\"\"b\"\"\",18446744073709551614,4294967295,4095:1048575");
}
END_TEST

START_TEST(pagefault_row_of_which_all_is_known)
{
	struct iot_fault rec = {
		.head = { .ts = when + 1500, .tgid = 100, .tid = 101, .comm = "ld" },
		.address = 0x7f0012345678,
	};
	struct pagefault_row row = { .rec = &rec,
				     .start = when,
				     .type = "READ",
				     .severity = "MAJOR",
				     .path = text("/lib/x.so"),
				     .ino = 12,
				     .index = 7,
				     .latency = 1500,
				     .dev = 259 << 20 | 3,
				     .mapping = "PRIVATE",
				     .pages = 16,
				     .mntns = 4026531840 };

	expect(STREAM_pagefault, pagefault_row(line, &row),
	       WHEN
	       ",100,101,ld,READ,MAJOR,12,7,0x7f0012345678,271581187,/lib/x.so,1500,259:3,PRIVATE,16,4026531840");
}
END_TEST

START_TEST(pagefault_row_of_which_little_is_known)
{
	struct iot_fault rec = { .head = { .ts = when } };
	struct pagefault_row row = { .rec = &rec,
				     .start = when,
				     .type = "WRITE",
				     .severity = "",
				     .path = text(""),
				     .index = FORMAT_UNKNOWN,
				     .latency = FORMAT_UNKNOWN,
				     .mapping = "",
				     .pages = FORMAT_UNKNOWN };

	expect(STREAM_pagefault, pagefault_row(line, &row), WHEN ",0,0,,WRITE,,,,0x0,,,,,,,");
	memset(line, '!', sizeof(line));
	row.index = row.latency = row.pages = 0;
	expect(STREAM_pagefault, pagefault_row(line, &row), WHEN ",0,0,,WRITE,,,0,0x0,,,0,,,0,");
}
END_TEST

START_TEST(pagefault_row_of_extreme_values)
{
	struct iot_fault rec = {
		.head = { .ts = 1,
			  .tgid = UINT32_MAX,
			  .tid = UINT32_MAX,
			  .comm = "0123456789abcde" },
		.address = UINT64_MAX,
	};
	struct pagefault_row row = { .rec = &rec,
				     .start = when,
				     .type = "WRITE",
				     .severity = "MINOR",
				     .path = text("\"/a\nb\""),
				     .ino = UINT64_MAX,
				     .index = UINT64_MAX - 1,
				     .latency = UINT64_MAX - 1,
				     .dev = UINT32_MAX,
				     .mapping = "PRIVATE",
				     .pages = UINT64_MAX - 1,
				     .mntns = UINT32_MAX };

	expect(STREAM_pagefault, pagefault_row(line, &row),
	       WHEN ",4294967295,4294967295,0123456789abcde,WRITE,MINOR,18446744073709551615,"
		    "18446744073709551614,0xffffffffffffffff,4294967295,\"/a\nb\","
		    "18446744073709551614,4095:1048575,PRIVATE,18446744073709551614,4294967295");
}
END_TEST

/* ---- network ---- */

static const unsigned char v4[16] = { 10, 0, 0, 1 };
static const unsigned char v6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 };

/* clang-format off */
#define IP4(port_) { .addr = v4, .family = 2, .port = port_ }
#define IP6(port_) { .addr = v6, .family = 10, .port = port_ }
/* clang-format on */

START_TEST(nw_rows)
{
	struct iot_net rec = {
		.head = { .ts = when, .tgid = 100, .tid = 101, .comm = "curl" },
		.size = 4096,
		.latency = 700,
		.ret = 100,
	};
	struct nw_row row = {
		.rec = &rec,
		.start = when,
		.protocol = { &flags_ip_proto, 6 },
		.version = 4,
		.local = IP4(1000),
		.remote = IP4(80),
		.direction = "send",
		.msg_flags = { &flags_msg, 0x4040 },
	};

	expect(STREAM_nw, nw_row(line, &row),
	       WHEN
	       ",100,curl,TCP,4,10.0.0.1,10.0.0.1,1000,80,100,send,700,,MSG_DONTWAIT|MSG_NOSIGNAL,101,4096,100");
	memset(line, '!', sizeof(line));
	rec = (struct iot_net){ .head = { .ts = when }, .ret = -32 };
	row = (struct nw_row){ .rec = &rec, .start = when, .direction = "receive" };
	expect(STREAM_nw, nw_row(line, &row), WHEN ",0,,,,,,0,0,0,receive,0,EPIPE,,0,0,-32");
	memset(line, '!', sizeof(line));
	rec = (struct iot_net){
		.head = { .tgid = UINT32_MAX, .tid = UINT32_MAX, .comm = "a,\"b" },
		.size = UINT64_MAX,
		.latency = UINT64_MAX,
		.ret = INT64_MAX,
	};
	row.version = 6;
	row.local = row.remote = (struct end)IP6(65535);
	row.protocol = (struct flags){ &flags_ip_proto, 65535 };
	row.msg_flags = (struct flags){ &flags_msg, 0x80000000u };
	expect(STREAM_nw, nw_row(line, &row),
	       WHEN
	       ",4294967295,\"a,\"\"b\",PROTO(65535),6,2001:db8::1,2001:db8::1,65535,65535,9223372036854775807,"
	       "receive,18446744073709551615,,0x80000000,4294967295,18446744073709551615,9223372036854775807");
}
END_TEST

START_TEST(nw_conn_rows)
{
	struct iot_conn rec = {
		.head = { .ts = when, .tgid = 100, .tid = 101, .comm = "nginx" },
		.latency = 700,
		.fd = 5,
	};
	struct nw_conn_row row = {
		.rec = &rec,
		.start = when,
		.event = "LISTEN",
		.domain = { &flags_af, 10 },
		.type = { &flags_sock_type, 3 },
		.version = 6,
		.local = IP6(80),
		.local_port = 80,
		.remote_port = FORMAT_UNKNOWN,
		.backlog = 511,
		.protocol = { &flags_ip_proto, 6 },
	};

	expect(STREAM_nw_conn, nw_conn_row(line, &row),
	       WHEN ",LISTEN,100,101,nginx,AF_INET6,SOCK_RAW,6,2001:db8::1,,80,,5,511,,700,0,TCP");
	memset(line, '!', sizeof(line));
	rec.fd = -1;
	rec.ret = INT64_MIN;
	row = (struct nw_conn_row){
		.rec = &rec,
		.start = when,
		.event = "SHUTDOWN",
		.local_port = FORMAT_UNKNOWN,
		.remote_port = FORMAT_UNKNOWN,
		.backlog = FORMAT_NO_VALUE,
		.how = { &flags_shutdown, 2 },
	};
	expect(STREAM_nw_conn, nw_conn_row(line, &row),
	       WHEN ",SHUTDOWN,100,101,nginx,,,,,,,,,,SHUT_RDWR,700,-9223372036854775808,");
	memset(line, '!', sizeof(line));
	rec.ret = -2;
	rec.fd = 0;
	row = (struct nw_conn_row){
		.rec = &rec,
		.start = when,
		.event = "CONNECT",
		.domain = { &flags_af, 1 },
		.remote.name = text("\"/run/a,b\""),
		.local_port = FORMAT_UNKNOWN,
		.remote_port = FORMAT_UNKNOWN,
		.backlog = FORMAT_NO_VALUE,
	};
	expect(STREAM_nw_conn, nw_conn_row(line, &row),
	       WHEN ",CONNECT,100,101,nginx,AF_UNIX,,,,\"/run/a,b\",,,0,,,700,-2,");
}
END_TEST

START_TEST(nw_epoll_rows)
{
	struct iot_poll rec = {
		.head = { .ts = when, .tgid = 100, .tid = 101, .comm = "nginx" },
		.latency = 1500700,
		.fd = 5,
		.target = -1,
		.timeout = 1500000,
	};
	struct nw_epoll_row row = {
		.rec = &rec,
		.start = when,
		.event = "EPOLL_WAIT",
		.max_events = 64,
		.nfds = FORMAT_UNKNOWN,
	};

	expect(STREAM_nw_epoll, nw_epoll_row(line, &row),
	       WHEN ",EPOLL_WAIT,100,101,nginx,5,,,,64,0,1.500000,1500700,,0");
	memset(line, '!', sizeof(line));
	rec.target = 6;
	rec.timeout = IOT_POLL_NO_TIMEOUT;
	row = (struct nw_epoll_row){
		.rec = &rec,
		.start = when,
		.event = "EPOLL_CTL",
		.op = { &flags_epoll_op, 1 },
		.mask = { &flags_epoll, 0x80000001u },
		.nfds = FORMAT_UNKNOWN,
	};
	expect(STREAM_nw_epoll, nw_epoll_row(line, &row),
	       WHEN ",EPOLL_CTL,100,101,nginx,5,6,EPOLL_CTL_ADD,EPOLLIN|EPOLLET,,0,,1500700,,0");
	memset(line, '!', sizeof(line));
	rec.fd = rec.target = -1;
	rec.timeout = IOT_POLL_FOREVER;
	rec.ret = -4;
	row = (struct nw_epoll_row){ .rec = &rec, .start = when, .event = "POLL", .ready = -4 };
	expect(STREAM_nw_epoll, nw_epoll_row(line, &row),
	       WHEN ",POLL,100,101,nginx,,,,,,-4,-1,1500700,0,-4");
}
END_TEST

START_TEST(nw_sockopt_rows)
{
	struct iot_opt rec = {
		.head = { .ts = when, .tgid = 100, .tid = 101, .comm = "nginx" },
		.latency = 700,
		.fd = 5,
		.level = 1,
		.name = 13,
		.len = 8,
		.known = 8,
	};
	struct nw_sockopt_row row = {
		.rec = &rec,
		.start = when,
		.event = "SET",
		.level = "SOL_SOCKET",
		.name = "SO_LINGER",
		.value = 1,
	};

	memcpy(rec.value, (int[]){ 1, 30 }, 8);
	expect(STREAM_nw_sockopt, nw_sockopt_row(line, &row),
	       WHEN ",SET,100,nginx,5,SOL_SOCKET,SO_LINGER,1,0,101,8,\"1,30\",700");
	memset(line, '!', sizeof(line));
	rec.fd = -1;
	rec.known = 0;
	rec.len = UINT32_MAX;
	rec.ret = -9;
	row.event = "GET";
	row.name = "\"OPT(1,13)\"";
	row.value = FORMAT_NO_VALUE;
	expect(STREAM_nw_sockopt, nw_sockopt_row(line, &row),
	       WHEN ",GET,100,nginx,-1,SOL_SOCKET,\"OPT(1,13)\",,-9,101,4294967295,,700");
}
END_TEST

START_TEST(nw_drop_rows)
{
	struct iot_drop rec = {
		.head = { .ts = when, .tgid = 100, .comm = "swapper/0" },
		.reason = 2,
	};
	struct nw_drop_row row = {
		.rec = &rec,
		.event = "TCP_RETRANSMIT",
		.protocol = { &flags_ip_proto, 6 },
		.version = 6,
		.local = IP6(1000),
		.remote = IP6(80),
		.local_port = 1000,
		.remote_port = 80,
		.size = 1500,
		.state = { &flags_tcp_state, 1 },
		.reason = "",
		.place = "",
	};

	expect(STREAM_nw_drop, nw_drop_row(line, &row),
	       WHEN
	       ",TCP_RETRANSMIT,100,swapper/0,TCP,6,2001:db8::1,2001:db8::1,1000,80,1500,2,ESTABLISHED,,");
	memset(line, '!', sizeof(line));
	rec = (struct iot_drop){ .head = { .ts = when } };
	row = (struct nw_drop_row){
		.rec = &rec,
		.event = "PACKET_DROP",
		.local_port = FORMAT_UNKNOWN,
		.remote_port = FORMAT_UNKNOWN,
		.size = FORMAT_UNKNOWN,
		.reason = "NO_SOCKET",
		.place = "f+0x1",
	};
	expect(STREAM_nw_drop, nw_drop_row(line, &row),
	       WHEN ",PACKET_DROP,0,,,,,,,,,0,,NO_SOCKET,f+0x1");
}
END_TEST

/* ---- iouring ---- */

START_TEST(iouring_rows)
{
	struct iot_ring rec = {
		.head = { .ts = when, .tgid = 100, .tid = 101, .comm = "fio" },
		.ring = 0xffff888100000000,
		.req = 0xffff888100000100,
		.fd = 5,
		.cpu = 3,
		.worker = 7,
	};
	struct iouring_row row = {
		.rec = &rec,
		.start = when,
		.event = "COMPLETE",
		.opcode = { &flags_uring_op, 22 },
		.flags = { &flags_uring_sqe, 4 },
		.path = text("/data"),
		.user_data = 0,
		.offset = 0,
		.length = 4096,
		.latency = 2500,
		.result = 4096,
		.ino = 12,
		.buffer = 0,
		.sq_fill = 1,
		.cq_fill = 2,
		.cq_taken = 0,
	};

	expect(STREAM_iouring, iouring_row(line, &row),
	       WHEN
	       ",COMPLETE,100,101,fio,3,0xffff888100000000,0xffff888100000100,0,READ,5,0,4096,4096,2500,"
	       "0.002500,IO_LINK,12,/data,,7,0,1,2,0");
	memset(line, '!', sizeof(line));
	rec = (struct iot_ring){ .head = { .ts = when }, .fd = -1 };
	row = (struct iouring_row){
		.rec = &rec,
		.start = when,
		.event = "CREATE",
		.path = text(""),
		.user_data = FORMAT_UNKNOWN,
		.offset = FORMAT_UNKNOWN,
		.length = FORMAT_UNKNOWN,
		.latency = FORMAT_UNKNOWN,
		.buffer = FORMAT_UNKNOWN,
		.sq_fill = FORMAT_UNKNOWN,
		.cq_fill = FORMAT_UNKNOWN,
		.cq_taken = FORMAT_UNKNOWN,
		.result = FORMAT_NO_VALUE,
	};
	expect(STREAM_iouring, iouring_row(line, &row), WHEN ",CREATE,0,0,,0,,,,,,,,,,,,,,,,,,,");
	memset(line, '!', sizeof(line));
	rec.cpu = rec.worker = UINT32_MAX;
	rec.link = UINT64_MAX;
	row.user_data = row.offset = row.length = row.latency = UINT64_MAX - 1;
	row.buffer = UINT16_MAX;
	row.sq_fill = row.cq_fill = row.cq_taken = UINT32_MAX;
	row.result = INT32_MIN;
	row.path = text("\"/a,b\"");
	row.ino = UINT64_MAX;
	expect(STREAM_iouring, iouring_row(line, &row),
	       WHEN
	       ",CREATE,0,0,,4294967295,,,18446744073709551614,,,18446744073709551614,18446744073709551614,"
	       "-2147483648,18446744073709551614,18446744073709.551614,,18446744073709551615,\"/a,b\","
	       "0xffffffffffffffff,4294967295,65535,4294967295,4294967295,4294967295");
}
END_TEST

/* ---- rwbs ---- */

static const struct {
	const char rwbs[IOT_RWBS + 1];
	const char *operation, *flags;
} letters[] = {
	{ "R", "read", "" },
	{ "W", "write", "" },
	{ "D", "discard", "" },
	{ "DE", "secure_erase", "" },
	{ "F", "flush", "" },
	{ "FF", "flush", "preflush" },
	{ "FS", "flush", "sync" },
	{ "FN", "none", "preflush" },
	{ "N", "none", "" },
	{ "NS", "none", "sync" },
	{ "NFS", "none", "fua|sync" },
	{ "RA", "read", "ahead" },
	{ "RM", "read", "meta" },
	{ "RAM", "read", "ahead|meta" },
	{ "RSM", "read", "sync|meta" },
	{ "RS", "read", "sync" },
	{ "WS", "write", "sync" },
	{ "WM", "write", "meta" },
	{ "WSM", "write", "sync|meta" },
	{ "WF", "write", "fua" },
	{ "WFS", "write", "fua|sync" },
	{ "WFSM", "write", "fua|sync|meta" },
	{ "FW", "write", "preflush" },
	{ "FWS", "write", "preflush|sync" },
	{ "FWFS", "write", "preflush|fua|sync" },
	{ "FWFSM", "write", "preflush|fua|sync|meta" },
	{ "FWFASMU", "write", "preflush|fua|ahead|sync|meta|atomic" },
	{ "WU", "write", "atomic" },
	{ "WSU", "write", "sync|atomic" },
	{ "WZ", "write_zeroes", "" },
	{ "WZS", "write_zeroes", "sync" },
	{ "ZA", "zone_append", "" },
	{ "ZAS", "zone_append", "sync" },
	{ "ZO", "zone_open", "" },
	{ "ZC", "zone_close", "" },
	{ "ZF", "zone_finish", "" },
	{ "ZR", "zone_reset", "" },
	{ "ZRS", "zone_reset", "sync" },
	{ "ZRA", "zone_reset_all", "" },
	{ "ZRAS", "zone_reset_all", "sync" },
	{ "DS", "discard", "sync" },
	{ "DES", "secure_erase", "sync" },
	{ "FDS", "discard", "preflush|sync" },
	{ "", "unknown", "" },
	{ "x", "unknown", "" },
	{ "SM", "unknown", "sync|meta" },
	{ "Z", "unknown", "" },
	{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "unknown", "" },
	{ "FWFASMUUUU", "write", "preflush|fua|ahead|sync|meta|atomic" },
};

START_TEST(rwbs_is_read_by_position)
{
	ck_assert_str_eq(ds_operation(letters[_i].rwbs, 0), letters[_i].operation);
	ck_assert_str_eq(ds_flags(letters[_i].rwbs), letters[_i].flags);
	ck_assert_str_eq(ds_flags(letters[_i].rwbs), letters[_i].flags); /* from its table */
}
END_TEST

START_TEST(random_rwbs_is_survived)
{
	unsigned seed = 1;
	char rwbs[IOT_RWBS];

	for (int i = 0; i < 100000; i++) {
		for (int k = 0; k < IOT_RWBS; k++)
			rwbs[k] = rand_r(&seed) % 8 ? "RWDFNZSMAUE"[rand_r(&seed) % 12] :
						      rand_r(&seed);
		ck_assert_uint_gt(strlen(ds_operation(rwbs, 0)), 0);
		ck_assert_uint_lt(strlen(ds_flags(rwbs)), 48);
	}
}
END_TEST

/* ---- a whole class of rows ---- */

static uint64_t random_u64(unsigned *seed)
{
	static const uint64_t edges[] = { 0, 1, UINT64_MAX, INT64_MAX, 1ULL << 63, UINT32_MAX };

	if (rand_r(seed) % 2)
		return edges[rand_r(seed) % 6];
	return (uint64_t)rand_r(seed) << 33 ^ (uint64_t)rand_r(seed) << 11 ^ rand_r(seed);
}

START_TEST(any_row_has_the_fields_of_its_header)
{
	char header[1024];
	struct csv_row fields;
	unsigned seed = 77;

	for (int i = 0; i < 50000; i++) {
		struct fs_row row = {
			.start = random_u64(&seed),
			.operation = "READ",
			.pid = random_u64(&seed),
			.tid = random_u64(&seed),
			.comm = (char[16]){ '"', ',', '\n', (char)i },
			.path = text("\"a,\"\"\""),
			.size = random_u64(&seed),
			.ino = random_u64(&seed),
			.flags = { &flags_open, random_u64(&seed) },
			.word = text("\"c,\"\"\""),
			.mmap_prot = { &flags_mmap_prot, random_u64(&seed) },
			.mmap_flags = { &flags_mmap_map, random_u64(&seed) },
			.address = random_u64(&seed),
			.new_address = random_u64(&seed),
			.offset = random_u64(&seed),
			.latency = random_u64(&seed),
			.ret = random_u64(&seed),
			.dev = random_u64(&seed),
			.fd = random_u64(&seed),
			.mntns = random_u64(&seed),
			.path_status = "frt",
			.ofd = random_u64(&seed),
			.call = "read",
			.given = text("\"b,\"\"\""),
		};
		size_t len = fs_row(line, &row);

		csv_parse(&fields, line, len);
		ck_assert_int_eq(fields.n, (int)streams[STREAM_fs].n_columns);
		csv_free(&fields);
	}
	for (int i = 0; i < N_STREAMS; i++) {
		csv_parse(&fields, header, schema_header(i, 0, header, sizeof(header)));
		ck_assert_int_eq(fields.n, (int)streams[i].n_columns);
		for (int k = 0; k < fields.n; k++)
			ck_assert_str_eq(fields.field[k], streams[i].columns[k].name);
		csv_free(&fields);
	}
}
END_TEST

static Suite *rows_suite(void)
{
	Suite *suite = suite_create("rows");
	TCase *tcase = tcase_create("rows");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, fs_row_of_a_write);
	tcase_add_test(tcase, fs_row_of_which_nothing_is_known);
	tcase_add_loop_test(tcase, fs_row_of_an_attribute, 0,
			    sizeof(attributes) / sizeof(attributes[0]));
	tcase_add_test(tcase, fs_row_of_a_failed_open);
	tcase_add_test(tcase, fs_row_of_extreme_values);
	tcase_add_test(tcase, fs_row_of_a_mapping);
	tcase_add_test(tcase, fs_row_of_a_mapping_that_moved);
	tcase_add_test(tcase, address_zero_is_an_address);
	tcase_add_loop_test(tcase, directories_end_in_one_slash, 0,
			    sizeof(directories) / sizeof(directories[0]));
	tcase_add_test(tcase, row_of_the_longest_path_fits);
	tcase_add_test(tcase, ds_row_of_a_write);
	tcase_add_test(tcase, rows_of_a_bio_and_its_part);
	tcase_add_test(tcase, ds_row_of_which_little_is_known);
	tcase_add_test(tcase, ds_row_beyond_two_terabytes);
	tcase_add_loop_test(tcase, command_of_a_request, 0, sizeof(commands) / sizeof(commands[0]));
	tcase_add_loop_test(tcase, operation_of_a_request_is_corrected, 0,
			    sizeof(corrections) / sizeof(corrections[0]));
	tcase_add_test(tcase, first_zone_begins_at_sector_zero);
	tcase_add_test(tcase, error_of_a_request_is_an_errno_name);
	tcase_add_test(tcase, exec_rows);
	tcase_add_test(tcase, lost_rows);
	tcase_add_test(tcase, cache_row_of_which_all_is_known);
	tcase_add_test(tcase, cache_row_of_which_little_is_known);
	tcase_add_test(tcase, cache_row_of_extreme_values);
	tcase_add_test(tcase, pagefault_row_of_which_all_is_known);
	tcase_add_test(tcase, pagefault_row_of_which_little_is_known);
	tcase_add_test(tcase, pagefault_row_of_extreme_values);
	tcase_add_test(tcase, nw_rows);
	tcase_add_test(tcase, nw_conn_rows);
	tcase_add_test(tcase, nw_epoll_rows);
	tcase_add_test(tcase, nw_sockopt_rows);
	tcase_add_test(tcase, nw_drop_rows);
	tcase_add_test(tcase, iouring_rows);
	tcase_add_loop_test(tcase, rwbs_is_read_by_position, 0,
			    sizeof(letters) / sizeof(letters[0]));
	tcase_add_test(tcase, random_rwbs_is_survived);
	tcase_add_test(tcase, any_row_has_the_fields_of_its_header);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(rows_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
