/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests: why they were made, of which file, and whose they are. */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_proc.h"
#include "fixture/fixture_record.h"

/* A thread of the kernel's own, and other writers */
enum { K = 5000010, W1 = 5000011, W2 = 5000012, W3 = 5000013 };

static void setup(void)
{
	feed_setup();
	fixture_mounts_open("27 1 8:2 / / rw - ext4 /dev/sda2 rw\n"
			    "28 27 8:16 / /x rw - xfs /dev/sdb rw\n");
	fixture_process(K, 2, "kworker/u8:1");
	fixture_process(W1, 77, "w1");
	fixture_process(W2, 77, "w2");
	fixture_process(W3, 77, "w3");
}

static void teardown(void)
{
	fixture_mounts_close();
	feed_teardown();
}

static struct iot_ds request(uint32_t tgid, const char *comm, const char *rwbs, uint16_t pages)
{
	struct iot_ds rec = record_ds(tgid, rwbs);

	memset(rec.head.comm, 0, sizeof(rec.head.comm));
	memcpy(rec.head.comm, comm, strlen(comm));
	rec.flags = IOT_DS_OWNER;
	rec.dev = DISK;
	rec.sector = 2048;
	rec.nr_sector = 8;
	rec.owner.fd = -1;
	rec.owner.pages = pages;
	if (pages == IOT_OWNER_FILE) {
		rec.owner.ino = INO;
		rec.owner.dev = DISK;
		rec.owner.owners = 1;
	}
	return rec;
}

static void feed_write(uint32_t tgid, uint16_t op)
{
	struct iot_fs rec = record_fs(tgid, op, 3, 4096);

	kernel_file(&rec, 70, "data");
	feed_fs(&rec);
}

/* Only the rows of ds */
static void start(void)
{
	feed_anew(&(struct feed_options){ .kernel = true, .only = "ds" });
}

static const struct {
	const char *comm, *rwbs;
	uint16_t pages;
	uint32_t disk; /* 0: the one with ext4 */
	bool kernel;   /* a thread of its own */
	const char *cause;
} causes[] = {
	{ "cat", "R", IOT_OWNER_FILE, 0, false, "read" },
	{ "cat", "RA", IOT_OWNER_FILE, 0, false, "read" },
	{ "kworker/u8:1", "W", IOT_OWNER_FILE, 0, true, "writeback" },
	{ "kworker/u8:1", "WS", IOT_OWNER_FILE, 0, true, "sync" },
	{ "psql", "WS", IOT_OWNER_FILE, 0, false, "sync" },
	{ "psql", "FWFS", IOT_OWNER_FILE, 0, false, "sync" },
	{ "kworker/u8:1", "WSM", IOT_OWNER_FILE, 0, true, "metadata" }, /* a tree of Btrfs */
	{ "ls", "RM", IOT_OWNER_DEVICE, 0, false, "metadata" },
	{ "ls", "R", IOT_OWNER_DEVICE, 0, false, "metadata" },
	{ "blkid", "R", IOT_OWNER_DEVICE, DEV(8, 32), false, "device" },
	{ "kworker/u8:1", "W", IOT_OWNER_DEVICE, 0, true, "metadata" },
	{ "jbd2/sda2-8", "WS", IOT_OWNER_DEVICE, 0, true, "journal" },
	{ "jbd2/sda2-8", "FWFS", IOT_OWNER_MEMORY, 0, true, "journal" },
	{ "jbd2/dm-0-8", "WS", IOT_OWNER_DEVICE, DEV(8, 32), true, "journal" },
	{ "psql", "WSM", IOT_OWNER_MEMORY, DEV(8, 16), false, "journal" },
	{ "xfsaild/sdb", "WSM", IOT_OWNER_MEMORY, DEV(8, 16), true, "metadata" },
	{ "psql", "RM", IOT_OWNER_MEMORY, DEV(8, 16), false, "metadata" },
	{ "psql", "WSM", IOT_OWNER_MEMORY, 0, false, "metadata" },
	{ "ls", "R", IOT_OWNER_META, 0, false, "metadata" },
	{ "kswapd0", "W", IOT_OWNER_SWAP, 0, true, "swap" },
	{ "psql", "FF", IOT_OWNER_NO_PAGES, 0, false, "flush" },
	{ "fstrim", "DS", IOT_OWNER_NO_PAGES, 0, false, "discard" },
	{ "ext4lazyinit", "W", IOT_OWNER_MEMORY, 0, true, "lazyinit" },
	{ "dd", "WS", IOT_OWNER_MEMORY, 0, false, "direct" },
	/* a worker of a file system that moves others' data through memory of its own */
	{ "kworker/u8:1", "W", IOT_OWNER_MEMORY, 0, true, "" },
	{ "kworker/u8:1", "W", 0, 0, true, "" },
	{ "cat", "R", 0, 0, false, "" },
	{ "cat", "RM", 0, 0, false, "metadata" },
};

