/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the three encodings of a row, and knows nothing of what the rows are about. */
#include "analysis/common/table.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analysis/common/units.h"
#include "base/plain.h"
#include "row/format.h"
#include "row/parse.h"

struct table_line {
	struct table_line *next;
	const char *cells[];
};

enum { NUMBER_SIZE = TABLE_NUMBER_SIZE };

/* ---- values ---- */

static bool is_number(enum table_type type)
{
	return type != TABLE_NAME && type != TABLE_DEVICE;
}

/* What became twice as much is told as a factor. */
static void change_for_people(char text[TABLE_NUMBER_SIZE], int64_t change)
{
	if (change < 1000000)
		snprintf(text, NUMBER_SIZE, "%+.1f%%", (double)change / 10000);
	else
		snprintf(text, NUMBER_SIZE, "x%.2f", (double)change / 1000000 + 1);
}

void table_exact(char text[TABLE_NUMBER_SIZE], enum table_type type, uint64_t u)
{
	if (type == TABLE_SHARE || type == TABLE_RATIO)
		snprintf(text, NUMBER_SIZE, "%" PRIu64 ".%06" PRIu64, u / 1000000, u % 1000000);
	else if (type == TABLE_CHANGE)
		snprintf(text, NUMBER_SIZE, "%.6f", (double)(int64_t)u / 1000000);
	else if (type == TABLE_DEVICE)
		snprintf(text, NUMBER_SIZE, "%" PRIu64 ":%" PRIu64, u >> 20, u & 0xfffff);
	else
		snprintf(text, NUMBER_SIZE, "%" PRIu64, u);
}

void table_for_people(char text[TABLE_NUMBER_SIZE], enum table_type type, uint64_t u)
{
	if (type == TABLE_BYTES)
		units_bytes(text, u);
	else if (type == TABLE_NS)
		units_ns(text, u);
	else if (type == TABLE_SHARE)
		snprintf(text, NUMBER_SIZE, "%.0f%%", (double)u / 10000);
	else if (type == TABLE_RATIO)
		snprintf(text, NUMBER_SIZE, "%.2f", (double)u / 1000000);
	else if (type == TABLE_CHANGE)
		change_for_people(text, (int64_t)u);
	else
		table_exact(text, type, u);
}

static bool make_room(struct table *table, size_t room)
{
	char *more;

	if (room <= table->scratch_size)
		return true;
	more = realloc(table->scratch, room);
	if (!more) {
		table->no_memory = true;
		return false;
	}
	table->scratch = more;
	table->scratch_size = room;
	return true;
}

/* As a CSV field: quoted and escaped where it must be, in scratch. */
static const char *quoted(struct table *table, const char *text, size_t len, size_t *out_len)
{
	bool escaped;

	*out_len = 0;
	if (!make_room(table, 4 * len + 16))
		return "";
	*out_len = format_quote(table->scratch, text, len, &escaped);
	return table->scratch;
}

static const char *plain(struct table *table, const char *text, size_t len, size_t *out_len)
{
	*out_len = 0;
	if (!make_room(table, PLAIN_ROOM(len) + 1))
		return "";
	*out_len = plain_text(table->scratch, text, len);
	return table->scratch;
}

/* The CSV field without quotes: what is not text, and nothing else, is escaped. */
const char *table_escaped(struct table *table, const char *text, size_t len, size_t *out_len)
{
	const char *field = quoted(table, text, len, out_len);
	uint32_t n;

	if (field[0] == '"' && parse_unquote(field, *out_len, table->scratch, &n))
		*out_len = n;
	return field;
}

void table_plain_text(struct table *table, const char *text, size_t len)
{
	plain_write(table->out, text, len);
}

/* ---- CSV ---- */

static void csv_row(struct table *table, const struct table_value *values)
{
	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct table_value *v = &values[i];
		char number[NUMBER_SIZE];
		const char *text = number;
		size_t len = 0;

		if (v->known && table->columns[i].type == TABLE_NAME) {
			text = quoted(table, v->text, v->len, &len);
		} else if (v->known) {
			table_exact(number, table_type_of(table->columns[i].type, v), v->u);
			len = strlen(number);
		}
		if (i)
			fputc(',', table->out);
		fwrite(text, 1, len, table->out);
	}
	fputc('\n', table->out);
}

static void csv_header(struct table *table)
{
	for (unsigned i = 0; i < table->n_columns; i++)
		fprintf(table->out, "%s%s", i ? "," : "", table->columns[i].name);
	fputc('\n', table->out);
}

/* ---- JSON ---- */

void table_json_text(struct table *table, const char *text, size_t len)
{
	const char *escaped = table_escaped(table, text, len, &len);

	fputc('"', table->out);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)escaped[i];
		unsigned code;
		size_t n = plain_harmful(escaped + i, len - i, &code);

		if (n)
			fprintf(table->out, "\\u%04x", code);
		else if (c == '"' || c == '\\')
			fprintf(table->out, "\\%c", c);
		else
			fputc(c, table->out);
		i += n > 1 ? n - 1 : 0;
	}
	fputc('"', table->out);
}

