/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes the snapshot of processes: one row for each that runs. */
#pragma once

struct snap_job;

/* 0 or -errno, with the reason in job->done.why */
int snap_process(struct snap_job *job);
