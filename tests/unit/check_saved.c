/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host in one file: there and back without loss, and archives from strangers
 * that try to leave their directory.
 */
#include "compat/host/host.h"
#include "compat/host/saved.h"
#include "compat/host/tracefs.h"
#include "compat/sys/untar.h"

#include <check.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "compat/host/layout_host.h"
#include "compat/sys/root.h"
#include "fixture/host_fixture.h"

static char *dir;
static char archive[PATH_MAX];

static void setup(void)
{
	dir = fixture_make();
	/* what unpacking leaves behind shows when this is removed */
	setenv("TMPDIR", dir, 1);
	snprintf(archive, sizeof(archive), "%.2000s/host.tar.gz", dir);
}

static void teardown(void)
{
	fixture_remove(dir);
}

static bool is_alone(void)
{
	char command[PATH_MAX + 40];

	snprintf(command, sizeof(command), "test -z \"$(ls -d '%s'/iotracer-host* 2>/dev/null)\"",
		 dir);
	return !system(command);
}

START_TEST(a_host_comes_back_as_it_was_saved)
{
	static const char *const names[] = { "vfs_read", "aio_read", "do_fault", "filp_flush" };
	struct host *before = fixture_open(fixture_saved(saved_hosts[_i])), *after;
	struct tp_field a[32], b[32];
	char why[2][160];
	int n;

	ck_assert_int_eq(saved_write(before, archive), 0);
	after = fixture_open(archive);
	ck_assert(!after->live);
	ck_assert_str_eq(after->release, before->release);
	ck_assert_str_eq(after->machine, before->machine);
	ck_assert_int_eq(after->has_btf, before->has_btf);
	ck_assert_int_eq(memcmp(after->fact, before->fact, sizeof(after->fact)), 0);
	ck_assert_str_eq(host_config(after, "KPROBES"), host_config(before, "KPROBES"));
	for (unsigned i = 0; i < 4; i++) {
		const char *x = host_kprobe_target(before, names[i], true, why[0], 160);
		const char *y = host_kprobe_target(after, names[i], true, why[1], 160);

		ck_assert_int_eq(x != NULL, y != NULL);
		ck_assert_str_eq(x ? x : why[0], y ? y : why[1]);
	}
	n = host_tp_fields(before, "block:block_rq_issue", a, 32);
	ck_assert_int_gt(n, 0);
	ck_assert_int_eq(host_tp_fields(after, "block:block_rq_issue", b, 32), n);
	for (int i = 0; i < n; i++)
		ck_assert(!strcmp(a[i].name, b[i].name) && a[i].offset == b[i].offset);
	host_close(before);
	host_close(after);
	ck_assert(is_alone());
}
END_TEST

/* BTF itself has megabytes: what the texts read of it goes along, and is all that they need. */
START_TEST(layouts_from_btf_go_along)
{
	static const char text[] = "type file 184\ntype dentry 192\n"
				   "member dentry.d_parent 24 8 0\nmember dentry.d_name 32 16 0\n"
				   "member super_block.s_dev 16 4 0\nmember inode.i_mode 0 2 0\n"
				   "member inode.i_sb 40 8 0\nmember inode.i_ino 64 8 0\n"
				   "member file.f_path 64 16 0\nmember file.f_inode 32 8 0\n"
				   "member fdtable.fd 8 8 0\nmember files_struct.fdt 32 8 0\n"
				   "member task_struct.files 1824 8 0\n";
	struct host *host;

	fixture_write(dir, "b/proc/sys/kernel/osrelease", "5.0.0\n");
	fixture_write(dir, "b/sys/kernel/btf/vmlinux", "");
	fixture_write(dir, "b/" LAYOUT_SAVED, text);
	snprintf(archive, sizeof(archive), "%.2000s/b", dir);
	for (int i = 0; i < 2; i++) { /* as it is, and once more from what was saved of it */
		host = fixture_open(archive);
		ck_assert_int_eq(host->layout_source, LAYOUT_BTF);
		ck_assert(host_has_layout(host) && !host->layout_why[0]);
		ck_assert_uint_eq(host->layout->members[LAYOUT_task_struct_files].offset, 1824);
		snprintf(archive, sizeof(archive), "%.2000s/host.tar.gz", dir);
		ck_assert_int_eq(saved_write(host, archive), 0);
		host_close(host);
	}
	fixture_write(dir, "b/" LAYOUT_SAVED, "type file 184\ntype dentry much\n");
	snprintf(archive, sizeof(archive), "%.2000s/b", dir);
	host = fixture_open(archive);
	ck_assert(!host_has_layout(host) && host->layout_source == LAYOUT_NONE);
	host_close(host);
	/* what is there is not enough for any file */
	fixture_write(dir, "b/" LAYOUT_SAVED, "type file 184\n");
	host = fixture_open(archive);
	ck_assert(!host_has_layout(host));
	host_close(host);
}
END_TEST

