/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform TIER DIR [CASE...]: runs cases in DIR and prints the expected rows,
 * one line each, fields apart by tabs. A case begins with an open that fails
 * (its name below /conform), so that a reader of the trace can tell them apart.
 * Owns the text of expectations and the children; knows nothing of the tracer.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "conform.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int tier;
const char *work, *program;
char buf[1 << 20];

static const char *case_name;
static pid_t as_pid, as_tid;
static FILE *out; /* memory: a write to stdout could be a row itself */
static char *out_text;
static size_t out_len;

void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "conform: %s: %s: %s\n", case_name ? case_name : "start", what,
		strerror(errno));
	_exit(3);
}

void skip(const char *fmt, ...)
{
	va_list ap;

	fprintf(out, "SKIP\t%s\t", case_name);
	va_start(ap, fmt);
	vfprintf(out, fmt, ap);
	va_end(ap);
	fputc('\n', out);
}

void settle(void)
{
	struct timespec t = { .tv_nsec = 400 * 1000 * 1000 };

	if (tier == TIER_C)
		nanosleep(&t, NULL);
}

const char *at(const char *name)
{
	static char texts[8][PATH_MAX * 2];
	static unsigned n;
	char *text = texts[n++ % 8];

	snprintf(text, sizeof(texts[0]), "%s/%s%s%s", work, case_name, *name ? "/" : "", name);
	return text;
}

/* ---- texts ---- */

/* Bytes of the UTF-8 sequence at s, 0 when it is none; enough for the names used here. */
static size_t sequence(const unsigned char *s)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static bool needs_escapes(const unsigned char *s)
{
	for (size_t n; *s; s += n) {
		n = sequence(s);
		if (!n || (*s < ' ' && *s != '\t') || *s == 0x7f)
			return true;
	}
	return false;
}

/* The name as the trace format writes it: all escaped or nothing. */
static void put_name(const char *name)
{
	const unsigned char *s = (const unsigned char *)name;
	bool escape = needs_escapes(s);

	for (size_t n; *s; s += n) {
		n = sequence(s);
		if (*s == '\n' && escape)
			fputs("\\n", out);
		else if (escape && (!n || *s < ' ' || *s == 0x7f))
			fprintf(out, "\\x%02x", *s);
		else if (escape && *s == '\\')
			fputs("\\\\", out);
		else
			fwrite(s, 1, n ? n : 1, out);
		n = n ? n : 1;
	}
}

static void put_status(const struct file *file)
{
	bool escaped = needs_escapes((const unsigned char *)file->path);

	fprintf(out, "\t%s%s\n", file->status ? file->status : "*", escaped && file->status ? "e" : "");
}

/* The flags in the trace format's order; what only the open call has is left out unless given. */
static void flag_names(char *text, size_t size, int flags, bool given)
{
	static const struct {
		int bits;
		bool once;
		const char *name;
	} names[] = {
		{ O_CREAT, true, "O_CREAT" },   { O_EXCL, true, "O_EXCL" },
		{ O_TRUNC, true, "O_TRUNC" },   { O_APPEND, false, "O_APPEND" },
		{ O_SYNC, false, "O_SYNC" },    { O_DSYNC, false, "O_DSYNC" },
		{ O_DIRECT, false, "O_DIRECT" }, { O_TMPFILE, false, "O_TMPFILE" },
		{ O_DIRECTORY, false, "O_DIRECTORY" }, { O_NOFOLLOW, false, "O_NOFOLLOW" },
		{ O_CLOEXEC, true, "O_CLOEXEC" }, { O_PATH, false, "O_PATH" },
	};
	static const char *const access_names[] = { "O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE" };
	size_t n = snprintf(text, size, "%s", access_names[flags & O_ACCMODE]);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if ((flags & names[i].bits) != names[i].bits)
			continue;
		flags &= ~names[i].bits;
		if (given || !names[i].once)
			n += snprintf(text + n, size - n, "|%s", names[i].name);
	}
}

/* ---- rows ---- */

void expect_as(pid_t pid, pid_t tid)
{
	as_pid = pid;
	as_tid = tid;
}

static void put_row(const char *op, const struct file *file, uint64_t size, int64_t offset,
		    long ret, bool with_fd)
{
	pid_t pid = as_pid ? as_pid : getpid();

	fprintf(out, "%s\t%d\t%d\t", op, pid, as_tid ? as_tid : pid);
	put_name(file->path);
	if (size == SIZE_ANY)
		fputs("\t*", out);
	else
		fprintf(out, "\t%llu", (unsigned long long)size);
	fprintf(out, "\t%s\t", file->flags);
	if (offset == ANY_OFFSET)
		fputc('*', out);
	else if (offset >= 0)
		fprintf(out, "%lld", (long long)offset);
	fprintf(out, "\t%ld\t", ret);
	if (!with_fd)
		fputc('*', out);
	else if (file->fd >= 0)
		fprintf(out, "%d", file->fd);
	put_status(file);
}

