/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which files and threads are of one kind, and the options of fio that their numbers become. */
#include "analysis/fio/fio_profile.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/common/grow.h"
#include "base/plain.h"

enum {
	KIND_READ = 1,
	KIND_WRITTEN = 2,
	FIRST_ROOM = 16,
	MAX_FILES = 2000, /* of a job: fio keeps 100 open */
	OPEN_FILES = 100,
	PERCENT = 100,
	/* sleeping itself takes a while: a pause of fio stands for several of the trace */
	SLEEPS = 50,
	LEAST_SLEEP_US = 500,
	MOST_SLEEP_US = 10000,
	/* requests at the end of a file are cut short: there should be few of them */
	REQUESTS_OF_A_FILE = 64,
	SECTOR = 512,
	/* sizes that are seldom: fio fills the ends of files with them */
	LEAST_SHARE = 3,
	/* of the busiest tenth, in millionths: chance makes 15 % of a load that is even */
	LEAST_SKEW = 200000,
};

/* ---- kinds ---- */

/* Of all jobs together: what one writes and another reads is a file of both kinds. */
static unsigned *kinds_of_files(const struct fio_replay *r)
{
	unsigned *kinds = calloc(r->files.n + 1, sizeof(*kinds));

	for (uint64_t i = 0; kinds && i < r->n_uses; i++) {
		const struct fio_shape *s = r->uses[i].shape;

		if (s && s->n[0])
			kinds[r->uses[i].file] |= KIND_READ;
		if (s && s->n[1])
			kinds[r->uses[i].file] |= KIND_WRITTEN;
	}
	return kinds;
}

static struct fio_group *group_of(struct fio_groups *groups, const struct fio_job *job,
				  unsigned kind)
{
	struct fio_group *g;

	for (uint64_t i = 0; i < groups->n; i++) {
		g = &groups->list[i];
		/* commands are interned: the same text is at the same place */
		if (g->command == job->command && g->klass == job->klass && g->kind == kind)
			return g;
	}
	if (!grow(&groups->list, &groups->max, groups->n + 1, FIRST_ROOM, sizeof(*g)))
		return NULL;
	g = &groups->list[groups->n++];
	*g = (struct fio_group){ .command = job->command,
				 .klass = job->klass,
				 .kind = (uint8_t)kind,
				 .last_job = FIO_NOBODY };
	return g;
}

static void add_use(struct fio_group *g, const struct fio_replay *r, const struct fio_use *use)
{
	const struct fio_job *job = &r->fio->jobs[use->job];

	fio_shape_join(&g->shape, use->shape);
	g->n_files++;
	if (job->depth > g->depth)
		g->depth = job->depth;
	/* uses come by job: it counts once, however many files it has */
	if (g->last_job == use->job)
		return;
	g->last_job = use->job;
	g->n_jobs++;
	g->span_ns += job->end_ns - job->first_ns;
}

static uint64_t moves(const struct fio_shape *s)
{
	return s->n[0] + s->n[1];
}

static int compare(const void *x, const void *y)
{
	const struct fio_group *a = x, *b = y;

	if (moves(&a->shape) != moves(&b->shape))
		return moves(&a->shape) > moves(&b->shape) ? -1 : 1;
	return a->span_ns > b->span_ns ? -1 : a->span_ns < b->span_ns;
}

static int compare_uses(const void *x, const void *y)
{
	const struct fio_use *a = *(struct fio_use *const *)x, *b = *(struct fio_use *const *)y;

	if (a->job != b->job)
		return a->job < b->job ? -1 : 1;
	return a->file < b->file ? -1 : a->file > b->file;
}

/*
 * Syncs of what the job neither read nor wrote (the directory of a file that is new) count for what it wrote most of,
 * since fio has none without a file.
 */
