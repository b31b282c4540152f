/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler's part of `make bench`: two threads on one CPU wait for each other,
 * a known number of times. A turn is a switch to the other thread and one back, so
 * that stream sched has a row of each.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "bench/turns.h"

#include <errno.h>
#include <pthread.h>
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

int main(int argc, char **argv)
{
	static struct place place;
	struct asked asked;
	pthread_t other;
	int err;

	if (!turns_asked(argc, argv, "switches", &asked))
		return 2;
	/* which the other thread inherits */
	turns_pin();
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
