/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer record`: its command line. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cmd/commands.h"
#include "cmd/options.h"

int record_command(int argc, char **argv)
{
	struct recording_options options = { 0 };
	int err = options_record(&options, argc, argv);

	return err ? err - 1 : recording_run(&options);
}