START_TEST(addresses_and_data_stay_at_home)
{
	struct host *host;
	size_t size;
	char *text;

	fixture_write(dir, "h/proc/sys/kernel/osrelease", "5.0.0\n");
	fixture_write(dir, "h/proc/kallsyms",
		      "ffffffff81234567 T secret\nffffffff81234568 D data\nffffffff8 t m\t[mod]\n");
	fixture_write(dir, "h/sys/kernel/debug/kprobes/blacklist",
		      "0xffffffff81234567-0xffffffff81234599\tblack\n");
	snprintf(archive, sizeof(archive), "%.2000s/h", dir);
	host = fixture_open(archive);
	snprintf(archive, sizeof(archive), "%.2000s/host.tar.gz", dir);
	ck_assert_int_eq(saved_write(host, archive), 0);
	host_close(host);
	host = fixture_open(archive);
	text = root_read(host->root, "proc/kallsyms", &size);
	ck_assert_str_eq(text, "0000000000000000 T secret\n0000000000000000 t m\t[mod]\n");
	free(text);
	text = root_read(host->root, "sys/kernel/debug/kprobes/blacklist", &size);
	ck_assert_str_eq(text, "0x0000000000000000-0x0000000000000000\tblack\n");
	free(text);
	host_close(host);
}
END_TEST

