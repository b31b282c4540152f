/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the made-up /proc; fails the running test when the file system does not cooperate. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "fixture_proc.h"

#include <arpa/inet.h>
#include <check.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "host_fixture.h"
#include "mounts.h"
#include "procfs.h"
#include "procnet.h"

static char *root;
static char proc[PATH_MAX];

void fixture_proc_open(void)
{
	root = fixture_make();
	snprintf(proc, sizeof(proc), "%.4000s/proc", root);
	mkdir(proc, 0755);
	procfs_set_root(proc);
	procnet_set_root(proc);
	fixture_process(getpid(), 1, "check");
}

void fixture_proc_close(void)
{
	procfs_set_root("/proc");
	procnet_set_root("/proc");
	procfs_all_fs(false);
	fixture_remove(root);
	root = NULL;
}

void fixture_proc_text(uint32_t tgid, const char *name, const char *text)
{
	char path[300];

	snprintf(path, sizeof(path), "proc/%u/%s", tgid, name);
	fixture_write(root, path, text);
}

static void link_to(uint32_t tgid, const char *name, const char *target)
{
	char path[300], full[PATH_MAX];

	snprintf(path, sizeof(path), "proc/%u/%s", tgid, name);
	snprintf(full, sizeof(full), "%.3700s/%s", root, path);
	unlink(full);
	fixture_link(root, path, target);
}

/* One namespace file for all: a hard link keeps its inode number. */
void fixture_process(uint32_t tgid, uint32_t ppid, const char *name)
{
	char text[256], from[PATH_MAX], to[PATH_MAX];

	snprintf(text, sizeof(text), "%u (%s) S %u 7 8 9\n", tgid, name, ppid);
	fixture_proc_text(tgid, "stat", text);
	fixture_proc_text(tgid, "fd/.keep", "");
	fixture_proc_text(tgid, "ns/.keep", "");
	fixture_write(root, "mnt", "");
	snprintf(from, sizeof(from), "%.3700s/mnt", root);
	snprintf(to, sizeof(to), "%.3700s/%u/ns/mnt", proc, tgid);
	unlink(to);
	ck_assert_int_eq(link(from, to), 0);
	fixture_cwd(tgid, root);
	link_to(tgid, "root", "/");
}

void fixture_process_gone(uint32_t tgid)
{
	char from[PATH_MAX], to[PATH_MAX];

	snprintf(from, sizeof(from), "%.3700s/%u", proc, tgid);
	snprintf(to, sizeof(to), "%.3700s/gone-%u", root, tgid);
	ck_assert_int_eq(rename(from, to), 0);
}

const char *fixture_file(const char *name)
{
	static char paths[8][PATH_MAX];
	static int turn;
	char *path = paths[turn++ % 8];

	snprintf(path, PATH_MAX, "%.3700s/%.300s", root, name);
	if (access(path, F_OK))
		fixture_write(root, name, "");
	return path;
}

void fixture_file_stat(const char *name, struct stat *st)
{
	ck_assert_int_eq(stat(fixture_file(name), st), 0);
}

uint32_t fixture_dev(const struct stat *st)
{
	return major(st->st_dev) << 20 | minor(st->st_dev);
}

void fixture_fd(uint32_t tgid, int fd, const char *target, int64_t pos, uint32_t flags)
{
	char name[64], text[128];

	snprintf(name, sizeof(name), "fd/%d", fd);
	link_to(tgid, name, target);
	if (target[0] != '/') {
		/* what the link says must exist beside it, for stat to find something */
		snprintf(name, sizeof(name), "fd/%.50s", target);
		fixture_proc_text(tgid, name, "");
	}
	snprintf(name, sizeof(name), "fdinfo/%d", fd);
	snprintf(text, sizeof(text), "pos:\t%lld\nflags:\t0%o\nmnt_id:\t25\n", (long long)pos,
		 flags);
	fixture_proc_text(tgid, name, text);
}

void fixture_socket(uint32_t tgid, int fd, struct stat *st)
{
	const char *path;
	char name[64];

	snprintf(name, sizeof(name), "socket-%u-%d", tgid, fd);
	path = fixture_file(name);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	fixture_fd(tgid, fd, path, 0, O_RDWR);
	fixture_file_stat(name, st);
}

void fixture_fd_closed(uint32_t tgid, int fd)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.3700s/%u/fd/%d", proc, tgid, fd);
	ck_assert_int_eq(unlink(path), 0);
	snprintf(path, sizeof(path), "%.3700s/%u/fdinfo/%d", proc, tgid, fd);
	unlink(path);
}

void fixture_cwd(uint32_t tgid, const char *target)
{
	link_to(tgid, "cwd", target);
}

void fixture_mounts_open(const char *mountinfo)
{
	static char below[PATH_MAX];

	fixture_write(root, "mounts/self/mountinfo", mountinfo);
	snprintf(below, sizeof(below), "%.3700s/mounts", root);
	mounts_set_root(below);
	ck_assert_int_eq(mounts_open(), 0);
}

void fixture_mounts_close(void)
{
	mounts_close();
	mounts_set_root("/proc");
}

/* ---- sockets ---- */

/* "%08X" of each word as it lies in memory, as the kernel prints it */
static char *put_address(char *p, int family, const char *text)
{
	uint32_t words[4];
	int n = family == AF_INET6 ? 4 : 1;

	ck_assert_int_eq(inet_pton(family, text, words), 1);
	for (int i = 0; i < n; i++)
		p += sprintf(p, "%08X", words[i]);
	return p;
}

/* get_tcp4_sock() of net/ipv4/tcp_ipv4.c and its like, 4.14 to 7.2: the same up to the inode. */
const char *socket_line_text(const struct socket_line *line)
{
	static char text[512];
	char *p = text + sprintf(text, "   7: ");

	p = put_address(p, line->family, line->local);
	p += sprintf(p, ":%04X ", line->local_port);
	p = put_address(p, line->family, line->remote);
	sprintf(p,
		":%04X 01 00000000:00000001 02:000A87D9 00000000  1000        0 %lu 2 0000000000000000 20 4 30 10 "
		"-1\n",
		line->remote_port, line->ino);
	return text;
}

void fixture_socket_table(uint32_t tgid, const char *name, const char *lines)
{
	static const char header[] = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when "
				     "retrnsmt   uid  timeout inode\n";
	char text[4096], path[64];

	snprintf(text, sizeof(text), "%s%s", header, lines);
	snprintf(path, sizeof(path), "net/%s", name);
	fixture_proc_text(tgid, path, text);
}
