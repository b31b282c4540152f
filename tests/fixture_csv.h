/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A strict reader of RFC 4180 rows that end in one LF, and the way back from
 * the escapes of texts: what any consumer would write, not the writer's code.
 */
#ifndef IO_TESTS_FIXTURE_CSV_H
#define IO_TESTS_FIXTURE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#define CSV_FIELDS 64

struct csv_row {
	int n;                         /* -1: malformed */
	char *field[CSV_FIELDS];       /* NUL-terminated, unquoted */
	size_t len[CSV_FIELDS];
	char *store;
};

/* One row of len bytes, its line end included. */
void csv_parse(struct csv_row *row, const char *line, size_t len);
void csv_free(struct csv_row *row);

/* Undoes \n, \r, \xHH and doubled backslashes in place; false when there is any other escape. */
bool csv_unescape(char *text, size_t *len);

#endif
