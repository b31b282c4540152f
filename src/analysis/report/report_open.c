/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns what a row says of an open file. Descriptions have numbers, which all descriptors and processes
 * share; where they are not known (tier c), a descriptor of a process is what is open.
 */
#include "analysis/report/report_open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/hash.h"
#include "analysis/report/report_fields.h"
#include "row/fs_ops.h"

enum { FIRST_SLOTS = 256, MOST = 1 << 16 };

static const uint64_t DESCRIBED = 1ull << 63;

bool report_open_is_described(const struct report_open_file *file)
{
	return file->key & DESCRIBED;
}

/* 0: the row is of no open file. */
static uint64_t key_of(const struct field *f)
{
	if (f[FS_OFD].known)
		return f[FS_OFD].u | DESCRIBED;
	return f[FS_FD].known && f[REPORT_PID].known ?
		       (f[REPORT_PID].u + 1) << 32 | (uint32_t)f[FS_FD].u :
		       0;
}

/* ---- the table ---- */

static struct report_open_file **slot_of(const struct report_open *open, uint64_t key)
{
	return &open->slots[hash_mix(0, key) & (open->n_slots - 1)];
}

static struct report_open_file *find(const struct report_open *open, uint64_t key)
{
	struct report_open_file *file;

	if (open->last && open->last->key == key)
		return open->last;
	file = open->n ? *slot_of(open, key) : NULL;
	while (file && file->key != key)
		file = file->next;
	return file;
}

static bool grow_slots(struct report_open *open)
{
	struct report_open more = { .n_slots = open->n_slots ? 2 * open->n_slots : FIRST_SLOTS };
	struct report_open_file *file, *next, **slot;

	more.slots = calloc(more.n_slots, sizeof(*more.slots));
	if (!more.slots)
		return false;
	for (uint64_t i = 0; i < open->n_slots; i++)
		for (file = open->slots[i]; file; file = next) {
			next = file->next;
			slot = slot_of(&more, file->key);
			file->next = *slot;
			*slot = file;
		}
	free(open->slots);
	open->slots = more.slots;
	open->n_slots = more.n_slots;
	return true;
}

static struct report_open_file *make(struct report_open *open, uint64_t key)
{
	struct report_open_file *file, **slot;

	if (open->n == open->n_slots && !grow_slots(open))
		return NULL;
	file = open->free;
	if (file)
		open->free = file->next;
	else
		file = pool_take(&open->pool, sizeof(*file));
	if (!file)
		return NULL;
	slot = slot_of(open, key);
	*file = (struct report_open_file){ .next = *slot, .key = key, .segment = open->segment };
	*slot = file;
	open->n++;
	return file;
}

static void forget(struct report_open *open, struct report_open_file *file)
{
	struct report_open_file **at = slot_of(open, file->key);

	while (*at != file)
		at = &(*at)->next;
	*at = file->next;
	free(file->path);
	file->next = open->free;
	open->free = file;
	open->last = NULL;
	open->n--;
}

static bool name(struct report_open_file *file, const char *path, size_t len)
{
	char *copy;

	if (file->path_len == len && (!len || !memcmp(file->path, path, len)))
		return true;
	copy = malloc(len + 1);
	if (!copy)
		return false;
	memcpy(copy, path, len);
	free(file->path);
	file->path = copy;
	file->path_len = (uint32_t)len;
	return true;
}

/* ---- rows ---- */

static bool use(struct report_open_file *file, const struct field *f)
{
	const struct field *path = &f[REPORT_PATH], *command = &f[REPORT_COMMAND];
	size_t len = command->len < sizeof(file->command) ? command->len :
							    sizeof(file->command) - 1;

	if (len)
		memcpy(file->command, command->text, len);
	file->command[len] = '\0';
	file->pid = f[REPORT_PID].u;
	return !path->len || name(file, path->text, path->len);
}

