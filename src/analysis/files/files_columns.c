/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the sums of a cell, whatever they are: files_columns.def lists them. Each function below is
 * written for one and expanded for all, so that the compiler leaves of it what that one needs.
 */
#include "analysis/files/files_columns.h"

enum { MILLIONTHS = 1000000 };

enum adding { ADD_APART, ADD_SUM, ADD_WHOLE, ADD_CAPPED, ADD_MAX, ADD_FIRST, ADD_LAST, ADD_MEAN };

struct sum {
	uint16_t at;
	uint8_t adding;            /* enum adding */
	uint8_t kind;              /* enum files_call_kind, of those that are scaled */
	uint8_t known_by, none_of; /* enum files_sum_column; 0: always known, no other one */
	uint64_t (*of)(const struct files_cell *cell);
};

uint64_t files_sum_bytes(const struct files_cell *cell)
{
	return cell->moved[FILES_READ].bytes + cell->moved[FILES_WRITE].bytes;
}

static uint64_t failures(const struct files_cell *cell)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < cell->n_errors; i++)
		n += cell->errors[i].count;
	return n;
}

/* Of 64 bits, or it does not compile. */
#define FIELD(field)                                                                               \
	_Generic(((struct files_cell *)0)->field, uint64_t : offsetof(struct files_cell, field))
#define APART(field) .at = FIELD(field)
#define SUM(of, field) .at = FIELD(field), .adding = ADD_SUM, .kind = FILES_OF_##of
#define WHOLE(field) .at = FIELD(field), .adding = ADD_WHOLE
#define CAPPED(of, field) .at = FIELD(field), .adding = ADD_CAPPED, .kind = FILES_OF_##of
#define MAX(field) .at = FIELD(field), .adding = ADD_MAX
#define FIRST(field) .at = FIELD(field), .adding = ADD_FIRST
#define LAST(field) .at = FIELD(field), .adding = ADD_LAST
#define MEAN(field) .at = FIELD(field), .adding = ADD_MEAN
#define OF(function) .of = function
#define IF(x) .known_by = FILES_##x
#define IF_OR_NONE(x, y) .known_by = FILES_##x, .none_of = FILES_##y

static const struct sum sums[N_FILES_SUMS] = {
#define COLUMN(id, name, unit, ...) [FILES_##id] = { __VA_ARGS__ },
#include "analysis/files/files_columns.def"
};

const struct table_column files_sum_columns[N_FILES_SUMS] = {
#define COLUMN(id, name, unit, ...) [FILES_##id] = { name, TABLE_##unit },
#include "analysis/files/files_columns.def"
};

enum files_sum_column files_sum_find(const char *name)
{
	unsigned i = 0;

	while (i < N_FILES_SUMS &&
	       (!files_sum_columns[i].name || strcmp(files_sum_columns[i].name, name) != 0))
		i++;
	return (enum files_sum_column)i;
}

bool files_sum_is_time(enum files_sum_column column)
{
	return sums[column].adding == ADD_FIRST || sums[column].adding == ADD_LAST;
}

static uint64_t *field_of(const struct files_cell *cell, unsigned column)
{
	return (uint64_t *)((char *)cell + sums[column].at);
}

static bool is_known(const struct files_cell *cell, unsigned column)
{
	unsigned by = sums[column].known_by, of = sums[column].none_of;

	return !by || *field_of(cell, by) || (of && !*field_of(cell, of));
}

static inline struct table_value value_of(const struct files_cell *cell, unsigned column)
{
	const struct sum *sum = &sums[column];
	uint64_t u = sum->of ? sum->of(cell) : *field_of(cell, column);

	if (!is_known(cell, column))
		return table_number_if(false, 0);
	if (files_sum_columns[column].type == TABLE_SHARE)
		return table_share(u, *field_of(cell, sum->known_by));
	return table_number(sum->adding == ADD_MEAN ? u / *field_of(cell, sum->known_by) : u);
}

