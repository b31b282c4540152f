/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes the snapshot of files: one row for each file below a directory. */
#pragma once

struct snap_job;

/* 0 or -errno, with the reason in job->done.why */
int snap_fs(struct snap_job *job);
