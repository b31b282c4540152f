/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream stacks: records to rows, what code is at an address, and texts of anybody's. */
#include "events/stacks.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/common/stack_names.h"
#include "code/build_id.h"
#include "code/code_maps.h"
#include "code/perf_map.h"
#include "code/unwind.h"
#include "events/stack_text.h"
#include "fixture/fixture_events.h"
#include "fixture/fixture_net.h"
#include "fixture/fixture_proc.h"
#include "fixture/fixture_read.h"
#include "fixture/fixture_record.h"

/* ---- from the ring ---- */

static uint64_t frames_now[IOT_STACK_FRAMES];
static unsigned n_frames_now, n_reads, n_removed;

static unsigned read_frames(void *arg, bool kernel, int32_t number, uint64_t *frames)
{
	(void)arg;
	n_reads++;
	if (number == 9)
		return 0;
	if (kernel) {
		frames[0] = 1;
		return 1;
	}
	memcpy(frames, frames_now, sizeof(frames_now));
	return n_frames_now;
}

static void remove_frames(void *arg, bool kernel, int32_t number)
{
	(void)arg;
	(void)kernel;
	(void)number;
	n_removed++;
}

static void setup(void)
{
	feed_setup();
	fixture_process(P, 77, "prog");
	fixture_proc_text(P, "maps",
			  "400000-401000 r--p 00000000 08:02 12 /usr/bin/prog\n"
			  "401000-403000 r-xp 00001000 08:02 12 /usr/bin/prog\n"
			  "700000-702000 r-xp 00000000 00:00 0 \n"
			  "7f0000-7f8000 r-xp 00002000 08:02 13 /usr/lib/li;b.so.1 (deleted)\n"
			  "7f9000-7fa000 r-xp 00000000 08:02 14 /opt/lib/prog\n"
			  "7fff00-7fff10 r-xp 00000000 00:00 0 [vdso]\n");
	feed_anew(&(struct feed_options){ .kernel = true,
					  .stacks = { read_frames, remove_frames, NULL } });
	n_frames_now = 3;
	frames_now[0] = 0x7f0010;
	frames_now[1] = 0x401234;
	frames_now[2] = 0x402000;
	n_reads = n_removed = 0;
}

static struct iot_stack stack_of(int32_t user)
{
	struct iot_stack rec = { .head = record_fs(P, IOT_READ, -1, 0).head,
				 .user = user,
				 .kernel = -ENOENT };

	rec.head.type = IOT_REC_STACK;
	rec.head.class = IOT_SEQ_stacks;
	return rec;
}

/* The operation that a stack is of, whose record comes next */
static void feed_operation(void)
{
	struct iot_fs rec = record_fs(P, IOT_READ, -1, 1);

	kernel_file(&rec, 20, "a");
	/* it began before its stack was taken, however long this test was not on a CPU in between */
	rec.latency = 1000000000;
	feed_fs(&rec);
}

static unsigned n_rows(void)
{
	unsigned n = 0;

	feed_end();
	for (unsigned i = 0; i < n_seen; i++)
		n += seen[i].stream == STREAM_stacks;
	return n;
}

START_TEST(frames_are_files_and_places)
{
	struct iot_stack rec = stack_of(5);

	feed(&rec, sizeof(rec));
	feed_operation();
	ck_assert_uint_eq(n_rows(), 1);
	row_of(STREAM_stacks);
	row("operation", "READ");
	row_number("pid", P);
	row_number("latency_ns", 1000000000);
	row("filename", "/a");
	row("user_stack", "prog+0x2000;prog+0x1234;li_b.so.1+0x2010");
	row("modules", "/usr/lib/li_b.so.1;/usr/bin/prog");
	row("frames", "3");
	row("status", "");
	row("wait_ns", "");
	row("kernel_stack", "");
}
END_TEST

START_TEST(the_same_stack_is_read_once)
{
	for (int i = 0; i < 5; i++) {
		struct iot_stack rec = stack_of(5);

		feed(&rec, sizeof(rec));
		feed_operation();
	}
	ck_assert_uint_eq(n_rows(), 5);
	ck_assert_uint_eq(n_reads, 1);
}
END_TEST

START_TEST(two_files_of_one_name_have_their_paths)
{
	struct iot_stack rec = stack_of(5);

	frames_now[0] = 0x7f9100;
	feed(&rec, sizeof(rec));
	feed_operation();
	n_rows();
	row_of(STREAM_stacks);
	row("user_stack", "/usr/bin/prog+0x2000;/usr/bin/prog+0x1234;prog+0x100");
	row("modules", "/opt/lib/prog;/usr/bin/prog");
}
END_TEST

