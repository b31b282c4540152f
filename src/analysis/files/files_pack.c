/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the order of the bytes: a head of fixed size, then what it says is there. */
#include "analysis/files/files_pack.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/files/files_names.h"
#include "analysis/files/files_open.h"

struct head {
	struct files_file file; /* pointers have no meaning */
	struct files_cell cell; /* nor here */
	bool used;              /* there is a cell */
	uint8_t command_len[FILES_COMMANDS];
};

struct packed_open {
	uint64_t key;
	struct files_run runs[2]; /* cell: the file's */
	bool writes_only;
	bool closed;
};

enum { FIRST_SIZE = 4096 };

/* ---- packing ---- */

static bool put(struct files_packed *out, const void *bytes, size_t len)
{
	size_t max = out->max ? out->max : FIRST_SIZE;
	char *more;

	while (max < out->len + len)
		max *= 2;
	if (max != out->max) {
		more = realloc(out->bytes, max);
		if (!more)
			return false;
		out->bytes = more;
		out->max = max;
	}
	if (len)
		memcpy(out->bytes + out->len, bytes, len);
	out->len += len;
	return true;
}

static bool put_cell(struct files_packed *out, const struct files_cell *cell,
		     const struct head *head)
{
	const struct histogram *h = &cell->histogram;
	bool ok = put(out, h->keys, h->n * sizeof(*h->keys)) &&
		  put(out, h->buckets, h->n * sizeof(*h->buckets)) &&
		  put(out, cell->errors, cell->n_errors * sizeof(*cell->errors)) &&
		  put(out, cell->pids, cell->max_pids * sizeof(*cell->pids));

	for (unsigned i = 0; ok && i < FILES_COMMANDS; i++)
		ok = put(out, cell->commands[i].name, head->command_len[i]);
	return ok;
}

/* The one that was not used for longest comes first. */
static bool put_opens(struct files_packed *out, const struct files_file *file)
{
	const struct files_open *open = file->opens;

	while (open && open->older)
		open = open->older;
	for (; open; open = open->newer) {
		struct packed_open packed = { .key = open->key,
					      .runs = { open->runs[0], open->runs[1] },
					      .writes_only = open->writes_only,
					      .closed = open->closed };

		if (!put(out, &packed, sizeof(packed)))
			return false;
	}
	return true;
}

bool files_pack(struct files_packed *out, const struct files_file *file)
{
	const struct files_cell *cell = file->uses ? &file->uses->cell : NULL;
	struct head head;

	memset(&head, 0, sizeof(head));
	head.file = *file;
	head.used = cell != NULL;
	if (cell)
		head.cell = *cell;
	for (unsigned i = 0; cell && i < FILES_COMMANDS && cell->commands[i].name; i++)
		head.command_len[i] = (uint8_t)strnlen(cell->commands[i].name, UINT8_MAX);
	out->len = 0;
	return put(out, &head, sizeof(head)) && put(out, file->path, file->path_len) &&
	       (!cell || put_cell(out, cell, &head)) && put_opens(out, file);
}

/* ---- unpacking ---- */

struct reader {
	const char *at, *end;
	bool bad; /* without memory, or these are not the bytes of a file */
};

static void take(struct reader *in, void *to, size_t len)
{
	in->bad = in->bad || len > (size_t)(in->end - in->at);
	if (in->bad || !len)
		return;
	memcpy(to, in->at, len);
	in->at += len;
}

static void *take_copy(struct reader *in, size_t len)
{
	void *copy = !in->bad && len && len <= (size_t)(in->end - in->at) ? malloc(len) : NULL;

	in->bad = in->bad || (len && !copy);
	if (copy)
		take(in, copy, len);
	return copy;
}

static void take_commands(struct reader *in, struct files_model *model, struct files_cell *cell,
			  const struct head *head)
{
	for (unsigned i = 0; i < FILES_COMMANDS && head->command_len[i]; i++) {
		const struct files_text name = { in->at, head->command_len[i] };

		in->bad = in->bad || name.len > (size_t)(in->end - in->at);
		if (in->bad)
			return;
		cell->commands[i].name = files_name(model, &name);
		cell->commands[i].first_ns = head->cell.commands[i].first_ns;
		in->at += name.len;
		in->bad = !cell->commands[i].name;
	}
}

static void take_cell(struct reader *in, struct files_model *model, struct files_cell *cell,
		      const struct head *head)
{
	struct histogram *h = &cell->histogram;
	uint32_t n_errors = head->cell.n_errors, room = 1;

	*cell = head->cell;
	memset(cell->commands, 0, sizeof(cell->commands));
	*h = (struct histogram){ .n = head->cell.histogram.n, .max = head->cell.histogram.n };
	h->keys = take_copy(in, h->n * sizeof(*h->keys));
	h->buckets = take_copy(in, h->n * sizeof(*h->buckets));
	/* errors grow when their number is a power of two */
	while (room < n_errors)
		room *= 2;
	cell->errors = n_errors ? malloc(room * sizeof(*cell->errors)) : NULL;
	in->bad = in->bad || (n_errors && !cell->errors);
	take(in, cell->errors, n_errors * sizeof(*cell->errors));
	cell->pids = take_copy(in, cell->max_pids * sizeof(*cell->pids));
	take_commands(in, model, cell, head);
}

static void take_opens(struct reader *in, struct files_model *model, struct files_file *file,
		       unsigned n)
{
	for (unsigned i = 0; i < n && !in->bad; i++) {
		struct files_open *open;
		struct packed_open packed;

		take(in, &packed, sizeof(packed));
		open = in->bad ? NULL : files_open_make(model, file, packed.key);
		in->bad = !open;
		if (!open)
			return;
		open->writes_only = packed.writes_only;
		open->closed = packed.closed;
		file->n_closed += packed.closed;
		memcpy(open->runs, packed.runs, sizeof(open->runs));
		open->runs[0].cell = open->runs[1].cell = &file->uses->cell;
	}
}

struct files_file *files_unpack(struct files_model *model, const char *bytes, size_t len)
{
	struct reader in = { bytes, bytes + len, false };
	struct files_file *file = pool_take(&model->pool, sizeof(*file));
	struct files_use *use = NULL;
	unsigned n_opens;
	struct head head;

	take(&in, &head, sizeof(head));
	if (!file || in.bad || head.file.path_len > (size_t)(in.end - in.at))
		return NULL;
	*file = head.file;
	n_opens = file->n_opens;
	file->n_opens = file->n_closed = 0;
	file->opens = NULL;
	file->uses = NULL;
	file->path = file->path_len ? pool_text(&model->pool, in.at, file->path_len) : "";
	in.at += file->path_len;
	if (!file->path)
		return NULL;
	if (head.used) {
		use = pool_take(&model->pool, sizeof(*use));
		if (!use)
			return NULL;
		file->uses = use;
		take_cell(&in, model, &use->cell, &head);
	}
	if (use && !in.bad)
		take_opens(&in, model, file, n_opens);
	if (in.bad && use)
		files_cell_free(&use->cell);
	return in.bad ? NULL : file;
}