struct table_value files_sum_value(const struct files_cell *cell, enum files_sum_column column)
{
	switch (column) {
#define COLUMN(id, ...)                                                                            \
	case FILES_##id:                                                                           \
		return value_of(cell, FILES_##id);
#include "analysis/files/files_columns.def"
	default:
		return table_number_if(false, 0);
	}
}

/* Of what is no column, those known by it say that there is some; the last one is right. */
static inline void set(struct files_cell *cell, const struct field *fields, unsigned column)
{
	const struct sum *sum = &sums[column];
	const struct field *field = &fields[column];
	bool share = files_sum_columns[column].type == TABLE_SHARE;

	*field_of(cell, column) = field->u;
	if (sum->known_by >= N_FILES_SUM_COLUMNS)
		*field_of(cell, sum->known_by) = !field->known ? 0 : share ? MILLIONTHS : 1;
	if (sum->none_of >= N_FILES_SUM_COLUMNS)
		*field_of(cell, sum->none_of) = !field->known;
}

void files_sums_set(struct files_cell *cell, const struct field fields[N_FILES_SUM_COLUMNS])
{
#define COLUMN(id, ...)                                                                            \
	if (FILES_##id < N_FILES_SUM_COLUMNS)                                                      \
		set(cell, fields, FILES_##id);
#include "analysis/files/files_columns.def"
}

uint64_t files_scaled(uint64_t value, const struct files_ratio *by)
{
	unsigned __int128 scaled;

	if (!by->rows)
		return value;
	scaled = ((unsigned __int128)value * by->stands + by->rows / 2) / by->rows;
	return scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
}

static inline void scale(struct files_cell *cell, unsigned column,
			 const struct files_ratio by[N_FILES_CALL_KINDS])
{
	if (sums[column].adding == ADD_SUM || sums[column].adding == ADD_CAPPED)
		*field_of(cell, column) = files_scaled(*field_of(cell, column),
						       &by[sums[column].kind]);
}

void files_sums_scale(struct files_cell *cell, const struct files_ratio by[N_FILES_CALL_KINDS])
{
#define COLUMN(id, ...) scale(cell, FILES_##id, by);
#include "analysis/files/files_columns.def"
}

static inline void add(struct files_cell *cell, const struct files_cell *other, unsigned column)
{
	uint64_t *to = field_of(cell, column), more = *field_of(other, column), *calls;

	switch (sums[column].adding) {
	case ADD_SUM:
	case ADD_WHOLE:
		*to += more;
		break;
	case ADD_CAPPED:
		*to = *to + more < more ? UINT64_MAX : *to + more;
		break;
	case ADD_FIRST:
		/* the calls, by which it is known, are added already: all of them may be other's */
		calls = field_of(other, sums[column].known_by);
		if (*calls && (*calls == *field_of(cell, sums[column].known_by) || more < *to))
			*to = more;
		break;
	case ADD_MAX:
	case ADD_LAST:
		*to = more > *to ? more : *to;
		break;
	}
}

void files_sums_add(struct files_cell *cell, const struct files_cell *other)
{
#define COLUMN(id, ...) add(cell, other, FILES_##id);
#include "analysis/files/files_columns.def"
}

static inline void span(const struct files_cell *cell, uint64_t *first_ns, uint64_t *last_ns,
			unsigned column)
{
	uint64_t ns = *field_of(cell, column);

	if (sums[column].adding == ADD_FIRST && ns && (!*first_ns || ns < *first_ns))
		*first_ns = ns;
	if (sums[column].adding == ADD_LAST && ns > *last_ns)
		*last_ns = ns;
}

void files_sums_span(const struct files_cell *cell, uint64_t *first_ns, uint64_t *last_ns)
{
#define COLUMN(id, ...) span(cell, first_ns, last_ns, FILES_##id);
#include "analysis/files/files_columns.def"
}
