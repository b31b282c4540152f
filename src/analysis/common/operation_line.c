/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the columns of `iotracer watch`. Written by hand, as rows are: a printf for each would
 * be slower than all that comes before.
 */
#include "analysis/common/operation_line.h"

#include <string.h>

#include "base/plain.h"
#include "row/format.h"

enum {
	TIME_LEN = 15, /* HH:MM:SS.ffffff, behind the date */
	SYSTEM_COLUMN = 10,
	EVENT_COLUMN = 13,
	PID_COLUMN = 7,
	COMMAND_COLUMN = 15,
	SIZE_COLUMN = 9,
	OFFSET_COLUMN = 12,
	LATENCY_COLUMN = 11,
	RESULT_COLUMN = 10,
};

const char operation_line_header[] =
	"TIME            SYSTEM     EVENT             PID     TID COMM                 SIZE"
	"       OFFSET     LAT(us) RET        PATH\n";

/* ---- columns ---- */

static char *fill(char *p, size_t n)
{
	memset(p, ' ', n);
	return p + n;
}

/* To the left of a column, and a blank behind it. */
static char *put_left(char *p, const char *text, size_t len, size_t width)
{
	size_t n = plain_text(p, text, len);

	return fill(p + n, n < width ? width - n + 1 : 1);
}

static char *put_right(char *p, const char *text, size_t len, size_t width)
{
	p = len < width ? fill(p, width - len) : p;
	p = put_bytes(p, text, len);
	*p++ = ' ';
	return p;
}

static char *put_number(char *p, const struct field *field, size_t width)
{
	char digits[24];

	if (!field->known)
		return put_right(p, "-", 1, width);
	return put_right(p, digits, (size_t)(put_u(digits, field->u) - digits), width);
}

/* Microseconds with one decimal */
static char *put_latency(char *p, const struct field *field)
{
	char text[32], *end;

	if (!field->known)
		return put_right(p, "-", 1, LATENCY_COLUMN);
	end = put_u(text, field->u / 1000);
	*end++ = '.';
	*end++ = (char)('0' + field->u / 100 % 10);
	return put_right(p, text, (size_t)(end - text), LATENCY_COLUMN);
}

static char *put_result(char *p, const struct operation *op, const char *error)
{
	const struct field *result = &op->parts[OP_RESULT];
	char text[32], *end = text;

	if (error[0])
		return put_left(p, error, strlen(error), RESULT_COLUMN);
	if (!result->known)
		return put_left(p, "-", 1, RESULT_COLUMN);
	end = put_s(end, result->s);
	return put_left(p, text, (size_t)(end - text), RESULT_COLUMN);
}

/* For people, or as it is. */
static char *put_text(char *p, const struct field *field, bool plain)
{
	return plain ? p + plain_text(p, field->text, field->len) :
		       put_bytes(p, field->text, field->len);
}

static char *put_end_of(char *p, const struct field *address, const struct field *port, bool plain)
{
	bool v6 = memchr(address->text, ':', address->len) != NULL;

	if (v6 && port->known)
		*p++ = '[';
	p = address->known ? put_text(p, address, plain) : put_word(p, "-");
	if (v6 && port->known)
		*p++ = ']';
	if (port->known) {
		*p++ = ':';
		p = port->text ? put_text(p, port, plain) : put_u(p, port->u);
	}
	return p;
}

static char *put_ends(char *p, const struct operation *op, bool plain)
{
	const struct field *parts = op->parts;

	if (!parts[OP_FROM].known && !parts[OP_TO].known)
		return p;
	p = put_end_of(p, &parts[OP_FROM], &parts[OP_FROM_PORT], plain);
	if (!parts[OP_TO].known)
		return put_word(p, " ");
	p = put_word(p, " -> ");
	p = put_end_of(p, &parts[OP_TO], &parts[OP_TO_PORT], plain);
	return put_word(p, " ");
}

static size_t put_object(char *out, const struct operation *op, bool plain)
{
	static const enum operation_part texts[] = { OP_DETAIL, OP_DEVICE, OP_PATH };
	char *p = out;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const struct field *field = &op->parts[texts[i]];

		if (!field->known)
			continue;
		p = put_text(p, field, plain);
		*p++ = ' ';
	}
	p = put_ends(p, op, plain);
	return (size_t)(p - out) - (p > out); /* the last blank */
}

size_t operation_line_object(char *out, const struct operation *op)
{
	return put_object(out, op, false);
}

/* The end of what fits into so many places; a character of several bytes takes one. */
static char *cut(char *line, char *end, unsigned width)
{
	unsigned n = 0;

	for (char *p = line; p < end; p++)
		if (((unsigned char)*p & 0xc0) != 0x80 && ++n > width)
			return p;
	return end;
}

