/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer from outside: rows in, a directory out. Everything is read back
 * from disk and compared with what was offered. Tests that need a file system
 * of their own mount a small tmpfs, and are left out without the right to.
 */
#include "write/write.h"
#include "write/writer.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/sha256.h"
#include "fixture/session.h"
#include "read/segments.h"
#include "write/manifest.h"
#include "write/write_session.h"

#define T0 1790000000123456789ull

static char scratch[256];
static char dir[300];

static void setup(void)
{
	session_scratch(scratch, sizeof(scratch));
	snprintf(dir, sizeof(dir), "%s/out", scratch);
}

static void teardown(void)
{
	session_remove(scratch);
}

/* A row of this stream: number i in its first column, padded to at least size bytes. */
static size_t make_row(char *row, enum stream_id stream, uint64_t i, size_t size)
{
	size_t at = (size_t)sprintf(row, "%llu", (unsigned long long)i);

	while (at + streams[stream].n_columns < size)
		row[at++] = 'x';
	for (unsigned c = 1; c < streams[stream].n_columns; c++)
		row[at++] = ',';
	row[at++] = '\n';
	return at;
}

static void put(struct writer *w, enum stream_id stream, uint64_t first, uint64_t n)
{
	char row[512];

	for (uint64_t i = first; i < first + n; i++)
		write_row(w, stream, row, make_row(row, stream, i, 130), T0 + i * 1000);
}

static struct writer *open_ok(const struct write_options *options)
{
	int err = -1;
	struct writer *w = write_open(options, &err);

	ck_assert_msg(w != NULL, "write_open: %s", strerror(-err));
	ck_assert_int_eq(err, 0);
	return w;
}

static const char *text(json_t *object, const char *name)
{
	const char *value = json_string_value(json_object_get(object, name));

	return value ? value : "(none)";
}

