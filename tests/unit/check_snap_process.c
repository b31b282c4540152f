/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots of processes: the formats of /proc, a made-up one, and the real one. */
#include "snapshot/snap.h"

#include <check.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fixture/fixture_csv.h"
#include "fixture/fixture_snap.h"
#include "fixture/host_fixture.h"
#include "fixture/session.h"
#include "base/clock.h"
#include "snapshot/snap_frame.h"
#include "snapshot/snap_proc.h"

enum { COLUMNS = 27, MAX_ROWS = 40000 };

static char *dir;
static char proc[4200];
static struct snap_job job;
static struct snap_told told;
static struct csv_row *rows;
static unsigned n_rows;

static void setup(void)
{
	dir = fixture_make();
	snprintf(proc, sizeof(proc), "%s/proc", dir);
	mkdir(proc, 0755);
	snap_job_open(&job, &told, dir);
	rows = calloc(MAX_ROWS, sizeof(*rows));
	n_rows = 0;
}

static void forget_rows(void)
{
	while (n_rows)
		csv_free(&rows[--n_rows]);
}

static void teardown(void)
{
	snap_job_close(&job);
	fixture_remove(dir);
	forget_rows();
	free(rows);
}

static void draw(void)
{
	size_t size, at = schema_header(STREAM_process, 0, NULL, 0);
	char *text;

	ck_assert_msg(!snap_one(&job, SNAP_PROCESS), "%s", job.done.why);
	text = session_read(job.dir, "process_snap.csv", &size);
	ck_assert(text != NULL);
	while (at < size) {
		char *end = memchr(text + at, '\n', size - at);

		ck_assert(end != NULL);
		csv_parse(&rows[n_rows], text + at, (size_t)(end + 1 - text) - at);
		ck_assert_int_eq(rows[n_rows].n, COLUMNS);
		n_rows++;
		at = (size_t)(end + 1 - text);
	}
	ck_assert_uint_eq(told.done.rows, n_rows);
	free(text);
}

static struct csv_row *find(unsigned pid)
{
	for (unsigned i = 0; i < n_rows; i++)
		if (strtoul(rows[i].field[1], NULL, 10) == pid)
			return &rows[i];
	return NULL;
}

static void column_is(unsigned pid, int column, const char *value)
{
	struct csv_row *row = find(pid);

	ck_assert_msg(row != NULL, "no row of %u", pid);
	ck_assert_msg(!strcmp(row->field[column], value), "%u, %s: '%s' is not '%s'", pid,
		      streams[STREAM_process].columns[column].name, row->field[column], value);
}

static void put(unsigned pid, const char *file, const char *text)
{
	char name[64];

	snprintf(name, sizeof(name), "proc/%u/%s", pid, file);
	fixture_write(dir, name, text);
}

static void add_process(unsigned pid, const char *name, char state)
{
	char line[512];

	snprintf(line, sizeof(line),
		 "%u (%s) %c 1 2 3 0 -1 4194304 1 2 3 4 250 150 7 8 20 0 3 0 1000 10485760 "
		 "300 18446744073709551615 0 0\n",
		 pid, name, state);
	put(pid, "stat", line);
}

enum {
	PID = 1,
	NAME,
	CMDLINE,
	VIRTUAL,
	RSS,
	CREATED,
	CPU_5S,
	CPU_2M,
	CPU_1H,
	STATUS,
	PPID,
	UID,
	THREADS,
	CONTAINER_ID,
	CGROUP,
	MNTNS,
	PIDNS,
	NETNS,
	USERNS,
	UTSNS,
	IPCNS,
	CGROUPNS,
	CONTAINER,
	POD,
	IMAGE,
};

/* ---- formats ---- */