START_TEST(tar_can_read_it)
{
	struct host *host = fixture_open(fixture_saved("6.1"));
	char command[2 * PATH_MAX];

	ck_assert_int_eq(saved_write(host, archive), 0);
	host_close(host);
	snprintf(command, sizeof(command), "tar -tzf '%.2000s' 2>&1 | grep -q '^proc/kallsyms$'",
		 archive);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(an_archive_of_tar_is_read)
{
	char command[3 * PATH_MAX];
	struct host *host;

	snprintf(command, sizeof(command), "tar --format=ustar -czf '%.2000s' -C '%.2000s' .",
		 archive, fixture_saved("4.14"));
	ck_assert_int_eq(system(command), 0);
	host = fixture_open(archive);
	ck_assert_str_eq(host->release, "4.14.5");
	host_close(host);
	ck_assert(is_alone());
}
END_TEST

START_TEST(a_place_that_cannot_be_written_is_an_error)
{
	struct host *host = fixture_open(fixture_saved("4.14"));

	ck_assert_int_eq(saved_write(host, "/nonexistent/file"), -ENOENT);
	if (!access("/dev/full", W_OK))
		ck_assert_int_eq(saved_write(host, dir), -EINVAL);
	host_close(host);
}
END_TEST

/* One tar header with a right checksum. */
static void member(gzFile out, const char *name, char type, size_t size, const char *link)
{
	unsigned char header[512] = { 0 };
	unsigned sum = 0;

	snprintf((char *)header, 100, "%s", name);
	snprintf((char *)header + 124, 12, "%011zo", size);
	memset(header + 148, ' ', 8);
	header[156] = (unsigned char)type;
	snprintf((char *)header + 157, 100, "%s", link);
	memcpy(header + 257, "ustar\00000", 8);
	for (unsigned i = 0; i < 512; i++)
		sum += header[i];
	snprintf((char *)header + 148, 8, "%06o", sum);
	ck_assert_int_eq(gzwrite(out, header, 512), 512);
}

static void finish(gzFile out)
{
	static const char zeros[1024];

	ck_assert_int_eq(gzwrite(out, zeros, 1024), 1024);
	ck_assert_int_eq(gzclose(out), Z_OK);
}

START_TEST(members_that_lead_outside_are_refused)
{
	static const struct {
		const char *name;
		char type;
		const char *link;
	} cases[] = {
		{ "../escape", '0', "" },
		{ "/tmp/escape", '0', "" },
		{ "a/../../escape", '0', "" },
		{ "a/..", '0', "" },
		{ "..", '0', "" },
		{ "link", '2', "/etc" },
		{ "hard", '1', "/etc/passwd" },
		{ "device", '3', "" },
		{ "fifo", '6', "" },
		{ "", 'L', "" },
		{ "./", '0', "" },
		{ ".//etc/escape", '0', "" },
	};
	struct saved_dir out_dir;
	gzFile out = gzopen(archive, "wb");

	member(out, cases[_i].name[0] ? cases[_i].name : "././@LongLink", cases[_i].type, 0,
	       cases[_i].link);
	finish(out);
	ck_assert_int_eq(saved_unpack(archive, &out_dir), -EPERM);
	ck_assert_str_eq(out_dir.path, "");
	ck_assert(is_alone());
}
END_TEST

START_TEST(a_file_twice_or_below_a_file_is_refused)
{
	struct saved_dir out_dir;
	gzFile out = gzopen(archive, "wb");

	member(out, "a", '0', 0, "");
	member(out, _i ? "a" : "a/b", '0', 0, "");
	finish(out);
	ck_assert_int_eq(saved_unpack(archive, &out_dir), _i ? -EEXIST : -ENOTDIR);
	ck_assert(is_alone());
}
END_TEST

START_TEST(a_bomb_is_refused_before_it_is_written)
{
	struct saved_dir out_dir;
	gzFile out = gzopen(archive, "wb");

	member(out, "large", '0', 1ull << 32, "");
	finish(out);
	ck_assert_int_eq(saved_unpack(archive, &out_dir), -EFBIG);
	ck_assert(is_alone());
}
END_TEST

START_TEST(a_truncated_archive_is_refused_at_every_length)
{
	struct saved_dir out_dir;
	char plain[PATH_MAX];
	char *bytes;
	size_t size;
	gzFile out = gzopen(archive, "wb");

	member(out, "a/b", '0', 700, "");
	for (unsigned i = 0; i < 1024; i++)
		gzputc(out, 'x');
	finish(out);
	bytes = root_read("", archive, &size); /* unpacked */
	ck_assert_uint_eq(size, 512 + 1024 + 1024);
	snprintf(plain, sizeof(plain), "%.2000s/plain.tar", dir);
	for (size_t cut = 0; cut < 1536 + 512; cut += 37) {
		fixture_write_bytes(dir, "plain.tar", bytes, cut);
		ck_assert_int_eq(saved_unpack(plain, &out_dir), -EBADMSG);
	}
	fixture_write_bytes(dir, "plain.tar", bytes, size);
	ck_assert_int_eq(saved_unpack(plain, &out_dir), 0);
	ck_assert(root_exists(out_dir.path, "a/b"));
	saved_remove(&out_dir);
	free(bytes);
	ck_assert(is_alone());
}
END_TEST

START_TEST(a_damaged_archive_does_no_harm)
{
	struct host *host = fixture_open(fixture_saved("4.14"));
	struct saved_dir out_dir;
	char *bytes;
	size_t size;

	ck_assert_int_eq(saved_write(host, archive), 0);
	host_close(host);
	bytes = root_read("", archive, &size);
	for (unsigned i = 0; i < 60; i++) {
		size_t at = i * 7919u % size;

		bytes[at] ^= (char)(1 + i);
		fixture_write_bytes(dir, "host.tar", bytes, i % 4 ? size : at);
		snprintf(archive, sizeof(archive), "%.2000s/host.tar", dir);
		if (!saved_unpack(archive, &out_dir))
			saved_remove(&out_dir);
		bytes[at] ^= (char)(1 + i);
	}
	free(bytes);
	ck_assert(is_alone());
}
END_TEST

/* In the middle, or in the sums at the end: one bit, and nothing of it is believed. */
START_TEST(an_archive_with_a_wrong_sum_is_refused)
{
	struct host *host = fixture_open(fixture_saved("4.14"));
	struct saved_dir out_dir;
	struct stat st;
	char *bytes;
	FILE *file;
	long at;

	ck_assert_int_eq(saved_write(host, archive), 0);
	host_close(host);
	ck_assert_int_eq(stat(archive, &st), 0);
	bytes = malloc((size_t)st.st_size);
	file = fopen(archive, "r+");
	ck_assert_uint_eq(fread(bytes, 1, (size_t)st.st_size, file), (size_t)st.st_size);
	at = _i < 8 ? st.st_size - 1 - _i : st.st_size / 50 * (_i - 7);
	bytes[at] ^= 4;
	rewind(file);
	fwrite(bytes, 1, (size_t)st.st_size, file);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_ne(saved_unpack(archive, &out_dir), 0);
	/* without its last bytes */
	bytes[at] ^= 4;
	fixture_write_bytes(dir, "short", bytes, (size_t)(st.st_size - 1 - _i));
	snprintf(archive, sizeof(archive), "%.2000s/short", dir);
	ck_assert_int_eq(saved_unpack(archive, &out_dir), -EBADMSG);
	free(bytes);
	ck_assert(is_alone());
}
END_TEST

/* The node itself: it was opened, written to, and removed. */
START_TEST(what_is_no_regular_file_is_not_saved_to)
{
	struct host *host = fixture_open(fixture_saved("4.14"));
	char node[PATH_MAX];
	struct stat st;

	snprintf(node, sizeof(node), "%.2000s/node", dir);
	if (mknod(node, S_IFCHR | 0666, makedev(1, 7))) /* as /dev/full */
		snprintf(node, sizeof(node), "/dev/full");
	ck_assert_int_eq(saved_write(host, node), -EINVAL);
	ck_assert_int_eq(stat(node, &st), 0);
	ck_assert(S_ISCHR(st.st_mode));
	host_close(host);
}
END_TEST

START_TEST(an_earlier_file_stays_when_there_is_no_room)
{
	struct host *host = fixture_open(fixture_saved("4.14"));
	size_t size;
	char *bytes;

	ck_assert_int_eq(mkdir(archive, 0700), 0);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", archive, "tmpfs", 0, "size=8k")) {
		host_close(host);
		return;
	}
	strcat(archive, "/host");
	fixture_write(dir, "host.tar.gz/host", "good");
	ck_assert_int_eq(saved_write(host, archive), -ENOSPC);
	bytes = root_read("", archive, &size);
	ck_assert_str_eq(bytes, "good");
	free(bytes);
	*strrchr(archive, '/') = '\0';
	ck_assert_int_eq(umount2(archive, MNT_DETACH), 0);
	host_close(host);
}
END_TEST

