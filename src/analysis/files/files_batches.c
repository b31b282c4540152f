/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the moment from which rows of new files are spilled, and the order in which they come back. */
#include "analysis/files/files_batches.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/files/files_names.h"
#include "analysis/files/files_sort.h"
#include "base/log.h"
#include "base/temporary.h"

/* Between two looks at what a model takes, it grows by so much of its share. */
enum { LOOKS = 8 };

/* So often, in entries, the size of an answer is looked at. */
enum { LOOK_EVERY = 4096 };

struct files_shard {
	struct files_spill spill;
	struct files_dirs dirs; /* of spilled rows */
	uint64_t look_at;       /* what its pool has then */
	char pad[64];           /* each is another thread's */
};

static void expect_room(const struct files_reading *r, unsigned i)
{
	r->shards[i].look_at = r->share / LOOKS;
}

int files_batches_open(struct files_reading *r, const struct files_options *options)
{
	uint64_t memory = options->memory ? options->memory : FILES_MEMORY;

	/* besides the files there are the program, text that is being read, and the answer */
	r->share = memory / 2 / r->n_models;
	r->shards = calloc(r->n_models, sizeof(*r->shards));
	for (unsigned i = 0; r->shards && i < r->n_models; i++)
		expect_room(r, i);
	return r->shards ? 0 : -ENOMEM;
}

static void close_level(struct files_reading *r)
{
	struct files_level *level = &r->levels[--r->n_levels];

	for (unsigned i = 0; i < r->n_models; i++)
		files_spill_close(&level->spills[i]);
	free(level->spills);
}

void files_batches_close(struct files_reading *r)
{
	while (r->n_levels)
		close_level(r);
	for (unsigned i = 0; r->shards && i < r->n_models; i++) {
		files_spill_close(&r->shards[i].spill);
		files_dirs_free(&r->shards[i].dirs);
	}
	free(r->shards);
	r->shards = NULL;
	files_dirs_free(&r->dirs);
}

/* ---- rows ---- */

static void look(struct files_reading *r, unsigned i)
{
	const struct files_model *model = &r->models[i];
	uint64_t bytes = files_bytes(model);

	if (bytes < r->share)
		r->shards[i].look_at = model->pool.total + r->share / LOOKS;
	else if (r->n_levels < FILES_SPILL_LEVELS)
		files_spill_open(&r->shards[i].spill, r->n_levels);
	else
		r->shards[i].look_at = UINT64_MAX;
}

void files_batches_feed(struct files_reading *r, unsigned i, const struct files_row *row)
{
	struct files_shard *shard = &r->shards[i];
	struct files_model *model = &r->models[i];

	if (shard->spill.file.open && !files_knows(model, row)) {
		files_spill_put(&shard->spill, row);
		if (!r->n_levels)
			files_dirs_add(&shard->dirs, row->mntns, row->path.text, row->path.len);
		return;
	}
	files_feed(model, row);
	if (!shard->spill.file.open && model->pool.total >= shard->look_at)
		look(r, i);
}

/* ---- a batch is complete ---- */

/* What was spilled meanwhile comes next. */
static int push_level(struct files_reading *r)
{
	struct files_level *level = &r->levels[r->n_levels];
	bool any = false;
	int err = 0;

	for (unsigned i = 0; i < r->n_models; i++) {
		any = any || r->shards[i].spill.file.open;
		err = err ? err : r->shards[i].spill.file.err;
	}
	if (!any || err)
		return err;
	level->part = 0;
	level->spills = calloc(r->n_models, sizeof(*level->spills));
	if (!level->spills)
		return -ENOMEM;
	r->n_levels++;
	for (unsigned i = 0; i < r->n_models; i++) {
		level->spills[i] = r->shards[i].spill;
		r->n_spilled += r->n_levels == 1 ? level->spills[i].n_rows : 0;
		memset(&r->shards[i].spill, 0, sizeof(r->shards[i].spill));
	}
	return 0;
}

/* Of the first batch and of all rows that are spilled. */
static void find_directories(struct files_reading *r)
{
	for (unsigned i = 0; i < r->n_models; i++) {
		const struct files_model *model = &r->models[i];

		files_dirs_join(&r->dirs, &r->shards[i].dirs);
		files_dirs_free(&r->shards[i].dirs);
		for (uint64_t at = 0; at < model->n_slots; at++)
			if (model->slots[at])
				files_dirs_add(&r->dirs, model->slots[at]->mntns,
					       model->slots[at]->path, model->slots[at]->path_len);
	}
	for (unsigned i = 0; i < r->n_models; i++)
		files_dirs_mark(&r->dirs, &r->models[i]);
}

static int end_models(struct files_reading *r)
{
	int err = r->dirs.no_memory ? -ENOMEM : 0;

	for (unsigned i = 0; i < r->n_models; i++) {
		files_end(&r->models[i]);
		err = r->models[i].no_memory ? -ENOMEM : err;
	}
	return err;
}

static int say_error(const struct files_reading *r, int err)
{
	if (err)
		log_error("%s: a temporary file in %s: %s", r->session.dir, temporary_folder(),
			  strerror(-err));
	return err;
}

void files_batches_say(const struct files_reading *r)
{
	if (r->n_levels)
		log_note("%s: more files than fit in memory: %" PRIu64 " rows of others go to %s",
			 r->session.dir, r->n_spilled, temporary_folder());
}

int files_batches_end(struct files_reading *r)
{
	int err = end_models(r);

	if (err) {
		log_error("%s: %s", r->session.dir, strerror(-err));
		return err;
	}
	err = push_level(r);
	if (err)
		return say_error(r, err);
	if (!r->n_levels) {
		files_find_directories(r->models, r->n_models);
		return 0;
	}
	find_directories(r);
	files_batches_say(r);
	return 0;
}

