/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns what a host's tracefs says of its tracepoints: whether an event is
 * there, and where its fields lie. Layouts move even inside a stable series, so
 * the format file is the only authority.
 *
 * A saved host may keep the formats of a category behind one another in
 * events/<category>/formats instead of in a thousand small files.
 */
#include "compat/host/tracefs.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/sys/root.h"

#define MAX_RECORD 65536 /* larger offsets and sizes are nonsense */

/* The formats of one category; text is NULL when the host has no such file. */
struct formats {
	struct formats *next;
	char *text;
	char category[];
};

void host_forget_formats(struct host *host)
{
	while (host->formats) {
		struct formats *formats = host->formats;

		host->formats = formats->next;
		free(formats->text);
		free(formats);
	}
}

/* Those of a category, or NULL: read once, as each of a thousand events is looked for in them. */
static const char *formats_of(const struct host *host, const char *category, size_t len)
{
	struct host *mine = (struct host *)host;
	struct formats *formats = host->formats;
	char path[256];
	size_t size;

	while (formats && (strncmp(formats->category, category, len) || formats->category[len]))
		formats = formats->next;
	if (formats)
		return formats->text;
	formats = calloc(1, sizeof(*formats) + len + 1);
	if (!formats)
		return NULL;
	memcpy(formats->category, category, len);
	if (snprintf(path, sizeof(path), "events/%s/formats", formats->category) <
	    (int)sizeof(path))
		formats->text = root_read(host->tracefs, path, &size);
	formats->next = mine->formats;
	mine->formats = formats;
	return formats->text;
}

/* A copy of the section "name: EVENT" of formats that follow one another, or NULL. */
static char *copy_section(const char *all, const char *event)
{
	const char *start = all, *end;
	size_t len = strlen(event);

	for (; start; start = strstr(start, "\nname: ")) {
		start += *start == '\n';
		if (!strncmp(start, "name: ", 6) && !strncmp(start + 6, event, len) &&
		    start[6 + len] == '\n')
			break;
	}
	if (!start)
		return NULL;
	end = strstr(start, "\nname: ");
	return end ? strndup(start, (size_t)(end - start) + 1) : strdup(start);
}

/* The text of the event's format, to be freed, or NULL. */
static char *read_format(const struct host *host, const char *target)
{
	const char *colon = strchr(target, ':');
	char path[256], *text;
	const char *all;
	size_t size;

	if (!host->tracefs[0] || !colon || strchr(target, '/') || strstr(target, ".."))
		return NULL;
	if (snprintf(path, sizeof(path), "events/%.*s/%s/format", (int)(colon - target), target,
		     colon + 1) >= (int)sizeof(path))
		return NULL;
	text = root_read(host->tracefs, path, &size);
	if (text || host->live)
		return text;
	all = formats_of(host, target, (size_t)(colon - target));
	return all ? copy_section(all, colon + 1) : NULL;
}

