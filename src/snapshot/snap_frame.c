/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the frame of a snapshot, whichever it is: when it began, how it ended, who is told. */
#include "snapshot/snap_frame.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "snapshot/snap_fs.h"
#include "snapshot/snap_process.h"
#include "snapshot/snap_system.h"

const char *const snap_kind_names[N_SNAP_KINDS] = {
	[SNAP_SYSTEM] = "system",
	[SNAP_PROCESS] = "process",
	[SNAP_FS] = "fs",
};

const struct snap_options snap_defaults = {
	.root = "/",
	.depth = 3,
	.fs_interval_s = 3600,
	.process_interval_s = 300,
};

static uint64_t real_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int snap_one(struct snap_job *job, enum snap_kind kind)
{
	static int (*const take[N_SNAP_KINDS])(struct snap_job * job) = {
		[SNAP_SYSTEM] = snap_system,
		[SNAP_PROCESS] = snap_process,
		[SNAP_FS] = snap_fs,
	};

	job->done = (struct snap_done){ .kind = kind,
					.started_ns = real_ns(),
					.started_mono_ns = mono_ns() };
	job->done.err = take[kind](job);
	job->done.duration_ns = mono_ns() - job->done.started_mono_ns;
	job->send(job->arg, SNAP_MESSAGE_DONE, &job->done, sizeof(job->done), NULL, 0);
	return job->done.err;
}
