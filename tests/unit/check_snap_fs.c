/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Snapshots of trees that were made for it: every file once, as lstat says, and
 * nothing else; and trees that are changed, closed or endless meanwhile.
 */
#include "snapshot/snap.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "fixture/fixture_csv.h"
#include "fixture/fixture_snap.h"
#include "fixture/host_fixture.h"
#include "fixture/session.h"
#include "snapshot/snap_frame.h"
#include "snapshot/snap_fs.h"
#include "snapshot/snap_walk.h"

enum { COLUMNS = 16, MAX_ROWS = 20000 };

static char *dir;
static char tree[4200];
static struct snap_job job;
static struct snap_told told;
static struct csv_row *rows;
static unsigned n_rows;

static void setup(void)
{
	dir = fixture_make();
	snprintf(tree, sizeof(tree), "%s/tree", dir);
	mkdir(tree, 0755);
	snap_job_open(&job, &told, dir);
	job.options.root = tree;
	job.options.depth = 0;
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

/* The rows of a CSV text; its header is looked at. */
static void take_rows(char *text, size_t size)
{
	char header[512];
	size_t n = schema_header(STREAM_filesystem_snapshot, 0, header, sizeof(header));

	ck_assert_uint_ge(size, n);
	ck_assert(!memcmp(text, header, n));
	for (char *line = text + n; line < text + size;) {
		char *end = memchr(line, '\n', (size_t)(text + size - line));

		ck_assert(end != NULL);
		ck_assert_uint_lt(n_rows, MAX_ROWS);
		csv_parse(&rows[n_rows], line, (size_t)(end + 1 - line));
		ck_assert_int_eq(rows[n_rows].n, COLUMNS);
		/* the rule of the escapes, for those rows that say that they have some */
		if (!strcmp(rows[n_rows].field[14], "fe"))
			ck_assert(csv_unescape(rows[n_rows].field[1], &rows[n_rows].len[1]));
		else
			ck_assert_str_eq(rows[n_rows].field[14], "f");
		rows[n_rows].field[1][rows[n_rows].len[1]] = '\0';
		n_rows++;
		line = end + 1;
	}
}

static void read_newest(void)
{
	size_t size;
	char *text = session_read(job.dir, "filesystem_snap.csv.gz", &size);

	ck_assert(text != NULL);
	take_rows(text, size);
	free(text);
}

static void draw(void)
{
	ck_assert_msg(!snap_one(&job, SNAP_FS), "%s", job.done.why);
	ck_assert_uint_eq(told.n_done, 1);
	ck_assert_uint_eq(told.done.err, 0);
	read_newest();
	ck_assert_uint_eq(told.done.rows, n_rows);
}

static struct csv_row *find(const char *path)
{
	struct csv_row *found = NULL;

	for (unsigned i = 0; i < n_rows; i++)
		if (!strcmp(rows[i].field[1], path)) {
			ck_assert_msg(!found, "%s has two rows", path);
			found = &rows[i];
		}
	return found;
}

static void seconds_are(const char *field, time_t t)
{
	char text[64];
	struct tm tm;

	localtime_r(&t, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	ck_assert_str_eq(field, text);
}

/* The row of a file says what lstat says. */
static void check_file(const char *path, const struct stat *st)
{
	struct csv_row *row = find(path);
	char text[64];

	ck_assert_msg(row != NULL, "%s has no row", path);
	ck_assert_str_eq(row->field[0], rows[0].field[0]);
	ck_assert_uint_eq(strtoull(row->field[2], NULL, 10), (unsigned long long)st->st_size);
	seconds_are(row->field[4], st->st_mtime);
	seconds_are(row->field[5], st->st_atime);
	ck_assert_uint_eq(strtoull(row->field[6], NULL, 10), st->st_ino);
	snprintf(text, sizeof(text), "%u:%u", major(st->st_dev), minor(st->st_dev));
	ck_assert_str_eq(row->field[7], text);
	snprintf(text, sizeof(text), "%c",
		 S_ISREG(st->st_mode)  ? 'f' :
		 S_ISDIR(st->st_mode)  ? 'd' :
		 S_ISLNK(st->st_mode)  ? 'l' :
		 S_ISFIFO(st->st_mode) ? 'p' :
		 S_ISSOCK(st->st_mode) ? 's' :
		 S_ISCHR(st->st_mode)  ? 'c' :
					 'b');
	ck_assert_str_eq(row->field[8], text);
	snprintf(text, sizeof(text), "%04o", st->st_mode & 07777);
	ck_assert_str_eq(row->field[9], text);
	ck_assert_uint_eq(strtoull(row->field[10], NULL, 10), st->st_nlink);
	ck_assert_uint_eq(strtoull(row->field[11], NULL, 10), st->st_uid);
	ck_assert_uint_eq(strtoull(row->field[12], NULL, 10), st->st_gid);
	seconds_are(row->field[13], st->st_ctime);
	ck_assert_str_eq(row->field[15], rows[0].field[15]);
}

static unsigned n_seen;

static int check_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)type;
	(void)at;
	n_seen++;
	check_file(path, st);
	return 0;
}