START_TEST(memory_the_vdso_and_nothing_have_no_file)
{
	struct iot_stack rec = stack_of(5);

	frames_now[0] = 0x7fff04;
	frames_now[1] = 0x700010;
	frames_now[2] = 0x123;
	feed(&rec, sizeof(rec));
	feed_operation();
	n_rows();
	row_of(STREAM_stacks);
	row("user_stack", "0x123;[memory];[vdso]");
	row("modules", "");
}
END_TEST

START_TEST(where_it_slept_is_told)
{
	struct iot_stack rec = stack_of(5);

	rec.kernel = 3;
	rec.wait = 777;
	feed(&rec, sizeof(rec));
	feed_operation();
	n_rows();
	row_of(STREAM_stacks);
	row_number("wait_ns", 777);
	row("kernel_stack", "[kernel]"); /* the fixture has no kallsyms */
}
END_TEST

START_TEST(a_stack_that_was_lost_is_told)
{
	const int32_t numbers[] = { -EEXIST, 9, -EFAULT };
	const char *const letters[] = { "l", "l", "k" };
	struct iot_stack rec = stack_of(numbers[_i]);

	feed(&rec, sizeof(rec));
	feed_operation();
	ck_assert_uint_eq(n_rows(), 1);
	row_of(STREAM_stacks);
	row("status", letters[_i]);
	row("stack", "");
	row("user_stack", "");
}
END_TEST

START_TEST(a_process_that_is_gone_is_told)
{
	struct iot_stack rec = stack_of(5);

	fixture_process_gone(P);
	feed(&rec, sizeof(rec));
	feed_operation();
	n_rows();
	row_of(STREAM_stacks);
	row("status", "g");
	row("user_stack", "0x402000;0x401234;0x7f0010");
}
END_TEST

START_TEST(another_operation_has_no_stack_of_one_whose_record_was_lost)
{
	struct iot_stack rec = stack_of(5);
	struct iot_fs next;

	feed(&rec, sizeof(rec));
	next = record_fs(P, IOT_READ, -1, 1); /* it begins when that one has ended */
	kernel_file(&next, 20, "a");
	next.latency = 10;
	feed_fs(&next);
	ck_assert_uint_eq(n_rows(), 0);
}
END_TEST

START_TEST(another_program_has_other_files)
{
	struct iot_stack rec = stack_of(5);

	feed(&rec, sizeof(rec));
	feed_operation();
	fixture_proc_text(P, "maps", "400000-409000 r-xp 00000000 08:02 99 /usr/bin/other\n");
	feed_task(IOT_EXEC, P, 0, 0);
	rec = stack_of(5);
	frames_now[0] = 0x400010;
	feed(&rec, sizeof(rec));
	feed_operation();
	ck_assert_uint_eq(n_rows(), 2);
	row_of(STREAM_stacks); /* the last one */
	row("user_stack", "other+0x2000;other+0x1234;other+0x10");
}
END_TEST

/* The tables of the kernel are emptied before they are full; what was sent until then is not believed. */
START_TEST(room_is_made_for_other_stacks)
{
	struct iot_stack rec;

	for (int i = 10; i < 10 + IOT_USER_STACKS / 2; i++) {
		rec = stack_of(i);
		feed(&rec, sizeof(rec));
		feed_operation();
		feed_end();
		n_seen = 0;
	}
	ck_assert_uint_eq(n_removed, 0);
	rec = stack_of(5);
	feed(&rec, sizeof(rec));
	feed_operation();
	n_rows();
	row_of(STREAM_stacks);
	row("status", "l");
	ck_assert_uint_eq(n_removed, IOT_USER_STACKS / 2);
}
END_TEST

START_TEST(row_is_read_back)
{
	const struct format_text text = { "\"a,\"\"b\"\"\"", 9, false };
	struct stacks_row r = { .start = when,
				.operation = "READ",
				.pid = UINT32_MAX,
				.tid = 1,
				.comm = hostile_comm,
				.path = text,
				.latency = BIG - 1,
				.id = UINT64_MAX,
				.user = text,
				.modules = text,
				.n_frames = 127,
				.status = "tg",
				.wait = 5,
				.kernel = text };

	CHECK_ROW(stacks, &r, TIMES, T(operation, "READ"), N(pid, UINT32_MAX), N(tid, 1),
		  T(command, SHOWN_COMM), T(filename, "a,\"b\""), N(latency_ns, BIG - 1),
		  N(stack, UINT64_MAX), T(user_stack, "a,\"b\""), N(frames, 127), T(status, "tg"),
		  T(modules, "a,\"b\""), N(wait_ns, 5), T(kernel_stack, "a,\"b\""));
}
END_TEST

