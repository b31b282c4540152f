/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_sched: threads that sleep, wake each other, yield and fight for one CPU.
 * Each prints at its end what the kernel counted of it, one line:
 *   NAME TID CLOCK_MONOTONIC VOLUNTARY INVOLUNTARY RUN_NS DELAY_NS
 * from getrusage(2) and /proc/thread-self/schedstat, at that clock (0 0 where the kernel keeps
 * no schedstat). The sleeper prints before it how often it left the CPU, once, for two milliseconds:
 *   slept TID N
 * (a machine that stands still may let the time pass before the thread sleeps). Knows nothing of tracing.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 200
#define SPIN_NS 300000000ULL

static int ping[2], pong[2];

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "conform_sched: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* The counters are read last, and the clock between them, so that nothing lies between. */
static void tell(const char *name)
{
	unsigned long long run = 0, delay = 0;
	struct rusage before, after;
	uint64_t now;
	FILE *file;

	do {
		getrusage(RUSAGE_THREAD, &before);
		file = fopen("/proc/thread-self/schedstat", "re");
		if (file && fscanf(file, "%llu %llu", &run, &delay) != 2)
			run = delay = 0;
		if (file)
			fclose(file);
		now = clock_ns(CLOCK_MONOTONIC);
		getrusage(RUSAGE_THREAD, &after);
	} while (before.ru_nvcsw != after.ru_nvcsw || before.ru_nivcsw != after.ru_nivcsw);
	printf("%s %ld %llu %ld %ld %llu %llu\n", name, syscall(SYS_gettid),
	       (unsigned long long)now, after.ru_nvcsw, after.ru_nivcsw, run, delay);
}

static long voluntary_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

static void *sleeper(void *arg)
{
	int slept = 0;
	long before;

	(void)arg;
	prctl(PR_SET_NAME, "iot-sleeper");
	for (int i = 0; i < 50; i++) {
		before = voluntary_switches();
		usleep(2000);
		slept += voluntary_switches() == before + 1;
	}
	printf("slept %ld %d\n", syscall(SYS_gettid), slept);
	tell("sleeper");
	return NULL;
}

static void pass(int in, int out)
{
	char c;

	must(read(in, &c, 1) == 1 && write(out, &c, 1) == 1, "pipe");
}

static void *first(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "iot-first");
	must(write(ping[1], "x", 1) == 1, "pipe");
	for (int i = 0; i < ROUNDS; i++)
		pass(pong[0], ping[1]);
	tell("first");
	return NULL;
}

static void *second(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "iot-second");
	for (int i = 0; i < ROUNDS; i++)
		pass(ping[0], pong[1]);
	tell("second");
	return NULL;
}

static void *yielder(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "iot-yielder");
	for (int i = 0; i < ROUNDS; i++)
		sched_yield();
	tell("yielder");
	return NULL;
}

/* Two of them share a CPU: half of the time each waits for it. */
static void *spinner(void *arg)
{
	cpu_set_t one;

	prctl(PR_SET_NAME, "iot-spinner");
	CPU_ZERO(&one);
	CPU_SET(*(int *)arg, &one);
	must(!pthread_setaffinity_np(pthread_self(), sizeof(one), &one), "affinity");
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < SPIN_NS)
		;
	tell("spinner");
	return NULL;
}

int main(void)
{
	static void *(*const all[])(void *) = { sleeper, first, second, yielder, spinner, spinner };
	enum { N = sizeof(all) / sizeof(all[0]) };
	pthread_t threads[N];
	int cpu = sched_getcpu();

	must(!pipe(ping) && !pipe(pong), "pipe");
	for (int i = 0; i < N; i++)
		must(!pthread_create(&threads[i], NULL, all[i], &cpu), "thread");
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
