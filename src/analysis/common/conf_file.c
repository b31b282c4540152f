/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the number of the line. What a line means, its caller knows. */
#include "analysis/common/conf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

int conf_parse(FILE *in, const char *name, conf_line_fn *take, void *arg)
{
	unsigned long number = 0;
	const char *why = NULL;
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int err = 0;

	while (!why && (len = getline(&line, &size, in)) >= 0) {
		number++;
		why = take(arg, line, (size_t)len);
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

int conf_read(const char *file, conf_line_fn *take, void *arg)
{
	FILE *in = fopen(file, "re");
	int err;

	if (!in) {
		err = -errno;
		log_error("%s: %s", file, strerror(-err));
		return err;
	}
	err = conf_parse(in, file, take, arg);
	fclose(in);
	return err;
}

bool conf_own(char path[PATH_MAX], const char *name)
{
	const char *home = getenv("HOME");

	return home && snprintf(path, PATH_MAX, "%s/.config/iotracer/%s", home, name) < PATH_MAX &&
	       !access(path, F_OK);
}