static void json_row(struct table *table, const struct table_value *values)
{
	fputs(table->n_rows ? ",\n    {" : "\n    {", table->out);
	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct table_column *column = &table->columns[i];
		char number[NUMBER_SIZE];

		fprintf(table->out, "%s\"%s\": ", i ? ", " : "", column->name);
		if (!values[i].known) {
			fputs("null", table->out);
		} else if (column->type == TABLE_NAME) {
			table_json_text(table, values[i].text, values[i].len);
		} else {
			table_exact(number, table_type_of(column->type, &values[i]), values[i].u);
			fprintf(table->out, column->type == TABLE_DEVICE ? "\"%s\"" : "%s", number);
		}
	}
	fputc('}', table->out);
}

/* ---- text ---- */

/* Characters, not bytes. */
static int width_of(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void text_row(struct table *table, const struct table_value *values)
{
	struct table_line *line =
		pool_take(&table->pool, sizeof(*line) + table->n_columns * sizeof(line->cells[0]));

	for (unsigned i = 0; line && i < table->n_columns; i++) {
		char number[NUMBER_SIZE] = "-";
		const char *text = number;
		size_t len;

		if (values[i].known && table->columns[i].type == TABLE_NAME) {
			text = plain(table, values[i].text, values[i].len, &len);
		} else {
			if (values[i].known)
				table_for_people(number,
						 table_type_of(table->columns[i].type, &values[i]),
						 values[i].u);
			len = strlen(number);
		}
		line->cells[i] = pool_text(&table->pool, text, len);
		if (!line->cells[i])
			line = NULL;
		else if (width_of(line->cells[i]) > table->widths[i])
			table->widths[i] = width_of(line->cells[i]);
	}
	if (!line) {
		table->no_memory = true;
		return;
	}
	*table->last_line = line;
	table->last_line = &line->next;
}

static void print_cell(const struct table *table, unsigned i, const char *text)
{
	int pad = table->widths[i] - width_of(text);
	bool last = i + 1 == table->n_columns, right = is_number(table->columns[i].type);

	fprintf(table->out, "%s%*s%s%*s", i ? "  " : "", right ? pad : 0, "", text,
		right || last ? 0 : pad, "");
}

/* The last column has what is left of the terminal; its end says more than its beginning. */
static void print_last(const struct table *table, const char *text, int room)
{
	int skip = width_of(text) - room;

	/* cut to less it would say nothing: the terminal breaks the line instead */
	if (skip <= 0 || room < 8) {
		print_cell(table, table->n_columns - 1, text);
		return;
	}
	/* one character more, for the ellipsis */
	for (skip++; skip > 0; text++)
		skip -= ((unsigned char)text[1] & 0xc0) != 0x80;
	fprintf(table->out, "  …%s", text);
}

static void text_header(const struct table *table)
{
	for (unsigned i = 0; i < table->n_columns; i++) {
		char title[64];
		size_t n = 0;

		for (; table->columns[i].name[n] && n + 1 < sizeof(title); n++)
			title[n] = (char)toupper((unsigned char)table->columns[i].name[n]);
		title[n] = '\0';
		print_cell(table, i, title);
	}
	fputc('\n', table->out);
}

static void print_text(struct table *table)
{
	int room = (int)table->width;

	for (unsigned i = 0; i < table->n_columns; i++) {
		int title = (int)strlen(table->columns[i].name);

		if (title > table->widths[i])
			table->widths[i] = title;
		if (i + 1 < table->n_columns)
			room -= table->widths[i] + 2;
	}
	text_header(table);
	for (const struct table_line *line = table->lines; line; line = line->next) {
		for (unsigned i = 0; i + 1 < table->n_columns; i++)
			print_cell(table, i, line->cells[i]);
		if (table->width)
			print_last(table, line->cells[table->n_columns - 1], room);
		else
			print_cell(table, table->n_columns - 1, line->cells[table->n_columns - 1]);
		fputc('\n', table->out);
	}
}

/* ---- the table ---- */

unsigned table_terminal_width(FILE *out)
{
	struct winsize size;
	int fd = fileno(out);

	if (fd < 0 || !isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col)
		return 0;
	return size.ws_col;
}

void table_begin(struct table *table, FILE *out, enum table_format format,
		 const struct table_column *columns, unsigned n_columns)
{
	*table = (struct table){
		.out = out, .format = format, .columns = columns, .n_columns = n_columns
	};
	table->last_line = &table->lines;
	table->width = table_terminal_width(out);
	if (format == TABLE_CSV)
		csv_header(table);
	else if (format == TABLE_JSON)
		fputc('[', out);
}

void table_row(struct table *table, const struct table_value *values)
{
	if (table->format == TABLE_CSV)
		csv_row(table, values);
	else if (table->format == TABLE_JSON)
		json_row(table, values);
	else
		text_row(table, values);
	table->n_rows++;
}

const char *table_type_name(enum table_type type)
{
	switch (type) {
	case TABLE_NAME:
	case TABLE_DEVICE:
		return "string";
	case TABLE_SHARE:
	case TABLE_RATIO:
	case TABLE_CHANGE:
	case TABLE_EACH:
		return "number";
	default:
		return "integer";
	}
}

int table_end(struct table *table)
{
	int err = table->no_memory ? -ENOMEM : 0;

	if (table->format == TABLE_JSON)
		fputs(table->n_rows ? "\n  ]" : "]", table->out);
	else if (table->format == TABLE_TEXT)
		print_text(table);
	pool_free(&table->pool);
	free(table->scratch);
	table->scratch = NULL;
	table->scratch_size = 0;
	return err;
}
