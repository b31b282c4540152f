/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the count of references. What the path names, it does not know. */
#include "row/path.h"

#include <stdlib.h>
#include <string.h>

#include "row/anon.h"

/* Quotes and escapes need four bytes for one, tokens eight; and a little besides */
#define PATH_CSV_FACTOR 9

/* csv: what rows show in place of raw */
static struct path *make(const char *raw, size_t len, const char *csv, size_t csv_len,
			 uint32_t flags)
{
	bool differs = csv_len != len || memcmp(csv, raw, len);
	struct path *path = malloc(sizeof(*path) + len + 1 + (differs ? csv_len : 0));

	if (!path)
		return NULL;
	path->refs = 1;
	path->flags = flags;
	path->matched = 0;
	path->raw_len = len;
	path->csv_len = csv_len;
	memcpy(path->raw, raw, len);
	path->raw[len] = '\0';
	path->csv = path->raw;
	if (differs) {
		path->csv = path->raw + len + 1;
		memcpy(path->csv, csv, csv_len);
	}
	return path;
}

struct path *path_new(const char *raw, size_t len, uint32_t flags)
{
	char csv[PATH_TEXT_MAX * PATH_CSV_FACTOR];
	bool escaped = false;
	size_t csv_len;

	if (len > PATH_TEXT_MAX) {
		len = PATH_TEXT_MAX;
		flags |= PATH_CUT;
	}
	if (anon_on())
		csv_len = anon_path(csv, raw, len);
	else
		csv_len = format_quote(csv, raw, len, &escaped);
	return make(raw, len, csv, csv_len, flags | (escaped ? PATH_ESCAPED : 0));
}

struct path *path_get(struct path *path)
{
	if (path)
		path->refs++;
	return path;
}

void path_put(struct path *path)
{
	if (path && --path->refs == 0)
		free(path);
}

struct path *path_from_walk(const char *parts, size_t len, bool cut)
{
	char text[PATH_TEXT_MAX];
	char *end = text + sizeof(text), *p = end;
	bool lost = false;

	if (len && parts[len - 1] != '\0')
		return NULL;
	for (size_t at = 0; at < len;) {
		size_t n = strlen(parts + at);

		if (!n)
			return NULL;
		/* opened by its handle (NFS), or on a mount that is nowhere: nobody knows what is above */
		if (n == 1 && parts[at] == '/') {
			lost = true;
			break;
		}
		if ((size_t)(p - text) < n + 1) {
			cut = true;
			break;
		}
		p -= n;
		memcpy(p, parts + at, n);
		*--p = '/';
		at += n + 1;
	}
	if (p == end && lost)
		return path_new("", 0, PATH_NONE);
	if (lost && !cut)
		p++; /* no name from the root */
	if (p == end)
		*--p = '/';
	return path_new(p, end - p, cut ? PATH_CUT | PATH_REST : lost ? PATH_REST : PATH_FULL);
}

/* Appends one component to out, resolving "." and ".."; returns the new length. */
static size_t join_part(char *out, size_t at, const char *part, size_t len)
{
	if (len == 0 || (len == 1 && part[0] == '.'))
		return at;
	if (len == 2 && part[0] == '.' && part[1] == '.') {
		while (at > 0 && out[at - 1] != '/')
			at--;
		return at > 0 ? at - 1 : 0;
	}
	out[at++] = '/';
	memcpy(out + at, part, len);
	return at + len;
}

struct path *path_join(const struct path *base, const char *text, size_t len, bool cut)
{
	char out[PATH_TEXT_MAX + 4096 + 8];
	uint32_t flags = PATH_FULL;
	size_t at = 0;

	if (!len)
		return path_new("", 0, PATH_NONE);
	/* PATH_MAX: the kernel refuses longer ones, and out has no more room */
	if (len > 4096) {
		len = 4096;
		cut = true;
	}
	if (cut)
		flags |= PATH_CUT;
	if (text[0] != '/') {
		/* a base without its start or its end leads nowhere */
		if (!base || !(base->flags & PATH_FULL) || (base->flags & PATH_CUT))
			return path_new(text, len,
					(flags & ~PATH_FULL) | PATH_REST |
						(base ? base->flags & PATH_CUT : 0));
		flags |= base->flags & PATH_PROC;
		if (base->raw_len > 1) {
			memcpy(out, base->raw, base->raw_len);
			at = base->raw_len;
		}
	}
	for (size_t i = 0; i < len;) {
		const char *slash = memchr(text + i, '/', len - i);
		size_t n = slash ? (size_t)(slash - text) - i : len - i;

		at = join_part(out, at, text + i, n);
		i += n + 1;
	}
	if (at == 0)
		out[at++] = '/';
	return path_new(out, at, flags);
}

