/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mounts and types: odd mount points, mounts over mounts, what is asked for and
 * what is not, and a table that changes.
 */
#include "resolve/mounts.h"

#include <check.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "fixture/fixture_proc.h"
#include "fixture/host_fixture.h"
#include "row/records.h"

enum { PROC_MAGIC = 0x9fa0, OTHER_MAGIC = 0x01020304 };
enum { FOREIGN = 5000001 };

static char *root;
static char proc[4200];

static const char mountinfo[] =
	"22 27 0:21 / /proc rw,relatime - proc proc rw\n"
	"27 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
	"24 27 0:6 / /dev rw - devtmpfs devtmpfs rw\n"
	"25 24 0:23 / /dev/shm rw shared:4 master:2 - tmpfs tmpfs rw,size=4k\n"
	"40 27 0:40 / /mnt rw - xfs /dev/sdb rw\n"
	"41 40 0:41 / /mnt rw - tmpfs upper rw\n"
	"42 27 0:42 / /with\\040a\\011b\\012c\\134d rw - fuse.sshfs me@host:/ rw\n"
	"43 27 259:1048575 /sub /mnt/a rw - btrfs /dev/nvme0n1 rw\n"
	"44 27 0:44 / /mnt/ab rw - nfs4 host:/x rw\n"
	"45 27 0:45 / /a\\9x\\04 rw - 9p tag rw\n"
	"46 27 0:46 / /long rw - abcdefghijklmnopqrst none rw\n"
	"47 27 0:47 / /dash rw - - dash rw - odd\n";

static struct mounts mounts;

static void open_with(const char *text)
{
	fixture_write(root, "proc/self/mountinfo", text);
	ck_assert_int_eq(mounts_open(&mounts), 0);
}

static void setup(void)
{
	root = fixture_make();
	snprintf(proc, sizeof(proc), "%.4000s/proc", root);
	mounts.proc = proc;
	open_with(mountinfo);
}

static void teardown(void)
{
	mounts_close(&mounts);
	mounts = (struct mounts){ .proc = NULL };
	fixture_remove(root);
}

/* A filter in words: "+ext4 -tmpfs" */
static void want(const char *words)
{
	struct fs_types types = { 0 };
	char store[200], *save = NULL;

	snprintf(store, sizeof(store), "%s", words);
	for (char *w = strtok_r(store, " ", &save); w; w = strtok_r(NULL, " ", &save))
		ck_assert(fs_types_add(&types, w + 1, *w == '+' ? IOT_FS_INCLUDE : IOT_FS_EXCLUDE));
	fixture_mount_rules(&mounts, mounts.all_fs, &types);
}

/* ---- the table ---- */

static const struct {
	const char *path, *point, *type;
} places[] = {
	{ "/", "/", "ext4" },
	{ "/etc/passwd", "/", "ext4" },
	{ "/etc/", "/", "ext4" },
	{ "/process", "/", "ext4" },
	{ "/proc", "/proc", "proc" },
	{ "/proc/", "/proc", "proc" },
	{ "/proc/1/stat", "/proc", "proc" },
	{ "//proc//1", "/", "ext4" }, /* not as the kernel says paths */
	{ "/dev/null", "/dev", "devtmpfs" },
	{ "/dev/shm/x/y", "/dev/shm", "tmpfs" },
	{ "/dev/shmx", "/dev", "devtmpfs" },
	{ "/mnt/file", "/mnt", "tmpfs" },
	{ "/mnt", "/mnt", "tmpfs" },
	{ "/mnt/a", "/mnt/a", "btrfs" },
	{ "/mnt/a/b", "/mnt/a", "btrfs" },
	{ "/mnt/ab/b", "/mnt/ab", "nfs4" },
	{ "/mnt/abc", "/mnt", "tmpfs" },
	{ "/with a\tb\nc\\d/file", "/with a\tb\nc\\d", "fuse" },
	{ "/a\\9x\\04/x", "/a\\9x\\04", "9p" },
	{ "/long/x", "/long", "abcdefghijklmno" },
	{ "/dash/x", "/dash", "-" },
};

