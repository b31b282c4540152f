/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the model of files that is fed while its rows are on their way to the disk. It
 * takes their text, as the reader of a directory does, so that both tell the same.
 */
#include "analysis/files/files_summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/files/files_evict.h"
#include "analysis/files/files_faults.h"
#include "analysis/files/files_names.h"
#include "analysis/files/files_print.h"
#include "analysis/files/files_rows.h"
#include "base/log.h"

enum { HEADER_SIZE = 4096 };

struct files_summary {
	struct files_model model;
	struct read_column columns[LAYOUT_MAX_COLUMNS], fault_columns[LAYOUT_MAX_COLUMNS];
	struct layout layout, fault_layout;
	struct split split;
	struct field fields[LAYOUT_MAX_COLUMNS];
	struct files_answer answer, failures; /* while tables are printed */
	struct files_evict forget;
	uint64_t page_size;
	bool faults; /* they are recorded */
	const char *dir;
	bool said_full;
	char scratch[SUMMARY_ROW_MAX];
};

static const struct files_view views[] = {
	{ .table = FILES_SUMS, .format = TABLE_CSV },
	{ .table = FILES_HISTOGRAMS, .format = TABLE_CSV },
	{ .table = FILES_ERRORS, .format = TABLE_CSV },
};

static void make_layout(struct files_summary *f, struct layout *layout, enum stream_id stream,
			const struct read_column *columns, unsigned n)
{
	char header[HEADER_SIZE];
	size_t len = schema_header(stream, 0, header, sizeof(header) - SPLIT_PAD);

	split_row(header, len, &f->split);
	layout_make(layout, columns, n, header, len - 1, &f->split);
}

static void *open_files(const struct summary_room *room)
{
	struct files_summary *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	make_layout(f, &f->layout, STREAM_fs, f->columns, files_columns(f->columns));
	make_layout(f, &f->fault_layout, STREAM_pagefault, f->fault_columns,
		    files_fault_columns(f->fault_columns));
	f->faults = room->faults;
	f->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	f->dir = room->dir;
	files_evict_open(&f->forget, room->dir_fd, room->folder, room->max_files);
	f->model.keeper = room->max_files ? &f->forget.keeper : NULL;
	return f;
}

static bool feed(void *self, enum stream_id stream, const char *row, size_t len)
{
	struct files_summary *f = self;
	struct files_row rows[FILES_MAX_ROWS];
	unsigned n;

	if (split_row(row, len, &f->split) < 0 ||
	    !layout_row(stream == STREAM_fs ? &f->layout : &f->fault_layout, row, &f->split,
			f->scratch, f->fields))
		return false;
	n = stream == STREAM_fs ? files_rows(f->fields, rows) :
				  files_fault_row(f->fields, f->page_size, rows);
	for (unsigned i = 0; i < n; i++) {
		rows[i].faults = f->faults;
		files_feed(&f->model, &rows[i]);
	}
	/* once, not for each file */
	if (f->forget.full && !f->said_full) {
		f->said_full = true;
		log_error("%s/summary: cannot keep files there: %s; they stay in memory", f->dir,
			  strerror(-f->forget.full));
	}
	return true;
}

static int begin(void *self)
{
	struct files_summary *f = self;
	const struct files_source source = { "", &f->model, 1 };

	/* all go to the shelf, from where they are printed in order, however many there are */
	if (f->forget.shelf)
		return f->model.no_memory ? -ENOMEM : files_evict_all(&f->forget, &f->model);
	files_show_runs(&f->model, true);
	files_find_directories(&f->model, 1);
	f->answer = (struct files_answer){ .by = FILES_BY_FILE };
	f->failures = (struct files_answer){ .by = FILES_BY_FILE, .failures = true };
	if (f->model.no_memory || files_answer_make(&f->answer, &source, 1))
		return -ENOMEM;
	return files_answer_make(&f->failures, &source, 1);
}

static bool next(void *self, struct files_entry *entry)
{
	struct files_summary *f = self;

	return files_evict_next(&f->forget, &f->model, entry);
}

static int print(void *self, unsigned table, FILE *out)
{
	struct files_summary *f = self;
	bool failures = views[table].table == FILES_ERRORS;
	int err;

	if (f->forget.shelf) {
		f->forget.failures = failures;
		files_evict_rewind(&f->forget);
		err = files_print_each(out, &f->answer, &views[table], next, f);
		return err ? err : f->forget.err;
	}
	return files_print(out, failures ? &f->failures : &f->answer, &views[table], NULL, 0);
}

static void end(void *self)
{
	struct files_summary *f = self;

	if (f->forget.shelf)
		return;
	files_answer_free(&f->answer);
	files_answer_free(&f->failures);
	files_show_runs(&f->model, false);
}

static json_t *schema(unsigned table)
{
	const struct files_answer answer = { .by = FILES_BY_FILE };

	return files_print_schema(&answer, &views[table]);
}

static uint64_t room_taken(void *self)
{
	struct files_summary *f = self;

	return f->forget.shelf ? files_store_bytes(f->forget.shelf) : 0;
}

static json_t *account(void *self)
{
	const struct files_summary *f = self;

	return json_pack("{s:I, s:I, s:I, s:I}", "max_files", (json_int_t)f->forget.max_files,
			 "in_memory", (json_int_t)f->model.n_files, "written_out",
			 (json_int_t)f->forget.n_written, "read_back",
			 (json_int_t)f->forget.n_back);
}

static void close_files(void *self)
{
	struct files_summary *f = self;

	if (f) {
		files_evict_close(&f->forget);
		files_free(&f->model);
	}
	free(f);
}

const struct summary_kind files_summary = {
	.name = "files",
	.streams = { STREAM_fs, STREAM_pagefault },
	.n_streams = 2,
	.n_needed = 1,
	.tables = { { "files", "how each file was used" },
		    { "file_histograms", "sizes, runs and latencies of each file's calls" },
		    { "file_errors", "failed calls of each file" } },
	.n_tables = sizeof(views) / sizeof(views[0]),
	.open = open_files,
	.row = feed,
	.begin = begin,
	.print = print,
	.end = end,
	.schema = schema,
	.room_taken = room_taken,
	.account = account,
	.close = close_files,
};
