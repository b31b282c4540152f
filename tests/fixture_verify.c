/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the directory that verify is asked about, and what it said of it. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "fixture_verify.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "manifest.h"
#include "session.h"
#include "verify.h"

char scratch[256];
char dir[300];
char *said;

static char said_path[300];

void fixture_verify_setup(void)
{
	setenv("TZ", "IST-5:30", 1);
	tzset();
	session_scratch(scratch, sizeof(scratch));
	snprintf(dir, sizeof(dir), "%s/out", scratch);
	snprintf(said_path, sizeof(said_path), "%s/said", scratch);
}

void fixture_verify_teardown(void)
{
	session_remove(scratch);
}

/* ---- sessions ---- */

size_t make_row(char *row, enum stream_id stream, uint64_t real_ns, uint64_t mono_ns, unsigned i)
{
	char when[MANIFEST_TIME_SIZE];
	size_t at;

	manifest_time(real_ns, when);
	if (stream == STREAM_lost)
		return (size_t)sprintf(row, "%s,fs,%s,ring,2,%llu\n", when, i % 2 ? "" : "1",
				       (unsigned long long)mono_ns);
	at = (size_t)sprintf(row, "%s", when);
	for (unsigned c = 1; c < streams[stream].n_columns; c++)
		row[at++] = ',';
	return at + (size_t)sprintf(row + at, "%llu\n", (unsigned long long)mono_ns);
}

void put_rows(struct writer *w, enum stream_id stream, unsigned first, unsigned n)
{
	char row[512];

	for (unsigned i = first; i < first + n; i++) {
		size_t len = make_row(row, stream, T0 + i * 1000000ull, MONO0 + i * 1000000ull, i);

		write_row(w, stream, row, len, T0 + i * 1000000ull);
	}
}

void add_members(struct writer *w, int64_t lost)
{
	json_t *members = json_pack("{s:[{s:I, s:I}], s:[{s:s, s:s, s:I}], s:{s:{}}}",
				    "clocks", "mono_ns", (json_int_t)MONO0, "real_ns", (json_int_t)T0,
				    "lost", "stream", "fs", "reason", "ring", "count", (json_int_t)lost,
				    "reader", "late");

	ck_assert(members != NULL);
	write_manifest_members(w, members);
	json_decref(members);
}

struct writer *begin_session(enum write_compress compress)
{
	struct write_options options = { .dir = dir, .rotate_rows = 10, .compress = compress };
	struct writer *w;
	int err;

	w = write_open(&options, &err);
	ck_assert_msg(w != NULL, "%s", strerror(-err));
	return w;
}

void make_session(enum write_compress compress)
{
	struct writer *w = begin_session(compress);

	write_stream(w, STREAM_ds);
	put_rows(w, STREAM_fs, 0, 25);
	put_rows(w, STREAM_exec, 0, 10);
	put_rows(w, STREAM_lost, 0, 4);
	add_members(w, 8);
	ck_assert_int_eq(write_finish(w), 0);
}

void make_killed_session(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct writer *w = begin_session(WRITE_PLAIN);
		struct timespec t = { .tv_nsec = 20000000 };

		put_rows(w, STREAM_fs, 0, 10);
		put_rows(w, STREAM_exec, 0, 3);
		add_members(w, 0);
		write_rotate(w);
		put_rows(w, STREAM_fs, 10, 12);
		/* until both closed segments are in the manifest, and the buffer in its file */
		for (int i = 0; i < 150; i++) {
			write_tick(w);
			nanosleep(&t, NULL);
		}
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
}

const char *file_of(const char *stream, unsigned number, const char *ending)
{
	static char path[600];
	char command[900];
	FILE *found;

	snprintf(command, sizeof(command), "cd %s && find %s -name '*_%04u%s'", dir, stream, number, ending);
	found = popen(command, "r");
	ck_assert(fgets(path, sizeof(path), found) != NULL);
	path[strcspn(path, "\n")] = '\0';
	pclose(found);
	return path;
}

/* ---- what it says ---- */

static int old_out, old_err;

/* A new one each time: ext4 waits for the disk when a file is written over. */
void said_begin(void)
{
	int out;

	unlink(said_path);
	out = open(said_path, O_RDWR | O_CREAT | O_EXCL, 0600);
	fflush(stdout);
	old_out = dup(1);
	old_err = dup(2);
	dup2(out, 1);
	dup2(out, 2);
	close(out);
}

void said_end(void)
{
	fflush(stdout);
	dup2(old_out, 1);
	dup2(old_err, 2);
	close(old_out);
	close(old_err);
	free(said);
	said = session_read(scratch, "said", NULL);
}

int run_verify(bool repair)
{
	int result;

	said_begin();
	result = verify_directory(dir, repair);
	said_end();
	return result;
}

void expect_verify(bool repair, int result, const char *message)
{
	int got = run_verify(repair);

	ck_assert_msg(got == result, "status %d instead of %d: %s", got, result, said);
	ck_assert_msg(!message || strstr(said, message), "no '%s' in: %s", message, said);
}

void expect_one(int result, const char *message)
{
	char *first;

	expect_verify(false, result, message);
	first = strstr(said, "iotracer: ");
	ck_assert_msg(first && !strstr(first + 1, "iotracer: "), "not one message: %s", said);
}

/* ---- damage ---- */

json_t *manifest(void)
{
	return session_json(dir, "manifest.json");
}

void write_json(const char *name, json_t *json)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ck_assert_int_eq(json_dump_file(json, path, JSON_INDENT(2) | JSON_PRESERVE_ORDER), 0);
	json_decref(json);
}

void flip(const char *name, long at)
{
	char path[900];
	FILE *file;
	int c;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "r+");
	fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
	c = fgetc(file);
	fseek(file, -1, SEEK_CUR);
	fputc(c ^ 1, file);
	fclose(file);
}

void shorten(const char *name, long by)
{
	char path[900];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(truncate(path, st.st_size - by), 0);
}

void rename_in(const char *from, const char *to)
{
	char a[900], b[900];

	snprintf(a, sizeof(a), "%s/%s", dir, from);
	snprintf(b, sizeof(b), "%s/%s", dir, to);
	ck_assert_int_eq(rename(a, b), 0);
}

void remove_in(const char *name)
{
	char path[900];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ck_assert_int_eq(remove(path), 0);
}
