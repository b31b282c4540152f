/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the way back from the tables of a summary to the cells that they were printed from. */
#include "analysis/files/files_tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/files/files_columns.h"
#include "analysis/files/files_open.h"
#include "analysis/files/files_names.h"
#include "analysis/files/files_parts.h"
#include "analysis/files/files_printer.h"
#include "base/log.h"
#include "read/layout.h"
#include "row/format.h"

enum { MAX_ERROR = 4095, ERROR_SIZE = 32, PATH_SIZE = 4352 };

/* What each table begins with. */
enum { MNTNS, FILENAME, N_IDENTITY };

static const struct read_column identity[N_IDENTITY] = {
	[MNTNS] = { .name = "mntns", .kind = PARSE_UINT },
	[FILENAME] = { .name = "filename", .kind = PARSE_TEXT },
};

struct reading {
	struct files_tables *tables;
	struct files_model *model;
	const struct row_filter *filter;
};

/* A row's file; NULL: it is not wanted, or there is no memory. */
static struct files_file *file_of(struct reading *r, const struct field *fields)
{
	const struct field *path = &fields[FILENAME];
	struct files_row row = { .mntns = (uint32_t)fields[MNTNS].u,
				 .path = { path->text, path->len } };
	struct files_file *file;

	if (!row_filter_has_path(r->filter, path->text, path->len))
		return NULL;
	row.hash = files_row_hash(&row);
	file = files_file_of(r->model, &row);
	r->model->no_memory |= !file;
	return file;
}

/* ---- files.csv ---- */

enum { DEVICE = N_IDENTITY, INODE, FIRST_SUM, COMMANDS = FIRST_SUM + N_FILES_SUM_COLUMNS };

static unsigned sum_columns(struct read_column *columns)
{
	memcpy(columns, identity, sizeof(identity));
	columns[DEVICE] = (struct read_column){ .name = "device", .kind = PARSE_DEV };
	columns[INODE] = (struct read_column){ .name = "inode", .kind = PARSE_UINT };
	for (int i = 0; i < N_FILES_SUM_COLUMNS; i++)
		columns[FIRST_SUM + i] = (struct read_column){
			.name = files_sum_columns[i].name,
			/* a share has six decimals, as milliseconds have */
			.kind = files_sum_columns[i].type == TABLE_SHARE ? PARSE_MS : PARSE_UINT,
		};
	columns[COMMANDS] = (struct read_column){ .name = "commands", .kind = PARSE_TEXT };
	return COMMANDS + 1;
}

static bool take_sums(struct reading *r, const struct field *fields)
{
	const struct field *commands = &fields[COMMANDS];
	const struct files_text names = { commands->text, commands->len };
	struct files_file *file = file_of(r, fields);
	struct files_cell *cell;

	if (!file)
		return true;
	if (file->uses)
		return false;
	file->uses = pool_take(&r->model->pool, sizeof(*file->uses));
	r->model->no_memory |= !file->uses;
	if (!file->uses)
		return true;
	cell = &file->uses->cell;
	file->kind = FILES_REGULAR;
	file->inode = fields[INODE].u;
	file->device = (uint32_t)fields[DEVICE].u;
	files_sums_set(cell, &fields[FIRST_SUM]);
	files_sums_span(cell, &r->tables->first_ns, &r->tables->last_ns);
	/* they are one text, which is printed as it is */
	if (names.len)
		cell->commands[0].name = files_name(r->model, &names);
	return true;
}

/* ---- file_histograms.csv ---- */

enum { METRIC = N_IDENTITY, CALL, FROM, COUNT, SUM, N_HISTOGRAM_COLUMNS };

static unsigned histogram_columns(struct read_column *columns)
{
	static const struct read_column own[] = {
		{ .name = "metric", .kind = PARSE_TEXT, .words = files_metrics },
		{ .name = "call", .kind = PARSE_TEXT },
		{ .name = "from", .kind = PARSE_UINT },
		{ .name = "count", .kind = PARSE_UINT },
		{ .name = "sum", .kind = PARSE_UINT },
	};

	memcpy(columns, identity, sizeof(identity));
	memcpy(columns + N_IDENTITY, own, sizeof(own));
	return N_HISTOGRAM_COLUMNS;
}

static void note_timed(struct files_cell *cell, enum files_metric metric, uint64_t count)
{
	struct files_calls *calls = metric == FILES_READ_LATENCY ? &cell->moved[FILES_READ].calls :
				    metric == FILES_WRITE_LATENCY ?
								   &cell->moved[FILES_WRITE].calls :
				    metric == FILES_SYNC_LATENCY ? &cell->syncs :
								   NULL;

	/* the first bucket of them takes the place of "some" */
	if (calls)
		calls->timed = calls->timed <= 1 ? count : calls->timed + count;
}

static bool take_bucket(struct reading *r, const struct field *fields)
{
	struct files_file *file = file_of(r, fields);
	const struct files_text name = { fields[CALL].text, fields[CALL].len };
	uint64_t metric = fields[METRIC].u;
	struct files_cell *cell;
	unsigned call;

	if (metric >= N_FILES_METRICS || !fields[FROM].known || !fields[COUNT].known)
		return false;
	if (!file || !file->uses)
		return true;
	cell = &file->uses->cell;
	call = metric <= FILES_WRITE_COMPLETE ? files_call(r->model, &name) : FILES_NO_CALL;
	if (!histogram_put(&cell->histogram, files_tag((enum files_metric)metric, call),
			   histogram_bucket_of(fields[FROM].u), fields[COUNT].u, fields[SUM].u))
		r->model->no_memory = true;
	note_timed(cell, (enum files_metric)metric, fields[COUNT].u);
	return true;
}