static void sleep_ms(long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* In place of libc's: the writer is linked to this one. */
static unsigned n_synced;

int fdatasync(int fd)
{
	n_synced++;
	return (int)syscall(SYS_fdatasync, fd);
}

/* A segment is on the disk before it has its final name, so that a power failure leaves none that is half there. */
START_TEST(closed_segments_are_on_the_disk)
{
	struct write_options options = { .dir = dir, .rotate_rows = 1000 };
	struct writer *w = open_ok(&options);
	struct write_totals totals;

	n_synced = 0;
	put(w, STREAM_fs, 0, 3500);
	ck_assert_int_eq(write_end(w, &totals), 0);
	ck_assert_uint_eq(totals.segments, 4);
	ck_assert_uint_ge(n_synced, 4);
}
END_TEST

START_TEST(every_row_is_in_a_listed_segment)
{
	struct write_options options = { .dir = dir, .rotate_rows = 1000 };
	struct writer *w = open_ok(&options);
	struct write_totals totals;
	json_t *m, *fs, *segment;

	put(w, STREAM_fs, 0, 10007);
	put(w, STREAM_ds, 0, 3);
	ck_assert_uint_eq(write_totals(w)->rows[STREAM_fs], 10007);
	ck_assert_int_eq(write_end(w, &totals), 0);
	ck_assert_uint_eq(totals.rows[STREAM_fs], 10007);
	ck_assert_uint_eq(totals.rows[STREAM_ds], 3);
	ck_assert_uint_eq(totals.segments, 12);
	ck_assert_uint_eq(totals.unwritable[STREAM_fs], 0);

	m = session_json(dir, "manifest.json");
	ck_assert_str_eq(text(m, "state"), "complete");
	ck_assert_str_eq(text(m, "format"), "iotracer");
	ck_assert_int_eq(session_int(m, "schema_version"), SCHEMA_VERSION);
	ck_assert(session_int(m, "ended_ns") >= session_int(m, "started_ns"));
	ck_assert_uint_eq(session_verify(dir, m), 10010);
	fs = session_stream(m, "fs");
	ck_assert_int_eq(session_int(fs, "rows"), 10007);
	segment = json_array_get(json_object_get(fs, "segments"), 1);
	ck_assert_int_eq(session_int(segment, "rows"), 1000);
	ck_assert_int_eq(session_int(segment, "first_ns"), (int64_t)(T0 + 1000 * 1000));
	ck_assert_int_eq(session_int(segment, "last_ns"), (int64_t)(T0 + 1999 * 1000));
	ck_assert(strstr(text(segment, "file"), "_0002.csv") != NULL);
	ck_assert_uint_eq(session_count(dir, "fs", ".part", true), 0);
	ck_assert_uint_eq(session_count(dir, "fs", ".csv", false), 11);
	ck_assert_uint_eq(session_count(dir, ".", "", true), 0); /* the reserve is gone */
	json_decref(m);
}
END_TEST

START_TEST(rows_keep_their_order_and_bytes)
{
	struct write_options options = { .dir = dir };
	struct writer *w = open_ok(&options);
	json_t *m;
	char expect[64];
	char *csv, *at;

	put(w, STREAM_fs, 0, 20000);
	ck_assert_int_eq(write_finish(w), 0);
	m = session_json(dir, "manifest.json");
	csv = session_read(dir,
			   text(json_array_get(json_object_get(session_stream(m, "fs"), "segments"),
					       0),
				"file"),
			   NULL);
	at = strchr(csv, '\n') + 1;
	for (int i = 0; i < 20000; i++) {
		int len = sprintf(expect, "%dx", i);

		ck_assert(!strncmp(at, expect, (size_t)len));
		at = strchr(at, '\n') + 1;
	}
	ck_assert_int_eq(*at, '\0');
	free(csv);
	json_decref(m);
}
END_TEST

START_TEST(stream_without_rows_has_an_entry_and_no_directory)
{
	struct write_options options = { .dir = dir };
	struct writer *w = open_ok(&options);
	json_t *m;

	write_stream(w, STREAM_ds);
	ck_assert_int_eq(write_tick(w), WRITE_OK);
	write_rotate(w);
	ck_assert_int_eq(write_finish(w), 0);
	m = session_json(dir, "manifest.json");
	ck_assert_int_eq(session_int(session_stream(m, "ds"), "rows"), 0);
	ck_assert(session_stream(m, "fs") == NULL);
	ck_assert(!session_exists(dir, "ds"));
	ck_assert(!session_exists(dir, "datapackage.json"));
	json_decref(m);
}
END_TEST

START_TEST(open_segment_is_a_dot_file_of_whole_rows)
{
	struct write_options options = { .dir = dir };
	struct writer *w = open_ok(&options);

	put(w, STREAM_fs, 0, 7);
	ck_assert_int_eq(write_tick(w), WRITE_OK);
	ck_assert(!session_exists(dir, "fs")); /* nothing is old enough to be flushed */
	sleep_ms(1050);
	ck_assert_int_eq(write_tick(w), WRITE_OK);
	ck_assert_uint_eq(session_count(dir, "fs", ".csv.part", true), 1);
	ck_assert_uint_eq(session_count(dir, "fs", ".csv", false), 0);
	write_rotate(w);
	json_decref(session_wait_for_segments(dir, "fs", 1));
	ck_assert_uint_eq(session_count(dir, "fs", ".csv", false), 1);
	put(w, STREAM_fs, 7, 5);
	ck_assert_uint_eq(write_totals(w)->rows[STREAM_fs], 12);
	write_rotate(w);
	write_rotate(w); /* no rows since: no segment */
	json_decref(session_wait_for_segments(dir, "fs", 2));
	ck_assert_int_eq(write_finish(w), 0);
	ck_assert_uint_eq(session_count(dir, "fs", ".csv", false), 2);
}
END_TEST

START_TEST(size_limit_is_never_passed)
{
	struct write_options options = { .dir = dir, .rotate_size = 300000 };
	struct writer *w = open_ok(&options);
	json_t *m, *segment;
	size_t i;

	put(w, STREAM_fs, 0, 30011);
	ck_assert_int_eq(write_finish(w), 0);
	m = session_json(dir, "manifest.json");
	ck_assert_uint_eq(session_verify(dir, m), 30011);
	json_array_foreach(json_object_get(session_stream(m, "fs"), "segments"), i, segment)
	{
		ck_assert_int_le(session_int(segment, "bytes"), 300000);
		if (i < 5)
			ck_assert_int_gt(session_int(segment, "bytes"), 300000 - 200);
	}
	json_decref(m);
}
END_TEST

START_TEST(limit_below_one_row_gives_one_row_per_segment)
{
	struct write_options options = { .dir = dir, .rotate_size = 10 };
	struct writer *w = open_ok(&options);
	json_t *m;

	put(w, STREAM_fs, 0, 100); /* more than the descriptors that may wait */
	ck_assert_int_eq(write_finish(w), 0);
	m = session_json(dir, "manifest.json");
	ck_assert_uint_eq(session_verify(dir, m), 100);
	ck_assert_uint_eq(session_count(dir, "fs", ".csv", false), 100);
	json_decref(m);
}
END_TEST

START_TEST(time_limit_ends_a_segment)
{
	struct write_options options = { .dir = dir, .rotate_time_s = 1 };
	struct writer *w = open_ok(&options);

	put(w, STREAM_fs, 0, 1);
	sleep_ms(1050);
	ck_assert_int_eq(write_tick(w), WRITE_OK);
	put(w, STREAM_fs, 1, 1);
	ck_assert_int_eq(write_tick(w), WRITE_OK);
	ck_assert_int_eq(write_finish(w), 0);
	ck_assert_uint_eq(session_count(dir, "fs", ".csv", false), 2);
}
END_TEST

START_TEST(row_larger_than_the_buffer_is_kept)
{
	struct write_options options = { .dir = dir };
	struct writer *w = open_ok(&options);
	char *row = malloc(1000000);
	json_t *m;

	put(w, STREAM_exec, 0, 10);
	write_row(w, STREAM_exec, row, make_row(row, STREAM_exec, 10, 900000), T0);
	put(w, STREAM_exec, 11, 10);
	ck_assert_int_eq(write_finish(w), 0);
	m = session_json(dir, "manifest.json");
	ck_assert_uint_eq(session_verify(dir, m), 21);
	json_decref(m);
	free(row);
}
END_TEST

START_TEST(late_rows_widen_the_time_range)
{
	struct write_options options = { .dir = dir };
	struct writer *w = open_ok(&options);
	char row[512];
	size_t len = make_row(row, STREAM_fs, 1, 130);
	json_t *m, *segment;

	write_row(w, STREAM_fs, row, len, T0 + 5);
	write_row(w, STREAM_fs, row, len, T0 + 9);
	write_row(w, STREAM_fs, row, len, T0 + 2);
	ck_assert_int_eq(write_finish(w), 0);
	m = session_json(dir, "manifest.json");
	segment = json_array_get(json_object_get(session_stream(m, "fs"), "segments"), 0);
	ck_assert_int_eq(session_int(segment, "first_ns"), (int64_t)T0 + 2);
	ck_assert_int_eq(session_int(segment, "last_ns"), (int64_t)T0 + 9);
	json_decref(m);
}
END_TEST

START_TEST(compressed_session_has_only_compressed_segments)
{
	struct write_options options = { .dir = dir,
					 .rotate_rows = 5000,
					 .packing = (enum packing)_i };
	struct writer *w = open_ok(&options);
	json_t *m, *package, *resource;
	char ending[16];

	snprintf(ending, sizeof(ending), ".csv%s", packings[_i].ending);
	put(w, STREAM_fs, 0, 20011);
	ck_assert_int_eq(write_finish(w), 0);
	m = session_json(dir, "manifest.json");
	ck_assert_uint_eq(session_verify(dir, m), 20011);
	ck_assert_uint_eq(session_count(dir, "fs", ending, false), 5);
	ck_assert_uint_eq(session_count(dir, "fs", "", false), 5);
	ck_assert_uint_eq(session_count(dir, "fs", "", true), 0);
	package = session_json(dir, "datapackage.json");
	resource = json_array_get(json_object_get(package, "resources"), 0);
	ck_assert_str_eq(text(resource, "compression"), packings[_i].name);
	ck_assert_uint_eq(json_array_size(json_object_get(resource, "path")), 5);
	json_decref(package);
	json_decref(m);
}
END_TEST

START_TEST(members_are_merged_while_running_and_at_the_end)
{
	struct write_options options = { .dir = dir };
	struct writer *w = open_ok(&options);
	json_t *members = json_pack("{s:s, s:{s:i}}", "host", "box", "lost", "ring", 1);
	json_t *m = NULL;

	write_manifest_members(w, members);
	for (int i = 0; i < 200; i++) {
		m = session_json(dir, "manifest.json");
		if (json_object_get(m, "host"))
			break;
		json_decref(m);
		sleep_ms(50);
	}
	ck_assert_str_eq(text(m, "host"), "box");
	ck_assert_str_eq(text(m, "state"), "recording");
	json_decref(m);
	json_object_set_new(json_object_get(members, "lost"), "ring", json_integer(2));
	write_manifest_members(w, members);
	json_decref(members);
	members = json_pack("{s:s}", "extra", "yes");
	write_manifest_members(w, members);
	json_decref(members);
	ck_assert_int_eq(write_finish(w), 0);
	m = session_json(dir, "manifest.json");
	ck_assert_int_eq(session_int(json_object_get(m, "lost"), "ring"), 2);
	ck_assert_str_eq(text(m, "extra"), "yes");
	ck_assert_str_eq(text(m, "host"), "box");
	json_decref(m);
}
END_TEST

/* ---- refusals ---- */

static void refuse(const char *path, int expect)
{
	struct write_options options = { .dir = path };
	int err = 0;

	ck_assert(write_open(&options, &err) == NULL);
	ck_assert_int_eq(err, expect);
}

START_TEST(empty_directory_is_accepted)
{
	struct write_options options = { .dir = dir };
	char path[400];

	ck_assert_int_eq(mkdir(dir, 0755), 0);
	snprintf(path, sizeof(path), "%s/lost+found", dir);
	ck_assert_int_eq(mkdir(path, 0700), 0); /* a fresh file system */
	ck_assert_int_eq(write_finish(open_ok(&options)), 0);
	refuse(dir, -ENOTEMPTY); /* a session is in it now */
}
END_TEST

START_TEST(unusable_places_are_refused)
{
	char path[400];

	ck_assert_int_eq(mkdir(dir, 0755), 0);
	session_write(dir, "notes.txt", "mine");
	refuse(dir, -ENOTEMPTY);
	snprintf(path, sizeof(path), "%s/notes.txt", dir);
	refuse(path, -ENOTDIR);
	snprintf(path, sizeof(path), "%s/missing/out", scratch);
	refuse(path, -ENOENT);
	snprintf(path, sizeof(path), "%s/notes.txt/out", dir);
	refuse(path, -ENOTDIR);
	refuse("/proc/self/fdinfo/out", -ENOENT);
}
END_TEST

START_TEST(places_of_others_are_refused)
{
	char path[400];

	if (geteuid())
		return;
	ck_assert_int_eq(mkdir(dir, 0755), 0);
	ck_assert_int_eq(chown(dir, 12345, 12345), 0);
	refuse(dir, -EPERM);
	ck_assert_int_eq(chown(dir, 0, 12345), 0);
	ck_assert_int_eq(chmod(dir, 0775), 0);
	refuse(dir, -EPERM);
	ck_assert_int_eq(chmod(dir, 01777), 0);
	refuse(dir, -EPERM);
	ck_assert_uint_eq(session_count(dir, ".", "", true), 0);
	/* a link may be somebody else's, wherever it leads */
	ck_assert_int_eq(chmod(dir, 0700), 0);
	snprintf(path, sizeof(path), "%s/link", scratch);
	ck_assert_int_eq(symlink(dir, path), 0);
	refuse(path, -ELOOP);
	strcat(path, "/");
	refuse(path, -ELOOP);
	ck_assert_uint_eq(session_count(dir, ".", "", true), 0);
}
END_TEST

/* Whatever is put in place of a folder: nothing comes to lie elsewhere, and the loss is told. */
START_TEST(a_link_in_place_of_a_folder_is_not_followed)
{
	struct write_options options = { .dir = dir, .rotate_rows = 10 };
	char folder[400], away[400], elsewhere[400];
	struct writer *w = open_ok(&options);

	snprintf(folder, sizeof(folder), "%s/fs", dir);
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", scratch);
	ck_assert_int_eq(mkdir(elsewhere, 0700), 0);
	put(w, STREAM_fs, 0, 15);
	write_tick(w);
	json_decref(session_wait_for_segments(dir, "fs", 1));
	snprintf(away, sizeof(away), "%s/away", dir);
	ck_assert_int_eq(rename(folder, away), 0);
	ck_assert_int_eq(symlink(elsewhere, folder), 0);
	put(w, STREAM_fs, 15, 25);
	ck_assert_int_eq(write_tick(w), WRITE_STOPPED);
	ck_assert_int_ne(write_finish(w), 0);
	ck_assert_uint_eq(session_count(elsewhere, ".", "", true), 0);
}
END_TEST

/* A folder that another user has put there is no place for root's files either. */
START_TEST(a_folder_of_another_user_is_not_used)
{
	struct write_options options = { .dir = dir };
	struct writer *w;
	char folder[400];

	if (geteuid())
		return;
	w = open_ok(&options);
	snprintf(folder, sizeof(folder), "%s/fs", dir);
	ck_assert_int_eq(mkdir(folder, 0755), 0);
	ck_assert_int_eq(chown(folder, 12345, 12345), 0);
	put(w, STREAM_fs, 0, 15);
	write_rotate(w);
	ck_assert_int_eq(write_tick(w), WRITE_STOPPED);
	ck_assert_int_eq(write_finish(w), -EPERM);
	ck_assert_uint_eq(session_count(folder, ".", "", true), 0);
}
END_TEST

static unsigned mode_of(const char *name)
{
	char path[600];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ck_assert_int_eq(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

/* Everybody's paths are in it: whatever the umask says, and a group where one is named. */
START_TEST(nobody_else_reads_it_but_the_group)
{
	struct write_options options = { .dir = dir, .shared = _i == 1, .group = 12345 };
	mode_t file = options.shared ? 0640 : 0600, folder = options.shared ? 02750 : 0700;
	json_t *m, *segment;
	struct writer *w;
	struct stat st;

	if (geteuid() && options.shared)
		return;
	if (_i == 2)
		options.packing = PACKING_GZ;
	umask(_i == 1 ? 077 : 0);
	w = open_ok(&options);
	put(w, STREAM_fs, 0, 1000);
	ck_assert_int_eq(write_finish(w), 0);
	m = session_json(dir, "manifest.json");
	segment = json_array_get(json_object_get(session_stream(m, "fs"), "segments"), 0);
	ck_assert_uint_eq(mode_of("."), folder);
	ck_assert_uint_eq(mode_of("fs"), folder);
	ck_assert_uint_eq(mode_of("manifest.json"), file);
	ck_assert_uint_eq(mode_of("datapackage.json"), file);
	ck_assert_uint_eq(mode_of(text(segment, "file")), file);
	json_decref(m);
	if (options.shared) {
		char path[400];

		snprintf(path, sizeof(path), "%s/manifest.json", dir);
		ck_assert_int_eq(stat(path, &st), 0);
		ck_assert_uint_eq(st.st_gid, 12345);
	}
}
END_TEST

START_TEST(failed_open_leaves_nothing)
{
	struct write_options options = { .dir = dir, .max_disk = 4096 };
	int err = 0;

	ck_assert(write_open(&options, &err) == NULL);
	ck_assert_int_eq(err, -EINVAL);
	options.max_disk = 0;
	options.min_free = UINT64_MAX / 2;
	ck_assert(write_open(&options, &err) == NULL);
	ck_assert_int_eq(err, -ENOSPC);
	ck_assert(!session_exists(scratch, "out"));
}
END_TEST

START_TEST(no_permission_is_refused)
{
	pid_t pid;
	int status;

	ck_assert_int_eq(mkdir(dir, 0555), 0);
	pid = fork();
	if (!pid) {
		struct write_options options = { .dir = dir };
		int err = 0;

		if (!geteuid() && (setgid(65534) || setuid(65534)))
			_exit(3);
		_exit(!write_open(&options, &err) && err == -EACCES ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

/* ---- segments of others ---- */

/* A file as a snapshot leaves it: n rows under its final name. */
static void publish(struct writer *w, unsigned number, uint64_t n)
{
	struct manifest_segment segment = {
		.stream = STREAM_process, .rows = n, .first_ns = T0, .last_ns = T0
	};
	char header[1024], row[512], path[512];
	FILE *out;
	int fd;

	ck_assert(!mkdirat(write_dir_fd(w), "process", 0777) || errno == EEXIST);
	snprintf(segment.file, sizeof(segment.file), "process/process_x_%04u.csv", number);
	snprintf(path, sizeof(path), "%s/%s", dir, segment.file);
	out = fopen(path, "w");
	ck_assert(out != NULL);
	segment.bytes = fwrite(header, 1, schema_header(STREAM_process, 0, header, sizeof(header)),
			       out);
	for (uint64_t i = 0; i < n; i++)
		segment.bytes += fwrite(row, 1, make_row(row, STREAM_process, i, 300), out);
	fclose(out);
	segment.csv_bytes = segment.bytes;
	fd = open(path, O_RDONLY);
	ck_assert_int_eq(sha256_file(fd, segment.sha256), 0);
	close(fd);
	write_published(w, &segment);
}

START_TEST(published_segments_are_listed_and_counted)
{
	struct write_options options = { .dir = dir };
	struct writer *w = open_ok(&options);
	struct write_totals totals;
	json_t *m;

	publish(w, 1, 7);
	put(w, STREAM_fs, 0, 100);
	publish(w, 2, 11);
	ck_assert_uint_eq(write_totals(w)->rows[STREAM_process], 18);
	write_beside(w, WRITE_SNAPSHOTS, 1000000);
	ck_assert_uint_gt(write_totals(w)->disk_bytes, 1000000);
	ck_assert_int_eq(write_end(w, &totals), 0);
	ck_assert_uint_eq(totals.segments, 3);
	m = session_json(dir, "manifest.json");
	ck_assert_uint_eq(session_verify(dir, m), 118);
	ck_assert_int_eq(session_int(session_stream(m, "process"), "rows"), 18);
	json_decref(m);
	m = session_json(dir, "datapackage.json");
	ck_assert_uint_eq(json_array_size(json_object_get(m, "resources")), 2);
	json_decref(m);
}
END_TEST

START_TEST(published_segments_make_room_when_it_is_their_turn)
{
	struct write_options options = { .dir = dir, .max_disk = 2 << 20, .rotate_rows = 500 };
	struct writer *w = open_ok(&options);
	struct write_totals totals;
	json_t *m, *process;

	for (unsigned i = 0; i < 40; i++) {
		publish(w, i + 1, 100);
		put(w, STREAM_fs, (uint64_t)i * 1000, 1000);
		ck_assert_int_eq(write_tick(w), WRITE_OK);
	}
	ck_assert_int_eq(write_end(w, &totals), 0);
	ck_assert_uint_gt(totals.evicted_rows[STREAM_process], 1000);
	ck_assert_uint_gt(totals.evicted_rows[STREAM_fs], 10000);
	ck_assert_uint_le(totals.disk_bytes, 2 << 20);
	m = session_json(dir, "manifest.json");
	process = session_stream(m, "process");
	ck_assert_uint_eq(session_verify(dir, m) + totals.evicted_rows[STREAM_process] +
				  totals.evicted_rows[STREAM_fs],
			  44000);
	ck_assert_int_eq(session_int(process, "evicted_rows") + session_int(process, "rows"), 4000);
	ck_assert_uint_eq(session_count(dir, "process", ".csv", false),
			  json_array_size(json_object_get(process, "segments")));
	/* the youngest stay */
	ck_assert(session_exists(dir, "process/process_x_0040.csv"));
	ck_assert(!session_exists(dir, "process/process_x_0001.csv"));
	json_decref(m);
}
END_TEST

/* ---- limits and failures ---- */

START_TEST(max_disk_removes_the_oldest_and_lists_it)
{
	struct write_options options = { .dir = dir, .max_disk = 2 << 20, .rotate_rows = 500 };
	struct writer *w = open_ok(&options);
	struct write_totals totals;
	uint64_t on_disk;
	json_t *m, *fs, *evicted;
	bool has_first = false;
	size_t n;

	for (int i = 0; i < 40; i++) {
		put(w, STREAM_fs, (uint64_t)i * 1000, 1000);
		ck_assert_int_eq(write_tick(w), WRITE_OK);
	}
	ck_assert_int_eq(write_end(w, &totals), 0);
	ck_assert_uint_eq(totals.rows[STREAM_fs], 40000);
	ck_assert_uint_gt(totals.evicted_segments, 10);
	ck_assert_uint_le(totals.disk_bytes, 2 << 20);

	m = session_json(dir, "manifest.json");
	on_disk = session_verify(dir, m);
	fs = session_stream(m, "fs");
	ck_assert_uint_eq(on_disk + totals.evicted_rows[STREAM_fs], 40000);
	ck_assert_int_eq(session_int(fs, "rows"), (int64_t)on_disk);
	ck_assert_int_eq(session_int(fs, "evicted_rows"), (int64_t)totals.evicted_rows[STREAM_fs]);
	json_array_foreach(json_object_get(fs, "evicted"), n, evicted)
	{
		ck_assert(!session_exists(dir, text(evicted, "file")));
		if (strstr(text(evicted, "file"), "_0001.csv")) {
			has_first = true;
			ck_assert_int_eq(session_int(evicted, "first_ns"), (int64_t)T0);
		}
	}
	ck_assert(has_first);
	ck_assert_uint_eq(n, totals.evicted_segments);
	ck_assert_uint_eq(session_count(dir, "fs", ".csv", false),
			  json_array_size(json_object_get(fs, "segments")));
	json_decref(m);
}
END_TEST

/* A small tmpfs on dir, in a mount namespace of this process, so that nothing can be left over. */
static bool mount_small(const char *size)
{
	ck_assert_int_eq(mkdir(dir, 0755), 0);
	if (!unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	    !mount("iotracer", dir, "tmpfs", 0, size) && !chmod(dir, 0700))
		return true;
	fprintf(stderr, "skipped: a test that needs a file system of its own: %m\n");
	return false;
}

START_TEST(full_disk_keeps_whole_rows_and_counts_the_rest)
{
	static const char *const sizes[] = { "size=1m", "size=2m", "size=1280k", "size=3m" };
	struct write_options options = { .dir = dir,
					 .rotate_rows = 3000,
					 .packing = _i & 1 ? PACKING_GZ : PACKING_NONE };
	struct write_totals totals;
	struct writer *w;
	uint64_t on_disk;
	json_t *m;

	if (!mount_small(sizes[_i]))
		return;
	w = open_ok(&options);
	for (int i = 0; i < 100; i++) {
		put(w, STREAM_fs, (uint64_t)i * 997, 997);
		put(w, STREAM_ds, (uint64_t)i * 101, 101);
		write_tick(w);
	}
	if (!(_i & 1)) { /* a fast compressor may just make it */
		ck_assert_int_eq(write_tick(w), WRITE_PAUSED);
		ck_assert(strstr(w->stop_reason, "No space left") != NULL);
	}
	write_end(w, &totals);
	ck_assert_uint_eq(totals.rows[STREAM_fs] + totals.unwritable[STREAM_fs], 99700);
	ck_assert_uint_eq(totals.rows[STREAM_ds] + totals.unwritable[STREAM_ds], 10100);

	m = session_json(dir, "manifest.json");
	if (totals.unwritable[STREAM_fs]) {
		ck_assert_str_eq(text(m, "state"), "stopped");
		ck_assert(strstr(text(m, "reason"), "No space left") != NULL);
	}
	ck_assert_int_gt(session_int(m, "ended_ns"), 0);
	on_disk = session_verify(dir, m);
	ck_assert_uint_eq(on_disk, totals.rows[STREAM_fs] + totals.rows[STREAM_ds]);
	ck_assert_uint_gt(on_disk, 1000);
	ck_assert_int_eq(session_int(session_stream(m, "fs"), "unwritable"),
			 (int64_t)totals.unwritable[STREAM_fs]);
	ck_assert_uint_eq(session_count(dir, "fs", "", true), 0);
	ck_assert_uint_eq(session_count(dir, "ds", "", true), 0);
	json_decref(m);
	umount2(dir, MNT_DETACH);
}
END_TEST

/* All of the file system but so much. */
static void fill_but(uint64_t left)
{
	struct statvfs vfs;
	char text[512];
	int fd;

	snprintf(text, sizeof(text), "%s/%s", dir, "filler");
	ck_assert_int_eq(statvfs(dir, &vfs), 0);
	fd = open(text, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(posix_fallocate(fd, 0, (off_t)(vfs.f_bavail * vfs.f_frsize - left)), 0);
	close(fd);
}

static void remove_filler(void)
{
	char text[512];

	snprintf(text, sizeof(text), "%s/%s", dir, "filler");
	ck_assert_int_eq(unlink(text), 0);
}

/* Room is looked for once a second. */
static enum write_state tick_until(struct writer *w, enum write_state wanted)
{
	enum write_state state = write_tick(w);

	for (int i = 0; i < 500 && state != wanted; i++) {
		usleep(10000);
		state = write_tick(w);
	}
	return state;
}

START_TEST(writing_goes_on_when_there_is_room_again)
{
	struct write_options options = { .dir = dir };
	struct write_totals totals;
	struct writer *w;
	json_t *m;

	if (!mount_small("size=4m"))
		return;
	w = open_ok(&options);
	put(w, STREAM_fs, 0, 1000);
	write_rotate(w);
	fill_but(400 << 10);
	for (int i = 0; i < 20; i++)
		put(w, STREAM_fs, 1000 + (uint64_t)i * 1000, 1000);
	ck_assert_int_eq(write_tick(w), WRITE_PAUSED);
	put(w, STREAM_fs, 21000, 17);
	put(w, STREAM_lost, 0, 3);
	usleep(1100000);
	ck_assert_int_eq(write_tick(w), WRITE_PAUSED); /* it was looked for, and there was none */
	remove_filler();
	ck_assert_int_eq(tick_until(w, WRITE_OK), WRITE_OK);
	ck_assert_str_eq(w->stop_reason, "");
	put(w, STREAM_fs, 30000, 500);
	ck_assert_int_eq(write_end(w, &totals), -ENOSPC);
	ck_assert_uint_eq(totals.rows[STREAM_fs] + totals.no_room[STREAM_fs], 21517);
	ck_assert_uint_ge(totals.no_room[STREAM_fs], 17);
	ck_assert_uint_ge(totals.rows[STREAM_fs], 1500);
	ck_assert_uint_eq(totals.rows[STREAM_lost], 3);
	ck_assert_uint_eq(totals.unwritable[STREAM_lost], 0);

	m = session_json(dir, "manifest.json");
	ck_assert_str_eq(text(m, "state"), "complete");
	ck_assert(!json_object_get(m, "reason"));
	ck_assert_uint_eq(session_verify(dir, m),
			  totals.rows[STREAM_fs] + totals.rows[STREAM_lost]);
	ck_assert_int_eq(session_int(session_stream(m, "fs"), "unwritable"),
			 (int64_t)totals.no_room[STREAM_fs]);
	json_decref(m);
	umount2(dir, MNT_DETACH);
}
END_TEST

/* In place of libc's: the disk fails so many times; what is no file is not on it. */
static int failing_writes;

ssize_t write(int fd, const void *bytes, size_t size)
{
	struct stat st;

	if (failing_writes && !fstat(fd, &st) && S_ISREG(st.st_mode) && failing_writes--) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_write, fd, bytes, size);
}

/* Once: nothing is missing, and what was written before has a segment of its own. */
/* A quota or a disk that does not say so before: copies of rows that wait go first. */
START_TEST(a_full_disk_takes_no_row_while_there_are_copies)
{
	struct write_options options = { .dir = dir };
	struct writer *w;
	uint64_t n = 0;
	char row[512];

	if (!mount_small("size=3m"))
		return;
	w = open_ok(&options);
	for (uint64_t i = 0; i < 10000; i++)
		write_waiting(w, STREAM_ds, row, make_row(row, STREAM_ds, i, 130), i);
	write_waiting_end(w, STREAM_ds, 0);
	ck_assert_uint_gt(spool_bytes(w->spool), 1000000);
	for (; n < 100000 && spool_bytes(w->spool); n += 100)
		put(w, STREAM_fs, n, 100);
	ck_assert_uint_lt(n, 100000);
	put(w, STREAM_fs, n, 5000);
	ck_assert_int_eq(write_tick(w), WRITE_OK);
	ck_assert_uint_eq(write_totals(w)->unwritable[STREAM_fs], 0);
	ck_assert_uint_eq(write_totals(w)->rows[STREAM_fs], n + 5000);
	ck_assert_int_eq(write_finish(w), 0);
}
END_TEST

START_TEST(a_disk_that_fails_once_is_tried_again)
{
	struct write_options options = { .dir = dir };
	struct writer *w = open_ok(&options);
	struct write_totals totals;
	json_t *m;

	put(w, STREAM_fs, 0, 1000);
	write_tick(w);
	sleep_ms(120);
	ck_assert_int_eq(write_tick(w), WRITE_OK);
	put(w, STREAM_fs, 1000, 1000);
	failing_writes = 1;
	sleep_ms(120);
	write_tick(w);
	sleep_ms(120);
	ck_assert_int_eq(write_tick(w), WRITE_OK);
	ck_assert_int_eq(failing_writes, 0);
	ck_assert_int_eq(write_end(w, &totals), 0);
	ck_assert_uint_eq(totals.rows[STREAM_fs], 2000);
	m = session_json(dir, "manifest.json");
	ck_assert_uint_eq(json_array_size(json_object_get(session_stream(m, "fs"), "segments")), 2);
	ck_assert_uint_eq(session_verify(dir, m), 2000);
	json_decref(m);
}
END_TEST

/* Before a row is there: nothing is missing, no number of a segment either. */
START_TEST(a_segment_without_rows_has_no_number)
{
	struct write_options options = { .dir = dir };
	struct writer *w = open_ok(&options);
	struct write_totals totals;
	struct segment_name name;
	json_t *m;

	put(w, STREAM_fs, 0, 1000);
	failing_writes = 1;
	write_rotate(w);
	ck_assert_int_eq(write_tick(w), WRITE_OK);
	ck_assert_int_eq(write_end(w, &totals), 0);
	ck_assert_uint_eq(totals.rows[STREAM_fs], 1000);
	m = session_json(dir, "manifest.json");
	ck_assert(segment_name_parse(text(json_array_get(json_object_get(session_stream(m, "fs"),
									 "segments"),
							 0),
					  "file"),
				     &name));
	ck_assert_uint_eq(name.number, 1);
	ck_assert_uint_eq(session_verify(dir, m), 1000);
	json_decref(m);
}
END_TEST

/* For longer: paused, said to be EIO and not a full disk, and it goes on by itself. */
START_TEST(a_disk_that_fails_is_an_error_of_the_disk)
{
	struct write_options options = { .dir = dir };
	struct writer *w = open_ok(&options);
	struct write_totals totals;
	json_t *m;

	put(w, STREAM_fs, 0, 1000);
	failing_writes = 2;
	write_rotate(w);
	ck_assert_int_eq(write_tick(w), WRITE_PAUSED);
	ck_assert_ptr_nonnull(strstr(w->stop_reason, strerror(EIO)));
	put(w, STREAM_fs, 1000, 500);
	totals = *write_totals(w);
	ck_assert_uint_eq(totals.disk_error[STREAM_fs], 1500);
	ck_assert_uint_eq(totals.no_room[STREAM_fs], 0);
	while (write_tick(w) == WRITE_PAUSED)
		sleep_ms(20);
	put(w, STREAM_fs, 1500, 100);
	write_end(w, &totals);
	ck_assert_uint_eq(totals.rows[STREAM_fs], 100);
	ck_assert_uint_eq(totals.unwritable[STREAM_fs], 1500);
	m = session_json(dir, "manifest.json");
	ck_assert_str_eq(text(m, "state"), "complete");
	ck_assert_uint_eq(session_verify(dir, m), 100);
	json_decref(m);
}
END_TEST

/* A kill takes no more than that with it. */
START_TEST(rows_wait_less_than_200_ms)
{
	struct write_options options = { .dir = dir };
	struct writer *w = open_ok(&options);
	uint64_t began;

	write_tick(w);
	put(w, STREAM_fs, 0, 1);
	began = w->tick_ns;
	do {
		sleep_ms(10);
		write_tick(w);
	} while (!session_count(dir, "fs", ".part", true));
	ck_assert_uint_lt(w->tick_ns - began, 200000000);
	write_finish(w);
}
END_TEST

START_TEST(min_free_stops_and_keeps)
{
	struct write_options options = { .dir = dir, .min_free = 4 << 20 };
	struct write_totals totals;
	struct writer *w;
	json_t *m;

	if (!mount_small("size=6m"))
		return;
	w = open_ok(&options);
	for (int i = 0; i < 100 && write_tick(w) == WRITE_OK; i++)
		put(w, STREAM_fs, (uint64_t)i * 1000, 1000);
	ck_assert_int_eq(write_tick(w), WRITE_PAUSED);
	ck_assert(strstr(w->stop_reason, "--min-free 4.0 MiB") != NULL);
	put(w, STREAM_fs, 0, 17);
	ck_assert_int_eq(write_end(w, &totals), -ENOSPC);
	ck_assert_uint_eq(totals.unwritable[STREAM_fs], 17);
	m = session_json(dir, "manifest.json");
	ck_assert_str_eq(text(m, "state"), "stopped");
	ck_assert_uint_eq(session_verify(dir, m), totals.rows[STREAM_fs]);
	ck_assert_uint_gt(totals.rows[STREAM_fs], 5000);
	json_decref(m);
	umount2(dir, MNT_DETACH);
}
END_TEST

START_TEST(read_only_place_is_refused)
{
	char path[400];

	if (!mount_small("size=1m"))
		return;
	ck_assert_int_eq(mount(NULL, dir, NULL, MS_REMOUNT | MS_RDONLY, "size=1m"), 0);
	refuse(dir, -EROFS);
	snprintf(path, sizeof(path), "%s/out", dir);
	refuse(path, -EROFS);
	umount2(dir, MNT_DETACH);
}
END_TEST

START_TEST(file_size_limit_starts_the_next_segment)
{
	struct rlimit old, limit;
	struct write_options options = { .dir = dir };
	struct write_totals totals;
	struct writer *w;
	json_t *m;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){ .rlim_cur = 100000, .rlim_max = old.rlim_max };
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	w = open_ok(&options);
	put(w, STREAM_fs, 0, 9973);
	ck_assert_int_eq(write_tick(w), WRITE_OK);
	ck_assert_int_eq(write_end(w, &totals), 0);
	setrlimit(RLIMIT_FSIZE, &old);
	ck_assert_uint_eq(totals.rows[STREAM_fs], 9973);
	m = session_json(dir, "manifest.json");
	ck_assert_uint_eq(session_verify(dir, m), 9973);
	ck_assert_uint_gt(totals.segments, 10);
	json_decref(m);
}
END_TEST

START_TEST(removed_directory_stops_with_a_reason)
{
	struct write_options options = { .dir = dir };
	struct writer *w = open_ok(&options);
	struct write_totals totals;

	put(w, STREAM_fs, 0, 5000); /* some in the file, some in the buffer */
	ck_assert_int_eq(write_tick(w), WRITE_OK);
	session_remove(dir);
	ck_assert_int_eq(write_tick(w), WRITE_STOPPED);
	ck_assert(strstr(w->stop_reason, "removed") != NULL);
	put(w, STREAM_fs, 0, 10);
	ck_assert_int_eq(write_end(w, &totals), -ENOENT);
	ck_assert_uint_eq(totals.rows[STREAM_fs], 0);
	ck_assert_uint_eq(totals.unwritable[STREAM_fs], 5010);
	ck_assert(!session_exists(scratch, "out"));
}
END_TEST

/* Removed between two ticks: found out by the thread that renames. */
START_TEST(removed_segments_are_counted_at_the_end)
{
	struct write_options options = { .dir = dir };
	struct writer *w = open_ok(&options);
	struct write_totals totals;

	put(w, STREAM_fs, 0, 5000);
	session_remove(dir);
	ck_assert_int_eq(write_end(w, &totals), -ENOENT);
	ck_assert_uint_eq(totals.rows[STREAM_fs], 0);
	ck_assert_uint_eq(totals.unwritable[STREAM_fs], 5000);
}
END_TEST

enum { MAX_KILLED_ROWS = 10 * 1000 * 1000 };

static void mark_rows(char *seen, const char *name)
{
	char path[400];
	char *csv, *at, *end;

	snprintf(path, sizeof(path), "fs/%s", name);
	csv = session_read(dir, path, NULL);
	ck_assert_ptr_nonnull(csv);
	/* killed between the making of a file and its first write: --repair removes it */
	at = !csv[0] && strstr(name, ".part") ? csv : strchr(csv, '\n') + 1;
	ck_assert_msg(at == csv || !strncmp(csv, "timestamp,", 10), "%s: no header row", path);
	for (; (end = strchr(at, '\n')); at = end + 1) {
		uint64_t i = strtoull(at, NULL, 10);

		ck_assert_uint_lt(i, MAX_KILLED_ROWS);
		seen[i] = 1;
	}
	free(csv);
}

/*
 * Every file of a killed run but a compression under way: the rows in them are
 * all rows up to some last one, without a gap.
 */
static uint64_t rows_left_by_a_killed_run(void)
{
	char *seen = calloc(1, MAX_KILLED_ROWS + 1);
	uint64_t n, last = 0;
	struct dirent *entry;
	char path[400];
	DIR *d;

	snprintf(path, sizeof(path), "%s/fs", dir);
	d = opendir(path);
	while ((entry = readdir(d)))
		if (strstr(entry->d_name, ".csv") && !strstr(entry->d_name, ".gz.part"))
			mark_rows(seen, entry->d_name);
	closedir(d);
	for (uint64_t i = 0; i < MAX_KILLED_ROWS; i++)
		if (seen[i])
			last = i;
	for (n = 0; seen[n]; n++)
		;
	ck_assert_uint_eq(n, last + 1);
	free(seen);
	return n;
}

START_TEST(killed_run_leaves_a_readable_directory)
{
	struct write_options options = { .dir = dir,
					 .rotate_rows = 4000,
					 .packing = _i & 1 ? PACKING_GZ : PACKING_NONE };
	int status;
	json_t *m;
	pid_t pid;

	pid = fork();
	if (!pid) {
		int err;
		struct writer *w = write_open(&options, &err);

		if (!w)
			_exit(1);
		for (uint64_t i = 0;; i++) {
			put(w, STREAM_fs, i * 100, 100);
			write_tick(w);
			sleep_ms(1);
		}
	}
	for (int i = 0; i < 200 && !session_exists(dir, "manifest.json"); i++)
		sleep_ms(10);
	m = session_wait_for_segments(dir, "fs", 3);
	json_decref(m);
	sleep_ms(7 * (long)_i);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status));

	m = session_json(dir, "manifest.json");
	ck_assert_str_eq(text(m, "state"), "recording");
	ck_assert_uint_ge(session_verify(dir, m), 3 * 4000);
	json_decref(session_json(dir, "datapackage.json"));
	json_decref(m);
	ck_assert_uint_ge(rows_left_by_a_killed_run(), 3 * 4000);
	refuse(dir, -ENOTEMPTY);
}
END_TEST

static Suite *write_suite(void)
{
	Suite *suite = suite_create("write");
	TCase *rows = tcase_create("rows");
	TCase *open = tcase_create("open");
	TCase *limits = tcase_create("limits");
	TCase *kill = tcase_create("kill");

	tcase_add_checked_fixture(rows, setup, teardown);
	tcase_add_test(rows, every_row_is_in_a_listed_segment);
	tcase_add_test(rows, closed_segments_are_on_the_disk);
	tcase_add_test(rows, rows_keep_their_order_and_bytes);
	tcase_add_test(rows, stream_without_rows_has_an_entry_and_no_directory);
	tcase_add_test(rows, open_segment_is_a_dot_file_of_whole_rows);
	tcase_add_test(rows, size_limit_is_never_passed);
	tcase_add_test(rows, limit_below_one_row_gives_one_row_per_segment);
	tcase_add_test(rows, time_limit_ends_a_segment);
	tcase_add_test(rows, row_larger_than_the_buffer_is_kept);
	tcase_add_test(rows, late_rows_widen_the_time_range);
	tcase_add_loop_test(rows, compressed_session_has_only_compressed_segments, 1, N_BUILT_IN);
	tcase_add_test(rows, members_are_merged_while_running_and_at_the_end);
	tcase_set_timeout(rows, 60);
	suite_add_tcase(suite, rows);

	tcase_add_checked_fixture(open, setup, teardown);
	tcase_add_test(open, empty_directory_is_accepted);
	tcase_add_test(open, unusable_places_are_refused);
	tcase_add_test(open, places_of_others_are_refused);
	tcase_add_test(open, a_link_in_place_of_a_folder_is_not_followed);
	tcase_add_test(open, a_folder_of_another_user_is_not_used);
	tcase_add_loop_test(open, nobody_else_reads_it_but_the_group, 0, 3);
	tcase_add_test(open, failed_open_leaves_nothing);
	tcase_add_test(open, no_permission_is_refused);
	tcase_add_test(open, read_only_place_is_refused);
	suite_add_tcase(suite, open);

	tcase_add_checked_fixture(limits, setup, teardown);
	tcase_add_test(limits, published_segments_are_listed_and_counted);
	tcase_add_test(limits, published_segments_make_room_when_it_is_their_turn);
	tcase_add_test(limits, max_disk_removes_the_oldest_and_lists_it);
	tcase_add_loop_test(limits, full_disk_keeps_whole_rows_and_counts_the_rest, 0, 4);
	tcase_add_test(limits, writing_goes_on_when_there_is_room_again);
	tcase_add_test(limits, a_full_disk_takes_no_row_while_there_are_copies);
	tcase_add_test(limits, a_disk_that_fails_once_is_tried_again);
	tcase_add_test(limits, a_segment_without_rows_has_no_number);
	tcase_add_test(limits, a_disk_that_fails_is_an_error_of_the_disk);
	tcase_add_test(limits, rows_wait_less_than_200_ms);
	tcase_add_test(limits, min_free_stops_and_keeps);
	tcase_add_test(limits, file_size_limit_starts_the_next_segment);
	tcase_add_test(limits, removed_directory_stops_with_a_reason);
	tcase_add_test(limits, removed_segments_are_counted_at_the_end);
	tcase_set_timeout(limits, 60);
	suite_add_tcase(suite, limits);

	tcase_add_checked_fixture(kill, setup, teardown);
	tcase_add_loop_test(kill, killed_run_leaves_a_readable_directory, 0, 6);
	tcase_set_timeout(kill, 60);
	suite_add_tcase(suite, kill);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(write_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