/* ---- names that programs give ---- */

static struct perf_map parsed(const char *text)
{
	struct perf_map map;
	char *copy = malloc(strlen(text) + 1);

	memcpy(copy, text, strlen(text));
	ck_assert(perf_map_parse(&map, copy, strlen(text)));
	return map;
}

START_TEST(a_perf_map_names_code)
{
	struct perf_map map = parsed("2000 10 void a.b(int, int)\nnonsense\n1000 20 first\n"
				     "ffffffffffffffff 2 over\n3000 0 empty\n2000 8 newer");
	uint64_t offset;

	ck_assert_uint_eq(map.n, 3);
	ck_assert_str_eq(perf_map_name(&map, 0x101f, &offset), "first");
	ck_assert_uint_eq(offset, 0x1f);
	ck_assert_ptr_eq(perf_map_name(&map, 0x1020, &offset), NULL);
	ck_assert_ptr_eq(perf_map_name(&map, 0xfff, &offset), NULL);
	ck_assert_str_eq(perf_map_name(&map, 0x2000, &offset), "newer");
	perf_map_free(&map);
}
END_TEST

static const char *tmp_name(char path[400], const char *name)
{
	snprintf(path, 400, "%s/%d/root/tmp/%s", PROC->root, P, name);
	return path;
}

static void write_text(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	ck_assert_ptr_ne(out, NULL);
	fputs(text, out);
	fclose(out);
}

START_TEST(a_perf_map_is_the_processs_own)
{
	struct perf_map map;
	char path[400], other[400];

	snprintf(path, sizeof(path), "%s/%d/root", PROC->root, P);
	unlink(path);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/%d/root/tmp", PROC->root, P);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	fixture_proc_text(P, "status", "Name:\tprog\nNSpid:\t4711\t7\n");
	ck_assert_int_eq(perf_map_read(&map, PROC, P), -ENOENT);
	write_text(tmp_name(path, "perf-7.map"), "1000 20 own\n");
	ck_assert_int_eq(perf_map_read(&map, PROC, P), 0);
	ck_assert_uint_eq(map.n, 1);
	perf_map_free(&map);
	/* a link leads elsewhere, and a pipe would be waited for */
	rename(path, tmp_name(other, "elsewhere"));
	ck_assert_int_eq(symlink("elsewhere", path), 0);
	ck_assert_int_eq(perf_map_read(&map, PROC, P), -ELOOP);
	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(perf_map_read(&map, PROC, P), -EPERM);
	unlink(path);
	rename(other, path);
	if (!geteuid() && !chown(path, 4242, 4242))
		ck_assert_int_eq(perf_map_read(&map, PROC, P), -EPERM);
	ck_assert_int_eq(truncate(path, PERF_MAP_BYTES + 1L), 0);
	ck_assert_int_eq(perf_map_read(&map, PROC, P), -EPERM);
}
END_TEST

/* ---- files ---- */

START_TEST(a_build_id_is_found_among_notes)
{
	static const unsigned char notes[] = { 4, 0, 0,   0,   4,   0, 0,    0,    1, 0,
					       0, 0, 'G', 'N', 'U', 0, 1,    2,    3, 4,
					       4, 0, 0,   0,   2,   0, 0,    0,    3, 0,
					       0, 0, 'G', 'N', 'U', 0, 0xab, 0xcd, 0, 0 };
	char hex[BUILD_ID_HEX];

	ck_assert(build_id_in_notes(notes, sizeof(notes), hex));
	ck_assert_str_eq(hex, "abcd");
	for (size_t len = 0; len < sizeof(notes) - 2; len++)
		ck_assert(!build_id_in_notes(notes, len, hex) && !hex[0]);
}
END_TEST

__attribute__((noinline)) static int own_function(const char *text)
{
	return (int)strlen(text) + n_frames_now;
}