static bool is_use(const struct field *f)
{
	unsigned op = (unsigned)f[FS_OPERATION].u, traits;

	if (!f[FS_OPERATION].known || op >= IOT_N_OPS)
		return false;
	traits = fs_ops[op].traits;
	/* a descriptor beside a path is that of a directory from which it starts */
	return !(traits & FS_TWO) &&
	       (f[FS_OFD].known || traits & (FS_DATA | FS_SYNCS) || op == IOT_OPEN);
}

static struct report_open_file *find_or_make(struct report_open *open, uint64_t key, bool *failed)
{
	struct report_open_file *file = find(open, key);

	*failed = false;
	if (file || open->n >= MOST) {
		open->n_left_out += !file;
		return file;
	}
	file = make(open, key);
	*failed = !file;
	return file;
}

static bool close_file(struct report_open *open, const struct field *f, uint64_t key)
{
	struct report_open_file *file;
	bool failed;

	if (f[FS_RESULT].s == -EBADF)
		return true;
	file = find_or_make(open, key, &failed);
	if (!file)
		return !failed;
	if (f[REPORT_MONO].u > file->closed_ns)
		file->closed_ns = f[REPORT_MONO].u;
	/* no other segment has anything of it */
	if (file->whole && file->segment == open->segment && file->opened_ns <= file->closed_ns &&
	    file->used_ns <= file->closed_ns)
		forget(open, file);
	return true;
}

bool report_open_row(struct report_open *open, const struct field *f)
{
	uint64_t key = key_of(f);
	bool opens = f[FS_OPERATION].u == IOT_OPEN, failed;
	struct report_open_file *file;

	if (!key || !f[FS_OPERATION].known)
		return true;
	if (f[FS_OPERATION].u == IOT_CLOSE)
		return close_file(open, f, key);
	if (f[FS_RESULT].s < 0 || !is_use(f))
		return true;
	file = find_or_make(open, key, &failed);
	if (!file)
		return !failed;
	open->last = file;
	/* from its return on: the number that it gets may be another's when it begins */
	if (opens) {
		file->whole = file->whole || !(file->used_ns | file->closed_ns | file->opened_ns);
		file->opened_ns = f[REPORT_MONO].u + f[FS_LATENCY].u;
	} else {
		file->used_ns = f[REPORT_MONO].u;
	}
	return use(file, f);
}

/* ---- all together ---- */

static uint64_t seen_ns(const struct report_open_file *file)
{
	return file->opened_ns > file->used_ns ? file->opened_ns : file->used_ns;
}

static bool join_file(struct report_open *open, const struct report_open_file *other)
{
	struct report_open_file *file = find(open, other->key);

	if (!file)
		file = make(open, other->key);
	if (!file)
		return false;
	if (seen_ns(other) > seen_ns(file)) {
		file->pid = other->pid;
		memcpy(file->command, other->command, sizeof(file->command));
		if (other->path_len && !name(file, other->path, other->path_len))
			return false;
	}
	if (other->opened_ns > file->opened_ns)
		file->opened_ns = other->opened_ns;
	if (other->used_ns > file->used_ns)
		file->used_ns = other->used_ns;
	if (other->closed_ns > file->closed_ns)
		file->closed_ns = other->closed_ns;
	return true;
}

bool report_open_join(struct report_open *open, const struct report_open *other)
{
	bool ok = true;

	open->n_left_out += other->n_left_out;
	for (uint64_t i = 0; i < other->n_slots; i++)
		for (const struct report_open_file *file = other->slots[i]; file; file = file->next)
			ok = join_file(open, file) && ok;
	return ok;
}

bool report_open_is(const struct report_open_file *file, uint64_t *since_ns)
{
	*since_ns = file->opened_ns > file->closed_ns ? file->opened_ns : 0;
	return seen_ns(file) > file->closed_ns && file->path_len;
}

void report_open_free(struct report_open *open)
{
	for (uint64_t i = 0; i < open->n_slots; i++)
		for (struct report_open_file *file = open->slots[i]; file; file = file->next)
			free(file->path);
	free(open->slots);
	pool_free(&open->pool);
	memset(open, 0, sizeof(*open));
}