START_TEST(a_process_is_a_row)
{
	static const char cmdline[] = "/usr/bin/prog\0-x\0two words\0\0last";
	char text[64];
	long page = sysconf(_SC_PAGESIZE);

	add_process(42, "prog", 'S');
	fixture_write_bytes(dir, "proc/42/cmdline", cmdline, sizeof(cmdline));
	put(42, "status", "Name:\tprog\nUid:\t1000\t0\t0\t0\nGid:\t5\t5\t5\t5\n");
	put(42, "cgroup", "0::/user.slice/user-1000.slice\n");
	fixture_link(dir, "proc/42/ns/mnt", "mnt:[4026531841]");
	fixture_link(dir, "proc/42/ns/cgroup", "cgroup:[4026531835]");
	fixture_write(dir, "proc/uptime", "1 1\n");
	fixture_write(dir, "proc/sys/stat", "1 (x) S\n");
	job.proc = proc;
	draw();
	ck_assert_uint_eq(n_rows, 1);
	column_is(42, NAME, "prog");
	column_is(42, CMDLINE, "/usr/bin/prog -x 'two words' '' last");
	column_is(42, VIRTUAL, "10240");
	snprintf(text, sizeof(text), "%ld", 300 * page / 1024);
	column_is(42, RSS, text);
	column_is(42, STATUS, "sleeping");
	column_is(42, PPID, "1");
	column_is(42, UID, "1000");
	column_is(42, THREADS, "3");
	column_is(42, CONTAINER, "");
	column_is(42, CGROUP, "/user.slice/user-1000.slice");
	column_is(42, MNTNS, "4026531841");
	column_is(42, PIDNS, "");
	column_is(42, CGROUPNS, "4026531835");
	ck_assert_uint_eq(strlen(rows[0].field[0]), strlen("2026-11-21 13:00:00.123456"));
	ck_assert_uint_eq(strlen(rows[0].field[CREATED]), strlen("2026-11-21 13:00:00"));
}
END_TEST

static void *answer_after_a_second(void *file)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);

	sleep(1);
	close(fd);
	return NULL;
}

/* Two that computed for the five seconds after their birth; one is read a second after the other, or later */
START_TEST(use_of_cpu_is_that_until_it_was_read)
{
	uint64_t per_s = NS_PER_S / snap_proc_tick_ns();
	char line[512], files[2][4300];
	struct timespec began, ended;
	pthread_t threads[2];
	double use[2];

	clock_gettime(CLOCK_BOOTTIME, &began);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(line, sizeof(line),
			 "%u (busy) R 1 2 3 0 -1 4194304 1 2 3 4 %" PRIu64
			 " 0 7 8 20 0 3 0 %" PRIu64 " 10485760 300 18446744073709551615 0 0\n",
			 42 + i, 5 * per_s, ((uint64_t)began.tv_sec - 5) * per_s);
		put(42 + i, "stat", line);
		snprintf(files[i], sizeof(files[i]), "%s/%u/cgroup", proc, 42 + i);
		ck_assert_int_eq(mkfifo(files[i], 0600), 0);
		pthread_create(&threads[i], NULL, answer_after_a_second, files[i]);
	}
	job.proc = proc;
	draw();
	clock_gettime(CLOCK_BOOTTIME, &ended);
	ck_assert_uint_eq(n_rows, 2);
	for (unsigned i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		use[i] = atof(rows[i].field[CPU_2M]);
		ck_assert_double_ge(use[i], 500.0 / (6 + ended.tv_sec - began.tv_sec));
	}
	ck_assert_double_le(use[0], 100);
	ck_assert_double_le(use[1], 500.0 / 6 + 0.01);
}
END_TEST

/* stat tells enough: nothing else of it is asked, there may be thousands */
START_TEST(a_thread_of_the_kernel_is_a_row)
{
	put(9, "stat",
	    "9 (kworker/0:1H-kblockd) I 2 0 0 0 -1 69238880 0 0 0 0 0 41 0 0 0 -20 1 0 117 0 0 "
	    "18446744073709551615 0 0\n");
	put(9, "status", "Uid:\t7\t7\t7\t7\n");
	put(9, "cmdline", "none");
	put(9, "cgroup", "0::/\n");
	job.proc = proc;
	draw();
	ck_assert_uint_eq(n_rows, 1);
	column_is(9, NAME, "kworker/0:1H-kblockd");
	column_is(9, STATUS, "idle");
	column_is(9, CMDLINE, "");
	column_is(9, UID, "0");
	column_is(9, THREADS, "1");
	column_is(9, VIRTUAL, "0");
	column_is(9, CGROUP, "/");
}
END_TEST

START_TEST(a_name_may_hold_anything)
{
	static const char *const names[] = { "a) R 1 (b",
					     "(sd-pam)",
					     "a b",
					     "a,b",
					     "\"q\"",
					     "))))",
					     "kworker/u8:3-events_unbound",
					     "Web Content" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add_process(100 + i, names[i], 'R');
	add_process(200, "a\nb\xff", 'R');
	job.proc = proc;
	draw();
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		column_is(100 + i, NAME, names[i]);
		column_is(100 + i, STATUS, "running");
		column_is(100 + i, CMDLINE, "");
		column_is(100 + i, UID, "");
	}
	column_is(200, NAME, "a\\nb\\xff");
}
END_TEST

