/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads beside the one that records, and what they wait on. */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <time.h>

/*
 * Signals are for the main thread, which waits for them. Returns 0 or -errno. Blocked before
 * it begins: a thread has the mask of the one that made it from its first instruction.
 */
static inline int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

/* Times to wait until are of CLOCK_MONOTONIC. */
static inline void thread_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}
