/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the row that is being made: the first one decides the columns. */
#include "analysis/common/cells.h"

void cells_begin(struct cells *c, FILE *out, enum table_format format)
{
	c->out = out;
	c->format = format;
	c->n = 0;
	c->used = 0;
	c->begun = c->header = false;
}

void cell(struct cells *c, const char *name, enum table_type type, struct table_value value)
{
	c->columns[c->n] = (struct table_column){ name, type };
	c->values[c->n++] = value;
}

char *cells_room(struct cells *c, size_t size)
{
	char *room = c->text + c->used;

	c->used += size;
	return room;
}

void cells_row(struct cells *c)
{
	if (!c->begun)
		table_begin(&c->table, c->out, c->format, c->columns, c->n);
	c->begun = true;
	if (!c->header)
		table_row(&c->table, c->values);
	c->n = 0;
	c->used = 0;
}

bool cells_none(struct cells *c)
{
	c->header = !c->begun;
	return c->header;
}

const struct table_value *cells_find(const struct cells *c, const char *name)
{
	for (unsigned i = 0; i < c->n; i++)
		if (!strcmp(c->columns[i].name, name))
			return &c->values[i];
	return NULL;
}

int cells_end(struct cells *c)
{
	return c->begun ? table_end(&c->table) : 0;
}
