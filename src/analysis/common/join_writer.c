/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns how long a writer is waited for before a signal may end it. */
#include "analysis/common/join_writer.h"

#include <signal.h>
#include <time.h>

#include "base/clock.h"

enum { JOIN_MS = 50 };
#define PATIENCE_NS (2 * NS_PER_S)

/* Of those that are blocked while a recording runs. */
static bool signal_came(void)
{
	const struct timespec now = { 0, 0 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	return sigtimedwait(&set, NULL, &now) > 0;
}

static bool join_soon(pthread_t thread)
{
	struct timespec until;

	/* pthread_timedjoin_np() knows no other clock */
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += JOIN_MS * 1000 * 1000;
	if (until.tv_nsec >= (long)NS_PER_S) {
		until.tv_nsec -= (long)NS_PER_S;
		until.tv_sec++;
	}
	return !pthread_timedjoin_np(thread, NULL, &until);
}

bool join_writer(pthread_t thread, const uint64_t *progress, bool interrupted)
{
	uint64_t seen = 0, now, n, since = mono_ns();

	while (!join_soon(thread)) {
		now = mono_ns();
		n = __atomic_load_n(progress, __ATOMIC_ACQUIRE);
		if (n != seen)
			since = now;
		seen = n;
		if (signal_came() || (interrupted && now - since > PATIENCE_NS))
			return false;
	}
	return true;
}
