/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the check of the data package, which must lead its readers to all segments. */
#include "read/verify_package.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "read/members.h"
#include "read/segments.h"
#include "row/schema.h"
#include "write/manifest.h"

/*
 * The schema in the package against ours: other programs know the columns from it alone. The
 * folder of a file is the name of its stream.
 */
static void check_fields(struct verify *v, const json_t *resource, const char *file)
{
	const json_t *fields = json_object_get(json_object_get(resource, "schema"), "fields");
	size_t n = 0, at = 0;
	uint64_t omitted;
	char name[64];
	int stream;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(file, "/"), file);
	stream = schema_find(name);
	if (stream < 0)
		return; /* of a newer version */
	omitted = verify_omitted(v, stream);
	for (unsigned i = 0; i < streams[stream].n_columns; i++)
		n += !(omitted >> i & 1);
	if (json_array_size(fields) != n) {
		verify_damage(v, "datapackage.json: %s has %zu fields instead of %zu", name,
			      json_array_size(fields), n);
		return;
	}
	for (unsigned i = 0; i < streams[stream].n_columns; i++) {
		const struct column *column = &streams[stream].columns[i];
		const json_t *field;
		const char *its_name, *type;

		if (omitted >> i & 1)
			continue;
		field = json_array_get(fields, at++);
		its_name = member_text(field, "name");
		type = member_text(field, "type");
		if (!its_name || !type || strcmp(its_name, column->name) ||
		    strcmp(type, column->type))
			verify_damage(v, "datapackage.json: field %zu of %s is not %s of type %s",
				      at, name, column->name, column->type);
	}
}

static void check_resource(struct verify *v, const json_t *resource, json_t *missing)
{
	const json_t *path, *paths = json_object_get(resource, "path");
	const char *file;
	size_t i;
	int fd;

	if (!json_array_size(paths))
		verify_damage(v, "datapackage.json: a resource without files");
	json_array_foreach(paths, i, path)
	{
		file = json_string_value(path);
		if (!file || !segment_is_below(file)) {
			verify_damage(v, "datapackage.json: an invalid path");
			continue;
		}
		if (!i)
			check_fields(v, resource, file);
		/* verify_streams() has looked at it */
		if (json_object_get(v->listed, file)) {
			json_object_del(missing, file);
			continue;
		}
		fd = segment_open(v->dir_fd, file);
		if (fd < 0)
			verify_damage(v, "datapackage.json: lists %s: %s", file, segment_why(fd));
		else
			close(fd);
	}
}

static void check_package(struct verify *v, const json_t *package)
{
	const json_t *resource, *resources = json_object_get(package, "resources");
	json_t *missing;
	size_t i;

	if (!json_array_size(resources)) {
		verify_damage(v, "datapackage.json: no list of resources");
		return;
	}
	/* each file that a resource has is taken out: what is left is in none */
	missing = json_copy(v->listed);
	json_array_foreach(resources, i, resource) check_resource(v, resource, missing);
	if (json_object_size(missing))
		verify_damage(v, "datapackage.json: does not list %s (and %zu more)",
			      json_object_iter_key(json_object_iter(missing)),
			      json_object_size(missing) - 1);
	json_decref(missing);
}

void verify_package(struct verify *v)
{
	json_error_t error;
	int err;
	json_t *package = verify_read_json(v, MANIFEST_PACKAGE, &error, &err);

	if (package)
		check_package(v, package);
	else if (!err)
		verify_damage(v, "datapackage.json: damaged at line %d (%s)", error.line,
			      error.text);
	else if (err != -ENOENT || json_object_size(v->listed))
		verify_damage(v, "datapackage.json: %s", segment_why(err));
	json_decref(package);
}