/* Of this program itself: it begins with eight bytes on the stack, of the address that it returns to. */
START_TEST(call_frames_of_a_real_file_are_read)
{
#ifdef __x86_64__
	uint64_t address = (uint64_t)(uintptr_t)own_function, start, end, offset, found = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line_of[512], hex[BUILD_ID_HEX];
	int fd = open("/proc/self/exe", O_RDONLY);

	while (fgets(line_of, sizeof(line_of), maps))
		if (sscanf(line_of, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    address >= start && address < end)
			found = address - start + offset;
	fclose(maps);
	ck_assert_uint_ne(found, 0);
	ck_assert_int_eq(own_function("a"), 1 + (int)n_frames_now);
	ck_assert_uint_eq(unwind_above_sp(fd, found), 8);
	ck_assert_uint_eq(unwind_above_sp(fd, UINT64_MAX), 0);
	ck_assert_uint_eq(unwind_above_sp(fd, 0), 0);
	build_id_read(fd, hex);
	close(fd);
#endif
}
END_TEST

/* ---- as people read them ---- */

static enum stack_begins named(const char *user, const char *modules, const char *kernel,
			       const char *wanted)
{
	const struct stack_cells cells = { user,         modules,         kernel,
					   strlen(user), strlen(modules), strlen(kernel) };
	struct stack_names *names = stack_names_new();
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	enum stack_begins begins;

	ck_assert(stack_names_add(names, &cells));
	begins = stack_names_put(names, &cells, out);
	fclose(out);
	ck_assert_str_eq(text, wanted);
	free(text);
	stack_names_free(names);
	return begins;
}

START_TEST(frames_without_names_stand_for_their_file)
{
	ck_assert_int_eq(named("", "", "", ""), STACK_CUT);
	ck_assert_int_eq(named("prog+0x10;[jit]void a.b(int)+0x4;0x99;[vdso]", "/bin/prog", "",
			       "[prog];void a.b(int)_[j];[unknown];[vdso]"),
			 STACK_UNNAMED);
	ck_assert_int_eq(named("0x99;prog+0x10", "/bin/prog", "", "[unknown];[prog]"), STACK_CUT);
	/* what the C library starts in a program is all there */
	ck_assert_int_eq(named("libc.so.6+0x1;prog+0x10;libc.so.6+0x2", "/l/libc.so.6 ab;/bin/prog",
			       "a+0x1;b+0x2", "[libc.so.6];[prog];[libc.so.6];a_[k];b_[k]"),
			 STACK_BEGUN);
	ck_assert_int_eq(named("libc.so.6+0x2", "/l/libc.so.6 ab", "", "[libc.so.6]"), STACK_CUT);
	/* no offset, an odd one, and names with blanks and pluses */
	ck_assert_int_eq(named("a+0xzz;g++ x+0x5;+0x", "/b/g++ x", "", "a+0xzz;[g++ x];+0x"),
			 STACK_CUT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stacks");
	TCase *fed = tcase_create("fed"), *back = tcase_create("read back"),
	      *texts = tcase_create("texts"), *files = tcase_create("files");
	SRunner *runner;
	int n_failed;

	tcase_add_checked_fixture(fed, setup, feed_teardown);
	tcase_set_timeout(fed, 30);
	tcase_add_test(fed, frames_are_files_and_places);
	tcase_add_test(fed, the_same_stack_is_read_once);
	tcase_add_test(fed, two_files_of_one_name_have_their_paths);
	tcase_add_test(fed, memory_the_vdso_and_nothing_have_no_file);
	tcase_add_test(fed, where_it_slept_is_told);
	tcase_add_loop_test(fed, a_stack_that_was_lost_is_told, 0, 3);
	tcase_add_test(fed, a_process_that_is_gone_is_told);
	tcase_add_test(fed, another_operation_has_no_stack_of_one_whose_record_was_lost);
	tcase_add_test(fed, another_program_has_other_files);
	tcase_add_test(fed, room_is_made_for_other_stacks);
	tcase_add_test(fed, a_perf_map_is_the_processs_own);
	suite_add_tcase(suite, fed);
	tcase_add_checked_fixture(back, fixture_read_setup, fixture_read_teardown);
	tcase_add_test(back, row_is_read_back);
	suite_add_tcase(suite, back);
	tcase_add_test(texts, a_perf_map_names_code);
	tcase_add_test(texts, frames_without_names_stand_for_their_file);
	suite_add_tcase(suite, texts);
	tcase_add_test(files, a_build_id_is_found_among_notes);
	tcase_add_test(files, call_frames_of_a_real_file_are_read);
	suite_add_tcase(suite, files);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed != 0;
}