/* Each argument for itself, as a path: the name of a file is the same in all streams. */
static size_t hide_args(char *out, const char *args, size_t args_len)
{
	size_t n = 0;

	for (size_t at = 0; at < args_len;) {
		size_t len = strnlen(args + at, args_len - at);

		if (at)
			out[n++] = ' ';
		if (len)
			n += anon_path(out + n, args + at, len);
		else
			n = (size_t)(put_word(out + n, "''") - out);
		at += len + 1;
	}
	return n;
}

struct path *path_of_args(const char *args, size_t args_len)
{
	char line[PATH_ARGS_MAX * 3 + 8], shown[PATH_ARGS_MAX * 3 * PATH_CSV_FACTOR];
	size_t n = 0;

	if (args_len > PATH_ARGS_MAX)
		args_len = PATH_ARGS_MAX;
	for (size_t at = 0; at < args_len && n < sizeof(line) - PATH_ARGS_MAX;) {
		const char *arg = args + at;
		size_t len = strnlen(arg, args_len - at);
		bool quote = !len || memchr(arg, ' ', len);

		if (at)
			line[n++] = ' ';
		if (quote)
			line[n++] = '\'';
		memcpy(line + n, arg, len);
		n += len;
		if (quote)
			line[n++] = '\'';
		at += len + 1;
	}
	if (!anon_on())
		return path_new(line, n, 0);
	return make(line, n, shown, hide_args(shown, args, args_len), 0);
}

const char *path_letters(uint32_t flags)
{
	/* the contract's c never occurs */
	static const struct {
		char letter;
		uint32_t flag;
	} order[] = {
		{ 'f', PATH_FULL },    { 'r', PATH_REST },    { 't', PATH_CUT },
		{ 'm', PATH_PROC },    { 'd', PATH_DELETED }, { 'o', PATH_OTHER },
		{ 'e', PATH_ESCAPED }, { 'n', PATH_NONE },
	};
	static char table[256][9];

	/* the eight flags above: as many combinations as the table has rows */
	flags &= 255;
	if (flags & PATH_OTHER)
		flags &= ~(uint32_t)PATH_FULL;
	if (!table[flags][0]) {
		char *p = table[flags];

		for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
			if (flags & order[i].flag)
				*p++ = order[i].letter;
	}
	return table[flags];
}

/* The two as they are shown, each for itself; what is too long ends with the first. */
static size_t join_shown(char *out, size_t size, const struct path *a, const char *arrow,
			 const struct path *b)
{
	size_t arrow_len = strlen(arrow), n = a->csv_len;

	memcpy(out, a->csv, n);
	memcpy(out + n, arrow, arrow_len);
	n += arrow_len;
	if (b->csv_len > size - n)
		return n;
	memcpy(out + n, b->csv, b->csv_len);
	return n + b->csv_len;
}

struct path *path_pair(const struct path *first, const struct path *second, bool given)
{
	static const char arrow[] = " -> ";
	static const struct path none = { .flags = PATH_REST, .csv = (char *)"" };
	const struct path *a = first ? first : &none, *b = second ? second : &none;
	char text[PATH_TEXT_MAX * 2 + sizeof(arrow)],
		shown[PATH_TEXT_MAX * PATH_CSV_FACTOR + sizeof(arrow)], *p = text;
	uint32_t flags = (given ? b->flags : a->flags | b->flags) & ~(uint32_t)PATH_ESCAPED;

	if (!first && !second)
		return NULL;
	/* one that is known in part makes the pair known in part */
	if (flags & (PATH_REST | PATH_NONE))
		flags = (flags & ~(uint32_t)(PATH_FULL | PATH_NONE)) | PATH_REST;
	p = mempcpy(p, a->raw, a->raw_len);
	p = mempcpy(p, arrow, sizeof(arrow) - 1);
	p = mempcpy(p, b->raw, b->raw_len);
	if (!anon_on())
		return path_new(text, p - text, flags);
	return make(text, p - text, shown, join_shown(shown, sizeof(shown), a, arrow, b), flags);
}

char *path_deleted_mark(char *path)
{
	static const char mark[] = " (deleted)";
	size_t len = strlen(path);
	char *at = path + len - (sizeof(mark) - 1);

	return len >= sizeof(mark) && !strcmp(at, mark) ? at : NULL;
}
