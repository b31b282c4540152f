/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns whose a row is, and so whether the filters leave it. */
#include "analysis/report/report_choice.h"

#include "analysis/report/report.h"
#include "analysis/report/report_fields.h"
#include "row/effects.h"
#include "row/fs_ops.h"

struct report_caller report_caller(enum stream_id stream, const struct field *f)
{
	/* a request belongs to who caused it, whoever submitted it */
	bool owned = (stream == STREAM_ds || stream == STREAM_bio) && f[DS_OWNER_PID].known &&
		     f[DS_OWNER_PID].u;

	return (struct report_caller){ &f[owned ? DS_OWNER_PID : REPORT_PID],
				       &f[owned ? DS_OWNER_COMMAND : REPORT_COMMAND] };
}

/* What a row does is looked up only where it matters. */
static bool has_call(const struct row_filter *filter, const struct field *f)
{
	unsigned op = (unsigned)f[FS_OPERATION].u;

	return !filter->replayed ||
	       (f[FS_OPERATION].known && op < IOT_N_OPS &&
		row_filter_has_call(filter, op, fs_row_effects(op, &f[FS_FLAGS], &f[REPORT_PATH]),
				    f[FS_RESULT].s));
}

bool report_chooses(const struct report *r, const struct row_filter *filter, enum stream_id stream,
		    const struct field *f)
{
	const struct report_caller caller = report_caller(stream, f);
	uint64_t ns = f[REPORT_MONO].u;

	return f[REPORT_MONO].known && ns >= r->from_ns && ns < r->to_ns &&
	       row_filter_has_thread(filter, &(struct row_thread){ .pid_known = caller.pid->known,
								   .pid = caller.pid->u,
								   .command = caller.command->text,
								   .len = caller.command->len,
								   .mono_ns = ns }) &&
	       (stream != STREAM_fs || has_call(filter, f));
}