START_TEST(path_lies_on_the_longest_mount)
{
	const struct mount_point *m = mounts_of_path(&mounts, places[_i].path);

	ck_assert_msg(m != NULL, "%s", places[_i].path);
	ck_assert_str_eq(m->path, places[_i].point);
	ck_assert_str_eq(m->type, places[_i].type);
}
END_TEST

START_TEST(relative_path_lies_nowhere)
{
	uint32_t dev = 5;

	ck_assert(!mounts_of_path(&mounts, ""));
	ck_assert(!mounts_of_path(&mounts, "proc/1"));
	ck_assert_int_eq(mounts_scope(&mounts, "etc/passwd", &dev), SCOPE_UNKNOWN);
	ck_assert_uint_eq(dev, 0);
}
END_TEST

START_TEST(device_leads_to_its_mount)
{
	ck_assert_str_eq(mounts_of_dev(&mounts, 8 << 20 | 1)->type, "ext4");
	ck_assert_str_eq(mounts_of_dev(&mounts, 40)->type, "xfs"); /* covered, and still in use */
	ck_assert_str_eq(mounts_of_dev(&mounts, 41)->type, "tmpfs");
	ck_assert_str_eq(mounts_of_dev(&mounts, 259u << 20 | 1048575)->path, "/mnt/a");
	ck_assert(!mounts_of_dev(&mounts, 0));
	ck_assert(!mounts_of_dev(&mounts, 99));
}
END_TEST

START_TEST(pseudo_file_systems_are_known_by_name)
{
	ck_assert(mounts_of_path(&mounts, "/proc/x")->pseudo);
	ck_assert(!mounts_of_path(&mounts, "/etc")->pseudo);
	ck_assert(!mounts_of_path(&mounts, "/dev/shm")->pseudo);
}
END_TEST

static const char *const odd_tables[] = { "",
					  "\n",
					  "\n\n",
					  "nonsense\n",
					  "1 2 3\n",
					  "1 2 0:3 / /\n",
					  "1 2 0:3 / / rw shared:1\n",
					  "1 2 x:3 / / rw - ext4 a rw\n",
					  "1 2 0:3 / \n",
					  "1 2 0:3",
					  " - ",
					  "\\\n\\0\n\\04" };

START_TEST(odd_lines_are_no_mounts)
{
	open_with(odd_tables[_i]);
	ck_assert(!mounts_of_path(&mounts, "/"));
	ck_assert(!mounts_of_dev(&mounts, 3));
}
END_TEST

START_TEST(last_line_needs_no_end)
{
	open_with("1 2 0:3 / / rw - ext4 a rw\nodd\n4 1 0:5 / /x rw - xfs b rw");
	ck_assert_str_eq(mounts_of_path(&mounts, "/x/y")->type, "xfs");
	ck_assert_str_eq(mounts_of_path(&mounts, "/y")->type, "ext4");
}
END_TEST

START_TEST(large_table_is_read_whole)
{
	enum { N = 20000 };
	static char text[N * 70];
	size_t at = sprintf(text, "1 0 0:1 / / rw - ext4 a rw\n");
	char path[64];

	for (int i = 2; i < N; i++)
		at += sprintf(text + at,
			      "%d 1 0:%d / /m/%d/merged rw,relatime - overlay overlay rw\n", i, i,
			      i * 7919 % N);
	open_with(text);
	for (int i = 2; i < N; i += 97) {
		snprintf(path, sizeof(path), "/m/%d/merged/etc/passwd", i * 7919 % N);
		ck_assert_uint_eq(mounts_of_path(&mounts, path)->dev, i);
		ck_assert_uint_eq(mounts_of_dev(&mounts, i)->id, i);
	}
	ck_assert_uint_eq(mounts_of_path(&mounts, "/m/3")->dev, 1);
}
END_TEST