START_TEST(what_is_no_process_is_no_row)
{
	put(1, "stat", "");
	put(2, "stat", "nonsense");
	put(3, "stat", "3 (short) S 1 2 3\n");
	put(4, "stat", ") 4 (\n");
	put(5, "comm", "no stat at all\n");
	add_process(6, "fine", 'D');
	job.proc = proc;
	draw();
	ck_assert_uint_eq(n_rows, 1);
	column_is(6, STATUS, "disk-sleep");
}
END_TEST

START_TEST(every_state_has_its_word)
{
	static const struct {
		char letter;
		const char *word;
	} states[] = {
		{ 'R', "running" }, { 'S', "sleeping" },     { 'D', "disk-sleep" },
		{ 'T', "stopped" }, { 't', "tracing-stop" }, { 'Z', "zombie" },
		{ 'X', "dead" },    { 'x', "dead" },         { 'K', "wake-kill" },
		{ 'W', "waking" },  { 'I', "idle" },         { 'P', "parked" },
		{ '?', "" },
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		ck_assert_str_eq(snap_proc_status(states[i].letter), states[i].word);
}
END_TEST

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

START_TEST(a_container_has_its_names)
{
	add_process(7, "x", 'S');
	put(7, "cgroup", "4:memory:/docker/" ID "\n0::/init.scope\n");
	add_process(8, "y", 'S');
	put(8, "cgroup", "0::/system.slice/ssh.service\n");
	fixture_write(dir, "var/lib/docker/containers/" ID "/config.v2.json",
		      "{\"Name\":\"/we,b\",\"Config\":{\"Image\":\"nginx:1\"}}");
	job.proc = proc;
	job.host_root = dir;
	draw();
	column_is(7, CGROUP, "/docker/" ID);
	column_is(7, CONTAINER_ID, ID);
	column_is(7, CONTAINER, "we,b");
	column_is(7, POD, "");
	column_is(7, IMAGE, "nginx:1");
	column_is(8, CGROUP, "/system.slice/ssh.service");
	column_is(8, CONTAINER_ID, "");
	column_is(8, CONTAINER, "");
}
END_TEST

START_TEST(a_long_command_line_is_cut_as_in_exec)
{
	char *args = malloc(200000);

	memset(args, 'x', 200000);
	add_process(8, "x", 'S');
	fixture_write_bytes(dir, "proc/8/cmdline", args, 200000);
	/* a title that was written over the arguments */
	memset(args, 0, 300);
	strcpy(args, "sshd: root@pts/0");
	add_process(9, "x", 'S');
	fixture_write_bytes(dir, "proc/9/cmdline", args, 300);
	job.proc = proc;
	draw();
	ck_assert_uint_eq(find(8)->len[CMDLINE], 4095);
	column_is(9, CMDLINE, "'sshd: root@pts/0'");
	free(args);
}
END_TEST

START_TEST(no_proc_is_an_error_with_a_reason)
{
	job.proc = "/nonexistent";
	ck_assert_int_eq(snap_one(&job, SNAP_PROCESS), -ENOENT);
	ck_assert(strstr(told.done.why, "/nonexistent") != NULL);
	job.proc = proc;
	ck_assert_int_eq(snap_one(&job, SNAP_PROCESS), -ENODATA);
	ck_assert_uint_eq(snap_files_in(&job, ""), 0);
}
END_TEST

/* ---- the real one ---- */

static void *sleep_on(void *arg)
{
	(void)arg;
	pause();
	return NULL;
}

static unsigned count_processes(void)
{
	DIR *d = opendir("/proc");
	struct dirent *entry;
	unsigned n = 0;

	while ((entry = readdir(d)))
		n += isdigit((unsigned char)entry->d_name[0]) != 0;
	closedir(d);
	return n;
}

START_TEST(the_real_machine_has_us_in_it)
{
	char text[64], now_text[64], name[64];
	unsigned before = count_processes(), after;
	pthread_t thread;
	struct stat st;
	time_t now = time(NULL);
	struct tm tm;

	pthread_create(&thread, NULL, sleep_on, NULL);
	draw();
	after = count_processes();
	/* others may come and go */
	ck_assert_uint_ge(n_rows + 50, before < after ? before : after);
	ck_assert_uint_le(n_rows, (before > after ? before : after) + 50);
	snprintf(text, sizeof(text), "%u", getppid());
	column_is(getpid(), PPID, text);
	column_is(getpid(), THREADS, "2");
	column_is(getpid(), STATUS, "running");
	snprintf(text, sizeof(text), "%u", getuid());
	column_is(getpid(), UID, text);
	snprintf(name, sizeof(name), "/proc/self/ns/mnt");
	ck_assert_int_eq(stat(name, &st), 0);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)st.st_ino);
	column_is(getpid(), MNTNS, text);
	ck_assert(strstr(find(getpid())->field[CMDLINE], "check_snap_process") != NULL);
	/* born within the last two minutes, and not in the future */
	localtime_r(&now, &tm);
	strftime(now_text, sizeof(now_text), "%Y-%m-%d %H:%M:%S", &tm);
	ck_assert_int_le(strcmp(find(getpid())->field[CREATED], now_text), 0);
	now -= 120;
	localtime_r(&now, &tm);
	strftime(now_text, sizeof(now_text), "%Y-%m-%d %H:%M:%S", &tm);
	ck_assert_int_gt(strcmp(find(getpid())->field[CREATED], now_text), 0);
	for (unsigned i = 1; i < n_rows; i++) {
		ck_assert_str_eq(rows[i].field[0], rows[0].field[0]);
		ck_assert_str_eq(rows[i].field[COLUMNS - 1], rows[0].field[COLUMNS - 1]);
	}
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}
END_TEST

