/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a host is made of, read from files below its root: what the parts of a
 * system snapshot share. Each part (spec_X.h) returns a new reference, NULL without memory.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct spec {
	const char *root; /* "": the running system */
};

/* ---- spec.c ---- */

/* As json_text, for values that identify a host or its place: its name, addresses, mount points. */
json_t *spec_secret(const char *text);
json_t *spec_number(bool known, long long value);

/*
 * First line of a file, blanks at its ends cut off; false when there is none. fmt makes its
 * path, which begins with no slash: it is below the root.
 */
bool spec_line(const struct spec *spec, char *out, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
bool spec_value(const struct spec *spec, long long *value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same as JSON: text or null, number or null. */
json_t *spec_line_json(const struct spec *spec, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
json_t *spec_value_json(const struct spec *spec, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The last part of a link's target; empty when it is none. */
void spec_link(const struct spec *spec, char *out, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/*
 * Calls fn for each name in a directory that begins with no dot, numbers in it in their order
 * (cpu9 before cpu10); returns how many there were.
 */
unsigned spec_each(const struct spec *spec, const char *dir,
		   void (*fn)(void *arg, const char *name), void *arg);

/* Whether text begins with word; what follows it, less colon and blanks, in *rest. */
bool spec_key(const char *line, const char *word, const char **rest);

/* Cuts the first line off; NULL at the end. */
char *spec_next_line(char **text);
