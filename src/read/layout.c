/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the step from the text of a row to its fields, which every row of every
 * reader takes: no allocation, no copy but of texts that are quoted.
 */
#include "read/layout.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static bool refuse(struct layout *layout, const char *fmt,
							 ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(layout->why, sizeof(layout->why), fmt, ap);
	va_end(ap);
	return false;
}

unsigned layout_columns(enum stream_id stream, const char *const *names,
			struct read_column columns[LAYOUT_MAX_COLUMNS])
{
	const struct stream *s = &streams[stream];
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_columns && n < LAYOUT_MAX_COLUMNS; i++) {
		const char *const *name = names;

		while (name && *name && strcmp(*name, s->columns[i].name))
			name++;
		if (!name || *name)
			columns[n++] = (struct read_column){ .name = s->columns[i].name,
							     .kind = s->columns[i].kind };
	}
	return n;
}

/* ---- the header ---- */

static bool is_named(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && !memcmp(name, text, len);
}

bool layout_make(struct layout *layout, const struct read_column *columns, unsigned n_columns,
		 const char *header, size_t len, const struct split *split)
{
	layout->columns = columns;
	layout->n_columns = n_columns;
	layout->n_fields = split->n;
	layout->path_status = -1;
	memset(&layout->clock, 0, sizeof(layout->clock));
	for (unsigned i = 0; i < n_columns; i++) {
		layout->at[i] = -1;
		words_make(&layout->words[i], columns[i].words);
	}
	if (!len)
		return refuse(layout, "empty header row");
	if (split->why)
		return refuse(layout, "header row: %s", split->why);
	if (split->n > SPLIT_MAX_FIELDS)
		return refuse(layout, "%u columns, at most %d are read", split->n,
			      SPLIT_MAX_FIELDS);
	for (unsigned f = 0; f < split->n; f++) {
		const char *text = header + split_start(split, f);
		size_t n = split->end[f] - split_start(split, f);

		if (is_named("path_status", text, n))
			layout->path_status = (int)f;
		for (unsigned i = 0; i < n_columns; i++) {
			if (!is_named(columns[i].name, text, n))
				continue;
			if (layout->at[i] >= 0)
				return refuse(layout, "duplicate column %s", columns[i].name);
			layout->at[i] = (int16_t)f;
		}
	}
	return true;
}

/* ---- a row ---- */

/* Letter e of path_status: the path's own backslashes are doubled and odd bytes are \xHH. */
static bool has_escapes(const struct layout *layout, const char *row, const struct split *split)
{
	unsigned f = (unsigned)layout->path_status;
	uint32_t start;

	if (layout->path_status < 0)
		return false;
	start = split_start(split, f);
	return memchr(row + start, 'e', split->end[f] - start) != NULL;
}

/* Without quotes and, of a path, without escapes. *scratch moves behind what it takes. */
static bool plain_text(const struct layout *layout, bool is_path, const char *row,
		       const struct split *split, struct field *field, char **scratch)
{
	bool quoted = field->text[0] == '"', escaped = is_path && has_escapes(layout, row, split);

	if (quoted) {
		parse_unquote(field->text, field->len, *scratch, &field->len);
		field->text = *scratch;
	}
	/* in place after a quoted one: what is unescaped is never longer */
	if (escaped && !parse_unescape(field->text, field->len, *scratch, &field->len))
		return false;
	if (quoted || escaped) {
		field->text = *scratch;
		*scratch += field->len;
	}
	return true;
}

static bool refuse_field(struct layout *layout, unsigned i, const struct field *field)
{
	const struct read_column *column = &layout->columns[i];

	return refuse(layout, "%s: '%.*s%s' is not %s", column->name,
		      (int)(field->len < 40 ? field->len : 40), field->text,
		      field->len > 40 ? "..." : "", parse_expected(column->kind));
}

static bool parse(struct layout *layout, unsigned i, const char *row, const struct split *split,
		  char **scratch, struct field *field)
{
	enum parse_kind kind = layout->columns[i].kind;

	if (kind == PARSE_UINT)
		return parse_uint(field->text, field->len, &field->u);
	if (kind != PARSE_TEXT && kind != PARSE_PATH)
		return parse_field(kind, &layout->clock, field);
	if (!plain_text(layout, kind == PARSE_PATH, row, split, field, scratch))
		return false;
	if (layout->words[i].list)
		field->u = words_find(&layout->words[i], field->text, field->len);
	return true;
}

bool layout_row(struct layout *layout, const char *row, const struct split *split, char *scratch,
		struct field *fields)
{
	if (split->why)
		return refuse(layout, "%s", split->why);
	if (split->n != layout->n_fields)
		return refuse(layout, "%u fields instead of %u", split->n, layout->n_fields);
	for (unsigned i = 0; i < layout->n_columns; i++) {
		struct field *field = &fields[i];
		int at = layout->at[i];

		*field = (struct field){ .text = "" };
		if (at < 0)
			continue;
		field->text = row + split_start(split, (unsigned)at);
		field->len = split->end[at] - split_start(split, (unsigned)at);
		field->known = field->len > 0;
		if (field->known && !parse(layout, i, row, split, &scratch, field))
			return refuse_field(layout, i, field);
	}
	return true;
}
