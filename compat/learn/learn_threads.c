/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many threads of a process have not ended, which tells the end of its last
 * one. Since 6.0 there is a second count that is almost always the same
 * (quick_threads): only a thread that a tracer stops on its way out is still in
 * the one and not any more in the other. So each process is looked at twice,
 * while its first thread is stopped there and when it is gone.
 */
#include "compat/learn/learn_threads.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compat/learn/learn_fits.h"
#include "compat/learn/learn_task.h"

enum { SIGNAL_SIZE = 48 };

struct threads {
	struct learn *learn;
	unsigned n; /* all, the first one included */
	pid_t first;
	int go_on; /* pipe to the tracer */
	bool traced;
};

/* Waits until the thread is in this state: t stopped by its tracer, Z ended. */
static bool comes_to(pid_t tid, char state)
{
	const struct timespec moment = { .tv_nsec = 100000 };
	uint64_t stat[LEARN_STAT_MAX + 1];
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	for (unsigned i = 0; i < 500; i++) {
		if (learn_stat(stat, path) && stat[LEARN_STAT_STATE] == (unsigned char)state)
			return true;
		nanosleep(&moment, NULL);
	}
	return false;
}

/* Where the number is; nothing when the count of all threads is not beside it. */
static unsigned find_number(const struct learn_object *signal, unsigned number, unsigned all,
			    uint32_t *fits)
{
	unsigned n = 0, n_all = 0;

	for (uint32_t at = 0; at < SIGNAL_SIZE; at += 4) {
		uint32_t found = (uint32_t)(learn_word(signal, at & ~7u) >> (at % 8 * 8));

		n_all += found == all;
		if (found == number)
			fits[n++] = at;
	}
	/* two at least: references to the structure, and threads */
	return n_all > 1 ? n : 0;
}

/* The count that is looked for is this number by now. */
static void learn_live(const struct threads *threads, unsigned number)
{
	struct learn *learn = threads->learn;
	uint32_t fits[LEARN_MAX_FITS], live[SIGNAL_SIZE / 4];
	struct learn_object task, signal;
	unsigned n = 0;

	if (!learn_read_task(learn, &task))
		return;
	for (uint32_t at = 0; at < task.size && n < LEARN_MAX_FITS; at += 8) {
		uint64_t pointer = learn_lead(learn, LAYOUT_task_struct_signal, &task, at);

		if (pointer && learn_read(learn, &signal, pointer, SIGNAL_SIZE) &&
		    find_number(&signal, number, threads->n, live))
			fits[n++] = at;
	}
	learn_fits(learn, LAYOUT_task_struct_signal, fits, n);
	if (learn_read(learn, &signal, learn_follow(learn, LAYOUT_task_struct_signal, learn->task),
		       SIGNAL_SIZE))
		learn_fits(learn, LAYOUT_signal_struct_live, live,
			   find_number(&signal, number, threads->n, live));
}

static void *look(void *arg)
{
	const struct threads *threads = arg;

	threads->learn->task = peek_task(threads->learn->peek);
	if (threads->traced && comes_to(threads->first, 't'))
		learn_live(threads, threads->n);
	close(threads->go_on);
	if (comes_to(threads->first, 'Z'))
		learn_live(threads, threads->n - 1);
	_exit(0);
}

static void *sleep_on(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* The process with the threads; its first one ends. */
static void __attribute__((noreturn))
run(struct learn *learn, unsigned round, int is_traced, int go_on)
{
	struct threads threads = {
		.learn = learn, .n = 5 + 3 * round, .first = getpid(), .go_on = go_on
	};
	pthread_t thread;
	char yes;

	alarm(LEARN_SECONDS);
	threads.traced = read(is_traced, &yes, 1) == 1;
	for (unsigned i = 2; i < threads.n; i++)
		if (pthread_create(&thread, NULL, sleep_on, NULL))
			_exit(1);
	if (!pthread_create(&thread, NULL, look, &threads))
		syscall(__NR_exit, 0);
	_exit(1);
}

/* Stops its first thread on the way out, until somebody has looked. */
static void trace(pid_t pid, int tell, int wait_for)
{
	bool traced = !ptrace(PTRACE_SEIZE, pid, NULL, (void *)PTRACE_O_TRACEEXIT);
	int status;
	char end;

	if (traced && write(tell, "y", 1) != 1)
		traced = false;
	close(tell);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		if (status >> 16 == PTRACE_EVENT_EXIT && read(wait_for, &end, 1) < 0)
			continue;
		ptrace(PTRACE_CONT, pid, NULL, NULL);
	}
}

void learn_threads(struct learn *learn, unsigned round)
{
	int traced[2], looked[2];
	pid_t pid;

	if (pipe(traced))
		return;
	if (pipe(looked)) {
		close(traced[0]);
		close(traced[1]);
		return;
	}
	pid = fork();
	if (pid == 0) {
		close(traced[1]);
		close(looked[0]);
		run(learn, round, traced[0], looked[1]);
	}
	close(traced[0]);
	close(looked[1]);
	if (pid > 0)
		trace(pid, traced[1], looked[0]);
	else
		close(traced[1]);
	close(looked[0]);
}