/* ---- the next one ---- */

struct feeding {
	struct files_reading *reading;
	unsigned model, part;
	struct files_spill *spill;
	pthread_t thread;
	bool apart;
	int err;
};

static void take_row(void *arg, const struct files_row *row)
{
	const struct feeding *f = arg;

	files_batches_feed(f->reading, f->model, row);
}

static void *feed_part(void *arg)
{
	struct feeding *f = arg;

	f->err = files_spill_read(f->spill, f->part, take_row, f);
	return NULL;
}

/* Each model by a thread of its own. */
static int feed_models(struct files_reading *r, struct files_level *level, unsigned part)
{
	struct feeding *list = calloc(r->n_models, sizeof(*list));
	int err = list ? 0 : -ENOMEM;

	for (unsigned i = 0; list && i < r->n_models; i++) {
		list[i] = (struct feeding){
			.reading = r, .model = i, .part = part, .spill = &level->spills[i]
		};
		list[i].apart = i + 1 < r->n_models &&
				!pthread_create(&list[i].thread, NULL, feed_part, &list[i]);
		if (!list[i].apart)
			feed_part(&list[i]);
	}
	for (unsigned i = 0; list && i < r->n_models; i++) {
		if (list[i].apart)
			pthread_join(list[i].thread, NULL);
		err = err ? err : list[i].err;
	}
	free(list);
	return err;
}

static bool has_rows(const struct files_reading *r, const struct files_level *level)
{
	for (unsigned i = 0; i < r->n_models; i++)
		if (parts_has(&level->spills[i].file, level->part))
			return true;
	return false;
}

static bool has_files(const struct files_reading *r)
{
	for (unsigned i = 0; i < r->n_models; i++)
		if (r->models[i].n_files)
			return true;
	return false;
}

int files_reading_next(struct files_reading *r)
{
	int err = 0;

	while (!err && r->n_levels) {
		struct files_level *level = &r->levels[r->n_levels - 1];

		if (level->part == PARTS_N) {
			close_level(r);
			continue;
		}
		if (!has_rows(r, level)) {
			level->part++;
			continue;
		}
		for (unsigned i = 0; i < r->n_models; i++) {
			files_reset(&r->models[i]);
			expect_room(r, i);
		}
		err = feed_models(r, level, level->part++);
		err = err ? err : end_models(r);
		err = err ? err : push_level(r);
		for (unsigned i = 0; i < r->n_models; i++)
			files_dirs_mark(&r->dirs, &r->models[i]);
		if (!err && has_files(r))
			return 1;
	}
	return say_error(r, err);
}

/* ---- the answer ---- */

static bool fit(const struct files_reading *readings, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (readings[i].n_levels)
			return false;
	return true;
}

static int add_batch(struct files_answer *answer, struct files_runs *runs,
		     const struct files_source *source, unsigned number, bool bare)
{
	struct files_answer batch = { .by = answer->by,
				      .all = answer->all,
				      .failures = answer->failures };
	int err;

	if (!bare)
		return files_answer_add(answer, source, number, false);
	err = files_answer_add(&batch, source, number, true);
	files_answer_note_mntns(answer, &batch);
	err = err ? err : files_runs_add(runs, &batch);
	files_answer_free(&batch);
	return err;
}

/* All of it is in the runs. */
static int put_aside(struct files_answer *answer, struct files_runs *runs)
{
	int err = files_runs_add(runs, answer);

	files_answer_note_mntns(answer, answer);
	files_answer_reset(answer);
	return err;
}

/* Sums of one key stand one behind the other. */
static int add_up_again(struct files_answer *answer, struct files_runs *parts,
			struct files_runs *runs, uint64_t memory)
{
	struct files_entry entry;
	int err = 0;

	while (!err && files_runs_next(parts, &entry)) {
		if (answer->n % LOOK_EVERY == LOOK_EVERY - 1 && !files_answer_has(answer, &entry) &&
		    files_answer_bytes(answer) > memory)
			err = put_aside(answer, runs);
		err = err ? err : files_answer_join(answer, &entry);
	}
	err = err ? err : parts->err;
	return err ? err : put_aside(answer, runs);
}

/* As large as the models may become together. */
static uint64_t room(const struct files_reading *readings, unsigned n)
{
	uint64_t memory = 0;

	for (unsigned i = 0; i < n; i++)
		memory += readings[i].share * readings[i].n_models;
	return memory;
}

int files_batches_answer(struct files_answer *answer, struct files_runs *runs,
			 const struct files_source *sources, struct files_reading *readings,
			 unsigned n)
{
	struct files_runs parts = { .column = FILES_ORDER_KEY };
	bool bare = files_answer_is_bare(answer, sources, n);
	int err = 0, more;

	if (fit(readings, n))
		return files_answer_make(answer, sources, n);
	for (unsigned i = 0; i < n && !err; i++) {
		do {
			err = add_batch(answer, runs, &sources[i], i, bare);
			if (!err && !bare && files_answer_bytes(answer) > room(readings, n))
				err = put_aside(answer, &parts);
			more = err ? err : files_reading_next(&readings[i]);
		} while (more == 1);
		err = more;
	}
	if (!err && parts.n) {
		err = put_aside(answer, &parts);
		err = err ? err : add_up_again(answer, &parts, runs, room(readings, n));
	} else if (!bare) {
		files_answer_note_mntns(answer, answer);
	}
	files_runs_close(&parts);
	return err;
}