static void add_lone_sync(struct fio_groups *groups, const struct fio_job *job,
			  const struct fio_shape *shape)
{
	struct fio_group *best = NULL;

	for (uint64_t i = 0; i < groups->n; i++) {
		struct fio_group *g = &groups->list[i];

		if (g->command == job->command && g->klass == job->klass && g->shape.n[1] &&
		    (!best || g->shape.n[1] > best->shape.n[1]))
			best = g;
	}
	if (best)
		fio_shape_join(&best->shape, shape);
}

bool fio_groups_make(struct fio_groups *groups, const struct fio_replay *r)
{
	unsigned *kinds = kinds_of_files(r);
	struct fio_use **uses = calloc(r->n_uses + 1, sizeof(*uses));
	bool made = kinds && uses;

	for (uint64_t i = 0; made && i < r->n_uses; i++)
		uses[i] = &r->uses[i];
	if (made && r->n_uses)
		qsort(uses, r->n_uses, sizeof(struct fio_use *), compare_uses);
	for (uint64_t i = 0; made && i < r->n_uses; i++) {
		struct fio_group *g;

		/* only opened, or only synced */
		if (!uses[i]->shape || !kinds[uses[i]->file])
			continue;
		g = group_of(groups, &r->fio->jobs[uses[i]->job], kinds[uses[i]->file]);
		if (g)
			add_use(g, r, uses[i]);
		made = g;
	}
	for (uint64_t i = 0; made && i < r->n_uses; i++)
		if (uses[i]->shape && !kinds[uses[i]->file])
			add_lone_sync(groups, &r->fio->jobs[uses[i]->job], uses[i]->shape);
	if (made && groups->n)
		qsort(groups->list, groups->n, sizeof(*groups->list), compare);
	free(kinds);
	free(uses);
	return made;
}

void fio_groups_free(struct fio_groups *groups)
{
	free(groups->list);
	*groups = (struct fio_groups){ .n = 0 };
}

/* ---- options ---- */

void fio_put_class(FILE *out, unsigned klass, unsigned depth)
{
	fprintf(out, "ioengine=%s\n",
		klass & FIO_AIO   ? "libaio" :
		klass & FIO_URING ? "io_uring" :
				    "psync");
	if (klass & (FIO_AIO | FIO_URING))
		fprintf(out, "iodepth=%u\n", depth);
	if (klass & FIO_DIRECT)
		fputs("direct=1\n", out);
	if (klass & (FIO_O_SYNC | FIO_O_DSYNC))
		/* "dsync" since 3.24; before, 1 is the only word for either */
		fprintf(out, "sync=%s\n", klass & FIO_O_SYNC ? "1" : "dsync");
}

static uint64_t percent(uint64_t part, uint64_t whole)
{
	return whole ? (part * PERCENT + whole / 2) / whole : 0;
}

/* What such requests are in the profile: whole sectors, where the device wants them. */
static uint64_t size_of(const struct fio_size *size, unsigned klass)
{
	uint64_t bytes = size->bytes / size->n;

	if (!(klass & FIO_DIRECT))
		return bytes;
	return bytes < SECTOR ? SECTOR : bytes / SECTOR * SECTOR;
}

/* No more than fio takes. */
static uint64_t times(uint64_t n, unsigned scale)
{
	uint64_t product;

	return __builtin_mul_overflow(n, scale, &product) || product > INT64_MAX ? INT64_MAX :
										   product;
}

static uint64_t largest(const struct fio_group *g)
{
	uint64_t most = 1;

	for (unsigned to = 0; to < FIO_MOVES; to++)
		for (unsigned i = 0; i < FIO_SIZES && g->shape.sizes[to][i].n; i++) {
			uint64_t bytes = size_of(&g->shape.sizes[to][i], g->klass);

			if (bytes > most)
				most = bytes;
		}
	return most;
}