START_TEST(overlay_has_the_device_of_its_layers)
{
	static const struct {
		uint32_t dev, host;
	} wanted[] = {
		{ 50,
		  8 << 20 |
			  1 }, /* upper and lower on one, with what stands for blanks and colons */
		{ 51, 51 },    /* on two */
		{ 52, 52 },    /* in a place that only others see: all is on itself */
		{ 53, 8 << 20 | 1 }, /* on another overlay */
		{ 54,
		  8 << 20 | 2 }, /* read-only, by the newer options, with data elsewhere on it */
		{ 55, 55 },      /* no overlay, whatever its options are called */
		{ 56, 56 },      /* without options */
		{ 99, 99 },      /* not mounted */
		{ 8 << 20 | 1, 8 << 20 | 1 },
		{ 0, 0 },
	};

	open_with(
		"1 0 8:1 / / rw - ext4 /dev/a rw\n"
		"2 1 8:2 / /two rw - ext4 /dev/b rw\n"
		"10 1 0:50 / /o/a rw - overlay none rw,lowerdir=/l\\0401\\:x:/l2,upperdir=/u,workdir=/two/w\n"
		"11 1 0:51 / /o/b rw - overlay none rw,lowerdir=/l:/two/l,upperdir=/u,workdir=/w\n"
		"12 1 0:52 / /o/c rw - overlay none rw,lowerdir=/o/c/l,upperdir=/o/c/u\n"
		"13 1 0:53 / /o/d rw - overlay none rw,lowerdir=/o/a/l,upperdir=/o/a/u\n"
		"14 1 0:54 / /o/e rw - overlay none ro,lowerdir+=/two/l,lowerdir+=/two/m,datadir+=/two/n\n"
		"15 1 0:55 / /o/f rw - tmpfs none rw,upperdir=/u\n"
		"16 1 0:56 / /o/g rw - overlay none\n");
	for (int again = 0; again < 2; again++)
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
			ck_assert_uint_eq(mounts_host_dev(&mounts, wanted[i].dev), wanted[i].host);
}
END_TEST

static bool is_on(const char *path, const char *point)
{
	size_t len = strlen(point);

	return !strcmp(point, "/") ||
	       (!strncmp(path, point, len) && (!path[len] || path[len] == '/'));
}

static void make_path(char *path)
{
	int depth = random() % 5;

	*path = '\0';
	for (int i = 0; i < depth; i++)
		path += sprintf(path, "/%s", &"aaa"[random() % 3]);
	if (!depth)
		strcpy(path, "/");
}

/* Against the definition: of all mounts the path is on, the longest, and of those the last. */
START_TEST(random_tables_agree_with_the_definition)
{
	char points[40][32], path[32], text[40 * 80];
	const struct mount_point *m;

	srandom(_i + 1);
	for (int round = 0; round < 50; round++) {
		int n = random() % 40, at = 0, best;

		text[0] = '\0';
		for (int i = 0; i < n; i++) {
			make_path(points[i]);
			at += sprintf(text + at, "%d 1 0:%d / %s rw - xfs a rw\n", i, i, points[i]);
		}
		open_with(text);
		for (int k = 0; k < 50; k++) {
			make_path(path);
			best = -1;
			for (int i = 0; i < n; i++)
				if (is_on(path, points[i]) &&
				    (best < 0 || strlen(points[i]) >= strlen(points[best])))
					best = i;
			m = mounts_of_path(&mounts, path);
			ck_assert_int_eq(m ? (int)m->id : -1, best);
		}
	}
}
END_TEST

START_TEST(table_that_cannot_be_read_is_said_and_leaves_all_unknown)
{
	uint32_t dev;

	mounts_close(&mounts);
	mounts_close(&mounts);
	ck_assert(!mounts_of_path(&mounts, "/"));
	ck_assert_int_eq(mounts_scope(&mounts, "/proc/1", &dev), SCOPE_UNKNOWN);
	mounts_refresh(&mounts);
	mounts.proc = "/no/such/proc";
	log_set_level(LOG_QUIET);
	ck_assert_int_lt(mounts_open(&mounts), 0);
	ck_assert(!mounts_of_path(&mounts, "/"));
}
END_TEST

/* ---- what is asked for ---- */