START_TEST(cause_of_a_request)
{
	struct iot_ds rec = request(causes[_i].kernel ? K : P, causes[_i].comm, causes[_i].rwbs,
				    causes[_i].pages);

	start();
	if (causes[_i].disk)
		rec.dev = causes[_i].disk;
	feed(&rec, sizeof(rec));
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	expect(0, "cause", causes[_i].cause);
	expect(0, "inode",
	       causes[_i].pages == IOT_OWNER_FILE && !strchr(causes[_i].rwbs, 'M') ? "12" : "");
}
END_TEST

/* Below the device mapper: nothing is mounted from where the request goes, but from the device whose pages it has. */
static const struct {
	uint32_t of; /* 0: not known */
	const char *cause;
} pages_below[] = {
	{ DEV(8, 2), "metadata" },
	{ DEV(253, 7), "device" },
	{ 0, "device" },
};

START_TEST(pages_of_a_device_on_another_one)
{
	struct iot_ds rec = request(K, "kworker/u8:1", "W", IOT_OWNER_DEVICE);

	start();
	rec.dev = DEV(8, 32);
	rec.owner.dev = pages_below[_i].of;
	feed(&rec, sizeof(rec));
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	expect(0, "cause", pages_below[_i].cause);
	expect(0, "inode", "");
}
END_TEST

/* /dev/sda has the file of loop device 7:0 */
static const struct {
	uint32_t tgid; /* K: a thread of the kernel */
	const char *rwbs;
	uint16_t pages;
	uint16_t found;
	uint64_t ino;
	uint32_t ino_dev, disk;
	const char *cause;
} loop_causes[] = {
	/* its file through the cache, and past it */
	{ K, "W", IOT_OWNER_FILE, 0, 99, DISK, DISK, "loop" },
	{ K, "RA", IOT_OWNER_FILE, 0, 99, DISK, DISK, "loop" },
	{ P, "WS", IOT_OWNER_FILE, 0, 99, DISK, DISK, "loop" },
	{ K, "W", IOT_OWNER_MEMORY, IOT_OWNER_CALL_FILE, 99, DISK, DISK, "loop" },
	{ K, "W", IOT_OWNER_DEVICE, IOT_OWNER_CALL_FILE, 99, DISK, DISK, "loop" },
	/* a file on it: there, and on the disk below */
	{ K, "W", IOT_OWNER_FILE, 0, INO, DEV(7, 0), DEV(7, 0), "writeback" },
	{ K, "W", IOT_OWNER_FILE, 0, INO, DEV(7, 0), DISK, "loop" },
	{ K, "W", IOT_OWNER_FILE, 0, INO, DEV(7, 0), DEV(8, 16), "writeback" },
	/* another file of the disk; a program that reads the loop device's file itself */
	{ K, "W", IOT_OWNER_FILE, 0, INO, DISK, DISK, "writeback" },
	{ P, "R", IOT_OWNER_FILE, 0, 99, DISK, DISK, "read" },
	{ P, "WS", IOT_OWNER_MEMORY, IOT_OWNER_CALL_FILE, 99, DISK, DISK, "direct" },
	{ K, "FF", IOT_OWNER_NO_PAGES, 0, 0, 0, DISK, "flush" },
};

START_TEST(a_loop_device_has_had_the_request)
{
	struct loop loop = { .dev = DEV(7, 0), .on = DISK, .ino = 99, .ino_dev = DISK };
	struct loops before = fixture_resolve.loops;
	struct iot_ds rec = request(loop_causes[_i].tgid, "prog", loop_causes[_i].rwbs,
				    loop_causes[_i].pages);

	start();
	fixture_resolve.loops.list = &loop;
	fixture_resolve.loops.n = 1;
	rec.dev = loop_causes[_i].disk;
	rec.owner.ino = loop_causes[_i].ino;
	rec.owner.dev = loop_causes[_i].ino_dev;
	rec.owner.found = loop_causes[_i].found;
	feed(&rec, sizeof(rec));
	feed_end();
	fixture_resolve.loops = before;
	ck_assert_uint_eq(n_seen, 1);
	expect(0, "cause", loop_causes[_i].cause);
}
END_TEST

