/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the clock of the thread that walks. Does not end the walk itself. */
#include "snapshot/snap_grace.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* A turn that took longer was one in which the asking thread had to wait for a CPU, too. */
#define TURN_MOST_NS (4 * SNAP_GRACE_TURN_NS)

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What it ran so far; unknown when it has ended. */
static uint64_t thread_ns(const struct snap_grace *grace)
{
	struct timespec ts;
	clockid_t clock;

	if (pthread_getcpuclockid(grace->thread, &clock) || clock_gettime(clock, &ts))
		return grace->ran_ns;
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

void snap_grace_start(struct snap_grace *grace, pthread_t thread, uint64_t traced_ns)
{
	uint64_t share = smaller(traced_ns / SNAP_GRACE_SHARE, SNAP_GRACE_MOST_NS);

	*grace = (struct snap_grace){ .thread = thread, .at = mono_ns() };
	grace->ran_ns = thread_ns(grace);
	grace->left_ns = share > SNAP_GRACE_LEAST_NS ? share : SNAP_GRACE_LEAST_NS;
}

bool snap_grace_over(struct snap_grace *grace, int tid)
{
	uint64_t now = mono_ns(), ran = thread_ns(grace), spent = ran - grace->ran_ns;
	char state = snap_thread_state(tid);

	if (state != 'R') {
		uint64_t slept = smaller(now - grace->at, TURN_MOST_NS);

		spent = spent > slept ? spent : slept;
	}
	grace->at = now;
	grace->ran_ns = ran;
	grace->left_ns -= smaller(spent, grace->left_ns);
	return !grace->left_ns;
}

char snap_thread_state(int tid)
{
	char name[64], text[512] = "";
	const char *end;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/self/task/%d/stat", tid);
	file = fopen(name, "re");
	if (!file)
		return 0;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	end = strrchr(text, ')');
	return end && end[1] == ' ' ? end[2] : 0;
}