static const struct {
	const char *filter, *path;
	bool all;
	enum scope scope;
} scopes[] = {
	{ "", "/etc", false, SCOPE_IN },
	{ "", "/proc/1", false, SCOPE_OUT },
	{ "", "/proc/1", true, SCOPE_IN },
	{ "+ext4", "/etc", false, SCOPE_IN },
	{ "+ext4", "/dev/shm/x", false, SCOPE_OUT },
	{ "+ext4", "/proc/1", true, SCOPE_OUT },
	{ "+ext4 +tmpfs", "/dev/shm/x", false, SCOPE_IN },
	{ "+proc", "/proc/1", false, SCOPE_IN },
	{ "+proc", "/etc", false, SCOPE_OUT },
	{ "-tmpfs", "/dev/shm/x", false, SCOPE_OUT },
	{ "-tmpfs", "/etc", false, SCOPE_IN },
	{ "-tmpfs", "/proc/1", false, SCOPE_OUT },
	{ "-tmpfs", "/proc/1", true, SCOPE_IN },
	{ "-proc", "/proc/1", true, SCOPE_OUT },
	{ "+ext4 +tmpfs -tmpfs", "/dev/shm/x", false, SCOPE_OUT },
	{ "-tmpfs +tmpfs +ext4", "/dev/shm/x", false, SCOPE_OUT },
	{ "+ext4 -tmpfs", "/etc", false, SCOPE_IN },
	{ "+ext4 -tmpfs", "/mnt/a/x", false, SCOPE_OUT },
	{ "+ext", "/etc", false, SCOPE_OUT },
	{ "+fuse", "/with a\tb\nc\\d/file", false, SCOPE_IN },
};

START_TEST(scope_of_a_path_is_that_of_its_mount)
{
	uint32_t dev = 0;

	want(scopes[_i].filter);
	fixture_mount_rules(&mounts, scopes[_i].all, &mounts.types);
	ck_assert_int_eq(mounts_scope(&mounts, scopes[_i].path, &dev), scopes[_i].scope);
	ck_assert_uint_eq(dev, mounts_of_path(&mounts, scopes[_i].path)->dev);
}
END_TEST

static const struct {
	const char *filter;
	uint32_t dev;
	bool all;
	enum scope scope;
} dev_scopes[] = {
	{ "", 8 << 20 | 1, false, SCOPE_IN },
	{ "", 41, false, SCOPE_IN },
	{ "", 21, false, SCOPE_OUT },
	{ "", 21, true, SCOPE_IN },
	{ "", 0, false, SCOPE_UNKNOWN },
	{ "", 99, false, SCOPE_UNKNOWN },
	{ "", 8 << 20 | 2, true, SCOPE_UNKNOWN },
	{ "", 259u << 20 | 1048575, false, SCOPE_IN },
	{ "+ext4", 8 << 20 | 1, false, SCOPE_IN },
	{ "+ext4", 40, false, SCOPE_OUT },
	{ "+proc", 21, false, SCOPE_IN },
	{ "-xfs", 40, true, SCOPE_OUT },
	{ "-xfs", 41, false, SCOPE_IN },
};

START_TEST(scope_of_a_device_is_that_of_its_mount)
{
	want(dev_scopes[_i].filter);
	fixture_mount_rules(&mounts, dev_scopes[_i].all, &mounts.types);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(mounts_scope_of_dev(&mounts, dev_scopes[_i].dev),
				 dev_scopes[_i].scope);
}
END_TEST

