/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read THREADS all|some DIR: reads the fs rows of a session directory, with all
 * columns or with the dozen that a summary of files needs, and prints rows,
 * rows per second by the wall and CPU ns per row.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "read/read_parallel.h"

enum { MAX_THREADS = 64 };

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A cache line for each thread, so that they do not wait for each other. */
static struct {
	uint64_t sum;
	char pad[56];
} sums[MAX_THREADS];

/* Something is taken of each row, so that none is left out. */
static void take_row(void *arg, const struct read_task *task, const struct field *fields)
{
	(void)arg;
	sums[task->thread].sum += fields[task->query->n_columns - 1].u;
}

int main(int argc, char **argv)
{
	static const char *const some[] = {
		"operation",  "pid",          "command", "filename", "size",    "inode", "offset",
		"latency_ns", "return_value", "device",  "mntns",    "mono_ns", NULL
	};
	struct read_column columns[LAYOUT_MAX_COLUMNS];
	struct read_query query = { .stream = STREAM_fs, .columns = columns };
	struct read_session session;
	struct read_parallel read = {
		.session = &session, .queries = &query, .n_queries = 1, .row = take_row
	};
	struct read_totals totals;
	double wall, cpu;

	if (argc != 4) {
		fputs("usage: read THREADS all|some DIR\n", stderr);
		return 2;
	}
	read.n_threads = (unsigned)strtoul(argv[1], NULL, 10);
	if (read.n_threads > MAX_THREADS || read_session_open(&session, argv[3]))
		return 1;
	query.n_columns = layout_columns(STREAM_fs, strcmp(argv[2], "some") ? NULL : some, columns);
	wall = seconds(CLOCK_MONOTONIC);
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	if (read_parallel(&read, &totals) || !totals.rows || totals.bad_rows || totals.unreadable)
		return 1;
	wall = seconds(CLOCK_MONOTONIC) - wall;
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	printf("%llu %.0f %.1f\n", (unsigned long long)totals.rows, (double)totals.rows / wall,
	       cpu * 1e9 / (double)totals.rows);
	read_session_close(&session);
	return 0;
}