/* What nobody saw the submission of has no cause: its flags alone are not enough. */
START_TEST(request_that_was_under_way_has_no_owner)
{
	struct iot_ds rec = request(0, "", "WS", 0);

	rec.flags = 0;
	start();
	feed(&rec, sizeof(rec));
	feed_end();
	expect(0, "cause", "");
	expect(0, "owner_pid", "");
	expect(0, "owner_command", "");
	expect(0, "owner_count", "");
}
END_TEST

START_TEST(kernel_threads_write_for_the_last_writer)
{
	struct iot_ds rec = request(K, "kworker/u8:1", "W", IOT_OWNER_FILE);

	start();
	feed_write(W1, IOT_WRITE);
	feed_write(W2, IOT_WRITE);
	feed_write(W1, IOT_READ);
	feed(&rec, sizeof(rec));
	feed(&rec, sizeof(rec));
	feed_write(W3, IOT_WRITE);
	feed(&rec, sizeof(rec));
	feed_end();
	ck_assert_uint_eq(n_seen, 3);
	for (unsigned i = 0; i < 2; i++) {
		expect_number(i, "pid", K);
		expect_number(i, "owner_pid", W2);
		expect(i, "owner_count", "2");
		expect(i, "filename", "/data");
	}
	/* since the pages went to the disk there was one */
	expect_number(2, "owner_pid", W3);
	expect(2, "owner_count", "1");
}
END_TEST

/* A bio of a device above completes after its parts; the pages go to the disk with these. */
START_TEST(bio_is_of_who_wrote_and_leaves_it_to_its_parts)
{
	struct iot_ds bio = request(K, "kworker/u8:1", "W", IOT_OWNER_FILE), part = bio;

	bio.head.type = IOT_REC_BIO;
	bio.id = part.above = 7;
	part.above_dev = bio.dev = DEV(253, 0);
	feed_anew(&(struct feed_options){ .kernel = true, .only = "bio" });
	feed_write(W1, IOT_WRITE);
	feed(&bio, sizeof(bio));
	feed_write(W2, IOT_WRITE);
	feed(&bio, sizeof(bio));
	feed(&part, sizeof(part));
	feed_write(W3, IOT_WRITE);
	feed(&bio, sizeof(bio));
	feed_end();
	ck_assert_uint_eq(n_seen, 3);
	expect(0, "dev", "253:0");
	expect_number(0, "bio_id", 7);
	expect(0, "cause", "writeback");
	expect(0, "filename", "/data");
	expect_number(0, "owner_pid", W1);
	expect(0, "owner_count", "1");
	expect(1, "owner_count", "2");
	expect_number(2, "owner_pid", W3);
	expect(2, "owner_count", "1");
}
END_TEST

/* What a bio of a device above was made for holds for its parts: the device submits memory of its own */
START_TEST(part_of_a_bio_is_for_whom_the_bio_was)
{
	struct iot_ds rec = request(K, "kworker/u8:1", "WS", IOT_OWNER_FILE);

	start();
	feed_write(W1, IOT_WRITE);
	rec.above = 7;
	rec.above_dev = DEV(253, 0);
	rec.owner.found = IOT_OWNER_KERNEL | IOT_OWNER_ABOVE;
	feed(&rec, sizeof(rec));
	feed_end();
	expect_number(0, "owner_pid", W1);
	expect_number(0, "bio_id", 7);
	expect(0, "bio_dev", "253:0");
	expect(0, "cause", "sync");
}
END_TEST

/* An empty bio that flushes has the letters of a write. */
START_TEST(empty_bio_is_a_flush)
{
	struct iot_ds rec = request(P, "dd", "FWS", IOT_OWNER_NO_PAGES);

	rec.head.type = IOT_REC_BIO;
	feed_anew(&(struct feed_options){ .kernel = true, .only = "bio" });
	feed(&rec, sizeof(rec));
	rec.nr_sector = 0;
	rec.sector = UINT64_MAX;
	feed(&rec, sizeof(rec));
	feed_end();
	ck_assert_uint_eq(n_seen, 2);
	expect(0, "operation", "write");
	expect(1, "operation", "flush");
	expect(1, "cause", "flush");
	expect(1, "sector", "");
}
END_TEST

START_TEST(who_waits_for_its_own_request_owns_it)
{
	struct iot_ds rec = request(P, "psql", "WS", IOT_OWNER_FILE);

	start();
	feed_write(W1, IOT_WRITE);
	feed(&rec, sizeof(rec));
	feed_end();
	expect_number(0, "owner_pid", P);
	expect(0, "owner_command", "psql");
	expect(0, "owner_count", "1");
}
END_TEST

