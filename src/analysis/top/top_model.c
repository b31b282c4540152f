/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the keys of each view, and which operations count as reads and writes. */
#include "analysis/top/top_model.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/hash.h"
#include "analysis/top/top_views.h"
#include "row/effects.h"
#include "row/row_words.h"
#include "row/format.h"

const char *const top_view_names[N_TOP_VIEWS + 1] = { "files",       "processes", "devices",
						      "connections", "layers",    "rings",
						      "latency",     "containers" };
const char *const top_sort_names[N_TOP_SORTS + 1] = { "bytes", "ops", "errors", "time", "max" };

struct top_model *top_model_open(struct top_containers *containers)
{
	struct top_model *model = calloc(1, sizeof(*model));

	if (model)
		model->containers = containers;
	return model;
}

void top_model_close(struct top_model *model)
{
	free(model);
}

/* ---- rows ---- */

static struct top_row *others(struct view *view)
{
	static const char name[] = "(others)";
	struct top_row *row = &view->rows[MAX_ROWS];

	if (!view->has_others)
		*row = (struct top_row){ .key = name, .key_len = sizeof(name) - 1 };
	view->has_others = true;
	return row;
}

static struct top_row *insert(struct view *view, uint32_t slot, const struct key *key)
{
	char number[32], *end = number;
	struct top_row *row;

	if (key->numbered) {
		end = key->word ? put_word(end, key->word) : put_u(end, key->number);
		*end++ = ' ';
	}
	if (view->n == MAX_ROWS || view->used + sizeof(number) + key->len > TEXT_SIZE)
		return others(view);
	row = &view->rows[view->n];
	*row = (struct top_row){ .key = view->text + view->used,
				 .number = key->number,
				 .id = view->n + 1,
				 .name_at = (uint32_t)(end - number) };
	row->key_len = row->name_at + (uint32_t)key->len;
	memcpy(view->text + view->used, number, row->name_at);
	if (key->len)
		memcpy(view->text + view->used + row->name_at, key->text, key->len);
	view->used += row->key_len;
	view->slots[slot] = (uint16_t)++view->n;
	return row;
}

/* NULL: there is none, and *slot would be its. */
static struct top_row *look_up(struct view *view, const struct key *key, uint32_t *slot)
{
	*slot = (uint32_t)(hash_text(key->number, key->text, key->len) % SLOTS);
	for (; view->slots[*slot]; *slot = (*slot + 1) % SLOTS)
		if (is_key_of(&view->rows[view->slots[*slot] - 1], key))
			return &view->rows[view->slots[*slot] - 1];
	return NULL;
}

/* Mostly it is the one of the operation before. */
static struct top_row *find(struct view *view, const struct key *key)
{
	struct top_row *row;
	uint32_t slot;

	if (view->last && is_key_of(view->last, key))
		return view->last;
	row = look_up(view, key, &slot);
	if (!row)
		return insert(view, slot, key);
	return view->last = row;
}

/* ---- operations ---- */

static bool is_event(const struct operation *op, const char *word)
{
	return field_is(&op->parts[OP_EVENT], word);
}

static struct top_row *add(struct top_model *model, enum top_view number, struct key key,
			   const struct operation_facts *f)
{
	struct top_row *row;

	key.len = key.len < KEY_MAX ? key.len : (size_t)KEY_MAX;
	row = find(&model->views[number], &key);
	row->ops++;
	row->errors += f->failed;
	row->reads += f->reads;
	row->writes += f->writes;
	row->read_bytes += f->reads ? f->bytes : 0;
	row->write_bytes += f->writes ? f->bytes : 0;
	if (!f->timed)
		return row;
	row->timed++;
	row->ns += f->ns;
	if (f->ns > row->max_ns)
		row->max_ns = f->ns;
	return row;
}

static struct key text_key(const struct field *text)
{
	return (struct key){ .text = text->text, .len = text->len };
}

/* A name belongs to a thread as long as it has it: the text is not part of the key. */
static void add_user(struct top_model *model, const struct operation *op, uint32_t file,
		     const struct operation_facts *f)
{
	const struct field *tid = &op->parts[OP_TID], *pid = &op->parts[OP_PID];
	struct key key = text_key(&op->parts[OP_COMMAND]);
	struct top_row *row;

	if (!file || !pid->known)
		return;
	key.number = (uint64_t)file << 32 | (uint32_t)(tid->known ? tid->u : pid->u);
	row = add(model, (enum top_view)TOP_USERS, key, f);
	row->file = file;
	row->pid = (uint32_t)pid->u;
}

/* The same path in two mount namespaces is two files. */
static void add_path(struct top_model *model, const struct operation *op, const char *path,
		     size_t len, const struct operation_facts *f)
{
	uint64_t mntns = op->parts[OP_MNTNS].u;

	if (is_file_or_disk(path, len))
		add_user(model, op,
			 add(model, TOP_FILES, (struct key){ mntns, NULL, mntns, path, len }, f)
				 ->id,
			 f);
}

