/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes the snapshot of the system: what the host is made of, as JSON. */
#pragma once

struct snap_job;

/* 0 or -errno, with the reason in job->done.why */
int snap_system(struct snap_job *job);
