/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of commands; a new one is a line here. And what their options have in common. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cmd/commands.h"

#include <time.h>
#include <unistd.h>

#include "cmd/options.h"

const struct command *const commands[] = {
	&command_record,   &command_doctor,
	&command_build,    &command_snapshot,
	&command_watch,    &command_top,
	&command_files,    &command_report,
	&command_amp,      &command_uring,
	&command_timeline, &command_verify,
	&command_schema,   NULL,
};

void options_default_dir(char *out, size_t size, const struct anon_options *anon)
{
	char host[66] = "host", when[32];
	time_t now = time(NULL);
	struct tm tm;

	gethostname(host, sizeof(host) - 1);
	localtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y%m%d_%H%M%S", &tm);
	snprintf(out, size, "iotracer_%s%s%s", anon->on ? "" : host, anon->on ? "" : "_", when);
}

void options_complete_anon(struct anon_options *anon)
{
	anon->on = anon->on || anon->keep_ext || anon->comm || anon->ip || anon->key_file;
}