/* Of a copy each file has its side. */
static void add_file(struct top_model *model, const struct operation *op,
		     const struct operation_facts *f)
{
	const struct field *path = &op->parts[OP_PATH];
	uint64_t mntns = op->parts[OP_MNTNS].u;
	struct operation_facts one = *f, two = *f;
	const char *second = f->reads && f->writes ? second_path(path->text, path->len) : NULL;

	if (second) {
		one.writes = two.reads = false;
		add_path(model, op, second, (size_t)(path->text + path->len - second), &two);
		add_path(model, op, path->text, (size_t)(second - path->text) - PATHS_BETWEEN,
			 &one);
	} else {
		add_path(model, op, path->text, path->len, f);
	}
	if (!model->mntns)
		model->mntns = mntns;
	if (mntns != model->mntns)
		model->sums.many_mntns = model->sums.many_mntns || mntns;
}

static void add_ring(struct top_model *model, const struct operation *op,
		     const struct operation_facts *f)
{
	const struct field *ring = &op->parts[OP_RING], *name = &op->parts[OP_COMMAND];
	char *end;

	if (!ring->known || !is_event(op, "COMPLETE"))
		return;
	end = put_bytes(model->key, ring->text, ring->len);
	*end++ = ' ';
	end = put_u(end, op->parts[OP_PID].u);
	*end++ = ' ';
	end = put_bytes(end, name->text, name->len);
	add(model, TOP_RINGS, (struct key){ .text = model->key, .len = (size_t)(end - model->key) },
	    f);
}

static void add_kind(struct top_model *model, const struct operation *op,
		     const struct operation_facts *f)
{
	const struct field *event = &op->parts[OP_EVENT];
	struct top_row *row;

	if (!f->timed)
		return;
	row = add(model, TOP_LATENCY,
		  (struct key){ true, streams[op->stream].name, op->stream, event->text,
				event->len },
		  f);
	if (row->ops == 1 && model->n_latencies < MAX_KINDS)
		row->latencies = &model->latencies[model->n_latencies++];
	if (row->latencies)
		latencies_add(row->latencies, f->ns);
}

static void add_process(struct top_model *model, const struct operation *op,
			const struct operation_facts *f)
{
	const struct field *pid = &op->parts[OP_PID], *name = &op->parts[OP_COMMAND];

	if (pid->known)
		add(model, TOP_PROCESSES, (struct key){ true, NULL, pid->u, name->text, name->len },
		    f);
}

static void add_container(struct top_model *model, const struct operation *op,
			  const struct operation_facts *f)
{
	const char *name = top_containers_of(model->containers, op);

	add(model, TOP_CONTAINERS, (struct key){ .text = name, .len = strlen(name) }, f);
}

/*
 * The row of a direct READ or WRITE stands beside one of its own; a stay on a CPU is no operation,
 * nor are sums of some.
 */
static bool counts(const struct operation *op)
{
	return op->stream != STREAM_sched && op->stream != STREAM_layers &&
	       !is_event(op, "DIO_READ") && !is_event(op, "DIO_WRITE");
}

void top_model_feed(struct top_model *model, const struct operation *op)
{
	const char *stream = streams[op->stream].name;
	struct operation_facts f;

	if (op->stream == STREAM_lost) {
		model->sums.lost += op->parts[OP_SIZE].u;
		return;
	}
	if (!counts(op))
		return;
	f = operation_facts(op);
	/* what becomes of a bio below is in rows of ds: whose process it is moves its bytes once */
	model->sums.ops += op->stream != STREAM_bio;
	add(model, TOP_LAYERS, (struct key){ .text = stream, .len = strlen(stream) }, &f);
	add_kind(model, op, &f);
	if (op->stream != STREAM_bio) {
		add_process(model, op, &f);
		add_container(model, op, &f);
	}
	if (op->stream == STREAM_fs && op->parts[OP_PATH].known)
		add_file(model, op, &f);
	if ((op->stream == STREAM_ds || op->stream == STREAM_bio) && op->parts[OP_DEVICE].known)
		add(model, TOP_DEVICES, text_key(&op->parts[OP_DEVICE]), &f);
	if (op->stream == STREAM_nw)
		add(model, TOP_CONNECTIONS,
		    (struct key){ .text = model->key,
				  .len = operation_line_object(model->key, op) },
		    &f);
	if (op->stream == STREAM_iouring)
		add_ring(model, op, &f);
}

/* ---- what is shown ---- */

