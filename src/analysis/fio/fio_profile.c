/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the options of fio that numbers become. */
#include "analysis/fio/fio_profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"

enum {
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

static int smaller_first(const void *x, const void *y)
{
	const struct fio_size *a = x, *b = y;
	uint64_t left = a->bytes / a->n, right = b->bytes / b->n;

	return (left > right) - (left < right);
}

/*
 * Sizes that are seldom are put together, smaller ones first, until they are no more; what is left of them
 * counts as the one that is most frequent, so that all shares are 100.
 */
static void put_sizes(FILE *out, const struct fio_group *g, unsigned to)
{
	struct fio_size sizes[FIO_SIZES], some = { .n = 0 };
	uint64_t left = PERCENT, n = g->shape.n[to];
	unsigned most = 0, n_sizes = 0;

	memcpy(sizes, g->shape.sizes[to], sizeof(sizes));
	while (n_sizes < FIO_SIZES && sizes[n_sizes].n)
		n_sizes++;
	qsort(sizes, n_sizes, sizeof(*sizes), smaller_first);
	for (unsigned i = 0; i < n_sizes; i++)
		if (sizes[i].n > sizes[most].n)
			most = i;
	for (unsigned i = 0; i < n_sizes; i++) {
		bool seldom = sizes[i].n * PERCENT / n < LEAST_SHARE;
		struct fio_size *one = seldom ? &some : &sizes[i];
		uint64_t share;

		if (i == most)
			continue;
		if (seldom) {
			some.n += sizes[i].n;
			some.bytes += sizes[i].bytes;
		}
		share = one->n * PERCENT / n;
		if (share < LEAST_SHARE)
			continue;
		fprintf(out, "%" PRIu64 "/%" PRIu64 ":", size_of(one, g->klass), share);
		left -= share;
		some = seldom ? (struct fio_size){ .n = 0 } : some;
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
		fprintf(out, "rwmixread=%" PRIu64 "\n", percent(s->n[0], fio_shape_moves(s)));
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
	times = (uint64_t)((double)syncs * (double)s->n[1] / (double)fio_shape_moves(s) + .5);
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
	blocks = (sleep_us * fio_shape_moves(&g->shape) + idle_us - 1) / idle_us;
	if (!blocks)
		blocks = 1;
	fprintf(out, "thinktime=%" PRIu64 "\nthinktime_blocks=%" PRIu64 "\n",
		idle_us * blocks / fio_shape_moves(&g->shape), blocks);
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
	uint64_t n = (fio_shape_moves(&g->shape) + g->n_jobs - 1) / g->n_jobs;

	fputs("\n; ", out);
	plain_put(out, g->command);
	fprintf(out, ": %" PRIu64 " files that are %s, %" PRIu64 " reads, %" PRIu64 " writes\n",
		g->n_files, kinds[g->kind % FIO_KIND_SIZES], g->shape.n[0], g->shape.n[1]);
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
		if (fio_shape_moves(&groups->list[i].shape))
			put_group(out, &groups->list[i], ++number, plan);
}
