/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the database (SQLite), which nobody but this process sees: it needs no lock and no log. */
#include "analysis/files/files_store.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/below.h"
#include "base/file.h"

/* SQLite has no path longer than this. */
enum { PATH_SIZE = 512 };
#define NAME ".files.db"

/*
 * The journal, in memory, is what a failed batch is taken back with. Pages that are new
 * need no place in it, so that it stays small.
 */
static const char setup[] =
	"PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;"
	"PRAGMA locking_mode = EXCLUSIVE; PRAGMA page_size = 8192; PRAGMA cache_size = -8192;"
	"CREATE TABLE files (mntns INTEGER NOT NULL, path BLOB NOT NULL,"
	" rank INTEGER, record BLOB NOT NULL, PRIMARY KEY (mntns, path))"
	" WITHOUT ROWID;"
	"CREATE INDEX by_rank ON files (rank DESC, mntns, path)"
	" WHERE rank IS NOT NULL;";

enum statement { BEGIN, PUT, COMMIT, ROLLBACK, FIND, BELOW, WALK, N_STATEMENTS };

static const char *const texts[N_STATEMENTS] = {
	[BEGIN] = "BEGIN",
	[PUT] = "REPLACE INTO files (mntns, path, rank, record) VALUES (?1, ?2, ?3, ?4)",
	[COMMIT] = "COMMIT",
	[ROLLBACK] = "ROLLBACK",
	[FIND] = "SELECT record FROM files WHERE mntns = ?1 AND path = ?2",
	[BELOW] = "SELECT 1 FROM files WHERE mntns = ?1 AND path > ?2 AND path < ?3 LIMIT 1",
	[WALK] = ("SELECT mntns, path, record FROM files INDEXED BY by_rank"
		  " WHERE rank IS NOT NULL ORDER BY rank DESC, mntns, path"),
};

struct files_store {
	sqlite3 *db;
	sqlite3_stmt *statements[N_STATEMENTS];
	struct {
		char *bytes;
		size_t max;
	} bounds[2]; /* of the paths below one */
};

static int error_of(const struct files_store *shelf, int code)
{
	int number = 0;

	if ((code & 0xff) == SQLITE_NOMEM || !shelf->db)
		return -ENOMEM;
	if ((code & 0xff) == SQLITE_FULL)
		return -ENOSPC;
	number = sqlite3_system_errno(shelf->db);
	return number ? -number : -EIO;
}

/* 1: there is a row, which stays until the statement is reset; 0 or -errno. */
static int step(struct files_store *shelf, enum statement which)
{
	int code = sqlite3_step(shelf->statements[which]);

	return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : error_of(shelf, code);
}

static int run(struct files_store *shelf, enum statement which)
{
	int err = step(shelf, which);

	sqlite3_reset(shelf->statements[which]);
	return err < 0 ? err : 0;
}

/* ---- opening ---- */

