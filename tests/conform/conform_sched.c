/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_sched: threads that sleep, wake each other, on one CPU or across two, yield and fight for one CPU.
 * Each prints at its end what the kernel counted of it, one line:
 *   NAME TID CLOCK_MONOTONIC VOLUNTARY INVOLUNTARY RUN_NS DELAY_NS
 * from getrusage(2) and /proc/thread-self/schedstat, at that clock (0 0 where the kernel keeps
 * no schedstat). The sleeper prints before it how often it left the CPU, once, for two milliseconds:
 *   slept TID N
 * (a machine that stands still may let the time pass before the thread sleeps). Knows nothing of tracing.
 */
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
#define FAR_ROUNDS 500
#define SPIN_NS 300000000ULL

static int ping[2], pong[2], ball[2], bat[2];

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

static void stay_on(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	must(!pthread_setaffinity_np(pthread_self(), sizeof(one), &one), "affinity");
}

static void pass(int in, int out)
{
	char c;

	must(read(in, &c, 1) == 1 && write(out, &c, 1) == 1, "pipe");
}

/* Two threads that pass a byte to and fro: each wakes the other and goes to sleep. */
struct side {
	const char *name, *thread;
	int *in, *out;
	int rounds;
	int cpu; /* -1: any */
	bool serves;
};

static void *side(void *arg)
{
	const struct side *s = arg;

	prctl(PR_SET_NAME, s->thread);
	if (s->cpu >= 0)
		stay_on(s->cpu);
	if (s->serves)
		must(write(s->out[1], "x", 1) == 1, "pipe");
	for (int i = 0; i < s->rounds; i++)
		pass(s->in[0], s->out[1]);
	tell(s->name);
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
	prctl(PR_SET_NAME, "iot-spinner");
	stay_on(*(int *)arg);
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < SPIN_NS)
		;
	tell("spinner");
	return NULL;
}

/* The lowest and the highest CPU that the process may use */
static void two_cpus(int *low, int *high)
{
	cpu_set_t mine;

	must(!sched_getaffinity(0, sizeof(mine), &mine), "affinity");
	*low = *high = -1;
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &mine))
			continue;
		*low = *low < 0 ? i : *low;
		*high = i;
	}
}

static void run_all(void *(*const *all)(void *), void *const *args, int n)
{
	pthread_t threads[8];

	for (int i = 0; i < n; i++)
		must(!pthread_create(&threads[i], NULL, all[i], args[i]), "thread");
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

/* Before the others, so that one of each two is woken while it is leaving its CPU as often as can be. */
int main(void)
{
	static void *(*const all[])(void *) = { sleeper, side, side, yielder, spinner, spinner };
	struct side near = { "near", "iot-near", pong, ping, FAR_ROUNDS, 0, true };
	struct side far = { "far", "iot-far", ping, pong, FAR_ROUNDS, 0, false };
	struct side first = { "first", "iot-first", ball, bat, ROUNDS, -1, true };
	struct side second = { "second", "iot-second", bat, ball, ROUNDS, -1, false };
	int cpu = sched_getcpu();

	must(!pipe(ping) && !pipe(pong) && !pipe(ball) && !pipe(bat), "pipe");
	two_cpus(&near.cpu, &far.cpu);
	run_all((void *(*[])(void *)){ side, side }, (void *[]){ &near, &far }, 2);
	run_all(all, (void *[]){ NULL, &first, &second, NULL, &cpu, &cpu }, 6);
	return 0;
}