/* Access times are those before the walk: nothing is opened but directories, without leaving a mark. */
static void compare_with_tree(void)
{
	n_seen = 0;
	ck_assert_int_eq(nftw(tree, check_one, 16, FTW_PHYS), 0);
	ck_assert_uint_eq(n_seen, n_rows);
}

static void make(const char *path)
{
	char name[5000];

	snprintf(name, sizeof(name), "tree/%s", path);
	fixture_write(dir, name, path);
}

/* Valid for three more calls. */
static const char *in_tree(const char *path)
{
	static char names[4][5000];
	static int turn;
	char *name = names[turn++ % 4];

	snprintf(name, sizeof(names[0]), "%s/%s", tree, path);
	return name;
}

/* ---- what is there ---- */

START_TEST(every_kind_of_file_is_a_row_as_lstat_says)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_STREAM, 0), old;
	struct timespec times[2] = { { .tv_sec = 100000 }, { .tv_sec = 4200000000 } };

	make("a/b/c/file");
	make("empty");
	fixture_link(dir, "tree/a/link", "/etc");
	fixture_link(dir, "tree/dangling", "nowhere");
	fixture_link(dir, "tree/a/loop", "..");
	ck_assert_int_eq(mkfifo(in_tree("pipe"), 0600), 0);
	old = open(".", O_RDONLY | O_DIRECTORY);
	ck_assert_int_eq(chdir(tree), 0);
	strcpy(address.sun_path, "sock");
	ck_assert_int_eq(bind(sock, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(fchdir(old), 0);
	if (mknod(in_tree("device"), S_IFCHR | 0620, makedev(1, 3)))
		printf("SKIP device: %s\n", strerror(errno));
	ck_assert_int_eq(link(in_tree("empty"), in_tree("a/second")), 0);
	ck_assert_int_eq(chmod(in_tree("empty"), 04751), 0);
	ck_assert_int_eq(utimensat(AT_FDCWD, in_tree("empty"), times, 0), 0);
	draw();
	compare_with_tree();
	ck_assert_str_eq(find(in_tree("empty"))->field[4], "2103-02-04 02:40:00");
	close(sock);
	close(old);
}
END_TEST

START_TEST(creation_is_told_where_it_is_kept)
{
	struct iot_statx st;
	char text[64];
	time_t t;
	struct tm tm;

	make("file");
	draw();
	ck_assert_int_eq(sys_statx(AT_FDCWD, in_tree("file"), &st), 0);
	t = (time_t)st.btime.s;
	localtime_r(&t, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	ck_assert_str_eq(find(in_tree("file"))->field[3], st.mask & IOT_STATX_BTIME ? text : "");
}
END_TEST

START_TEST(a_name_may_hold_any_byte)
{
	char name[300], field[5000];

	/* each byte at the end of a name, and in front of another */
	for (int c = 1; c < 256; c++) {
		if (c == '/')
			continue;
		snprintf(name, sizeof(name), "tree/n%03d%c", c, c);
		fixture_write(dir, name, "");
		snprintf(name, sizeof(name), "tree/m%03d%cz", c, c);
		fixture_write(dir, name, "");
	}
	snprintf(name, sizeof(name), "tree/%0255d", 7);
	fixture_write(dir, name, "");
	fixture_write(dir, "tree/ \"quoted\", -> \\x0a \\ ", "");
	draw();
	ck_assert_uint_eq(n_rows, 1 + 254 * 2 + 2);
	/* names were undone by the rule of the escapes: those with a byte to escape */
	for (int c = 1; c < 256; c++) {
		if (c == '/')
			continue;
		snprintf(field, sizeof(field), "%s/m%03d%cz", tree, c, c);
		ck_assert_msg(find(field) != NULL, "byte %d", c);
	}
	ck_assert(find(in_tree(" \"quoted\", -> \\x0a \\ ")) != NULL);
}
END_TEST

START_TEST(depth_is_counted_as_find_does)
{
	static const unsigned expected[] = { 9, 3, 5, 7, 9, 9 };

	make("1/2/3/4");
	make("f1");
	make("1/f2");
	make("1/2/f3");
	make("1/2/3/f4");
	job.options.depth = (unsigned)_i;
	draw();
	ck_assert_uint_eq(n_rows, expected[_i]);
	ck_assert(find(in_tree("f1")) != NULL);
	ck_assert((find(in_tree("1/2/f3")) != NULL) == (_i == 0 || _i >= 3));
	ck_assert_uint_eq(told.done.too_deep, 0);
}
END_TEST

START_TEST(times_stay_as_they_are)
{
	struct timespec times[2] = { { .tv_sec = 5000 }, { .tv_sec = 6000 } };
	struct stat st;

	make("d/file");
	ck_assert_int_eq(utimensat(AT_FDCWD, in_tree("d"), times, 0), 0);
	draw();
	ck_assert_int_eq(stat(in_tree("d"), &st), 0);
	ck_assert_int_eq(st.st_atim.tv_sec, 5000);
}
END_TEST

/* ---- what gets in the way ---- */

/* As another user: root reads everything. */
static bool become_nobody(void)
{
	ck_assert_int_eq(chown(dir, 65534, 65534), 0);
	ck_assert_int_eq(chown(job.dir, 65534, 65534), 0);
	ck_assert_int_eq(chmod(dir, 0755), 0);
	return !seteuid(65534);
}

START_TEST(a_closed_directory_is_a_row_and_counted)
{
	make("open/file");
	make("closed/file");
	make("blind/file"); /* names can be read, nothing more */
	chmod(in_tree("closed"), 0);
	chmod(in_tree("blind"), 0444);
	if (!geteuid() && !become_nobody()) {
		printf("SKIP: cannot be another user\n");
		return;
	}
	draw();
	ck_assert_uint_eq(told.done.unreadable, 2);
	ck_assert_uint_eq(n_rows, 5);
	ck_assert(find(in_tree("closed")) != NULL);
	ck_assert(find(in_tree("blind/file")) == NULL);
	ck_assert(!seteuid(getuid()));
	chmod(in_tree("closed"), 0755);
	chmod(in_tree("blind"), 0755);
}
END_TEST

struct spoiler {
	const char *at; /* when this is visited */
	void (*spoil)(void);
	unsigned n;
};

static int spoil_once(void *arg, const struct walk_entry *entry)
{
	struct spoiler *spoiler = arg;

	spoiler->n++;
	if (!strcmp(entry->path, in_tree(spoiler->at)))
		spoiler->spoil();
	return 0;
}

static void walk(struct spoiler *spoiler, struct snap_done *counts)
{
	memset(counts, 0, sizeof(*counts));
	ck_assert_int_eq(walk_tree(&job.options, spoil_once, spoiler, counts), 0);
}

static void remove_directory(void)
{
	unlink(in_tree("d/file"));
	rmdir(in_tree("d"));
}

static void replace_by_link(void)
{
	remove_directory();
	ck_assert_int_eq(symlink("/", in_tree("d")), 0);
}

static void replace_by_pipe(void)
{
	remove_directory();
	ck_assert_int_eq(mkfifo(in_tree("d"), 0600), 0);
}

START_TEST(a_directory_that_vanishes_is_counted)
{
	static void (*const ways[])(void) = { remove_directory, replace_by_link, replace_by_pipe };
	struct spoiler spoiler = { .at = "d", .spoil = ways[_i] };
	struct snap_done counts;

	make("d/file");
	walk(&spoiler, &counts);
	ck_assert_uint_eq(counts.vanished, 1);
	ck_assert_uint_eq(spoiler.n, 2);
}
END_TEST

static void remove_all(void)
{
	for (int i = 0; i < 50; i++) {
		char name[32];

		snprintf(name, sizeof(name), "d/%d", i);
		unlink(in_tree(name));
	}
}

START_TEST(files_that_vanish_are_no_rows)
{
	struct spoiler spoiler = { .at = "d", .spoil = remove_all };
	struct snap_done counts;

	for (int i = 0; i < 50; i++) {
		char name[32];

		snprintf(name, sizeof(name), "d/%d", i);
		make(name);
	}
	walk(&spoiler, &counts);
	ck_assert_uint_eq(spoiler.n, 2);
}
END_TEST

static void move_up(void)
{
	ck_assert_int_eq(rename(in_tree("a/b/c"), in_tree("moved")), 0);
}

START_TEST(a_directory_that_moves_meanwhile_leads_nowhere)
{
	struct spoiler spoiler = { .at = "a/b/c/d", .spoil = move_up };
	struct snap_done counts;

	make("a/b/c/d/file");
	make("a/b/z");
	make("a/z");
	walk(&spoiler, &counts);
	/* tree, a, z, b, z, c, d, file; and what was moved under its new name, if the root is read late */
	ck_assert_uint_ge(spoiler.n, 8);
	ck_assert_uint_le(spoiler.n, 11);
}
END_TEST

START_TEST(a_chain_without_end_is_cut_and_counted)
{
	int fd = open(tree, O_RDONLY | O_DIRECTORY);

	for (int i = 0; i < 300; i++) {
		int next;

		ck_assert_int_eq(mkdirat(fd, "d", 0755), 0);
		next = openat(fd, "d", O_RDONLY | O_DIRECTORY);
		close(fd);
		fd = next;
	}
	close(fd);
	draw();
	ck_assert_uint_eq(n_rows, 1 + SNAP_MAX_DEPTH);
	ck_assert_uint_eq(told.done.too_deep, 1);
}
END_TEST

START_TEST(a_path_longer_than_any_system_call_takes_is_a_row)
{
	char name[256];
	int fd = open(tree, O_RDONLY | O_DIRECTORY);

	memset(name, 'x', 255);
	name[255] = '\0';
	for (int i = 0; i < 40; i++) {
		int next;

		ck_assert_int_eq(mkdirat(fd, name, 0755), 0);
		next = openat(fd, name, O_RDONLY | O_DIRECTORY);
		close(fd);
		fd = next;
	}
	close(fd);
	draw();
	ck_assert_uint_eq(n_rows, 41);
	ck_assert_uint_eq(rows[40].len[1], strlen(tree) + 40 * 256);
	/* what is too deep for remove() is taken away from above */
	for (int i = 0; i < 39; i++) {
		char below[600];

		snprintf(below, sizeof(below), "%s/%s", name, name);
		ck_assert_int_eq(rename(in_tree(below), in_tree("below")), 0);
		ck_assert_int_eq(rmdir(in_tree(name)), 0);
		ck_assert_int_eq(rename(in_tree("below"), in_tree(name)), 0);
	}
}
END_TEST

START_TEST(a_root_that_is_none_is_refused)
{
	job.options.root = in_tree("nothing");
	ck_assert_int_eq(snap_one(&job, SNAP_FS), -ENOENT);
	ck_assert(strstr(told.done.why, "No such file") != NULL);
	make("file");
	job.options.root = in_tree("file");
	ck_assert_int_eq(snap_one(&job, SNAP_FS), -ENOTDIR);
	job.options.root = "/proc";
	ck_assert_int_eq(snap_one(&job, SNAP_FS), -EMEDIUMTYPE);
	ck_assert(strstr(told.done.why, "pseudo") != NULL);
	ck_assert_uint_eq(snap_files_in(&job, ""), 0);
}
END_TEST

START_TEST(the_root_may_be_a_link)
{
	make("file");
	fixture_link(dir, "link", "tree");
	job.options.root = strcat(strcpy(malloc(strlen(dir) + 8), dir), "/link");
	draw();
	ck_assert_uint_eq(n_rows, 2);
	ck_assert(find(in_tree("file")) != NULL);
	free((char *)job.options.root);
}
END_TEST

/* ---- mounts ---- */

/* A mount namespace of our own; the reason why not is shown. */
static bool may_mount(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		printf("SKIP: mounting is not allowed: %s\n", strerror(errno));
		return false;
	}
	return true;
}

static void mount_tmpfs(const char *path)
{
	mkdir(in_tree(path), 0755);
	ck_assert_int_eq(mount("none", in_tree(path), "tmpfs", 0, NULL), 0);
}

START_TEST(other_file_systems_are_entered_when_asked_for)
{
	if (!may_mount())
		return;
	make("file");
	mount_tmpfs("other");
	make("other/file");
	job.options.all_mounts = _i;
	draw();
	ck_assert_uint_eq(told.done.other_fs, !_i);
	/* the mount point is a row in any case, as find has it */
	ck_assert(find(in_tree("other")) != NULL);
	ck_assert((find(in_tree("other/file")) != NULL) == _i);
	if (_i)
		compare_with_tree();
	umount2(in_tree("other"), MNT_DETACH);
}
END_TEST

START_TEST(pseudo_file_systems_never_are)
{
	if (!may_mount())
		return;
	mkdir(in_tree("proc"), 0755);
	if (mount("none", in_tree("proc"), "proc", 0, NULL)) {
		printf("SKIP: mounting proc: %s\n", strerror(errno));
		return;
	}
	job.options.all_mounts = true;
	draw();
	ck_assert_uint_eq(n_rows, 2);
	ck_assert_uint_eq(told.done.other_fs, 1);
	umount2(in_tree("proc"), MNT_DETACH);
}
END_TEST

START_TEST(a_mount_that_leads_back_up_is_no_way)
{
	if (!may_mount())
		return;
	make("a/b/file");
	make("a/b/loop/x");
	ck_assert_int_eq(mount(in_tree("a"), in_tree("a/b/loop"), NULL, MS_BIND, NULL), 0);
	job.options.all_mounts = _i;
	draw();
	ck_assert_uint_eq(told.done.loops, 1);
	ck_assert_uint_eq(n_rows, 5); /* tree, a, b, file, loop */
	umount2(in_tree("a/b/loop"), MNT_DETACH);
}
END_TEST

/* ---- where it goes ---- */

START_TEST(parts_are_whole_and_make_one_file)
{
	unsigned expected, in_parts = 0;

	for (int i = 0; i < 3000; i++) {
		char name[64];

		snprintf(name, sizeof(name), "d%d/file-%d", i % 7, i);
		make(name);
	}
	job.part_size = 100000;
	draw();
	compare_with_tree();
	expected = n_rows;
	ck_assert_uint_ge(told.n_segments, 3);
	ck_assert_uint_eq(told.done.parts, told.n_segments);
	for (unsigned i = 0; i < told.n_segments; i++) {
		const struct manifest_segment *s = &told.segments[i];
		char ending[64], number[32];

		snprintf(ending, sizeof(ending), "_complete_parts%u.csv.gz", told.n_segments);
		snprintf(number, sizeof(number), "/filesystem_snapshot_part%04u_", i + 1);
		ck_assert(strstr(s->file, number) != NULL);
		ck_assert((strstr(s->file, ending) != NULL) == (i + 1 == told.n_segments));
		ck_assert(s->compressed && s->csv_bytes <= 100000 + 400);
		ck_assert_uint_eq(session_csv_rows(job.dir, s->file, COLUMNS), s->rows);
		in_parts += s->rows;
	}
	ck_assert_uint_eq(in_parts, expected);
	ck_assert_uint_eq(snap_files_in(&job, "filesystem_snapshot"), told.n_segments);
	ck_assert_uint_eq(session_count(job.dir, "", "", true), 0);
}
END_TEST

START_TEST(a_trace_that_ends_leaves_nothing_of_it)
{
	for (int i = 0; i < 2000; i++) {
		char name[64];

		snprintf(name, sizeof(name), "file-%d", i);
		make(name);
	}
	job.part_size = 50000;
	told.go_on_for = _i * _i * 4;
	ck_assert_int_eq(snap_one(&job, SNAP_FS), -ECANCELED);
	ck_assert_int_eq(told.done.err, -ECANCELED);
	ck_assert_uint_eq(told.n_segments, 0);
	ck_assert_uint_eq(snap_files_in(&job, ""), 0);
	ck_assert(!session_exists(job.dir, "filesystem_snapshot"));
}
END_TEST

START_TEST(the_next_one_replaces_the_newest_and_nothing_else)
{
	char first[256];

	make("file");
	draw();
	strcpy(first, told.segments[0].file);
	make("second");
	ck_assert_int_eq(snap_one(&job, SNAP_FS), 0);
	ck_assert_uint_eq(told.n_segments, 2);
	ck_assert(session_exists(job.dir, first));
	forget_rows();
	read_newest();
	ck_assert_uint_eq(n_rows, 3);
	/* a third one that fails leaves both as they are */
	told.go_on_for = 0;
	for (int i = 0; i < 100; i++) {
		char name[64];

		snprintf(name, sizeof(name), "more-%d", i);
		make(name);
	}
	ck_assert_int_eq(snap_one(&job, SNAP_FS), -ECANCELED);
	forget_rows();
	read_newest();
	ck_assert_uint_eq(n_rows, 3);
	ck_assert_uint_eq(snap_files_in(&job, "filesystem_snapshot"), 2);
}
END_TEST

/* A clock set back, or the end of summer time, gives the same name twice: neither may be lost. */
START_TEST(a_clock_that_is_set_back_costs_no_snapshot)
{
	make("file");
	for (int i = 0; i < 3; i++) {
		job.done = (struct snap_done){ .kind = SNAP_FS,
					       .started_ns = 1790000000123456789ULL };
		ck_assert_int_eq(snap_fs(&job), 0);
	}
	ck_assert_uint_eq(told.n_segments, 3);
	ck_assert_uint_eq(session_count(job.dir, "filesystem_snapshot", ".csv.gz", false), 3);
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(session_csv_rows(job.dir, told.segments[i].file, COLUMNS), 2);
}
END_TEST

START_TEST(names_of_files_are_told)
{
	make("d/file");
	make("other");
	fixture_link(dir, "tree/link", "other");
	job.names = true;
	draw();
	ck_assert_uint_eq(told.n_names, 2);
	ck_assert(!strcmp(told.last_name, in_tree("other")) ||
		  !strcmp(told.last_name, in_tree("d/file")));
}
END_TEST

/* ---- no room ---- */

static void make_many(void)
{
	for (int i = 0; i < 12000; i++) {
		char name[300];
		int n = snprintf(name, sizeof(name), "d%d/", i % 5);

		while (n < 220) /* nothing to compress */
			name[n++] =
				"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-"
					[rand() % 64];
		name[n] = '\0';
		make(name);
	}
}

START_TEST(a_full_disk_costs_the_snapshot_and_nothing_else)
{
	struct stat st;
	int fd;

	if (!may_mount())
		return;
	make_many();
	close(job.dir_fd);
	ck_assert_int_eq(mount("none", job.dir, "tmpfs", 0, "size=1m"), 0);
	job.dir_fd = open(job.dir, O_RDONLY | O_DIRECTORY);
	session_write(job.dir, "precious", "precious");
	job.part_size = _i ? 200000 : 0;
	ck_assert_int_eq(snap_one(&job, SNAP_FS), -ENOSPC);
	ck_assert_str_eq(told.done.why, "No space left on device");
	ck_assert_uint_eq(snap_files_in(&job, ""), 1);
	ck_assert(!session_exists(job.dir, "filesystem_snapshot"));
	/* what it took is free again */
	fd = openat(job.dir_fd, "probe", O_WRONLY | O_CREAT, 0600);
	ck_assert_int_eq(posix_fallocate(fd, 0, 900 * 1024), 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	close(fd);
	umount2(job.dir, MNT_DETACH);
}
END_TEST

START_TEST(the_trace_keeps_its_room)
{
	make_many();
	job.min_free = UINT64_MAX / 4;
	ck_assert_int_eq(snap_one(&job, SNAP_FS), -ENOSPC);
	ck_assert(strstr(told.done.why, "MiB of disk space are left") != NULL);
	job.min_free = 0;
	job.spare = UINT64_MAX / 4;
	ck_assert_int_eq(snap_one(&job, SNAP_FS), -ENOSPC);
	job.spare = 0;
	job.max_disk = 1 << 20;
	ck_assert_int_eq(snap_one(&job, SNAP_FS), -EFBIG);
	ck_assert_uint_eq(snap_files_in(&job, ""), 0);
	job.max_disk = 1ULL << 30;
	ck_assert_int_eq(snap_one(&job, SNAP_FS), 0);
}
END_TEST

static Suite *snap_fs_suite(void)
{
	Suite *suite = suite_create("snap_fs");
	TCase *there = tcase_create("there"), *way = tcase_create("way"),
	      *mounts = tcase_create("mounts");
	TCase *goes = tcase_create("goes"), *room = tcase_create("room");
	TCase *const all[] = { there, way, mounts, goes, room };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		tcase_add_checked_fixture(all[i], setup, teardown);
		tcase_set_timeout(all[i], 120);
		suite_add_tcase(suite, all[i]);
	}
	tcase_add_test(there, every_kind_of_file_is_a_row_as_lstat_says);
	tcase_add_test(there, creation_is_told_where_it_is_kept);
	tcase_add_test(there, a_name_may_hold_any_byte);
	tcase_add_loop_test(there, depth_is_counted_as_find_does, 0, 6);
	tcase_add_test(there, times_stay_as_they_are);
	tcase_add_test(way, a_closed_directory_is_a_row_and_counted);
	tcase_add_loop_test(way, a_directory_that_vanishes_is_counted, 0, 3);
	tcase_add_test(way, files_that_vanish_are_no_rows);
	tcase_add_test(way, a_directory_that_moves_meanwhile_leads_nowhere);
	tcase_add_test(way, a_chain_without_end_is_cut_and_counted);
	tcase_add_test(way, a_path_longer_than_any_system_call_takes_is_a_row);
	tcase_add_test(way, a_root_that_is_none_is_refused);
	tcase_add_test(way, the_root_may_be_a_link);
	tcase_add_loop_test(mounts, other_file_systems_are_entered_when_asked_for, 0, 2);
	tcase_add_test(mounts, pseudo_file_systems_never_are);
	tcase_add_loop_test(mounts, a_mount_that_leads_back_up_is_no_way, 0, 2);
	tcase_add_test(goes, parts_are_whole_and_make_one_file);
	tcase_add_loop_test(goes, a_trace_that_ends_leaves_nothing_of_it, 0, 4);
	tcase_add_test(goes, the_next_one_replaces_the_newest_and_nothing_else);
	tcase_add_test(goes, a_clock_that_is_set_back_costs_no_snapshot);
	tcase_add_test(goes, names_of_files_are_told);
	tcase_add_loop_test(room, a_full_disk_costs_the_snapshot_and_nothing_else, 0, 2);
	tcase_add_test(room, the_trace_keeps_its_room);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(snap_fs_suite());
	int n_failed;

	setenv("TZ", "UTC", 1);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