START_TEST(nothing_is_left_by_one_who_is_killed)
{
	struct host *host = fixture_open(fixture_saved("4.14"));
	int ends[2], status;
	char byte;
	pid_t pid;

	ck_assert_int_eq(saved_write(host, archive), 0);
	host_close(host);
	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		signal(SIGINT, SIG_DFL);
		host = fixture_open(archive);
		if (write(ends[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	ck_assert_int_eq(read(ends[0], &byte, 1), 1);
	ck_assert(!is_alone());
	kill(pid, _i);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	while (!is_alone()) /* the limit of the case ends it */
		usleep(10000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("saved");
	TCase *tcase = tcase_create("saved");
	SRunner *runner = srunner_create(suite);
	int failed, n_saved = 0;

	while (saved_hosts[n_saved])
		n_saved++;
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, a_host_comes_back_as_it_was_saved, 0, n_saved);
	tcase_add_test(tcase, addresses_and_data_stay_at_home);
	tcase_add_test(tcase, layouts_from_btf_go_along);
	tcase_add_test(tcase, tar_can_read_it);
	tcase_add_test(tcase, an_archive_of_tar_is_read);
	tcase_add_test(tcase, a_place_that_cannot_be_written_is_an_error);
	tcase_add_loop_test(tcase, members_that_lead_outside_are_refused, 0, 12);
	tcase_add_loop_test(tcase, a_file_twice_or_below_a_file_is_refused, 0, 2);
	tcase_add_test(tcase, a_bomb_is_refused_before_it_is_written);
	tcase_add_test(tcase, a_truncated_archive_is_refused_at_every_length);
	tcase_add_test(tcase, a_damaged_archive_does_no_harm);
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, an_archive_with_a_wrong_sum_is_refused, 0, 50);
	tcase_add_test(tcase, what_is_no_regular_file_is_not_saved_to);
	tcase_add_test(tcase, an_earlier_file_stays_when_there_is_no_room);
	tcase_add_loop_test(tcase, nothing_is_left_by_one_who_is_killed, SIGINT, SIGINT + 1);
	tcase_add_loop_test(tcase, nothing_is_left_by_one_who_is_killed, SIGKILL, SIGKILL + 1);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