START_TEST(a_zombie_is_a_row)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	siginfo_t info;

	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	draw();
	column_is(pid, STATUS, "zombie");
	column_is(pid, CMDLINE, "");
	waitpid(pid, NULL, 0);
}
END_TEST

START_TEST(segments_are_numbered_and_the_newest_is_a_copy)
{
	size_t one, other;
	char *a, *b;

	draw();
	ck_assert_int_eq(snap_one(&job, SNAP_PROCESS), 0);
	ck_assert_uint_eq(told.n_segments, 2);
	ck_assert(strstr(told.segments[0].file, "_0001.csv") != NULL);
	ck_assert(strstr(told.segments[1].file, "_0002.csv") != NULL);
	a = session_read(job.dir, told.segments[1].file, &one);
	b = session_read(job.dir, "process_snap.csv", &other);
	ck_assert(a && b && one == other && !memcmp(a, b, one));
	free(a);
	free(b);
	job.packing = true;
	ck_assert_int_eq(snap_one(&job, SNAP_PROCESS), 0);
	ck_assert(told.segments[2].compressed);
	a = session_read(job.dir, told.segments[2].file, &one);
	b = session_read(job.dir, "process_snap.csv", &other);
	ck_assert(a && b && one == other && !memcmp(a, b, one));
	free(a);
	free(b);
}
END_TEST

START_TEST(an_interrupted_one_is_not_published)
{
	draw();
	told.go_on_for = 3;
	ck_assert_int_eq(snap_one(&job, SNAP_PROCESS), -ECANCELED);
	ck_assert_uint_eq(snap_files_in(&job, "process"), 1);
	ck_assert(session_exists(job.dir, "process_snap.csv"));
	ck_assert_uint_eq(session_count(job.dir, "", "", true), 0);
	/* nor is its number used up: it would look like one that went */
	told.go_on_for = -1;
	ck_assert_int_eq(snap_one(&job, SNAP_PROCESS), 0);
	ck_assert_msg(strstr(told.segments[1].file, "_0002.csv") != NULL, "%s",
		      told.segments[1].file);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("snap_process");
	TCase *formats = tcase_create("formats"), *real = tcase_create("real");
	SRunner *runner = srunner_create(suite);
	int n_failed;

	tcase_add_checked_fixture(formats, setup, teardown);
	tcase_set_timeout(formats, 60);
	tcase_add_test(formats, a_process_is_a_row);
	tcase_add_test(formats, use_of_cpu_is_that_until_it_was_read);
	tcase_add_test(formats, a_thread_of_the_kernel_is_a_row);
	tcase_add_test(formats, a_name_may_hold_anything);
	tcase_add_test(formats, what_is_no_process_is_no_row);
	tcase_add_test(formats, every_state_has_its_word);
	tcase_add_test(formats, a_container_has_its_names);
	tcase_add_test(formats, a_long_command_line_is_cut_as_in_exec);
	tcase_add_test(formats, no_proc_is_an_error_with_a_reason);
	suite_add_tcase(suite, formats);
	tcase_add_checked_fixture(real, setup, teardown);
	tcase_set_timeout(real, 60);
	tcase_add_test(real, the_real_machine_has_us_in_it);
	tcase_add_test(real, a_zombie_is_a_row);
	tcase_add_test(real, segments_are_numbered_and_the_newest_is_a_copy);
	tcase_add_test(real, an_interrupted_one_is_not_published);
	suite_add_tcase(suite, real);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
