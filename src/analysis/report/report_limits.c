/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the form of findings.conf. */
#include "analysis/report/report_limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/common/conf_file.h"

#define ROW(number, name, value, unit) { name, value, unit },
const struct report_limit_row report_limit_rows[N_REPORT_LIMITS] = { REPORT_LIMITS(ROW) };

static const char blanks[] = " \t\r\n";

void report_limits_begin(struct report_limits *limits)
{
	for (unsigned i = 0; i < N_REPORT_LIMITS; i++)
		limits->values[i] = report_limit_rows[i].value;
}

/* NULL, or what is wrong with the line. */
static const char *take_line(void *arg, char *line, size_t len)
{
	struct report_limits *limits = arg;
	char *rest, *end, *name = strtok_r(line, blanks, &rest), *number;
	double value;

	(void)len;
	if (!name || name[0] == '#')
		return NULL;
	number = strtok_r(NULL, blanks, &rest);
	value = number ? strtod(number, &end) : 0;
	if (!number || *end || end == number || !isfinite(value) || value < 0)
		return "a name and a number expected, as in 'small.calls 1000'";
	number = strtok_r(NULL, blanks, &rest);
	if (number && number[0] != '#')
		return "more than a name and a number";
	for (unsigned i = 0; i < N_REPORT_LIMITS; i++)
		if (!strcmp(name, report_limit_rows[i].name)) {
			limits->values[i] = value;
			return NULL;
		}
	return "unknown name (`iotracer help findings` lists them)";
}

int report_limits_parse(struct report_limits *limits, FILE *in, const char *name)
{
	return conf_parse(in, name, take_line, limits);
}

int report_limits_read_file(struct report_limits *limits, const char *file)
{
	return conf_read(file, take_line, limits);
}

int report_limits_read(struct report_limits *limits, const char *file)
{
	char own[PATH_MAX];
	int err = 0;

	report_limits_begin(limits);
	if (!access(IOT_FINDINGS_FILE, F_OK))
		err = report_limits_read_file(limits, IOT_FINDINGS_FILE);
	if (!file && conf_own(own, "findings.conf"))
		file = own;
	return err || !file ? err : report_limits_read_file(limits, file);
}