bool host_has_tracepoint(const struct host *host, const char *target)
{
	const char *colon = strchr(target, ':');
	char path[PATH_MAX], *text;

	/* hundreds are asked for at each start: in one call, not one for each part of the path */
	if (host->live && host->tracefs[0] && colon)
		return snprintf(path, sizeof(path), "%s/events/%.*s/%s/format", host->tracefs,
				(int)(colon - target), target, colon + 1) < (int)sizeof(path) &&
		       !access(path, F_OK);
	text = read_format(host, target);
	free(text);
	return text != NULL;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void trim_end(char *s)
{
	size_t len = strlen(s);

	while (len && (s[len - 1] == ' ' || s[len - 1] == '\t'))
		s[--len] = '\0';
}

/* "const char * name" or "char rwbs[8]" or "__data_loc char[] cmd" into its parts. */
static bool split_declaration(char *decl, struct tp_field *field)
{
	char *name, *bracket;

	field->is_data_loc = !strncmp(decl, "__data_loc ", 11);
	if (field->is_data_loc)
		decl += 11;
	trim_end(decl);
	name = decl + strlen(decl);
	if (name > decl && name[-1] == ']') {
		while (name > decl && *name != '[')
			name--;
		*name = '\0';
		field->is_array = true;
	}
	while (name > decl && is_word(name[-1]))
		name--;
	if (!*name || name == decl || strlen(name) >= sizeof(field->name))
		return false;
	strcpy(field->name, name);
	*name = '\0';
	bracket = strstr(decl, "[]");
	if (bracket)
		*bracket = '\0';
	trim_end(decl);
	if (!decl[0] || strlen(decl) >= sizeof(field->type))
		return false;
	strcpy(field->type, decl);
	return true;
}

/* The number behind "key:" in the rest of a field line. */
static bool read_number(const char *rest, const char *key, uint32_t *value)
{
	const char *at = strstr(rest, key);
	unsigned long n;
	char *end;

	if (!at)
		return false;
	at += strlen(key);
	if (*at < '0' || *at > '9')
		return false;
	errno = 0;
	n = strtoul(at, &end, 10);
	if (errno || *end != ';' || n > MAX_RECORD)
		return false;
	*value = (uint32_t)n;
	return true;
}

/* "\tfield:unsigned int bytes;\toffset:28;\tsize:4;\tsigned:0;" */
static bool parse_field(char *line, struct tp_field *field)
{
	char *decl = strstr(line, "field:"), *end;
	uint32_t is_signed = 0;

	memset(field, 0, sizeof(*field));
	if (!decl)
		return false;
	decl += 6;
	end = strchr(decl, ';');
	if (!end)
		return false;
	*end++ = '\0';
	if (!read_number(end, "offset:", &field->offset) ||
	    !read_number(end, "size:", &field->size))
		return false;
	if (read_number(end, "signed:", &is_signed))
		field->is_signed = is_signed != 0;
	return split_declaration(decl, field);
}

/* Calls nothing back: fills fields up to max, returns how many there are in all. */
static int parse_format(char *text, struct tp_field *fields, int max)
{
	struct tp_field field;
	char *line, *next = text;
	int n = 0;

	while ((line = strsep(&next, "\n"))) {
		if (!strncmp(line, "print fmt:", 10))
			break;
		if (!parse_field(line, &field))
			continue;
		if (n < max)
			fields[n] = field;
		n++;
	}
	return n;
}

int host_tp_fields(const struct host *host, const char *target, struct tp_field *fields, int max)
{
	char *text = read_format(host, target);
	int n;

	if (!text)
		return -ENOENT;
	n = parse_format(text, fields, max);
	free(text);
	if (!n)
		return -EBADMSG;
	return n > max ? -E2BIG : n;
}

bool host_tp_has_field(const struct host *host, const char *target, const char *field)
{
	char *text = read_format(host, target);
	struct tp_field one;
	char *line, *next = text;
	bool found = false;

	while (text && !found && (line = strsep(&next, "\n")))
		found = parse_field(line, &one) && !strcmp(one.name, field);
	free(text);
	return found;
}

/* One "{ number, "word" }" of a list, or NULL when there is none; what is no number is passed over. */
static const char *next_word(const char *at, host_word_fn *fn, void *arg, int *n)
{
	const char *open, *close;
	char word[80], *end;
	uint64_t value;

	at += strspn(at, " ,");
	if (*at != '{')
		return NULL;
	errno = 0;
	value = strtoull(at + 1, &end, 0);
	open = strchr(at, '"');
	close = open ? strchr(open + 1, '"') : NULL;
	at = close ? strchr(close, '}') : NULL;
	if (!at)
		return NULL;
	if (*end == ',' && !errno &&
	    snprintf(word, sizeof(word), "%.*s", (int)(close - open - 1), open + 1) <
		    (int)sizeof(word)) {
		fn(arg, value, word);
		++*n;
	}
	return at + 1;
}

int host_tp_words(const struct host *host, const char *target, const char *field, host_word_fn *fn,
		  void *arg)
{
	char *text = read_format(host, target), start[80];
	const char *at = text ? strstr(text, "print fmt:") : NULL;
	int n = 0;

	if (!text)
		return -ENOENT;
	snprintf(start, sizeof(start), "__print_symbolic(REC->%.48s,", field);
	at = at ? strstr(at, start) : NULL;
	if (at)
		at += strlen(start);
	while (at)
		at = next_word(at, fn, arg, &n);
	free(text);
	return n;
}
