/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Session directories for the writer's tests: scratch places, and what is
 * really in a directory, found out without any code of the writer.
 */
#ifndef IO_TESTS_SESSION_H
#define IO_TESTS_SESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A new empty directory below $TMPDIR or /tmp; session_remove takes it away with all in it. */
void session_scratch(char *path, size_t size);
void session_remove(const char *path);

/* The whole of dir/name (gunzipped when name ends in .gz), NUL-terminated; NULL when absent. */
char *session_read(const char *dir, const char *name, size_t *len);
void session_write(const char *dir, const char *name, const char *text);
bool session_exists(const char *dir, const char *name);

/* dir/name as JSON; aborts the test when it is not. */
json_t *session_json(const char *dir, const char *name);

/* The manifest's entry for a stream; NULL when there is none. Borrowed. */
json_t *session_stream(json_t *manifest, const char *stream);
int64_t session_int(json_t *object, const char *name);

/* Files in dir (or a stream's part of it) with this ending; dot files only when asked for. */
unsigned session_count(const char *dir, const char *stream, const char *ending, bool dot_files);

/* Complete data rows of a CSV file: all lines but the first, each with n_columns fields. */
uint64_t session_csv_rows(const char *dir, const char *name, unsigned n_columns);

/*
 * Compares every listed segment with its file: size, checksum, rows. Returns
 * the rows of all, and aborts the test when anything differs.
 */
uint64_t session_verify(const char *dir, json_t *manifest);

#endif
