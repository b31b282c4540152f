/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include "analysis/amp/systems.h"
#include "analysis/report/report_limits.h"

static FILE *open_text(const uint8_t *data, size_t size)
{
	FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "r") : fopen("/dev/null", "r");

	FUZZ_CLAIM(in);
	return in;
}

void fuzz_conf(const uint8_t *data, size_t size)
{
	struct systems systems = { 0 };
	struct report_limits limits;
	FILE *in = open_text(data, size);

	if (!systems_parse(&systems, in, "systems.conf")) {
		systems_find(&systems, "postgres", "/usr/lib/postgresql/15/bin/postgres");
		systems_find(&systems, "", NULL);
		systems_find(&systems, NULL, "/a[b/*?");
	}
	systems_free(&systems);
	rewind(in);
	report_limits_begin(&limits);
	report_limits_parse(&limits, in, "findings.conf");
	fclose(in);
}
