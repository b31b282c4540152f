/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer doctor`: its command line. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "commands.h"
#include "doctor.h"
#include "options.h"

int doctor_command(int argc, char **argv)
{
	struct doctor_command o;
	int err = options_doctor(&o, argc, argv);
	struct doctor_options options = {
		.root = o.root, .headers = o.headers, .collect = o.collect, .json = o.json,
		.no_kprobes = o.no_kprobes, .no_headers = o.no_headers,
	};

	if (err)
		return err - 1;
	return doctor_run(&options);
}
