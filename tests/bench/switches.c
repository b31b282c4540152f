/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler's part of `make bench`: two threads on one CPU wait for each other,
 * a known number of times. A turn is a switch to the other thread and one back, so
 * that stream sched has a row of each.
 */
#include "bench/turns.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A byte goes there and comes back. */
struct place {
	int there[2];
	int back[2];
};

static long turn_switch(struct place *p, unsigned turn)
{
	char byte = (char)turn;
	long n = write(p->there[1], &byte, 1);

	return n == 1 ? read(p->back[0], &byte, 1) : -1;
}

static const struct operation operation = { "sched", 2, turn_switch,
					    "two switches, each with its wake-up" };

static void *answer(void *arg)
{
	struct place *p = arg;
	char byte;

	while (read(p->there[0], &byte, 1) == 1)
		if (write(p->back[1], &byte, 1) != 1)
			break;
	return NULL;
}

/*
 * Of two threads of the usual class it depends on what each had before whether the one that is woken
 * runs at once, for thousands of turns (6.12: 12,400, 15,900 or 19,400 instructions for each). Two of one
 * real-time priority run until they wait. Where that is forbidden, they are usual ones.
 */
static void run_until_waiting(void)
{
	const struct sched_param lowest = { .sched_priority = 1 };

	sched_setscheduler(0, SCHED_FIFO, &lowest);
}

int main(int argc, char **argv)
{
	static struct place place;
	struct asked asked;
	pthread_t other;
	int err;

	if (!turns_asked(argc, argv, "switches", &asked))
		return 2;
	/* both are inherited by the other thread */
	turns_pin();
	run_until_waiting();
	err = pipe(place.there) || pipe(place.back) ? errno :
						      pthread_create(&other, NULL, answer, &place);
	if (err) {
		fprintf(stderr, "switches: %s\n", strerror(err));
		return 1;
	}
	err = turns_wanted(&asked, &operation) ? turns_perform(&place, &operation, &asked, NULL) :
						 0;
	close(place.there[1]);
	pthread_join(other, NULL);
	return !!err;
}
