/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the bytes of a row, and the set of directories. */
#include "analysis/files/files_spill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/hash.h"
#include "analysis/files/files_names.h"

struct spilled {
	uint64_t mono_ns, latency, size, inode, description, hash, stands;
	int64_t result, offset;
	uint32_t device, mntns, pid;
	int32_t fd;
	uint32_t path_len, command_len, call_len, container_len;
	uint8_t op;
	uint8_t effects;
	bool directory, writes, second, faults;
};

/* ---- out ---- */

void files_spill_open(struct files_spill *spill, unsigned level)
{
	parts_open(&spill->file);
	spill->level = level;
	spill->n_rows = 0;
}

void files_spill_close(struct files_spill *spill)
{
	parts_close(&spill->file);
	spill->n_rows = 0;
}

static unsigned part_of(const struct files_spill *spill, uint64_t hash)
{
	return (unsigned)(hash_mix(hash, spill->level) >> 32) % PARTS_N;
}

void files_spill_put(struct files_spill *spill, const struct files_row *row)
{
	unsigned part = part_of(spill, row->hash);
	struct spilled head;

	memset(&head, 0, sizeof(head));
	head.mono_ns = row->mono_ns;
	head.latency = row->latency;
	head.size = row->size;
	head.inode = row->inode;
	head.description = row->description;
	head.hash = row->hash;
	head.stands = row->stands;
	head.result = row->result;
	head.offset = row->offset;
	head.device = row->device;
	head.mntns = row->mntns;
	head.pid = row->pid;
	head.fd = row->fd;
	head.path_len = row->path.len;
	head.command_len = row->command.len;
	head.call_len = row->call.len;
	head.container_len = row->container.len;
	head.op = row->op;
	head.directory = row->directory;
	head.effects = row->effects;
	head.writes = row->writes;
	head.second = row->second;
	head.faults = row->faults;
	parts_put(&spill->file, part, &head, sizeof(head));
	parts_put(&spill->file, part, row->path.text, row->path.len);
	parts_put(&spill->file, part, row->command.text, row->command.len);
	parts_put(&spill->file, part, row->call.text, row->call.len);
	parts_put(&spill->file, part, row->container.text, row->container.len);
	spill->n_rows++;
}

/* ---- and back ---- */

struct reader {
	struct parts_reader in;
	char *text; /* of a row */
	size_t room;
};

static int take_texts(struct reader *in, const struct spilled *head)
{
	size_t len = (size_t)head->path_len + head->command_len + head->call_len +
		     head->container_len;

	if (len > in->room) {
		char *more = realloc(in->text, 2 * len);

		if (!more)
			return -ENOMEM;
		in->text = more;
		in->room = 2 * len;
	}
	return parts_take(&in->in, in->text, len);
}

static int take_row(struct reader *in, struct files_row *row)
{
	struct spilled head;
	int err = parts_take(&in->in, &head, sizeof(head));

	if (!err)
		err = take_texts(in, &head);
	if (err)
		return err;
	*row = (struct files_row){
		.mono_ns = head.mono_ns,
		.latency = head.latency,
		.size = head.size,
		.result = head.result,
		.offset = head.offset,
		.inode = head.inode,
		.description = head.description,
		.hash = head.hash,
		.stands = head.stands,
		.path = { in->text, head.path_len },
		.command = { in->text + head.path_len, head.command_len },
		.call = { in->text + head.path_len + head.command_len, head.call_len },
		.container = { in->text + head.path_len + head.command_len + head.call_len,
			       head.container_len },
		.device = head.device,
		.mntns = head.mntns,
		.pid = head.pid,
		.fd = head.fd,
		.op = head.op,
		.directory = head.directory,
		.writes = head.writes,
		.effects = head.effects,
		.second = head.second,
		.faults = head.faults,
	};
	return 0;
}

int files_spill_read(struct files_spill *spill, unsigned part,
		     void (*take)(void *arg, const struct files_row *row), void *arg)
{
	struct reader *in = calloc(1, sizeof(*in));
	struct files_row row;
	int err = in ? parts_begin(&in->in, &spill->file, part) : -ENOMEM;

	while (!err && !parts_end(&in->in)) {
		err = take_row(in, &row);
		if (!err)
			take(arg, &row);
	}
	if (in)
		free(in->text);
	free(in);
	return err;
}

/* ---- directories ---- */

static bool grow(struct files_dirs *dirs)
{
	uint64_t max = dirs->max ? 2 * dirs->max : 1024;
	uint64_t *hashes = calloc(max, sizeof(*hashes));

	if (!hashes)
		return false;
	for (uint64_t i = 0; i < dirs->max; i++) {
		uint64_t at = dirs->hashes[i] & (max - 1);

		while (dirs->hashes[i] && hashes[at])
			at = (at + 1) & (max - 1);
		if (dirs->hashes[i])
			hashes[at] = dirs->hashes[i];
	}
	free(dirs->hashes);
	dirs->hashes = hashes;
	dirs->max = max;
	return true;
}

static bool has(const struct files_dirs *dirs, uint64_t hash)
{
	uint64_t at = hash & (dirs->max - 1);

	while (dirs->max && dirs->hashes[at] && dirs->hashes[at] != hash)
		at = (at + 1) & (dirs->max - 1);
	return dirs->max && dirs->hashes[at];
}

/* False: it was there. */
static bool add(struct files_dirs *dirs, uint64_t hash)
{
	uint64_t at;

	if (has(dirs, hash))
		return false;
	if (2 * dirs->n >= dirs->max && !grow(dirs)) {
		dirs->no_memory = true;
		return false;
	}
	at = hash & (dirs->max - 1);
	while (dirs->hashes[at])
		at = (at + 1) & (dirs->max - 1);
	dirs->hashes[at] = hash;
	dirs->n++;
	return true;
}

/* 0 is nobody's. */
static uint64_t name_hash(uint32_t mntns, const char *path, size_t len)
{
	const struct files_row row = { .mntns = mntns, .path = { path, (uint32_t)len } };
	uint64_t hash = files_row_hash(&row);

	return hash ? hash : 1;
}

void files_dirs_add(struct files_dirs *dirs, uint32_t mntns, const char *path, size_t len)
{
	uint64_t hash;

	if (!len || path[0] != '/')
		return;
	for (bool first = true;; first = false) {
		do
			len--;
		while (len && path[len] != '/');
		if (!len)
			return;
		hash = name_hash(mntns, path, len);
		/* rows of files side by side */
		if (first && hash == dirs->last)
			return;
		if (first)
			dirs->last = hash;
		/* those above it are there then */
		if (!add(dirs, hash))
			return;
	}
}

void files_dirs_join(struct files_dirs *dirs, const struct files_dirs *other)
{
	for (uint64_t i = 0; i < other->max; i++)
		if (other->hashes[i])
			add(dirs, other->hashes[i]);
	dirs->no_memory = dirs->no_memory || other->no_memory;
}

void files_dirs_mark(const struct files_dirs *dirs, struct files_model *model)
{
	for (uint64_t i = 0; i < model->n_slots; i++) {
		struct files_file *file = model->slots[i];

		if (file && file->path_len && has(dirs, file->hash ? file->hash : 1))
			file->kind |= FILES_DIRECTORY;
	}
}

void files_dirs_free(struct files_dirs *dirs)
{
	free(dirs->hashes);
	*dirs = (struct files_dirs){ 0 };
}