/* kprobes see files, not the descriptors that lead to them: tier a has fd for OPEN alone */
void expect_in(int tiers, const char *op, const struct file *file, uint64_t size, int64_t offset,
	       long rc)
{
	if (tier & tiers)
		put_row(op, file, size, offset, rc == -1 ? -errno : rc, tier != TIER_A);
}

void expect(const char *op, const struct file *file, uint64_t size, int64_t offset, long rc)
{
	expect_in(TIERS, op, file, size, offset, rc);
}

void expect_bad_fd(const char *op, int fd, uint64_t size)
{
	struct file none = { .fd = fd, .status = "n" };

	errno = EBADF;
	expect_in(strstr(op, "SYNC") ? TIERS : TIER_B | TIER_C, op, &none, size, NO_OFFSET, -1);
}

void expect_silent_close(const struct file *file)
{
	/* the kernel drops the files of one call, exec or exit in an order of its own */
	if (tier == TIER_A)
		fputc('~', out);
	expect("CLOSE", file, 0, NO_OFFSET, 0);
}

static void opened(struct file *file, const char *path, const char *status, int flags, long rc)
{
	must(rc >= 0, path);
	file->fd = rc;
	snprintf(file->path, sizeof(file->path), "%s", path);
	file->status = status;
	flag_names(file->flags, sizeof(file->flags), flags, true);
	put_row("OPEN", file, 0, NO_OFFSET, rc, true);
	flag_names(file->flags, sizeof(file->flags), flags, false);
}

void expect_open(struct file *file, const char *real, int flags, long rc)
{
	opened(file, real, "f", flags, rc);
}

void expect_nameless(struct file *file, const char *status, int flags, long rc)
{
	opened(file, "*", status, flags, rc);
}

void expect_open_failed(const char *shown, const char *status, int flags)
{
	struct file file = { .fd = -1, .status = status };
	int err = errno;

	snprintf(file.path, sizeof(file.path), "%s", shown);
	flag_names(file.flags, sizeof(file.flags), flags, true);
	put_row("OPEN", &file, 0, NO_OFFSET, -err, true);
	errno = err;
}

int open_at(struct file *file, int dirfd, const char *given, const char *real, int flags)
{
	int fd = openat(dirfd, given, flags, 0644);

	expect_open(file, real ? real : given, flags, fd);
	return fd;
}

int open_file(struct file *file, const char *name, int flags)
{
	return open_at(file, AT_FDCWD, at(name), NULL, flags);
}

void close_file(struct file *file)
{
	int rc = close(file->fd);

	expect("CLOSE", file, 0, NO_OFFSET, rc);
}

/* ---- children ---- */

void await(pid_t pid)
{
	int status;

	must(waitpid(pid, &status, 0) == pid, "waitpid");
	must(WIFSIGNALED(status) || WEXITSTATUS(status) == 0, "child");
}

pid_t in_child(void (*fn)(void *arg), void *arg)
{
	pid_t pid = fork();

	must(pid >= 0, "fork");
	if (pid == 0) {
		fn(arg);
		_exit(0);
	}
	await(pid);
	return pid;
}

/* ---- running ---- */

static const struct conform_case *const lists[] = {
	rw_cases, open_cases, name_cases, close_cases, async_cases,
};

static bool chosen(const char *name, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

static void run_case(const struct conform_case *c)
{
	char marker[64];

	case_name = c->name;
	expect_as(0, 0);
	must(!mkdir(at(""), 0755), "mkdir");
	snprintf(marker, sizeof(marker), "/conform/%s", c->name);
	must(open(marker, O_RDONLY) < 0, marker);
	fprintf(out, "CASE\t%s\n", c->name);
	c->run();
	must(!chdir("/"), "chdir");
}

/* What an executed child does: uses a file and leaves it open. */
static int be_child(const char *path)
{
	int fd = open(path, O_WRONLY);

	return fd < 0 || write(fd, "child", 5) != 5;
}

int main(int argc, char **argv)
{
	static const char tiers[] = "ab?c";
	const char *letter;

	if (argc == 3 && !strcmp(argv[1], "--child"))
		return be_child(argv[2]);
	letter = argc >= 3 && strlen(argv[1]) == 1 ? strchr(tiers, argv[1][0]) : NULL;
	if (!letter || *letter == '?') {
		fprintf(stderr, "usage: conform a|b|c DIR [CASE...]\n");
		return 2;
	}
	tier = letter - tiers + 1;
	work = realpath(argv[2], NULL);
	program = realpath("/proc/self/exe", NULL);
	out = open_memstream(&out_text, &out_len);
	must(work && program && out, argv[2]);
	umask(022);
	must(!chmod(work, 0755), work);
	memset(buf, 'x', sizeof(buf));
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const struct conform_case *c = lists[i]; c->name; c++)
			if (chosen(c->name, argv + 3))
				run_case(c);
	must(open("/conform/end", O_RDONLY) < 0, "end");
	settle();
	fclose(out);
	return fwrite(out_text, 1, out_len, stdout) == out_len && !fflush(stdout) ? 0 : 3;
}