START_TEST(request_of_several_files_says_so)
{
	struct iot_ds rec = request(K, "kworker/u8:1", "W", IOT_OWNER_FILE);

	start();
	feed_write(W1, IOT_WRITE);
	rec.owner.owners = 5;
	feed(&rec, sizeof(rec));
	feed_end();
	expect_number(0, "owner_pid", W1);
	expect(0, "owner_count", "5");
}
END_TEST

/* The kernel says for whom a journal's thread commits; a thread of its own is nobody. */
START_TEST(a_commit_is_of_the_process_with_most_changes)
{
	struct iot_ds rec = request(K, "jbd2/sda2-8", "WS", IOT_OWNER_DEVICE);
	static const struct iot_commit commit = { .tgid = W2, .owners = 3 };

	start();
	rec.owner.commit = commit;
	memcpy(rec.owner.commit.comm, "psql", 5);
	rec.owner.found = IOT_OWNER_KERNEL | IOT_OWNER_FOREIGN | IOT_OWNER_COMMIT;
	feed(&rec, sizeof(rec));
	rec.owner.found &= ~IOT_OWNER_FOREIGN;
	rec.owner.commit.tgid = K;
	feed(&rec, sizeof(rec));
	feed_end();
	ck_assert_uint_eq(n_seen, 2);
	expect_number(0, "owner_pid", W2);
	expect(0, "owner_command", "psql");
	expect(0, "owner_count", "3");
	expect(1, "owner_pid", "");
	expect(1, "owner_count", "");
	for (unsigned i = 0; i < 2; i++) {
		expect(i, "cause", "journal");
		expect(i, "inode", "");
		expect(i, "uring_req", "");
	}
}
END_TEST

START_TEST(nobody_is_made_up)
{
	struct iot_ds rec = request(K, "kworker/u8:1", "W", IOT_OWNER_FILE);

	start();
	feed(&rec, sizeof(rec));
	feed_write(W1, IOT_WRITE);
	rec.owner.dev = DISK + 1;
	feed(&rec, sizeof(rec));
	feed_end();
	for (unsigned i = 0; i < 2; i++) {
		expect(i, "cause", "writeback");
		expect(i, "owner_pid", "");
		expect(i, "owner_count", "");
		expect(i, "filename", "");
	}
}
END_TEST

/* Of threads that are not traced those requests are shown that carry what one that is traced wrote. */
START_TEST(filters_follow_the_owner)
{
	struct iot_ds rec = request(K, "kworker/u8:1", "W", IOT_OWNER_FILE);

	start();
	rec.owner.found = IOT_OWNER_FOREIGN;
	feed(&rec, sizeof(rec));
	feed_write(W1, IOT_WRITE);
	feed(&rec, sizeof(rec));
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	expect_number(0, "owner_pid", W1);
}
END_TEST

START_TEST(direct_request_names_the_file_of_its_call)
{
	struct iot_ds rec = request(P, "dd", "WS", IOT_OWNER_MEMORY);

	start();
	feed_write(P, IOT_WRITE);
	rec.owner.op = IOT_WRITE;
	rec.owner.ino = INO;
	rec.owner.dev = DISK;
	rec.owner.found = IOT_OWNER_CALL_FILE;
	feed(&rec, sizeof(rec));
	rec.owner.op =
		IOT_FSYNC; /* that is not why memory is written: blocks of the file system's own */
	feed(&rec, sizeof(rec));
	feed_end();
	expect(0, "cause", "direct");
	expect(0, "filename", "/data");
	expect(1, "cause", "");
	expect(1, "filename", "");
}
END_TEST

/* Without the kernel's structures: the descriptor of the call, and how it was opened */
static const struct {
	const char *rwbs;
	uint16_t op;
	uint32_t flags;
	const char *cause;
	uint32_t sectors;
} calls[] = {
	{ "R", IOT_READ, O_RDONLY | O_DIRECT, "direct", 8 },
	{ "R", IOT_READ, O_RDONLY | O_DIRECT, "direct", 24 },
	{ "R", IOT_READ, O_RDONLY | O_DIRECT, "", 2 }, /* or a block of a small-block file system */
	{ "R", IOT_WRITE, O_RDWR | O_DIRECT, "", 8 },
	{ "WS", IOT_WRITE, O_RDWR | O_DIRECT, "direct", 1 },
	{ "R", IOT_READ, O_RDONLY, "", 8 }, /* the cache reads, or the file system its own */
	{ "WS", IOT_WRITE, O_RDWR | O_DIRECT, "direct", 8 },
	{ "WS", IOT_WRITE, O_RDWR | O_DSYNC, "sync", 8 },
	{ "WS", IOT_WRITE, O_RDWR, "", 8 },
	{ "WS", IOT_FSYNC, O_RDWR, "sync", 8 },
	{ "WS", IOT_FDATASYNC, O_RDWR, "sync", 8 },
	{ "R", IOT_FSYNC, O_RDWR, "", 8 },
	{ "RM", IOT_READ, O_RDONLY | O_DIRECT, "metadata", 8 },
};

