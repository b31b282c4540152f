/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of commands; a new one is a line here. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cmd/commands.h"

const struct command *const commands[] = {
	&command_record, &command_doctor,   &command_build,  &command_snapshot, &command_watch,
	&command_top,    &command_files,    &command_report, &command_why,      &command_amp,
	&command_uring,  &command_timeline, &command_verify, &command_schema,   NULL,
};
