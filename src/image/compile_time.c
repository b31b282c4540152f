/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the rate of the last compilation. It is an estimate for a message, and decides nothing. */
#include "image/compile_time.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define RATE_FILE "compile-rate"

/* What a program costs, in sorts of so many numbers: both are branches and memory, mostly */
enum { SORTED = 16384, SORTS_A_PROGRAM = 40, TRIES = 3 };

static int compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* How many there are for each CPU of what wants to run. */
static double crowd(void)
{
	FILE *in = fopen("/proc/loadavg", "re");
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	double running = 1;

	if (in && fscanf(in, "%*s %*s %*s %lf/", &running) != 1)
		running = 1;
	if (in)
		fclose(in);
	return cpus > 0 && running > cpus ? running / cpus : 1;
}

/* Without a compilation to go by: how fast is this machine? */
static uint64_t guess_ns(void)
{
	uint32_t *numbers = malloc(SORTED * sizeof(*numbers)), next = 1;
	uint64_t least = UINT64_MAX;

	for (int i = 0; numbers && i < TRIES; i++) {
		uint64_t before = mono_ns(), took;

		for (int k = 0; k < SORTED; k++)
			numbers[k] = next = next * 1664525 + 1013904223;
		qsort(numbers, SORTED, sizeof(*numbers), compare);
		took = mono_ns() - before;
		if (took < least)
			least = took;
	}
	free(numbers);
	return least == UINT64_MAX ? NS_PER_S / 10 : (uint64_t)(least * SORTS_A_PROGRAM * crowd());
}

/* Of a program, ns; 0: none was compiled here. */
static uint64_t read_rate(int cache)
{
	int fd = cache < 0 ? -1 : openat(cache, RATE_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char text[32];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	return strtoull(text, NULL, 10);
}

unsigned compile_time_expect(int cache, unsigned n_programs, unsigned n_groups)
{
	uint64_t rate = read_rate(cache), seconds;

	if (!rate)
		rate = guess_ns();
	seconds = (rate * n_programs / n_groups + NS_PER_S / 2) / NS_PER_S;
	return seconds > 1 ? (unsigned)seconds : 1;
}

void compile_time_keep(int cache, uint64_t ns, unsigned n_programs, unsigned n_groups)
{
	char text[32];
	int fd;

	if (cache < 0 || !n_programs)
		return;
	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)(ns * n_groups / n_programs));
	fd = openat(cache, RATE_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		unlinkat(cache, RATE_FILE, 0);
	close(fd);
}