/* What the kernel counted is of all requests. */
static uint64_t weight(const struct top_row *row, enum top_sort sort)
{
	const struct top_disk *disk = row->disk ? &row->disk->disk : NULL;

	if (disk && sort == TOP_BY_BYTES)
		return disk->read_sectors + disk->write_sectors;
	if (disk && sort == TOP_BY_OPS)
		return disk->reads + disk->writes;
	if (disk && sort == TOP_BY_TIME)
		return disk->read_ms + disk->write_ms;
	switch (sort) {
	case TOP_BY_OPS:
		return row->ops;
	case TOP_BY_ERRORS:
		return row->errors;
	case TOP_BY_TIME:
		return row->ns;
	case TOP_BY_MAX:
		return row->max_ns;
	default:
		return row->read_bytes + row->write_bytes;
	}
}

/* By weight, then by operations, then by name: the same from round to round. */
static int compare(const struct top_row *a, const struct top_row *b, enum top_sort sort)
{
	uint64_t x = weight(a, sort), y = weight(b, sort);
	size_t len = a->key_len < b->key_len ? a->key_len : b->key_len;
	int names;

	if (x == y) {
		x = a->ops;
		y = b->ops;
	}
	if (x != y)
		return x > y ? -1 : 1;
	names = memcmp(a->key, b->key, len);
	return names ? names : a->key_len < b->key_len ? -1 : a->key_len > b->key_len;
}

#define COMPARE(name, sort)                                                                        \
	static int name(const void *a, const void *b)                                              \
	{                                                                                          \
		return compare(a, b, sort);                                                        \
	}
COMPARE(by_bytes, TOP_BY_BYTES)
COMPARE(by_ops, TOP_BY_OPS)
COMPARE(by_errors, TOP_BY_ERRORS)
COMPARE(by_time, TOP_BY_TIME)
COMPARE(by_max, TOP_BY_MAX)

void top_sort_rows(struct top_row *rows, unsigned n, enum top_sort sort)
{
	static int (*const comparisons[N_TOP_SORTS])(const void *,
						     const void *) = { by_bytes, by_ops, by_errors,
								       by_time, by_max };

	qsort(rows, n, sizeof(*rows), comparisons[sort]);
}

unsigned top_model_rows(struct top_model *model, enum top_view number, enum top_sort sort,
			const struct top_row **rows)
{
	struct view *view = &model->views[number];
	unsigned n = view->n;

	if (view->has_others) /* from now on one like all others, until the next interval */
		view->rows[n++] = view->rows[MAX_ROWS];
	view->has_others = false;
	view->n = n;
	/* rows change their places: slots lead nowhere from here on */
	top_sort_rows(view->rows, n, sort);
	*rows = view->rows;
	return n;
}

/* ---- devices ---- */

void top_model_add_disks(struct top_model *model, const struct top_disk_use *uses, unsigned n)
{
	for (unsigned i = 0; i < n && model->n_disks < TOP_MAX_DISKS; i++) {
		const struct top_disk *disk = &uses[i].disk;
		char number[32], *end = put_u(number, disk->major);
		struct key key = { .text = number };
		struct top_row *row;
		uint32_t slot;

		*end++ = ':';
		end = put_u(end, disk->minor);
		key.len = (size_t)(end - number);
		row = look_up(&model->views[TOP_DEVICES], &key, &slot);
		if (!row && uses[i].busy)
			row = insert(&model->views[TOP_DEVICES], slot, &key);
		if (!row)
			continue;
		model->disks[model->n_disks] = uses[i];
		row->disk = &model->disks[model->n_disks++];
	}
}

void top_model_name_devices(struct top_model *model,
			    bool (*name)(const char *number, size_t len, char out[32]))
{
	struct view *view = &model->views[TOP_DEVICES];

	for (uint32_t i = 0; i < view->n; i++) {
		struct top_row *row = &view->rows[i];
		char text[32];
		size_t len;

		if (!name(row->key, row->key_len, text))
			continue;
		len = strlen(text);
		if (view->used + len > TEXT_SIZE)
			return;
		row->key = memcpy(view->text + view->used, text, len);
		row->key_len = (uint32_t)len;
		view->used += len;
	}
}

struct top_sums top_model_sums(const struct top_model *model)
{
	return model->sums;
}

void top_model_reset(struct top_model *model)
{
	for (int i = 0; i <= TOP_USERS; i++) {
		struct view *view = &model->views[i];

		/* 64 KB each: not of views that nothing used */
		if (view->n)
			memset(view->slots, 0, sizeof(view->slots));
		view->n = 0;
		view->last = NULL;
		view->used = 0;
		view->has_others = false;
	}
	memset(model->latencies, 0, model->n_latencies * sizeof(model->latencies[0]));
	model->n_latencies = 0;
	model->mntns = 0;
	model->n_disks = 0;
	model->sums = (struct top_sums){ 0 };
}
