/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what of a filter the kernel can decide; the reader decides all of it again. */
#include "plan/filter.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "row/format.h"
#include "row/fs_ops.h"

static bool stream_has(enum stream_id stream, const char *word)
{
	char wanted[FILTER_WORD + 2];

	if (!word[0] || strchr(word, ' '))
		return false;
	snprintf(wanted, sizeof(wanted), " %s ", word);
	return strcasestr(streams[stream].operations, wanted);
}

static bool add_group(struct filter *filter, const char *word)
{
	const struct fs_group *group = fs_groups;
	char text[256], *rest = NULL;

	while (group->word && strcasecmp(group->word, word))
		group++;
	if (!group->word)
		return false;
	snprintf(text, sizeof(text), "%s", group->operations);
	for (char *one = strtok_r(text, ", ", &rest); one; one = strtok_r(NULL, ", ", &rest))
		if (!filter_add_operation(filter, one))
			return false;
	return true;
}

bool filter_add_operation(struct filter *filter, const char *word)
{
	bool known = false;

	if (word[0] == '@')
		return add_group(filter, word);
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		known = known || stream_has(i, word);
	if (!known || filter->n_operations == FILTER_MAX_OPERATIONS)
		return false;
	snprintf(filter->operations[filter->n_operations++], FILTER_WORD, "%s", word);
	return true;
}

bool filter_is_on(const struct filter *filter)
{
	return filter->n_operations || filter->n_globs || filter->errors || filter->min_latency;
}

bool filter_has_stream(const struct filter *filter, enum stream_id stream)
{
	unsigned needs = (filter->n_globs ? HAS_PATH : 0) | (filter->errors ? HAS_RESULT : 0) |
			 (filter->min_latency ? HAS_LATENCY : 0);
	bool any = filter->n_operations == 0;

	if (schema_has(stream, ALWAYS_RECORDED))
		return true;
	for (unsigned i = 0; i < filter->n_operations; i++)
		any = any || stream_has(stream, filter->operations[i]);
	return any && (schema_has(stream, FILTER_BY_OPERATION) ||
		       (streams[stream].traits & needs) == needs);
}

/* ---- rows ---- */

static bool has_operation(const struct filter *filter, const char *operation)
{
	for (unsigned i = 0; i < filter->n_operations; i++)
		if (!strcasecmp(filter->operations[i], operation))
			return true;
	return filter->n_operations == 0;
}

/* Like that of find -path: a star is any text, slashes included. */
bool filter_glob(const char *glob, const char *path)
{
	const char *last = strrchr(path, '/');
	size_t len = strlen(glob);

	if (!strchr(glob, '/'))
		return fnmatch(glob, last ? last + 1 : path, 0) == 0;
	if (strpbrk(glob, "*?["))
		return fnmatch(glob, path, 0) == 0;
	/* a directory without a pattern: itself and all below */
	while (len > 0 && glob[len - 1] == '/')
		len--;
	return strncmp(path, glob, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static bool any_glob(const struct filter *filter, const char *path)
{
	for (unsigned i = 0; i < filter->n_globs; i++)
		if (filter_glob(filter->globs[i], path))
			return true;
	return false;
}

/* A name may have an arrow in it: every place where one is may be where the second begins. */
static bool either_glob(const struct filter *filter, const char *pair)
{
	static const char arrow[] = " -> ";
	char first[PATH_TEXT_MAX];

	for (const char *at = strstr(pair, arrow); at; at = strstr(at + 1, arrow)) {
		snprintf(first, sizeof(first), "%.*s", (int)(at - pair), pair);
		if (any_glob(filter, first) || any_glob(filter, at + sizeof(arrow) - 1))
			return true;
	}
	return false;
}

/* Looked for once a path: it is the same object in row after row. */
static bool has_path(const struct filter *filter, const struct filter_row *row)
{
	/* const to the caller, to whom what is remembered here makes no difference */
	struct path *path = (struct path *)row->path;

	if (!path)
		return false;
	if (!path->matched)
		path->matched = (row->two_paths ? either_glob(filter, path->raw) :
						  any_glob(filter, path->raw)) ?
					PATH_MATCHES :
					PATH_DIFFERS;
	return path->matched == PATH_MATCHES;
}

bool filter_row(const struct filter *filter, const struct filter_row *row)
{
	if (schema_has(row->stream, ALWAYS_RECORDED))
		return true;
	if (filter->n_operations && !has_operation(filter, row->operation))
		return false;
	/*
	 * rows of processes belong to those of others: result, latency and path do not apply
	 * to them
	 */
	if (schema_has(row->stream, FILTER_BY_OPERATION) && !filter->alone)
		return true;
	if (filter->errors && !row->failed)
		return false;
	if (filter->min_latency &&
	    (row->latency == FORMAT_UNKNOWN || row->latency < filter->min_latency))
		return false;
	return !filter->n_globs || schema_has(row->stream, FILTER_BY_OPERATION) ||
	       has_path(filter, row);
}

/* ---- the kernel ---- */

#define BIT(op) (1ULL << (op))

static uint64_t asked_operations(const struct filter *filter)
{
	uint64_t ops = 0;

	for (int op = 0; op < IOT_N_OPS; op++)
		if (fs_ops[op].name && has_operation(filter, fs_ops[op].name))
			ops |= BIT(op);
	/* the reader makes them of these */
	if (ops & BIT(IOT_DIO_READ))
		ops |= BIT(IOT_READ);
	if (ops & BIT(IOT_DIO_WRITE))
		ops |= BIT(IOT_WRITE);
	return ops;
}

static uint64_t operations_with(unsigned traits)
{
	uint64_t ops = 0;

	for (int op = 0; op < IOT_N_OPS; op++)
		if (fs_ops[op].traits & traits)
			ops |= BIT(op);
	return ops;
}

/* What must be seen whether it is a row or not, or other rows would be wrong. */
static uint64_t followed_operations(const struct plan *plan, uint64_t rows)
{
	uint64_t ops = 0;

	if (plan_has_trait(plan, NEEDS_FILE_NAMES))
		return ~0ULL;
	if (rows & operations_with(FS_MEMORY))
		ops |= operations_with(FS_MAPS);
	if (plan_needs(plan, USES_DESCRIPTORS))
		ops |= operations_with(FS_FOLLOWED);
	return ops;
}

void filter_config(const struct filter *filter, const struct plan *plan, struct iot_config *cfg)
{
	if (!filter->n_operations && !filter->errors && !filter->min_latency)
		return;
	cfg->filters |= IOT_FILTER_ROWS;
	cfg->errors = filter->errors;
	cfg->min_latency = filter->min_latency;
	cfg->fs_rows = asked_operations(filter);
	cfg->fs_state = followed_operations(plan, cfg->fs_rows);
	/* without headers, reads and writes of sockets are told from those of files by the reader */
	if (plan_needs(plan, USES_DESCRIPTORS) && plan_needs(plan, USES_SOCKETS))
		cfg->fs_rows |= BIT(IOT_READ) | BIT(IOT_WRITE);
}