/* Sizes that are seldom count as the one that is most frequent, so that all shares are 100. */
static void put_sizes(FILE *out, const struct fio_group *g, unsigned to)
{
	const struct fio_size *sizes = g->shape.sizes[to];
	uint64_t left = PERCENT, n = g->shape.n[to];
	unsigned most = 0;

	for (unsigned i = 0; i < FIO_SIZES && sizes[i].n; i++)
		if (sizes[i].n > sizes[most].n)
			most = i;
	for (unsigned i = 0; i < FIO_SIZES && sizes[i].n; i++) {
		uint64_t share = sizes[i].n * PERCENT / n;

		if (i == most || share < LEAST_SHARE)
			continue;
		fprintf(out, "%" PRIu64 "/%" PRIu64 ":", size_of(&sizes[i], g->klass), share);
		left -= share;
	}
	fprintf(out, "%" PRIu64 "/%" PRIu64, size_of(&sizes[most], g->klass), left);
}

/* Options have a value for reads and one for writes: where there is one of them alone, it has both. */
static void put_moves(FILE *out, const struct fio_group *g)
{
	const struct fio_shape *s = &g->shape;
	static const char *const words[] = { "randrw", "randread", "randwrite", "randrw" };
	unsigned has = (s->n[0] ? 1 : 0) | (s->n[1] ? 2 : 0);
	unsigned some = s->n[0] ? 0 : 1, other = s->n[1] ? 1 : 0;

	fprintf(out, "rw=%s\n", words[has]);
	if (has == 3)
		fprintf(out, "rwmixread=%" PRIu64 "\n", percent(s->n[0], moves(s)));
	fprintf(out, "percentage_random=%" PRIu64 ",%" PRIu64 "\nbssplit=",
		percent(s->n[some] - s->sequential[some], s->n[some]),
		percent(s->n[other] - s->sequential[other], s->n[other]));
	put_sizes(out, g, some);
	fputc(',', out);
	put_sizes(out, g, other);
	fputc('\n', out);
}

/*
 * What is not sequential, where some of the file has more of it: in the order of how much, since where they lie is
 * another thing. fio takes a share of 0 for one that is not given.
 */
static void put_skew(FILE *out, const struct fio_shape *s)
{
	uint64_t all = 0, size = 0, share = 0, left = PERCENT;
	const char *before = "random_distribution=zoned:";

	if (fio_skew_share(s->tenths) < LEAST_SKEW)
		return;
	for (unsigned t = 0; t < FIO_TENTHS; t++)
		all += s->tenths[t];
	for (unsigned t = 0; t + 1 < FIO_TENTHS; t++) {
		uint64_t part = percent(share += s->tenths[t], all);

		size += PERCENT / FIO_TENTHS;
		/* some is left for the last one */
		part = part < left ? part : left - 1;
		if (!part)
			continue;
		fprintf(out, "%s%" PRIu64 "/%" PRIu64, before, part, size);
		left -= part;
		size = share = 0;
		before = ":";
	}
	fprintf(out, "%s%" PRIu64 "/%" PRIu64 "\n", before, left, size + PERCENT / FIO_TENTHS);
}

/*
 * After every so many writes fio (before 3.38) syncs before each read or write that follows, until there is another
 * write: between two writes as often as it reads, and once more. Writes are drawn, too: a quarter of what lies between
 * two syncs is left over, so that the last one is not missed by a few.
 */
static void put_sync(FILE *out, const char *option, const struct fio_shape *s, uint64_t syncs)
{
	uint64_t times, every;

	if (!syncs || !s->n[1])
		return;
	times = (uint64_t)((double)syncs * (double)s->n[1] / (double)moves(s) + .5);
	if (!times)
		times = 1;
	every = s->n[1] * 4 / (4 * times + 1);
	/* of small numbers the one above may be closer */
	if (!every || s->n[1] / every - times > times - s->n[1] / (every + 1))
		every++;
	fprintf(out, "%s=%" PRIu64 "\n", option, every);
}

/*
 * What is left of the jobs' time beside their calls, in pauses of one length after every so many calls.
 * Where several calls run at once, they share the time.
 */