/* The answer that is kept is of this device, this table and this filter only. */
START_TEST(scope_of_a_device_is_not_an_old_answer)
{
	ck_assert_int_eq(mounts_scope_of_dev(&mounts, 21), SCOPE_OUT);
	ck_assert_int_eq(mounts_scope_of_dev(&mounts, 41), SCOPE_IN);
	ck_assert_int_eq(mounts_scope_of_dev(&mounts, 21), SCOPE_OUT);
	fixture_mount_rules(&mounts, true, &mounts.types);
	ck_assert_int_eq(mounts_scope_of_dev(&mounts, 21), SCOPE_IN);
	want("-proc");
	ck_assert_int_eq(mounts_scope_of_dev(&mounts, 21), SCOPE_OUT);
	want("");
	ck_assert_int_eq(mounts_scope_of_dev(&mounts, 21), SCOPE_IN);
	fixture_mount_rules(&mounts, false, &mounts.types);
	open_with("1 2 0:21 / / rw - ext4 a rw\n");
	ck_assert_int_eq(mounts_scope_of_dev(&mounts, 21), SCOPE_IN);
	open_with("");
	ck_assert_int_eq(mounts_scope_of_dev(&mounts, 21), SCOPE_UNKNOWN);
	open_with(mountinfo);
	ck_assert_int_eq(mounts_scope_of_dev(&mounts, 21), SCOPE_OUT);
	mounts_close(&mounts);
	ck_assert_int_eq(mounts_scope_of_dev(&mounts, 21), SCOPE_UNKNOWN);
	ck_assert_int_eq(mounts_scope_of_dev(&mounts, 0), SCOPE_UNKNOWN);
}
END_TEST

/* ---- files ---- */

static bool wants(uint32_t dev, uint32_t magic, const char *mnt_id)
{
	char info[4300];
	struct mounts_file file = { .dev = dev, .magic = magic, .tgid = FOREIGN, .fdinfo = info };

	snprintf(info, sizeof(info), "%.4000s/info", root);
	fixture_write(root, "info", mnt_id);
	return mounts_wants(&mounts, &file);
}

START_TEST(file_is_known_by_its_device)
{
	ck_assert(wants(8 << 20 | 1, OTHER_MAGIC, ""));
	ck_assert(!wants(21, PROC_MAGIC, ""));
	want("+ext4");
	ck_assert(wants(8 << 20 | 1, OTHER_MAGIC, ""));
	ck_assert(!wants(41, OTHER_MAGIC, ""));
	want("-tmpfs");
	ck_assert(wants(8 << 20 | 1, OTHER_MAGIC, ""));
	ck_assert(!wants(41, OTHER_MAGIC, ""));
}
END_TEST

START_TEST(pseudo_file_is_known_by_its_magic_number)
{
	want("+proc");
	ck_assert(wants(999, PROC_MAGIC, ""));
	ck_assert(wants(41, PROC_MAGIC, "")); /* a device that was another's */
	want("-proc");
	fixture_mount_rules(&mounts, true, &mounts.types);
	ck_assert(!wants(999, PROC_MAGIC, ""));
	ck_assert(wants(999, 0x62656572, ""));
}
END_TEST

START_TEST(file_of_a_device_without_a_mount_is_known_by_its_mount)
{
	want("+btrfs");
	ck_assert(wants(999, OTHER_MAGIC, "pos:\t0\nflags:\t02\nmnt_id:\t43\n"));
	ck_assert(!wants(999, OTHER_MAGIC, "pos:\t0\nflags:\t02\nmnt_id:\t44\n"));
	ck_assert(!wants(999, OTHER_MAGIC, "pos:\t0\n"));
}
END_TEST

static void their_mounts(const char *text)
{
	char name[64];

	snprintf(name, sizeof(name), "proc/%d/mountinfo", FOREIGN);
	fixture_write(root, name, text);
	snprintf(name, sizeof(name), "proc/%d/ns/mnt", FOREIGN);
	fixture_write(root, name, "");
}

START_TEST(file_of_another_namespace_is_known_by_a_mount_there)
{
	their_mounts("700 1 0:70 / / rw - overlay overlay rw\n"
		     "701 700 0:71 / /x rw - zonefs x rw\n");
	want("+zonefs");
	ck_assert(wants(999, OTHER_MAGIC, "mnt_id:\t701\n"));
	ck_assert(!wants(999, OTHER_MAGIC, "mnt_id:\t700\n"));
	ck_assert(!wants(999, OTHER_MAGIC, "mnt_id:\t702\n"));
}
END_TEST

START_TEST(file_that_nothing_tells_of_is_of_no_type)
{
	ck_assert(wants(999, OTHER_MAGIC, ""));
	want("+ext4");
	ck_assert(!wants(999, OTHER_MAGIC, ""));
	want("-ext4");
	ck_assert(wants(999, OTHER_MAGIC, ""));
}
END_TEST