static char *put_time_of_day(char *p, const struct field *time)
{
	size_t n = time->len < TIME_LEN ? time->len : TIME_LEN;

	return put_left(p, time->text + time->len - n, n, TIME_LEN);
}

size_t operation_line_text(char *out, const struct operation *op, unsigned width, bool red)
{
	const struct field *parts = op->parts;
	const char *system = streams[op->stream].name;
	char error[32], *p = out, *line;

	operation_error(op, error);
	red = red && error[0];
	if (red)
		p = put_word(p, "\033[31m");
	line = p;
	p = put_time_of_day(p, &parts[OP_TIME]);
	p = put_left(p, system, strlen(system), SYSTEM_COLUMN);
	p = put_left(p, parts[OP_EVENT].text, parts[OP_EVENT].len, EVENT_COLUMN);
	p = put_number(p, &parts[OP_PID], PID_COLUMN);
	p = put_number(p, &parts[OP_TID], PID_COLUMN);
	p = put_left(p, parts[OP_COMMAND].text, parts[OP_COMMAND].len, COMMAND_COLUMN);
	p = put_number(p, &parts[OP_SIZE], SIZE_COLUMN);
	p = put_number(p, &parts[OP_OFFSET], OFFSET_COLUMN);
	p = put_latency(p, &parts[OP_LATENCY]);
	p = put_result(p, op, error);
	p += put_object(p, op, true);
	if (width)
		p = cut(line, p, width);
	while (p > line && p[-1] == ' ')
		p--;
	if (red)
		p = put_word(p, "\033[0m");
	*p++ = '\n';
	return (size_t)(p - out);
}

/* ---- JSON ---- */

static char *put_json_text(char *p, const char *text, size_t len)
{
	*p++ = '"';
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		unsigned code;
		size_t n = plain_harmful(text + i, len - i, &code);

		if (c == '\t') {
			p = put_word(p, "\\t");
			continue;
		}
		if (n) {
			/* all of them are below U+10000: no surrogates */
			p += sprintf(p, "\\u%04x", code);
			i += n - 1;
			continue;
		}
		if (c == '"' || c == '\\')
			*p++ = '\\';
		*p++ = (char)c;
	}
	*p++ = '"';
	return p;
}

static char *put_key(char *p, const char *name)
{
	*p++ = ',';
	*p++ = '"';
	p = put_word(p, name);
	*p++ = '"';
	*p++ = ':';
	return p;
}

static char *put_member_text(char *p, const char *name, const struct field *field)
{
	p = put_key(p, name);
	return field->known ? put_json_text(p, field->text, field->len) : put_word(p, "null");
}

static char *put_member_u(char *p, const char *name, const struct field *field)
{
	p = put_key(p, name);
	return field->known ? put_u(p, field->u) : put_word(p, "null");
}

static char *put_lost(char *p, const struct field *parts)
{
	p = put_member_text(p, "event", &parts[OP_EVENT]);
	p = put_member_text(p, "stream", &parts[OP_DETAIL]);
	return put_member_u(p, "count", &parts[OP_SIZE]);
}

static char *put_members(char *p, const struct operation *op)
{
	const struct field *parts = op->parts;
	char error[32], object[1024]; /* two addresses and ports */
	size_t len;

	p = put_member_text(p, "event", &parts[OP_EVENT]);
	p = put_member_u(p, "pid", &parts[OP_PID]);
	p = put_member_u(p, "tid", &parts[OP_TID]);
	p = put_member_text(p, "comm", &parts[OP_COMMAND]);
	p = put_member_u(p, "size", &parts[OP_SIZE]);
	p = put_member_u(p, "offset", &parts[OP_OFFSET]);
	p = put_member_u(p, "latency_ns", &parts[OP_LATENCY]);
	p = put_key(p, "return_value");
	p = parts[OP_RESULT].known ? put_s(p, parts[OP_RESULT].s) : put_word(p, "null");
	operation_error(op, error);
	p = put_key(p, "error");
	p = error[0] ? put_json_text(p, error, strlen(error)) : put_word(p, "null");
	p = put_member_text(p, "detail", &parts[OP_DETAIL]);
	p = put_member_text(p, "device", &parts[OP_DEVICE]);
	p = put_member_text(p, "path", &parts[OP_PATH]);
	len = (size_t)(put_ends(object, op, false) - object);
	p = put_key(p, "connection");
	return len ? put_json_text(p, object, len - 1) : put_word(p, "null");
}

size_t operation_line_json(char *out, const struct operation *op)
{
	const char *system = streams[op->stream].name;
	char *p = put_word(out, "{\"time\":");

	p = put_json_text(p, op->parts[OP_TIME].text, op->parts[OP_TIME].len);
	p = put_key(p, "system");
	p = put_json_text(p, system, strlen(system));
	p = op->stream == STREAM_lost ? put_lost(p, op->parts) : put_members(p, op);
	p = put_word(p, "}\n");
	return (size_t)(p - out);
}
