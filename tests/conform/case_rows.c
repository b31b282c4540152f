/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of expectations: one line for each row, and the operations that
 * many cases need, with theirs. Knows how the trace format writes names and
 * flags, from its description and not from the tracer.
 */
#include "conform/conform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pid_t as_pid, as_tid;

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
		else if (escape && *s != '\t' && (!n || *s < ' ' || *s == 0x7f))
			fprintf(out, "\\x%02x", *s);
		else if (escape && *s == '\\')
			fputs("\\\\", out);
		else
			fwrite(s, 1, n ? n : 1, out);
		n = n ? n : 1;
	}
}

/* The flags in the trace format's order; what only the open call has is left out unless given. */
static void flag_names(char *text, size_t size, int flags, bool given)
{
	static const struct {
		int bits;
		bool once;
		const char *name;
	} names[] = {
		{ O_CREAT, true, "O_CREAT" },          { O_EXCL, true, "O_EXCL" },
		{ O_TRUNC, true, "O_TRUNC" },          { O_APPEND, false, "O_APPEND" },
		{ O_SYNC, false, "O_SYNC" },           { O_DSYNC, false, "O_DSYNC" },
		{ O_DIRECT, false, "O_DIRECT" },       { O_TMPFILE, false, "O_TMPFILE" },
		{ O_DIRECTORY, false, "O_DIRECTORY" }, { O_NOFOLLOW, false, "O_NOFOLLOW" },
		{ O_CLOEXEC, true, "O_CLOEXEC" },      { O_PATH, false, "O_PATH" },
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

const char *mode_names(mode_t mode)
{
	static const struct {
		mode_t bit;
		const char *name;
	} names[] = {
		{ 04000, "S_ISUID" }, { 02000, "S_ISGID" }, { 01000, "S_ISVTX" },
		{ 0400, "S_IRUSR" },  { 0200, "S_IWUSR" },  { 0100, "S_IXUSR" },
		{ 040, "S_IRGRP" },   { 020, "S_IWGRP" },   { 010, "S_IXGRP" },
		{ 04, "S_IROTH" },    { 02, "S_IWOTH" },    { 01, "S_IXOTH" },
	};
	static char text[128];
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (mode & names[i].bit)
			n += snprintf(text + n, sizeof(text) - n, "%s%s", n ? "|" : "",
				      names[i].name);
	return text;
}

/* ---- rows ---- */

void expect_as(pid_t pid, pid_t tid)
{
	as_pid = pid;
	as_tid = tid;
}

static void put_text(const char *text)
{
	fprintf(out, "\t%s", text ? text : "");
}

static void put_offset(int64_t offset)
{
	if (offset == ANY_OFFSET)
		fputs("\t*", out);
	else if (offset <= MAYBE_OFFSET(0))
		fprintf(out, "\t?%lld", (long long)(-3 - offset));
	else if (offset == NO_OFFSET)
		fputc('\t', out);
	else
		fprintf(out, "\t%lld", (long long)offset);
}

static void put_identity(const struct file *file)
{
	bool escaped = needs_escapes((const unsigned char *)file->path);

	fprintf(out, "\t%s%s\t", file->status ? file->status : "*",
		escaped && file->status ? "e" : "");
	if (file->ino)
		fprintf(out, "%llu\n", (unsigned long long)file->ino);
	else
		fputs("*\n", out);
}

static bool of_two_files(const struct row *r)
{
	return !strcmp(r->op, "RENAME") || !strcmp(r->op, "LINK") ||
	       !strcmp(r->op, "COPY_FILE_RANGE") || !strcmp(r->op, "CLONE") ||
	       (!strcmp(r->op, "SENDFILE") && strstr(r->file->path, " -> "));
}

void expect_row(const struct row *r)
{
	long ret = r->rc == -1 ? -errno : r->rc;
	pid_t pid = as_pid ? as_pid : getpid();
	/* where there is no file, there is no place in it */
	bool no_file = !r->file->path[0] && r->offset >= 0;

	fprintf(out, "%s\t%d\t%d\t", r->op, pid, as_tid ? as_tid : pid);
	put_name(r->file->path);
	if (r->size == SIZE_ANY)
		fputs("\t*", out);
	else
		fprintf(out, "\t%llu", (unsigned long long)r->size);
	put_text(r->flags);
	put_offset(no_file ? NO_OFFSET : r->offset);
	put_text(r->prot);
	put_text(r->map_flags);
	/* the inode of the second file, where the tier knows it */
	put_text(r->address || !of_two_files(r) ? r->address : "*");
	fprintf(out, "\t%ld\t", ret);
	if (r->any_fd)
		fputc('*', out);
	else if (r->file->fd >= 0)
		fprintf(out, "%d", r->file->fd);
	put_identity(r->file);
}

/* kprobes see files, not the descriptors that lead to them: tier a has fd for OPEN alone */
void expect_in(int tiers, const char *op, const struct file *file, uint64_t size, int64_t offset,
	       long rc)
{
	struct row row = {
		.op = op,
		.file = file,
		.size = size,
		.flags = file->flags,
		.offset = offset,
		.rc = rc,
		.any_fd = tier == TIER_A,
	};

	if (tier & tiers)
		expect_row(&row);
}

void expect(const char *op, const struct file *file, uint64_t size, int64_t offset, long rc)
{
	expect_in(TIERS, op, file, size, offset, rc);
}

void expect_fd(const char *op, const struct file *file, uint64_t size, int64_t offset,
	       const char *flags, long rc)
{
	struct row row = {
		.op = op,
		.file = file,
		.size = size,
		.flags = flags,
		.offset = offset,
		.rc = rc,
	};

	expect_row(&row);
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

static bool of_directory(const char *op)
{
	static const char *const ops[] = { "MKDIR", "RMDIR", "CHDIR", "READDIR", "CHROOT" };

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (!strcmp(op, ops[i]))
			return true;
	return false;
}

void expect_named(const char *op, const char *shown, const char *status, const char *flags, long rc)
{
	struct file file = { .fd = -1, .status = status };
	bool slash = of_directory(op) && *shown && strcmp(shown, "*") && strcmp(shown, "/");

	snprintf(file.path, sizeof(file.path), "%s%s", shown, slash ? "/" : "");
	expect_fd(op, &file, 0, NO_OFFSET, flags, rc);
}

void expect_path(const char *op, const char *shown, const char *flags, long rc)
{
	expect_named(op, shown, "f", flags, rc);
}

void expect_directory(const char *op, const struct file *file, int64_t offset, const char *flags,
		      long rc)
{
	struct file slashed = *file;
	size_t n = strlen(slashed.path);

	if (n && strcmp(slashed.path, "*"))
		snprintf(slashed.path + n, sizeof(slashed.path) - n, "/");
	expect_fd(op, &slashed, 0, offset, flags, rc);
}

void name_two(struct file *file, const char *from, const char *to)
{
	size_t n = strlen(from);

	must(n + strlen(to) + 5 <= sizeof(file->path), "names");
	memcpy(file->path, from, n);
	memcpy(file->path + n, " -> ", 4);
	strcpy(file->path + n + 4, to);
}

void expect_two(const char *op, const char *from, const char *to, const char *flags, long rc)
{
	struct file file = { .fd = -1, .status = "f" };

	name_two(&file, from, to);
	expect_fd(op, &file, 0, NO_OFFSET, flags, rc);
}

/* ---- open and close ---- */

static void put_open(const struct file *file, const char *flags, long rc)
{
	struct row row = {
		.op = "OPEN", .file = file, .flags = flags, .offset = NO_OFFSET, .rc = rc
	};

	expect_row(&row);
}

static void opened(struct file *file, const char *path, const char *status, int flags, long rc)
{
	must(rc >= 0, path);
	file->fd = rc;
	snprintf(file->path, sizeof(file->path), "%s", path);
	file->status = status;
	file->ino = 0;
	flag_names(file->flags, sizeof(file->flags), flags, true);
	put_open(file, file->flags, rc);
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
	put_open(&file, file.flags, -err);
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

/* ---- what cases prepare ---- */

void make_file(const char *name, size_t size)
{
	static struct file file;

	open_file(&file, name, O_WRONLY | O_CREAT | O_EXCL);
	if (size)
		expect("WRITE", &file, size, 0, write(file.fd, buf, size));
	close_file(&file);
}

void make_dir(const char *given, const char *real)
{
	int rc = mkdir(given, 0755);

	must(!rc, given);
	expect_path("MKDIR", real ? real : given, mode_names(0755), rc);
}

void enter(const char *given, const char *real)
{
	int rc = chdir(given);

	must(!rc, given);
	expect_path("CHDIR", real ? real : given, NULL, rc);
}

void make_symlink(const char *target, const char *path)
{
	int rc = symlink(target, path);

	must(!rc, path);
	expect_two("SYMLINK", target, path, NULL, rc);
}

void move(const char *from, const char *to)
{
	int rc = rename(from, to);

	must(!rc, from);
	expect_two("RENAME", from, to, NULL, rc);
}

void remove_file(const char *path)
{
	int rc = unlink(path);

	must(!rc, path);
	expect_path("UNLINK", path, NULL, rc);
}

void set_size(const struct file *file, uint64_t size)
{
	int rc = ftruncate(file->fd, size);

	must(!rc, "ftruncate");
	expect_fd("TRUNCATE", file, size, NO_OFFSET, NULL, rc);
}
