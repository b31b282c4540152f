/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns when the manifest is written, and room for its last version on a full
 * disk. What is in it is manifest.c's business.
 */
#include "write/finish_manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/below.h"
#include "base/clock.h"
#include "base/log.h"
#include "write/finish_list.h"

#define RESERVE_NAME ".manifest.reserve"

enum { RESERVE_BYTES = 256 * 1024 };

/*
 * A manifest is written for a segment, or for members (counters, losses) alone: these change
 * all the time, and a reader of a running trace can wait for them.
 */
#define MANIFEST_EVERY_NS NS_PER_S
#define MEMBERS_EVERY_NS (30 * NS_PER_S)

/* ---- room for the manifest on a full disk ---- */

static void set_locked(struct finish *f, uint64_t *bytes, uint64_t value)
{
	pthread_mutex_lock(&f->lock);
	*bytes = value;
	pthread_mutex_unlock(&f->lock);
}

void finish_reserve_release(struct finish *f)
{
	if (f->reserve_bytes)
		unlinkat(f->dir_fd, RESERVE_NAME, 0);
	set_locked(f, &f->reserve_bytes, 0);
}

static uint64_t reserve_wanted(const struct finish *f)
{
	uint64_t want = RESERVE_BYTES;

	/* doubled, so that it is made again only a few times while the list of segments grows */
	while (want < 2 * f->json_bytes + RESERVE_BYTES / 4)
		want *= 2;
	return want;
}

uint64_t finish_reserve_missing(struct finish *f)
{
	uint64_t want, have;

	pthread_mutex_lock(&f->lock);
	want = reserve_wanted(f);
	have = f->reserve_bytes;
	pthread_mutex_unlock(&f->lock);
	return want > have ? want - have : 0;
}

int finish_reserve_make(struct finish *f)
{
	uint64_t want = reserve_wanted(f);
	int fd, err;

	if (want <= f->reserve_bytes)
		return 0;
	fd = below_create(f->dir_fd, RESERVE_NAME, O_WRONLY);
	if (fd < 0)
		return fd;
	err = -posix_fallocate(fd, 0, (off_t)want);
	/* the smaller one is gone: as much again as it had, where there is no room for more */
	if (err && f->reserve_bytes && posix_fallocate(fd, 0, (off_t)f->reserve_bytes))
		set_locked(f, &f->reserve_bytes, 0);
	close(fd);
	if (!err)
		set_locked(f, &f->reserve_bytes, want);
	else if (!f->reserve_bytes)
		unlinkat(f->dir_fd, RESERVE_NAME, 0);
	return err;
}

/* ---- the manifest ---- */

static void take_members(struct finish *f)
{
	json_t *members;

	pthread_mutex_lock(&f->lock);
	members = f->members;
	f->members = NULL;
	pthread_mutex_unlock(&f->lock);
	if (!members)
		return;
	manifest_members(f->manifest, members);
	json_decref(members);
	if (f->had_members)
		f->dirty_members = true;
	else
		f->dirty = true; /* the plan: a killed run should have it */
	f->had_members = true;
}

/* The list is taken as a whole and worked on without the lock: the writing thread evicts, too. */
static void take_gone(struct finish *f)
{
	struct list gone;
	struct item *item;

	finish_list_init(&gone);
	pthread_mutex_lock(&f->lock);
	while ((item = finish_list_pop(&f->gone)))
		finish_list_push(&gone, item);
	pthread_mutex_unlock(&f->lock);
	while ((item = finish_list_pop(&gone))) {
		if (item->listed)
			manifest_evict(f->manifest, item->segment.stream);
		else
			manifest_add_evicted(f->manifest, &item->segment);
		f->dirty = true;
		free(item);
	}
}

/* The writing thread counted rows of closed segments as written before they got their names. */
static void fill_counts(struct finish *f, struct manifest_counts *counts)
{
	pthread_mutex_lock(&f->lock);
	*counts = f->progress.counts;
	for (int i = 0; i < N_STREAMS; i++) {
		counts->rows[i] -= f->totals.lost_rows[i];
		counts->unwritable[i] += f->totals.lost_rows[i];
	}
	pthread_mutex_unlock(&f->lock);
}

int finish_manifest_write(struct finish *f)
{
	struct manifest_counts counts;
	uint64_t start = mono_ns();
	uint64_t bytes;
	int err;

	fill_counts(f, &counts);
	manifest_counts(f->manifest, &counts);
	err = manifest_write(f->manifest, f->dir_fd, &bytes);
	set_locked(f, &f->json_bytes, bytes);
	f->written_ns = mono_ns();
	/* a slow disk or a long list: at most a twentieth of the time */
	f->every_ns = 20 * (f->written_ns - start);
	if (f->every_ns < MANIFEST_EVERY_NS)
		f->every_ns = MANIFEST_EVERY_NS;
	/* not written: it is due again after every_ns */
	f->dirty = err != 0;
	f->dirty_members = false;
	return err;
}

int64_t finish_manifest_due(struct finish *f)
{
	uint64_t due = f->written_ns;
	uint64_t now = mono_ns();

	if (!f->dirty && !f->dirty_members)
		return -1;
	due += f->dirty || f->every_ns > MEMBERS_EVERY_NS ? f->every_ns : MEMBERS_EVERY_NS;
	return due > now ? (int64_t)(due - now) : 0;
}

void finish_manifest_update(struct finish *f)
{
	char reason[sizeof(f->progress.stop_reason)];
	bool changed;

	take_members(f);
	take_gone(f);
	pthread_mutex_lock(&f->lock);
	memcpy(reason, f->progress.stop_reason, sizeof(reason));
	changed = finish_stop_changed(f);
	f->stop_seen = reason[0] != '\0';
	pthread_mutex_unlock(&f->lock);
	if (changed) {
		if (reason[0])
			finish_reserve_release(f);
		manifest_state(f->manifest, reason[0] ? "stopped" : "recording",
			       reason[0] ? reason : NULL, false);
		f->dirty = true;
	}
	if (!changed && finish_manifest_due(f) != 0)
		return;
	/* the last one reports; meanwhile an old but whole manifest is there */
	if (!finish_manifest_write(f))
		finish_reserve_make(f);
}

void finish_manifest_last(struct finish *f)
{
	const char *reason = f->progress.stop_reason;
	int err;

	take_members(f);
	take_gone(f);
	finish_reserve_release(f);
	manifest_state(f->manifest, reason[0] ? "stopped" : "complete", reason[0] ? reason : NULL,
		       true);
	err = finish_manifest_write(f);
	if (err == -ENOENT && (reason[0] || f->err == err))
		return; /* the directory is gone, and that has been said */
	if (err)
		log_error("%s/manifest.json: %s: not updated", f->dir, strerror(-err));
	finish_remember(f, err);
}
