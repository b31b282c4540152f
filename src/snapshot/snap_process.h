/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes the snapshot of processes: one row for each that runs. */
#ifndef IOT_SNAP_PROCESS_H
#define IOT_SNAP_PROCESS_H

struct snap_job;

/* 0 or -errno, with the reason in job->done.why */
int snap_process(struct snap_job *job);

#endif
