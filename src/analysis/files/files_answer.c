/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the choice of what is told, and the adding up of files that belong together. */
#include "analysis/files/files_weight.h"
#include "analysis/files/files_answer.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/common/grow.h"
#include "analysis/common/hash.h"
#include "analysis/files/files_columns.h"

enum { FIRST_SLOTS = 256 };

const char *const files_by_names[N_FILES_BY + 1] = {
	"file",     "dir",  "ext",       "comm",     "pid",       "mntns",
	"device",   "host", "file,comm", "file,pid", "container", "file,container",
	"identity",
};

enum files_split files_by_split(enum files_by by)
{
	if (by == FILES_BY_COMM || by == FILES_BY_FILE_AND_COMM)
		return FILES_BY_COMMAND;
	if (by == FILES_BY_CONTAINERS || by == FILES_BY_FILE_AND_CONTAINER)
		return FILES_BY_CONTAINER;
	return by == FILES_BY_PROCESS || by == FILES_BY_FILE_AND_PROCESS ? FILES_BY_PID :
									   FILES_TOGETHER;
}

bool files_by_is_file(enum files_by by)
{
	return by == FILES_BY_FILE || by == FILES_BY_FILE_AND_COMM ||
	       by == FILES_BY_FILE_AND_PROCESS || by == FILES_BY_FILE_AND_CONTAINER ||
	       by == FILES_BY_IDENTITY;
}

/* A cell of the answer's own. */
struct files_sum {
	struct files_sum *older;
	struct files_cell cell;
};

/* ---- entries ---- */

static struct files_entry *add_entry(struct files_answer *answer)
{
	if (!grow(&answer->entries, &answer->max, answer->n + 1, FIRST_SLOTS,
		  sizeof(*answer->entries)))
		return NULL;
	return &answer->entries[answer->n++];
}

static uint64_t hash_entry(const struct files_entry *e)
{
	uint64_t hash = hash_mix(hash_mix(hash_mix(e->number, e->interval), e->mntns), e->pid);

	if (e->comm)
		hash = hash_text(hash, e->comm, strlen(e->comm));
	return hash_text(hash_text(hash, e->host, strlen(e->host)), e->name, e->len);
}

static bool same_entry(const struct files_entry *a, const struct files_entry *b)
{
	return a->number == b->number && a->interval == b->interval && a->mntns == b->mntns &&
	       a->len == b->len && !memcmp(a->name, b->name, a->len) && a->pid == b->pid &&
	       !strcmp(a->comm ? a->comm : "", b->comm ? b->comm : "") && !strcmp(a->host, b->host);
}

static uint64_t *slot_of(const struct files_answer *answer, const struct files_entry *e)
{
	uint64_t at = hash_entry(e) & (answer->n_slots - 1);

	while (answer->slots[at] && !same_entry(&answer->entries[answer->slots[at] - 1], e))
		at = (at + 1) & (answer->n_slots - 1);
	return &answer->slots[at];
}

static bool grow_slots(struct files_answer *answer)
{
	uint64_t n = answer->n_slots ? 2 * answer->n_slots : FIRST_SLOTS;
	uint64_t *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return false;
	free(answer->slots);
	answer->slots = slots;
	answer->n_slots = n;
	for (uint64_t i = 0; i < answer->n; i++)
		*slot_of(answer, &answer->entries[i]) = i + 1;
	return true;
}

/* ---- adding up ---- */

static bool map_calls(struct files_answer *answer, const struct files_model *model,
		      uint8_t calls[256])
{
	for (unsigned i = 0; i < model->n_calls; i++) {
		unsigned at = 0;

		while (at < answer->n_calls && strcmp(answer->calls[at], model->calls[i]))
			at++;
		if (at == FILES_MAX_CALLS)
			at--;
		else if (at == answer->n_calls)
			answer->calls[answer->n_calls++] = model->calls[i];
		calls[i] = (uint8_t)at;
	}
	return true;
}

static bool join(struct files_cell *to, const struct files_cell *cell, const uint8_t calls[256],
		 bool histogram)
{
	files_sums_add(to, cell);
	return files_cell_join(to, cell, calls, histogram);
}

