/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the reading side of the writer's tests. Deliberately knows only the
 * documented layout.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "session.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "schema.h"
#include "sha256.h"

void session_scratch(char *path, size_t size)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(path, size, "%s/iotracer-check.XXXXXX", tmp ? tmp : "/tmp");
	ck_assert_msg(mkdtemp(path) != NULL, "%s: %m", path);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void session_remove(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* zlib reads plain files as well */
char *session_read(const char *dir, const char *name, size_t *len)
{
	size_t size = 1 << 16, at = 0;
	char path[512];
	char *text;
	gzFile file;
	int n;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = gzopen(path, "rb");
	if (!file)
		return NULL;
	text = malloc(size + 1);
	while ((n = gzread(file, text + at, (unsigned)(size - at))) > 0) {
		at += (size_t)n;
		if (at == size)
			text = realloc(text, (size *= 2) + 1);
	}
	ck_assert_msg(n == 0, "%s: not readable", path);
	gzclose(file);
	text[at] = '\0';
	if (len)
		*len = at;
	return text;
}

void session_write(const char *dir, const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	ck_assert_msg(file != NULL, "%s: %m", path);
	fputs(text, file);
	fclose(file);
}

bool session_exists(const char *dir, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

json_t *session_json(const char *dir, const char *name)
{
	char path[512];
	json_error_t error;
	json_t *json;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	ck_assert_msg(json != NULL, "%s: line %d: %s", path, error.line, error.text);
	return json;
}

json_t *session_stream(json_t *manifest, const char *stream)
{
	json_t *list = json_object_get(manifest, "streams");
	json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry)
		if (!strcmp(json_string_value(json_object_get(entry, "name")), stream))
			return entry;
	return NULL;
}

int64_t session_int(json_t *object, const char *name)
{
	json_t *value = json_object_get(object, name);

	ck_assert_msg(json_is_integer(value), "no integer %s", name);
	return json_integer_value(value);
}

static bool ends_with(const char *text, const char *ending)
{
	size_t len = strlen(text), end = strlen(ending);

	return len >= end && !strcmp(text + len - end, ending);
}

unsigned session_count(const char *dir, const char *stream, const char *ending, bool dot_files)
{
	struct dirent *entry;
	unsigned n = 0;
	char path[512];
	DIR *d;

	snprintf(path, sizeof(path), "%s/%s", dir, stream);
	d = opendir(path);
	if (!d)
		return 0;
	while ((entry = readdir(d)))
		if ((entry->d_name[0] == '.') == dot_files && entry->d_name[strspn(entry->d_name, ".")] &&
		    ends_with(entry->d_name, ending))
			n++;
	closedir(d);
	return n;
}

static unsigned count_fields(const char *line, size_t len)
{
	bool quoted = false;
	unsigned n = 1;

	for (size_t i = 0; i < len; i++) {
		if (line[i] == '"')
			quoted = !quoted;
		n += line[i] == ',' && !quoted;
	}
	return n;
}

uint64_t session_csv_rows(const char *dir, const char *name, unsigned n_columns)
{
	size_t len = 0;
	char *text = session_read(dir, name, &len);
	char *line = text;
	uint64_t n = 0;
	char *end;

	ck_assert_msg(text != NULL, "%s/%s: %m", dir, name);
	ck_assert_msg(!strncmp(text, "timestamp,", 10) || !strncmp(text, "snapshot_timestamp,", 19),
		      "%s: no header row", name);
	for (; (end = memchr(line, '\n', len - (size_t)(line - text))); line = end + 1, n++)
		ck_assert_msg(count_fields(line, (size_t)(end - line)) == n_columns,
			      "%s: line %llu: wrong number of fields", name,
			      (unsigned long long)n + 1);
	free(text);
	return n - 1;
}

static void verify_segment(const char *dir, json_t *segment, unsigned n_columns)
{
	const char *file = json_string_value(json_object_get(segment, "file"));
	char path[512];
	char hex[SHA256_HEX_SIZE];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_RDONLY);
	ck_assert_msg(fd >= 0, "%s: %m", path);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_size, session_int(segment, "bytes"));
	ck_assert_int_eq(sha256_file(fd, hex), 0);
	ck_assert_str_eq(hex, json_string_value(json_object_get(segment, "sha256")));
	close(fd);
	ck_assert_int_eq((int64_t)session_csv_rows(dir, file, n_columns),
			 session_int(segment, "rows"));
	ck_assert_int_gt(session_int(segment, "rows"), 0);
	ck_assert(json_is_true(json_object_get(segment, "compressed")) == ends_with(file, ".csv.gz"));
}

uint64_t session_verify(const char *dir, json_t *manifest)
{
	json_t *stream, *segment;
	uint64_t rows = 0;
	size_t i, j;

	json_array_foreach(json_object_get(manifest, "streams"), i, stream) {
		const char *name = json_string_value(json_object_get(stream, "name"));

		json_array_foreach(json_object_get(stream, "segments"), j, segment) {
			verify_segment(dir, segment, streams[schema_find(name)].n_columns);
			rows += (uint64_t)session_int(segment, "rows");
		}
	}
	return rows;
}
