/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the reason why a snapshot failed where whoever reports it finds it. */
#pragma once

struct snap_job;

/* "why" of a failure, in job->done. Returns err. */
int snap_fail(struct snap_job *job, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