static void put_pauses(FILE *out, const struct fio_group *g)
{
	uint64_t busy = g->shape.busy_ns / (g->depth ? g->depth : 1);
	uint64_t idle_us = g->span_ns > busy ? (g->span_ns - busy) / 1000 : 0, blocks;
	uint64_t sleep_us = idle_us / SLEEPS / g->n_jobs;

	if (!idle_us)
		return;
	if (sleep_us < LEAST_SLEEP_US)
		sleep_us = LEAST_SLEEP_US;
	if (sleep_us > MOST_SLEEP_US)
		sleep_us = MOST_SLEEP_US;
	blocks = (sleep_us * moves(&g->shape) + idle_us - 1) / idle_us;
	if (!blocks)
		blocks = 1;
	fprintf(out, "thinktime=%" PRIu64 "\nthinktime_blocks=%" PRIu64 "\n",
		idle_us * blocks / moves(&g->shape), blocks);
}

/* Each job has files of its own: as many bytes as before for all of them, in files that are not too small. */
static void put_files(FILE *out, const struct fio_group *g, uint64_t number,
		      const struct fio_plan *plan)
{
	uint64_t most = largest(g), all = g->shape.reach / g->n_jobs;
	uint64_t size = g->shape.reach / g->n_files, files;

	if (size < REQUESTS_OF_A_FILE * most)
		size = REQUESTS_OF_A_FILE * most;
	if (size > all)
		size = all;
	size = (size + most - 1) / most * most;
	if (!size)
		size = most;
	files = all / size;
	if (files > MAX_FILES)
		files = MAX_FILES;
	if (!files)
		files = 1;
	fprintf(out, "directory=%s\nfilename_format=profile-%" PRIu64 ".$jobnum.$filenum\n",
		plan->into, number);
	fprintf(out, "nrfiles=%" PRIu64 "\nsize=%" PRIu64 "\n", files,
		times(files * size, plan->scale));
	if (files > 1)
		fputs("file_service_type=sequential\n", out);
	if (files > OPEN_FILES)
		fprintf(out, "openfiles=%d\n", OPEN_FILES);
}

static void put_group(FILE *out, const struct fio_group *g, uint64_t number,
		      const struct fio_plan *plan)
{
	static const char *const kinds[] = { "", "read", "written", "read and written" };
	uint64_t n = (moves(&g->shape) + g->n_jobs - 1) / g->n_jobs;

	fputs("\n; ", out);
	plain_put(out, g->command);
	fprintf(out, ": %" PRIu64 " files that are %s, %" PRIu64 " reads, %" PRIu64 " writes\n",
		g->n_files, kinds[g->kind], g->shape.n[0], g->shape.n[1]);
	fprintf(out, "[profile%04" PRIu64 "]\n", number);
	fio_put_class(out, g->klass, g->depth);
	fprintf(out, "numjobs=%u\n", (unsigned)g->n_jobs * plan->jobs);
	put_moves(out, g);
	put_skew(out, &g->shape);
	if (!(g->klass & FIO_DIRECT))
		/* else fio takes multiples of the smallest size alone */
		fputs("bs_unaligned=1\n", out);
	put_sync(out, "fsync", &g->shape, g->shape.syncs);
	put_sync(out, "fdatasync", &g->shape, g->shape.datasyncs);
	if (!plan->no_wait)
		put_pauses(out, g);
	put_files(out, g, number, plan);
	/* the number ends the job: sizes that are drawn may add up to more than those of the trace */
	fprintf(out, "number_ios=%" PRIu64 "\nio_size=%" PRIu64 "\n", times(n, plan->scale),
		times(2 * (g->shape.bytes[0] + g->shape.bytes[1]) + 1, plan->scale));
}

void fio_profile_put(FILE *out, const struct fio_groups *groups, const struct fio_plan *plan)
{
	uint64_t number = 0;

	fputs("[global]\nthread=1\ninvalidate=0\nfadvise_hint=0\nfallocate=none\nnorandommap=1\n",
	      out);
	for (uint64_t i = 0; i < groups->n; i++)
		if (moves(&groups->list[i].shape))
			put_group(out, &groups->list[i], ++number, plan);
}