static bool add_up(struct files_answer *answer, const struct files_entry *key,
		   const struct files_cell *cell, const uint8_t calls[256])
{
	struct files_cell *to, weighted;
	struct files_entry *entry;
	uint64_t *slot;
	bool ok;

	if (2 * answer->n >= answer->n_slots && !grow_slots(answer))
		return false;
	slot = slot_of(answer, key);
	if (!*slot) {
		struct files_sum *sum = pool_take(&answer->pool, sizeof(*sum));

		entry = sum ? add_entry(answer) : NULL;
		if (!entry)
			return false;
		sum->older = answer->sums;
		answer->sums = sum;
		*entry = *key;
		/* the file may leave the memory before the answer */
		entry->name = pool_text(&answer->pool, key->name, key->len);
		if (!entry->name)
			return false;
		entry->cell = &sum->cell;
		entry->calls = answer->calls;
		*slot = answer->n;
	}
	entry = &answer->entries[*slot - 1];
	if (key->inode) {
		entry->inode = key->inode;
		entry->device = key->device;
	}
	to = (struct files_cell *)entry->cell;
	if (cell->stands == cell->n_rows || files_by_is_file(answer->by))
		return join(to, cell, calls, !answer->plain);
	/* it stands for others */
	ok = files_cell_weighted(&weighted, cell);
	if (ok) {
		ok = join(to, &weighted, calls, !answer->plain);
		files_cell_weighted_free(&weighted);
	}
	return ok;
}

/* "/" is 0 levels deep, "/a" is 1. */
static bool add_directories(struct files_answer *answer, struct files_entry *key,
			    const struct files_file *file, const struct files_cell *cell,
			    const uint8_t calls[256])
{
	unsigned depth = 0;

	key->name = "";
	key->len = 0;
	if (!file->path_len || file->path[0] != '/')
		return add_up(answer, key, cell, calls);
	key->name = file->path;
	for (size_t i = 0; i < file->path_len; i++) {
		if (file->path[i] != '/')
			continue;
		key->len = i ? i : 1;
		if (!add_up(answer, key, cell, calls))
			return false;
		if (++depth > answer->depth && answer->depth)
			break;
	}
	return true;
}

static void use_extension(struct files_entry *key, const struct files_file *file)
{
	const char *slash = file->path_len ? memrchr(file->path, '/', file->path_len) : NULL;
	const char *name = slash ? slash + 1 : file->path, *end = file->path + file->path_len;
	const char *dot = end > name ? memrchr(name, '.', (size_t)(end - name)) : NULL;

	/* a name that begins with its only dot has none */
	key->name = dot && dot > name ? dot + 1 : "";
	key->len = dot && dot > name ? (size_t)(end - dot - 1) : 0;
}

static const char *name_of(const struct files_use *use)
{
	return use->who ? (const char *)(uintptr_t)use->who : "";
}

/* Who used it, beside the file. */
static void use_who(struct files_entry *entry, enum files_by by, const struct files_use *use)
{
	entry->comm = by == FILES_BY_FILE_AND_COMM || by == FILES_BY_FILE_AND_CONTAINER ?
			      name_of(use) :
			      NULL;
	entry->pid = by == FILES_BY_FILE_AND_PROCESS ? use->who : 0;
}

static bool add_use(struct files_answer *answer, struct files_entry key,
		    const struct files_file *file, const struct files_use *use,
		    const uint8_t calls[256])
{
	key.interval = use->interval;
	switch (answer->by) {
	case FILES_BY_FILE:
	case FILES_BY_IDENTITY:
	case FILES_BY_FILE_AND_COMM:
	case FILES_BY_FILE_AND_PROCESS:
	case FILES_BY_FILE_AND_CONTAINER:
		use_who(&key, answer->by, use);
		key.name = file->path;
		key.len = file->path_len;
		key.mntns = file->mntns;
		key.device = file->device;
		key.inode = file->inode;
		key.number = file->path_len ? 0 : hash_mix(file->device, file->inode);
		break;
	case FILES_BY_DIR:
		key.mntns = file->mntns;
		return add_directories(answer, &key, file, &use->cell, calls);
	case FILES_BY_EXT:
		use_extension(&key, file);
		break;
	case FILES_BY_COMM:
	case FILES_BY_CONTAINERS:
		key.name = name_of(use);
		key.len = strlen(key.name);
		break;
	case FILES_BY_PROCESS:
		key.number = use->who;
		break;
	case FILES_BY_MNTNS:
		key.number = file->mntns;
		break;
	case FILES_BY_DEVICE:
		key.number = file->device;
		break;
	default:
		break;
	}
	return add_up(answer, &key, &use->cell, calls);
}