/* ---- who may have to wait ---- */

static bool may_wait(uint32_t dev, const char *info)
{
	char name[4300];

	fixture_write(root, "fdinfo", info);
	snprintf(name, sizeof(name), "%.4000s/fdinfo", root);
	return mounts_may_wait(&mounts, &(struct mounts_file){
						.dev = dev, .tgid = FOREIGN, .fdinfo = name });
}

START_TEST(file_of_a_server_may_be_waited_for)
{
	ck_assert(!may_wait(8 << 20 | 1, ""));
	ck_assert(may_wait(44, ""));
	ck_assert(may_wait(42, ""));
	ck_assert(!may_wait(41, ""));
	/* by its mount: of ours, of theirs, of one that is nowhere, and where nothing tells */
	their_mounts("700 1 0:70 / / rw - overlay overlay rw\n"
		     "701 700 0:71 / /x rw - cifs //host/x rw\n");
	ck_assert(!may_wait(999, "mnt_id:\t41\n"));
	ck_assert(may_wait(999, "mnt_id:\t44\n"));
	ck_assert(!may_wait(999, "mnt_id:\t700\n"));
	ck_assert(may_wait(999, "mnt_id:\t701\n"));
	ck_assert(may_wait(999, "mnt_id:\t702\n"));
	ck_assert(!may_wait(999, "pos:\t0\n"));
	/* mounted since their table was read */
	their_mounts("700 1 0:70 / / rw - overlay overlay rw\n"
		     "702 700 0:72 / /y rw - xfs /dev/y rw\n");
	ck_assert(!may_wait(999, "mnt_id:\t702\n"));
}
END_TEST

START_TEST(path_over_a_server_may_be_waited_for)
{
	ck_assert(!mounts_path_waits(&mounts, 0, "/mnt/a/b"));
	ck_assert(mounts_path_waits(&mounts, 0, "/mnt/ab"));
	ck_assert(mounts_path_waits(&mounts, 0, "/mnt/ab/c"));
	ck_assert(!mounts_path_waits(&mounts, 0, "/mnt/abc"));
	their_mounts("700 1 0:70 / / rw - overlay overlay rw\n"
		     "701 700 0:71 / /mnt/a rw - nfs host:/x rw\n");
	ck_assert(mounts_path_waits(&mounts, FOREIGN, "/mnt/a/b"));
	ck_assert(!mounts_path_waits(&mounts, FOREIGN, "/mnt/ab"));
	/* whose mounts cannot be read */
	ck_assert(mounts_path_waits(&mounts, FOREIGN + 1, "/mnt/ab"));
}
END_TEST

/* ---- this host ---- */

static void real_file(int fd, struct mounts_file *file, char *info)
{
	struct statfs fs;
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(fstatfs(fd, &fs), 0);
	sprintf(info, "/proc/self/fdinfo/%d", fd);
	*file = (struct mounts_file){ .dev = major(st.st_dev) << 20 | minor(st.st_dev),
				      .magic = fs.f_type,
				      .tgid = getpid(),
				      .fdinfo = info };
}

START_TEST(file_in_memory_is_one_of_tmpfs)
{
	struct mounts_file file;
	char info[64];
	int fd = syscall(SYS_memfd_create, "x", 0);

	mounts.proc = "/proc";
	ck_assert_int_eq(mounts_open(&mounts), 0);
	ck_assert_int_ge(fd, 0);
	real_file(fd, &file, info);
	want("+tmpfs");
	ck_assert(mounts_wants(&mounts, &file));
	want("-tmpfs");
	ck_assert(!mounts_wants(&mounts, &file));
	close(fd);
}
END_TEST

START_TEST(own_root_has_a_type_that_this_host_knows)
{
	const struct mount_point *m;
	char known[4096];

	mounts.proc = "/proc";
	ck_assert_int_eq(mounts_open(&mounts), 0);
	m = mounts_of_path(&mounts, "/");
	ck_assert(m && m->type[0] && !m->pseudo);
	ck_assert(fs_types_known(mounts.proc, m->type, known, sizeof(known)));
	ck_assert_str_eq(mounts_of_path(&mounts, "/proc/self/stat")->type, "proc");
}
END_TEST