START_TEST(call_tells_where_nothing_else_does)
{
	struct iot_ds rec = request(P, "dd", calls[_i].rwbs, 0);
	bool data = calls[_i].cause[0] && strcmp(calls[_i].cause, "metadata") != 0;
	struct stat st;

	feed_anew(&(struct feed_options){ .only = "ds" });
	feed_open_file(P, "file", 5, calls[_i].flags);
	fixture_file_stat("file", &st);
	rec.head.ts = record_ds(P, "W").head.ts;
	rec.nr_sector = calls[_i].sectors;
	rec.owner.op = calls[_i].op;
	rec.owner.fd = 5;
	feed(&rec, sizeof(rec));
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	expect(0, "cause", calls[_i].cause);
	expect(0, "filename", data ? fixture_file("file") : "");
	if (data)
		expect_number(0, "inode", st.st_ino);
	else
		expect(0, "inode", "");
}
END_TEST

/* An event of write-back names the whole disk, or nothing: the file is on what is mounted from there. */
START_TEST(event_names_the_disk_only)
{
	struct iot_ds rec = request(K, "kworker/u8:1", "W", IOT_OWNER_FILE);

	start();
	feed_write(W1, IOT_WRITE);
	rec.owner.found = IOT_OWNER_EVENT;
	rec.owner.dev = 0;
	feed(&rec, sizeof(rec));
	memcpy(rec.rwbs, "WSM", 4);
	feed(&rec, sizeof(rec));
	feed_end();
	expect(0, "cause", "writeback");
	expect(0, "filename", "/data");
	expect_number(0, "owner_pid", W1);
	/* the inode follows its data */
	expect(1, "cause", "metadata");
	expect(1, "filename", "");
}
END_TEST

START_TEST(shared_mapping_that_can_be_written_makes_a_writer)
{
	struct iot_more map = record_more(W1, IOT_MMAP, 3, 0x7000);
	struct iot_ds rec = request(K, "kworker/u8:1", "W", IOT_OWNER_FILE);

	start();
	feed_kernel_file(&map, 0);
	map.fs.flags = MAP_PRIVATE;
	map.prot = PROT_READ | PROT_WRITE;
	feed_more(&map);
	feed(&rec, sizeof(rec));
	map.fs.flags = MAP_SHARED;
	feed_more(&map);
	feed(&rec, sizeof(rec));
	feed_end();
	expect(0, "owner_pid", "");
	expect_number(1, "owner_pid", W1);
}
END_TEST

static TCase *owners_case(void)
{
	TCase *tcase = tcase_create("owners");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, cause_of_a_request, 0, ARRAY_SIZE(causes));
	tcase_add_loop_test(tcase, pages_of_a_device_on_another_one, 0, ARRAY_SIZE(pages_below));
	tcase_add_loop_test(tcase, a_loop_device_has_had_the_request, 0, ARRAY_SIZE(loop_causes));
	tcase_add_test(tcase, request_that_was_under_way_has_no_owner);
	tcase_add_test(tcase, kernel_threads_write_for_the_last_writer);
	tcase_add_test(tcase, bio_is_of_who_wrote_and_leaves_it_to_its_parts);
	tcase_add_test(tcase, part_of_a_bio_is_for_whom_the_bio_was);
	tcase_add_test(tcase, empty_bio_is_a_flush);
	tcase_add_test(tcase, who_waits_for_its_own_request_owns_it);
	tcase_add_test(tcase, request_of_several_files_says_so);
	tcase_add_test(tcase, a_commit_is_of_the_process_with_most_changes);
	tcase_add_test(tcase, nobody_is_made_up);
	tcase_add_test(tcase, filters_follow_the_owner);
	tcase_add_test(tcase, direct_request_names_the_file_of_its_call);
	tcase_add_loop_test(tcase, call_tells_where_nothing_else_does, 0, ARRAY_SIZE(calls));
	tcase_add_test(tcase, event_names_the_disk_only);
	tcase_add_test(tcase, shared_mapping_that_can_be_written_makes_a_writer);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("owners of requests");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, owners_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