/* ---- file_errors.csv ---- */

enum { FAILED_CALL = N_IDENTITY, ERROR, FAILURES, N_ERROR_COLUMNS };

static unsigned error_columns(struct read_column *columns)
{
	static const struct read_column own[] = {
		{ .name = "call", .kind = PARSE_TEXT },
		{ .name = "error", .kind = PARSE_TEXT },
		{ .name = "count", .kind = PARSE_UINT },
	};

	memcpy(columns, identity, sizeof(identity));
	memcpy(columns + N_IDENTITY, own, sizeof(own));
	return N_ERROR_COLUMNS;
}

/* Of its name; 0: no error is called so. */
static uint16_t error_number(const struct field *field)
{
	char name[ERROR_SIZE];

	for (int i = 1; i <= MAX_ERROR; i++)
		if ((size_t)(put_err(name, -i) - name) == field->len &&
		    !memcmp(name, field->text, field->len))
			return (uint16_t)i;
	return 0;
}

static bool take_error(struct reading *r, const struct field *fields)
{
	struct files_file *file = file_of(r, fields);
	const struct files_text name = { fields[FAILED_CALL].text, fields[FAILED_CALL].len };
	struct files_error error = { .count = fields[FAILURES].u,
				     .number = error_number(&fields[ERROR]) };

	if (!error.number || !fields[FAILURES].known)
		return false;
	/* a path that was never opened is in no other table */
	if (file && !file->uses) {
		file->uses = pool_take(&r->model->pool, sizeof(*file->uses));
		r->model->no_memory |= !file->uses;
	}
	error.call = files_call(r->model, &name);
	if (file && file->uses && !files_cell_error(&file->uses->cell, &error))
		r->model->no_memory = true;
	return true;
}

/* ---- a table ---- */

static const struct table_kind {
	const char *file;
	unsigned (*columns)(struct read_column *columns);
	bool (*take)(struct reading *r, const struct field *fields);
} kinds[] = {
	/* first what the others refer to */
	{ "files.csv", sum_columns, take_sums },
	{ "file_histograms.csv", histogram_columns, take_bucket },
	{ "file_errors.csv", error_columns, take_error },
};

/* A line, and the bytes behind it that split_row may look at. */
struct line {
	char *text, *scratch;
	size_t size, scratch_size;
};

/* Its length; 0: there is none, or it has no end. -errno. */
static ssize_t next_line(FILE *in, struct line *line)
{
	ssize_t len = getline(&line->text, &line->size, in);
	char *more;

	if (len <= 0 || line->text[len - 1] != '\n')
		return ferror(in) ? -EIO : 0;
	if (line->size < (size_t)len + SPLIT_PAD) {
		more = realloc(line->text, (size_t)len + SPLIT_PAD);
		if (!more)
			return -ENOMEM;
		line->text = more;
		line->size = (size_t)len + SPLIT_PAD;
	}
	if (line->scratch_size < line->size) {
		free(line->scratch);
		line->scratch = malloc(line->size);
		line->scratch_size = line->scratch ? line->size : 0;
	}
	return line->scratch ? len : -ENOMEM;
}

static int read_lines(struct reading *r, const struct table_kind *kind, FILE *in, struct line *line)
{
	struct read_column columns[LAYOUT_MAX_COLUMNS];
	struct field fields[LAYOUT_MAX_COLUMNS];
	struct layout layout;
	struct split split;
	ssize_t len = next_line(in, line);

	if (len < 0)
		return (int)len;
	if (!len || split_row(line->text, (size_t)len, &split) < 0 ||
	    !layout_make(&layout, columns, kind->columns(columns), line->text, (size_t)len - 1,
			 &split))
		return -EBADMSG;
	while ((len = next_line(in, line)) > 0)
		if (split_row(line->text, (size_t)len, &split) < 0 ||
		    !layout_row(&layout, line->text, &split, line->scratch, fields) ||
		    !kind->take(r, fields))
			r->tables->n_bad++;
	return (int)len;
}

static int read_table(struct reading *r, const struct table_kind *kind, const char *dir)
{
	struct line line = { .size = 0 };
	char path[PATH_SIZE];
	FILE *in;
	int err;

	snprintf(path, sizeof(path), "%s/summary/%s", dir, kind->file);
	in = fopen(path, "re");
	err = in ? read_lines(r, kind, in, &line) : -errno;
	if (err)
		log_error("%s: %s", path,
			  err == -EBADMSG ? "not a table of a summary" : strerror(-err));
	if (in)
		fclose(in);
	free(line.text);
	free(line.scratch);
	return err;
}

const char *files_tables_refuse(const struct row_filter *filter,
				const struct files_options *options)
{
	if (filter->n_pids || filter->n_commands || filter->n_containers)
		return "-p, -c and --container need them";
	if (filter->from || filter->to)
		return "--from and --to need them";
	if (options->interval_ns)
		return "--interval needs them";
	if (options->identity)
		return "--by identity needs them";
	if (options->split != FILES_TOGETHER)
		return "--by of processes, programs and containers needs them";
	return NULL;
}

int files_tables_read(struct files_tables *tables, struct files_model *model, const char *dir,
		      const struct row_filter *filter)
{
	struct reading reading = { tables, model, filter };
	int err = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !err; i++)
		err = read_table(&reading, &kinds[i], dir);
	return err ? err : model->no_memory ? -ENOMEM : 0;
}