static bool add_entries(struct files_answer *answer, const struct files_source *source,
			unsigned number, const struct files_model *model,
			const struct files_file *file)
{
	for (const struct files_use *use = file->uses; use; use = use->next) {
		struct files_entry *entry = add_entry(answer);

		if (!entry)
			return false;
		*entry = (struct files_entry){
			.host = source->host,
			.name = file->path,
			.len = file->path_len,
			.interval = use->interval,
			.mntns = file->mntns,
			.device = file->device,
			.inode = file->inode,
			.source = number,
			.cell = &use->cell,
			.calls = model->calls,
		};
		use_who(entry, answer->by, use);
	}
	return true;
}

/* ---- the answer ---- */

static bool is_told(const struct files_answer *answer, const struct files_file *file)
{
	return answer->all || (file->path_len && (file->kind == FILES_REGULAR || answer->failures));
}

static bool add_model(struct files_answer *answer, const struct files_source *source,
		      unsigned number, const struct files_model *model, bool bare)
{
	struct files_entry key = { .host = source->host, .name = "", .source = number };
	uint8_t calls[256] = { 0 };
	bool ok = bare || map_calls(answer, model, calls);

	for (uint64_t i = 0; ok && i < model->n_slots; i++) {
		const struct files_file *file = model->slots[i];

		if (!file || !is_told(answer, file))
			continue;
		if (bare)
			ok = add_entries(answer, source, number, model, file);
		else
			for (const struct files_use *use = file->uses; ok && use; use = use->next)
				ok = add_use(answer, key, file, use, calls);
	}
	return ok;
}

bool files_hosts_differ(const struct files_source *sources, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < i; j++)
			if (!strcmp(sources[i].host, sources[j].host))
				return false;
	return true;
}

void files_answer_note_mntns(struct files_answer *answer, const struct files_answer *part)
{
	for (uint64_t i = 0; i < part->n; i++) {
		uint32_t its = part->entries[i].mntns;

		if (its && answer->mntns && its != answer->mntns)
			answer->several_mntns = true;
		answer->mntns = its ? its : answer->mntns;
	}
}

bool files_answer_is_bare(const struct files_answer *answer, const struct files_source *sources,
			  unsigned n_sources)
{
	return files_hosts_differ(sources, n_sources) && files_by_is_file(answer->by);
}

int files_answer_add(struct files_answer *answer, const struct files_source *source,
		     unsigned number, bool bare)
{
	for (unsigned m = 0; m < source->n_models; m++)
		if (!add_model(answer, source, number, &source->models[m], bare))
			return -ENOMEM;
	return 0;
}

int files_answer_make(struct files_answer *answer, const struct files_source *sources,
		      unsigned n_sources)
{
	bool bare = files_answer_is_bare(answer, sources, n_sources);
	int err = 0;

	for (unsigned s = 0; s < n_sources && !err; s++)
		err = files_answer_add(answer, &sources[s], s, bare);
	files_answer_note_mntns(answer, answer);
	return err;
}

int files_answer_join(struct files_answer *answer, const struct files_entry *entry)
{
	uint8_t calls[256];

	for (unsigned i = 0; i < 256; i++)
		calls[i] = (uint8_t)i;
	return add_up(answer, entry, entry->cell, calls) ? 0 : -ENOMEM;
}

bool files_answer_has(const struct files_answer *answer, const struct files_entry *entry)
{
	return answer->n_slots && *slot_of(answer, entry);
}

uint64_t files_answer_bytes(const struct files_answer *answer)
{
	uint64_t bytes = answer->pool.total + answer->max * sizeof(*answer->entries) +
			 answer->n_slots * sizeof(*answer->slots);

	for (const struct files_sum *sum = answer->sums; sum; sum = sum->older)
		bytes += files_cell_bytes(&sum->cell);
	return bytes;
}

void files_answer_reset(struct files_answer *answer)
{
	for (struct files_sum *sum = answer->sums; sum; sum = sum->older)
		files_cell_free(&sum->cell);
	free(answer->entries);
	free(answer->slots);
	pool_free(&answer->pool);
	answer->sums = NULL;
	answer->entries = NULL;
	answer->slots = NULL;
	answer->n = answer->max = answer->n_slots = 0;
}

void files_answer_free(struct files_answer *answer)
{
	files_answer_reset(answer);
	*answer = (struct files_answer){ .n = 0 };
}
