/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the list. What differs between them stands in probes/arch. */
#include "image/machine.h"

#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/log.h"
#include "base/plain.h"
#include "image/probes_text.h"

static const struct machine machines[] = {
	{ "x86_64", "x86", probes_x86_64_table, probes_x86_64_code },
	{ "aarch64", "arm64", probes_arm64_table, probes_arm64_code },
};

const struct machine *machine_of(const char *name)
{
	struct utsname this;

	if (!*name && !uname(&this))
		name = this.machine;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (!strcmp(machines[i].name, name))
			return &machines[i];
	log_error("cannot trace on machine %s: only on x86_64 and aarch64", name);
	return NULL;
}
