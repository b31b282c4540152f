/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the reading of rows in tests; knows nothing of streams or columns. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "fixture_csv.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* The end of the field at s, its value appended at *out; NULL when it is malformed. */
static const char *parse_field(const char *s, const char *end, char **out)
{
	if (s == end || *s != '"') {
		while (s < end && *s != ',' && *s != '\n') {
			if (*s == '"' || *s == '\r')
				return NULL;
			*(*out)++ = *s++;
		}
		return s;
	}
	for (s++; s < end; s++) {
		if (*s == '"' && (s + 1 == end || s[1] != '"'))
			return s + 1;
		s += *s == '"';
		*(*out)++ = *s;
	}
	return NULL;
}

void csv_parse(struct csv_row *row, const char *line, size_t len)
{
	const char *s = line, *end = line + len;
	char *out;

	memset(row, 0, sizeof(*row));
	row->store = malloc(len + CSV_FIELDS + 1);
	ck_assert(row->store != NULL);
	out = row->store;
	for (;;) {
		char *value = out;

		s = parse_field(s, end, &out);
		if (!s || s == end || row->n == CSV_FIELDS)
			break;
		row->field[row->n] = value;
		row->len[row->n++] = out - value;
		*out++ = '\0';
		if (*s == '\n' && s + 1 == end)
			return;
		if (*s++ != ',')
			break;
	}
	row->n = -1;
}

void csv_free(struct csv_row *row)
{
	free(row->store);
	row->store = NULL;
}

static int hex(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

bool csv_unescape(char *text, size_t *len)
{
	char *out = text;

	for (size_t i = 0; i < *len; i++) {
		if (text[i] != '\\') {
			*out++ = text[i];
			continue;
		}
		if (++i == *len)
			return false;
		if (text[i] == 'x') {
			if (i + 2 >= *len || hex(text[i + 1]) < 0 || hex(text[i + 2]) < 0)
				return false;
			*out++ = (char)(hex(text[i + 1]) << 4 | hex(text[i + 2]));
			i += 2;
		} else if (text[i] == 'n' || text[i] == 'r') {
			*out++ = text[i] == 'n' ? '\n' : '\r';
		} else if (text[i] == '\\') {
			*out++ = '\\';
		} else {
			return false;
		}
	}
	*len = out - text;
	return true;
}
