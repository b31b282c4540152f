/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members of a JSON object that may be anything: manifests come from disks, and from other
 * versions.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * What a file says; it is closed. NULL, and error, when that is no JSON. By itself jansson reads
 * byte by byte.
 */
static inline json_t *members_of_file(int fd, json_error_t *error)
{
	FILE *in = fdopen(fd, "r");
	json_t *json;

	json = in ? json_loadf(in, JSON_REJECT_DUPLICATES, error) :
		    json_loadfd(fd, JSON_REJECT_DUPLICATES, error);
	if (in)
		fclose(in);
	else
		close(fd);
	return json;
}

/* False, and 0, when it is no integer from 0 on. */
static inline bool member_number(const json_t *object, const char *name, uint64_t *value)
{
	const json_t *member = json_object_get(object, name);

	*value = 0;
	if (!json_is_integer(member) || json_integer_value(member) < 0)
		return false;
	*value = (uint64_t)json_integer_value(member);
	return true;
}

/* NULL when it is no text. */
static inline const char *member_text(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

/* The entry of a list with this name, or NULL. Borrowed. */
static inline json_t *member_named(const json_t *list, const char *name)
{
	json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry)
	{
		const char *its_name = member_text(entry, "name");

		if (its_name && !strcmp(its_name, name))
			return entry;
	}
	return NULL;
}
