/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the form of findings.conf. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/report/report_limits.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

#define ROW(number, name, value, unit) { name, value, unit },
const struct report_limit_row report_limit_rows[N_REPORT_LIMITS] = { REPORT_LIMITS(ROW) };

static const char blanks[] = " \t\r\n";

void report_limits_begin(struct report_limits *limits)
{
	for (unsigned i = 0; i < N_REPORT_LIMITS; i++)
		limits->values[i] = report_limit_rows[i].value;
}

/* NULL, or what is wrong with the line. */
static const char *take_line(struct report_limits *limits, char *line)
{
	char *rest, *end, *name = strtok_r(line, blanks, &rest), *number;
	double value;

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
	unsigned long number = 0;
	const char *why = NULL;
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	while (!why && getline(&line, &size, in) >= 0) {
		number++;
		why = take_line(limits, line);
	}
	if (why) {
		log_error("%s:%lu: %s", name, number, why);
		err = -EINVAL;
	} else if (ferror(in)) {
		log_error("%s: %s", name, strerror(EIO));
		err = -EIO;
	}
	free(line);
	return err;
}

int report_limits_read_file(struct report_limits *limits, const char *file)
{
	FILE *in = fopen(file, "re");
	int err;

	if (!in) {
		err = -errno;
		log_error("%s: %s", file, strerror(-err));
		return err;
	}
	err = report_limits_parse(limits, in, file);
	fclose(in);
	return err;
}

int report_limits_read(struct report_limits *limits, const char *file)
{
	const char *home = getenv("HOME");
	char own[PATH_MAX];
	int err = 0;

	report_limits_begin(limits);
	if (!access(IOT_FINDINGS_FILE, F_OK))
		err = report_limits_read_file(limits, IOT_FINDINGS_FILE);
	if (!file && home &&
	    snprintf(own, sizeof(own), "%s/.config/iotracer/findings.conf", home) <
		    (int)sizeof(own) &&
	    !access(own, F_OK))
		file = own;
	return err || !file ? err : report_limits_read_file(limits, file);
}