/* It goes away with the process, however that ends. */
static int open_unnamed(struct files_store *shelf, int dir_fd, const char *folder)
{
	int code, fd = below_folder(dir_fd, folder);
	char path[PATH_SIZE];

	if (fd < 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/" NAME, fd);
	unlinkat(fd, NAME, 0);
	code = sqlite3_open_v2(path, &shelf->db,
			       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
			       "unix-none");
	if (code == SQLITE_OK)
		code = sqlite3_exec(shelf->db, setup, NULL, NULL, NULL);
	unlinkat(fd, NAME, 0);
	close(fd);
	return code == SQLITE_OK ? 0 : error_of(shelf, code);
}

int files_store_open(struct files_store **shelf, int dir_fd, const char *folder)
{
	struct files_store *s = calloc(1, sizeof(*s));
	int err = s ? open_unnamed(s, dir_fd, folder) : -ENOMEM;

	for (int i = 0; i < N_STATEMENTS && !err; i++) {
		int code = sqlite3_prepare_v2(s->db, texts[i], -1, &s->statements[i], NULL);

		err = code == SQLITE_OK ? 0 : error_of(s, code);
	}
	if (err) {
		files_store_close(s);
		s = NULL;
	}
	*shelf = s;
	return err;
}

void files_store_close(struct files_store *shelf)
{
	if (!shelf)
		return;
	for (int i = 0; i < N_STATEMENTS; i++)
		sqlite3_finalize(shelf->statements[i]);
	sqlite3_close(shelf->db);
	free(shelf->bounds[0].bytes);
	free(shelf->bounds[1].bytes);
	free(shelf);
}

/* ---- records ---- */

int files_store_begin(struct files_store *shelf)
{
	return run(shelf, BEGIN);
}

int files_store_commit(struct files_store *shelf)
{
	return run(shelf, COMMIT);
}

void files_store_rollback(struct files_store *shelf)
{
	/* some errors have done so already */
	if (!sqlite3_get_autocommit(shelf->db))
		run(shelf, ROLLBACK);
}

static sqlite3_stmt *bind_name(struct files_store *shelf, enum statement which,
			       const struct files_store_record *record)
{
	sqlite3_stmt *s = shelf->statements[which];

	sqlite3_reset(s);
	sqlite3_bind_int64(s, 1, record->mntns);
	sqlite3_bind_blob64(s, 2, record->path, record->path_len, SQLITE_STATIC);
	return s;
}

int files_store_put(struct files_store *shelf, const struct files_store_record *record, bool ranked,
		    uint64_t rank)
{
	sqlite3_stmt *s = bind_name(shelf, PUT, record);

	if (ranked)
		sqlite3_bind_int64(s, 3, rank > INT64_MAX ? INT64_MAX : (int64_t)rank);
	else
		sqlite3_bind_null(s, 3);
	sqlite3_bind_blob64(s, 4, record->bytes, record->len, SQLITE_STATIC);
	return run(shelf, PUT);
}

int files_store_find(struct files_store *shelf, struct files_store_record *record)
{
	sqlite3_stmt *s = bind_name(shelf, FIND, record);
	int found = step(shelf, FIND);

	if (found != 1)
		return found;
	record->bytes = sqlite3_column_blob(s, 0);
	record->len = (size_t)sqlite3_column_bytes(s, 0);
	return record->bytes ? 1 : -ENOMEM;
}

/* The path with one byte behind it. */
static bool set_bound(struct files_store *shelf, int which, const struct files_store_record *record,
		      char last)
{
	size_t len = record->path_len + 1;

	if (len > shelf->bounds[which].max) {
		char *more = realloc(shelf->bounds[which].bytes, 2 * len);

		if (!more)
			return false;
		shelf->bounds[which].bytes = more;
		shelf->bounds[which].max = 2 * len;
	}
	memcpy(shelf->bounds[which].bytes, record->path, record->path_len);
	shelf->bounds[which].bytes[len - 1] = last;
	return true;
}

int files_store_has_below(struct files_store *shelf, const struct files_store_record *record)
{
	sqlite3_stmt *s = shelf->statements[BELOW];
	int found;

	if (!record->path_len || record->path[0] != '/')
		return 0;
	if (!set_bound(shelf, 0, record, '/') || !set_bound(shelf, 1, record, '/' + 1))
		return -ENOMEM;
	sqlite3_bind_int64(s, 1, record->mntns);
	for (int i = 0; i < 2; i++)
		sqlite3_bind_blob64(s, 2 + i, shelf->bounds[i].bytes, record->path_len + 1,
				    SQLITE_STATIC);
	found = step(shelf, BELOW);
	sqlite3_reset(s);
	return found;
}

/* ---- all of them ---- */

void files_store_rewind(struct files_store *shelf)
{
	sqlite3_reset(shelf->statements[WALK]);
}

int files_store_next(struct files_store *shelf, struct files_store_record *record)
{
	sqlite3_stmt *s = shelf->statements[WALK];
	int found = step(shelf, WALK);

	if (found != 1)
		return found;
	record->mntns = (uint32_t)sqlite3_column_int64(s, 0);
	record->path = sqlite3_column_blob(s, 1);
	record->path_len = (size_t)sqlite3_column_bytes(s, 1);
	record->bytes = sqlite3_column_blob(s, 2);
	record->len = (size_t)sqlite3_column_bytes(s, 2);
	return record->bytes && record->path ? 1 : -ENOMEM;
}

uint64_t files_store_bytes(struct files_store *shelf)
{
	sqlite3_int64 pages = 0;
	sqlite3_stmt *s = NULL;

	for (int i = 0; i < 2; i++) {
		if (sqlite3_prepare_v2(shelf->db, i ? "PRAGMA page_size" : "PRAGMA page_count", -1,
				       &s, NULL) == SQLITE_OK &&
		    sqlite3_step(s) == SQLITE_ROW)
			pages = i ? pages * sqlite3_column_int64(s, 0) : sqlite3_column_int64(s, 0);
		sqlite3_finalize(s);
	}
	return (uint64_t)pages;
}
