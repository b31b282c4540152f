/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the moment at which the last phase began. */
#include "base/phase.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/log.h"

struct moment {
	uint64_t wall_ns;
	double cpu_s;
};

static struct {
	const char *name; /* NULL: none */
	struct moment began, first;
} phase;

static double seconds(const struct rusage *used)
{
	return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
	       (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1e6;
}

static struct moment now(void)
{
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	/* with the helper that compiles, once it was waited for */
	getrusage(RUSAGE_CHILDREN, &children);
	return (struct moment){ mono_ns(), seconds(&self) + seconds(&children) };
}

static void tell(const char *name, const struct moment *from, const struct moment *to)
{
	log_detail("start: %-20s %8.3f s of CPU, %8.3f s", name, to->cpu_s - from->cpu_s,
		   (double)(to->wall_ns - from->wall_ns) / NS_PER_S);
}

void phase_begin(const char *name)
{
	struct moment at;

	if (log_get_level() < LOG_VERBOSE)
		return;
	at = now();
	if (phase.name)
		tell(phase.name, &phase.began, &at);
	else
		phase.first = at;
	phase.name = name;
	phase.began = at;
}

void phase_end(void)
{
	struct moment at;

	if (!phase.name)
		return;
	at = now();
	tell(phase.name, &phase.began, &at);
	tell("all", &phase.first, &at);
	phase.name = NULL;
}
