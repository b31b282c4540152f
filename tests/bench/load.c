/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The load of `make bench`: a known number of pread or pwrite calls on one
 * file, by threads pinned to CPUs, as fast as they go or at a given rate.
 * Prints what one operation cost the thread that performed it. Knows nothing
 * of tracing.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define CHUNK_OPS 2000   /* short enough that many pass undisturbed */
#define BATCH_NS 1000000 /* a paced thread sleeps about this long */
#define FILE_BYTES 65536
#define MAX_THREADS 64

struct options {
	uint64_t ops;  /* by each thread */
	uint64_t rate; /* operations a second, all threads together; 0: no limit */
	unsigned threads;
	unsigned size;
	bool write;
	const char *path;
};

struct worker {
	const struct options *options;
	pthread_t thread;
	unsigned number;
	uint64_t cpu_ns;
	uint64_t best_ns; /* of CHUNK_OPS operations; 0: no whole chunk */
	uint64_t start;
	uint64_t end;
	int err;
};

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	struct timespec ts = { .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

static void pin(unsigned number)
{
	long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(number % n_cpus, &set);
	/* a machine with holes among its CPUs runs it unpinned */
	sched_setaffinity(0, sizeof(set), &set);
}

static int operate(const struct options *o, int fd, char *buf, uint64_t first, uint64_t n)
{
	ssize_t done;

	for (uint64_t i = first; i < first + n; i++) {
		off_t at = i * o->size % FILE_BYTES;

		done = o->write ? pwrite(fd, buf, o->size, at) : pread(fd, buf, o->size, at);
		if (done != (ssize_t)o->size)
			return done < 0 ? -errno : -EIO;
	}
	return 0;
}

static uint64_t batch_of(const struct options *o)
{
	uint64_t batch = o->rate / o->threads * BATCH_NS / NS_PER_S;

	if (!o->rate)
		return CHUNK_OPS;
	return batch ? batch : 1;
}

static int run(struct worker *w, int fd, char *buf)
{
	const struct options *o = w->options;
	uint64_t batch = batch_of(o), begun, took;
	int err = 0;

	for (uint64_t done = 0; done < o->ops && !err; done += batch) {
		if (batch > o->ops - done)
			batch = o->ops - done;
		if (o->rate)
			sleep_until(w->start + done * o->threads * NS_PER_S / o->rate);
		begun = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		err = operate(o, fd, buf, done, batch);
		took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun;
		w->cpu_ns += took;
		if (batch == CHUNK_OPS && (!w->best_ns || took < w->best_ns))
			w->best_ns = took;
	}
	return err;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	char *buf = calloc(1, w->options->size);
	int fd = open(w->options->path, O_RDWR | O_CLOEXEC);

	pin(w->number);
	w->start = clock_ns(CLOCK_MONOTONIC);
	if (buf && fd >= 0)
		w->err = run(w, fd, buf);
	else
		w->err = buf ? -errno : -ENOMEM;
	w->end = clock_ns(CLOCK_MONOTONIC);
	if (fd >= 0)
		close(fd);
	free(buf);
	return NULL;
}

static int make_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	int err = fd < 0 || ftruncate(fd, FILE_BYTES) ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return err;
}

/* "operations seconds cpu-ns-per-operation best-chunk-ns-per-operation" */
static int report(const struct worker *workers, const struct options *o)
{
	uint64_t cpu = 0, best = 0, longest = 0;

	for (unsigned i = 0; i < o->threads; i++) {
		const struct worker *w = &workers[i];

		if (w->err) {
			fprintf(stderr, "load: %s: %s\n", o->path, strerror(-w->err));
			return 1;
		}
		cpu += w->cpu_ns;
		if (w->best_ns && (!best || w->best_ns < best))
			best = w->best_ns;
		if (w->end - w->start > longest)
			longest = w->end - w->start;
	}
	printf("%llu %.4f %.1f %.1f\n", (unsigned long long)(o->ops * o->threads), longest / 1e9,
	       (double)cpu / (o->ops * o->threads), (double)best / CHUNK_OPS);
	return 0;
}

static int usage(void)
{
	fprintf(stderr,
		"usage: load [-n OPS_PER_THREAD] [-t THREADS] [-r OPS_PER_SECOND] [-s SIZE] "
		"[-w] FILE\n       load -T    (print CLOCK_MONOTONIC in ns and leave)\n");
	return 2;
}

static bool parse(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "n:t:r:s:w")) != -1) {
		if (c == 'n')
			o->ops = strtoull(optarg, NULL, 10);
		else if (c == 't')
			o->threads = strtoul(optarg, NULL, 10);
		else if (c == 'r')
			o->rate = strtoull(optarg, NULL, 10);
		else if (c == 's')
			o->size = strtoul(optarg, NULL, 10);
		else if (c == 'w')
			o->write = true;
		else
			return false;
	}
	o->path = argv[optind];
	return o->path && o->ops && o->threads && o->threads <= MAX_THREADS && o->size &&
	       o->size <= FILE_BYTES;
}

int main(int argc, char **argv)
{
	static struct worker workers[MAX_THREADS];
	struct options options = { .ops = 200000, .threads = 1, .size = 1 };
	int err;

	if (argc == 2 && !strcmp(argv[1], "-T"))
		return printf("%llu\n", (unsigned long long)clock_ns(CLOCK_MONOTONIC)) < 0;
	if (!parse(&options, argc, argv))
		return usage();
	err = make_file(options.path);
	if (err) {
		fprintf(stderr, "load: %s: %s\n", options.path, strerror(-err));
		return 1;
	}
	for (unsigned i = 0; i < options.threads; i++) {
		workers[i] = (struct worker){ .options = &options, .number = i };
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 1;
	}
	for (unsigned i = 0; i < options.threads; i++)
		pthread_join(workers[i].thread, NULL);
	return report(workers, &options);
}