/* In a process of its own: what is mounted shows after a second, and not before, unless all of that took as long. */
static int mount_and_look(const char *dir)
{
	char path[4200];
	uint64_t began;
	uint32_t dev;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return 77;
	mounts.proc = "/proc";
	began = mono_ns();
	if (mounts_open(&mounts) || mount("none", dir, "tmpfs", 0, NULL))
		return 77;
	snprintf(path, sizeof(path), "%s/file", dir);
	mounts_refresh(&mounts);
	if (!strcmp(mounts_of_path(&mounts, path)->path, dir) && mono_ns() - began < NS_PER_S)
		return 1;
	usleep(1100000);
	mounts_refresh(&mounts);
	if (strcmp(mounts_of_path(&mounts, path)->path, dir) ||
	    strcmp(mounts_of_path(&mounts, path)->type, "tmpfs"))
		return 2;
	dev = mounts_of_path(&mounts, path)->dev;
	if (mounts_scope_of_dev(&mounts, dev) != SCOPE_IN)
		return 4;
	umount(dir);
	usleep(1100000);
	mounts_refresh(&mounts);
	if (mounts_scope_of_dev(&mounts, dev) != SCOPE_UNKNOWN)
		return 5;
	return strcmp(mounts_of_path(&mounts, path)->path, dir) ? 0 : 3;
}

START_TEST(table_follows_what_is_mounted)
{
	int status = 0;
	pid_t child = fork();

	if (!child)
		_exit(mount_and_look(root));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		printf("skipped: no mount namespace of its own\n");
	else
		ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

#define N(table) (sizeof(table) / sizeof((table)[0]))

static TCase *table_case(void)
{
	TCase *tcase = tcase_create("table");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 30);
	tcase_add_loop_test(tcase, path_lies_on_the_longest_mount, 0, N(places));
	tcase_add_test(tcase, relative_path_lies_nowhere);
	tcase_add_test(tcase, device_leads_to_its_mount);
	tcase_add_test(tcase, pseudo_file_systems_are_known_by_name);
	tcase_add_loop_test(tcase, odd_lines_are_no_mounts, 0, N(odd_tables));
	tcase_add_test(tcase, last_line_needs_no_end);
	tcase_add_test(tcase, large_table_is_read_whole);
	tcase_add_test(tcase, overlay_has_the_device_of_its_layers);
	tcase_add_loop_test(tcase, random_tables_agree_with_the_definition, 0, 10);
	tcase_add_test(tcase, table_that_cannot_be_read_is_said_and_leaves_all_unknown);
	tcase_add_test(tcase, own_root_has_a_type_that_this_host_knows);
	tcase_add_test(tcase, table_follows_what_is_mounted);
	return tcase;
}

static TCase *filter_case(void)
{
	TCase *tcase = tcase_create("filter");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, scope_of_a_path_is_that_of_its_mount, 0, N(scopes));
	tcase_add_loop_test(tcase, scope_of_a_device_is_that_of_its_mount, 0, N(dev_scopes));
	tcase_add_test(tcase, scope_of_a_device_is_not_an_old_answer);
	tcase_add_test(tcase, file_is_known_by_its_device);
	tcase_add_test(tcase, pseudo_file_is_known_by_its_magic_number);
	tcase_add_test(tcase, file_of_a_device_without_a_mount_is_known_by_its_mount);
	tcase_add_test(tcase, file_of_a_server_may_be_waited_for);
	tcase_add_test(tcase, path_over_a_server_may_be_waited_for);
	tcase_add_test(tcase, file_of_another_namespace_is_known_by_a_mount_there);
	tcase_add_test(tcase, file_that_nothing_tells_of_is_of_no_type);
	tcase_add_test(tcase, file_in_memory_is_one_of_tmpfs);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("mounts");
	SRunner *runner;
	int n_failed;

	suite_add_tcase(suite, table_case());
	suite_add_tcase(suite, filter_case());
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
