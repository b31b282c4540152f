/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns what the manifest does not list: files in the directories of streams,
 * and the data package, which must tell readers of all segments.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "read/verify_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "row/schema.h"

/* ---- names ---- */

static bool cut_ending(char *name, const char *ending)
{
	size_t len = strlen(name), n = strlen(ending);

	if (len <= n || strcmp(name + len - n, ending))
		return false;
	name[len - n] = '\0';
	return true;
}

/* ".fs_x.csv.gz.part" is of fs/fs_x.csv, as is what has that name already. */
static void classify(struct verify_file *file, const char *name)
{
	const char *stream = streams[file->stream].name;
	char plain[VERIFY_NAME_MAX];
	bool part;

	file->kind = VERIFY_OTHER;
	if (snprintf(file->path, sizeof(file->path), "%s/%s", stream, name) >=
	    (int)sizeof(file->path))
		return;
	snprintf(plain, sizeof(plain), "%.60s/%.190s", stream, name[0] == '.' ? name + 1 : name);
	part = name[0] == '.' && cut_ending(plain, ".part");
	if ((name[0] == '.') != part || !verify_segment_name(plain, &file->name))
		return;
	file->kind = !part                    ? VERIFY_SEGMENT :
		     cut_ending(plain, ".gz") ? VERIFY_PART_GZ :
						VERIFY_PART;
	memcpy(file->final, plain, sizeof(plain));
}

static int by_number(const void *a, const void *b)
{
	const struct verify_file *x = a, *y = b;

	if (x->name.number != y->name.number)
		return x->name.number < y->name.number ? -1 : 1;
	return strcmp(x->path, y->path);
}

static bool add_file(struct verify_file **files, size_t *n, const struct verify_file *file)
{
	/* room grows in steps of a power of two */
	if ((*n & (*n - 1)) == 0) {
		struct verify_file *more = realloc(*files, (*n ? 2 * *n : 1) * sizeof(*more));

		if (!more)
			return false;
		*files = more;
	}
	(*files)[(*n)++] = *file;
	return true;
}

struct verify_file *verify_list(const struct verify *v, int stream, size_t *n)
{
	int fd = openat(v->dir_fd, streams[stream].name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct verify_file *files = NULL;
	struct dirent *entry;

	*n = 0;
	if (!dir && fd >= 0)
		close(fd);
	while (dir && (entry = readdir(dir))) {
		struct verify_file file = { .stream = stream };

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		classify(&file, entry->d_name);
		if (!add_file(&files, n, &file))
			log_error("%s/%s: out of memory", v->dir, streams[stream].name);
	}
	if (dir)
		closedir(dir);
	if (*n)
		qsort(files, *n, sizeof(*files), by_number);
	return files;
}

/* ---- files that are not listed ---- */

static void look_into(struct verify *v, const struct verify_file *file)
{
	struct scan_options options = { .compressed = verify_is_gz(file->path) };
	struct scan scan;
	int err;

	if (file->kind != VERIFY_SEGMENT) {
		/* what --repair would leave alone is more than not closed */
		if (file->kind == VERIFY_PART && !v->recording &&
		    !verify_scan(v, file->path, &options, &scan) && scan.trouble == SCAN_DAMAGED)
			verify_damage(v, "%s: still open, and damaged: %s", file->path, scan.why);
		else
			verify_open_end(v, "%s: still open", file->path);
		return;
	}
	err = verify_scan(v, file->path, &options, &scan);
	if (err) {
		verify_damage(v, "%s: %s", file->path, verify_why(err));
	} else if (scan.trouble != SCAN_OK) {
		verify_damage(v, "%s: not in the manifest, and damaged: %s", file->path, scan.why);
	} else {
		verify_open_end(v, "%s: not in the manifest; its %" PRIu64 " rows are whole",
				file->path, scan.rows);
		verify_count(v, &scan);
	}
}

static void look_at_stream(struct verify *v, int stream)
{
	size_t n;
	struct verify_file *files = verify_list(v, stream, &n);

	for (size_t i = 0; i < n; i++) {
		if (files[i].kind == VERIFY_OTHER)
			log_note("%s/%s: not written by iotracer", v->dir, files[i].path);
		else if (!json_object_get(v->listed, files[i].path))
			look_into(v, &files[i]);
	}
	free(files);
}

void verify_unlisted(struct verify *v)
{
	for (int i = 0; i < N_STREAMS; i++)
		look_at_stream(v, i);
}

/* ---- datapackage.json ---- */

static void check_fields(struct verify *v, const json_t *resource, const char *file)
{
	const json_t *field,
		*fields = json_object_get(json_object_get(resource, "schema"), "fields");
	char name[64];
	int stream;
	size_t i;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(file, "/"), file);
	stream = schema_find(name);
	if (stream < 0)
		return; /* of a newer version */
	if (json_array_size(fields) != streams[stream].n_columns) {
		verify_damage(v, "datapackage.json: %s has %zu fields instead of %u", name,
			      json_array_size(fields), streams[stream].n_columns);
		return;
	}
	json_array_foreach(fields, i, field)
	{
		const char *its_name = verify_text(field, "name"),
			   *type = verify_text(field, "type");
		const struct column *column = &streams[stream].columns[i];

		if (!its_name || !type || strcmp(its_name, column->name) ||
		    strcmp(type, column->type))
			verify_damage(v, "datapackage.json: field %zu of %s is not %s of type %s",
				      i + 1, name, column->name, column->type);
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
		if (!file || !verify_is_below(file)) {
			verify_damage(v, "datapackage.json: a path that is none");
			continue;
		}
		if (!i)
			check_fields(v, resource, file);
		if (json_object_get(v->listed, file)) {
			json_object_del(missing, file);
			continue;
		}
		fd = verify_open_file(v, file);
		if (fd < 0)
			verify_damage(v, "datapackage.json: lists %s: %s", file, verify_why(fd));
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
	missing = json_copy(v->listed);
	json_array_foreach(resources, i, resource) check_resource(v, resource, missing);
	if (json_object_size(missing))
		verify_damage(v, "datapackage.json: does not list %s (and %zu more)",
			      json_object_iter_key(json_object_iter(missing)),
			      json_object_size(missing) - 1);
	json_decref(missing);
}

static json_t *read_package(const struct verify *v, json_error_t *error)
{
	int fd = openat(v->dir_fd, "datapackage.json", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	json_t *package;

	if (fd < 0)
		return NULL;
	package = json_loadfd(fd, JSON_REJECT_DUPLICATES, error);
	close(fd);
	return package;
}

void verify_package(struct verify *v)
{
	json_error_t error = { .line = -1 };
	json_t *package;

	errno = 0;
	package = read_package(v, &error);
	if (package)
		check_package(v, package);
	else if (error.line != -1)
		verify_damage(v, "datapackage.json: damaged at line %d (%s)", error.line,
			      error.text);
	else if (errno != ENOENT || json_object_size(v->listed))
		verify_damage(v, "datapackage.json: %s", verify_why(-errno));
	json_decref(package);
}

void verify_each_in_package(const struct verify *v, void (*file)(void *arg, const char *path),
			    void *arg)
{
	json_t *package = read_package(v, NULL);
	const json_t *resource, *path;
	size_t i, j;

	json_array_foreach(json_object_get(package, "resources"), i, resource)
		json_array_foreach(json_object_get(resource, "path"), j,
				   path) if (json_is_string(path))
			file(arg, json_string_value(path));
	json_decref(package);
}
