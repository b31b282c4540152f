/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a snapshot could not be taken. */
#include "snapshot/snap_fail.h"

#include <stdarg.h>
#include <stdio.h>

#include "snapshot/snap.h"

int snap_fail(struct snap_job *job, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(job->done.why, sizeof(job->done.why), fmt, ap);
	va_end(ap);
	return err;
}
