/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The values of a row without its text: for every code of the column lists in probes/schema/ that
 * format.h prints, the field that parse.h would read from what is printed. For who adds up
 * events while they happen. Numbers have no text here; texts are those of the row without quotes.
 */
#pragma once

#include <string.h>

#include "row/format.h"
#include "row/parse.h"

static inline char *value_number(struct field *field, char *p, bool known, uint64_t u)
{
	field->u = known ? u : 0;
	field->known = known;
	return p;
}

/* A text that was put to p, and ends at end. */
static inline char *value_text(struct field *field, char *p, char *end)
{
	field->text = p;
	field->len = (uint32_t)(end - p);
	field->known = end > p;
	if (end > p && *p == '"')
		parse_unquote(p, field->len, p, &field->len);
	return end;
}

static inline char *value_word(struct field *field, char *p, const char *word)
{
	field->text = word;
	field->len = (uint32_t)strlen(word);
	field->known = field->len > 0;
	return p;
}

/* Most paths need neither quotes nor a slash: they stay where they are. */
static inline char *value_path(struct field *field, char *p, struct format_text t)
{
	if (t.len && (t.directory || t.text[0] == '"'))
		return value_text(field, p, put_path(p, t));
	field->text = t.text;
	field->len = t.len;
	field->known = t.len > 0;
	return p;
}

static inline char *value_comm(struct field *field, char *p, const char comm[16])
{
	return value_text(field, p, put_comm(p, comm));
}

#define value_u(field, p, v) value_number(field, p, true, v)
#define value_s(field, p, v) value_number(field, p, true, (uint64_t)(v))
#define value_u_nz(field, p, v) value_number(field, p, (v) != 0, v)
#define value_u_opt(field, p, v) value_number(field, p, (v) != FORMAT_UNKNOWN, v)
#define value_ms_opt(field, p, v) value_number(field, p, (v) != FORMAT_UNKNOWN, v)
#define value_s_nn(field, p, v) value_number(field, p, (v) >= 0, (uint64_t)(v))
#define value_s_opt(field, p, v) value_number(field, p, (v) != FORMAT_NO_VALUE, (uint64_t)(v))
#define value_sector(field, p, v) value_number(field, p, (v) != UINT64_MAX, v)
#define value_shown value_path
#define value_letters value_word
#define value_time_text value_word
/* All others are asked for seldom, and as text. */
#define value_time(field, p, v) value_text(field, p, put_time(p, v))
#define value_flags(field, p, v) value_text(field, p, put_flags(p, v))
#define value_words(field, p, v) value_text(field, p, put_words(p, v))
#define value_req_flags(field, p, v) value_text(field, p, put_req_flags(p, v))
#define value_req_op(field, p, v) value_text(field, p, put_req_op(p, v))
#define value_err(field, p, v) value_text(field, p, put_err(p, v))
#define value_end(field, p, v) value_text(field, p, put_end(p, v))
#define value_option(field, p, v) value_text(field, p, put_option(p, v))
#define value_hex(field, p, v) value_text(field, p, put_hex(p, v))
#define value_hex_nz(field, p, v) value_text(field, p, put_hex_nz(p, v))
#define value_addresses(field, p, v) value_text(field, p, put_addresses(p, v))
#define value_dev(field, p, v) value_text(field, p, put_dev(p, v))
#define value_timeout(field, p, v) value_text(field, p, put_timeout(p, v))

/* place: 0, not asked for, else one more than its index in values */
#define VALUES_FIELD(name, code, value, type, unit, doc)                                           \
	if (*place)                                                                                \
		p = value_##code(&values[*place - 1], p, value);                                   \
	place++;

/*
 * void STREAM_values(values, place, p, row): those that are asked for; texts go to p (ROW_MAX
 * bytes), or stay in the row.
 */
#define FORMAT_VALUES(stream)                                                                      \
	static void stream##_values(struct field *values, const uint8_t *place, char *p,           \
				    const struct stream##_row *r)                                  \
	{                                                                                          \
		stream##_COLUMNS(VALUES_FIELD)(void) p;                                            \
	}
