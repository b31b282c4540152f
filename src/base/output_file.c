/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the other name of a file that is being written. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "base/output_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

/* What is already there and no regular file is written to as it is. */
static int choose_name(struct output_file *file)
{
	struct stat st;
	int n;

	file->part[0] = '\0';
	if (!stat(file->name, &st) && !S_ISREG(st.st_mode))
		return 0;
	n = snprintf(file->part, sizeof(file->part), "%s.part", file->name);
	return n < (int)sizeof(file->part) ? 0 : -ENAMETOOLONG;
}

int output_file_open(struct output_file *file, const char *name)
{
	int err = 0;

	*file = (struct output_file){ .out = stdout, .name = name };
	if (!name)
		return 0;
	file->out = NULL;
	err = choose_name(file);
	if (!err) {
		file->out = fopen(file->part[0] ? file->part : name, "we");
		err = file->out ? 0 : -errno;
	}
	if (err)
		log_error("%s: %s", name, strerror(-err));
	return err;
}

int output_file_close(struct output_file *file, int err)
{
	int bad = fflush(file->out) || ferror(file->out) ? errno : 0;

	if (file->name && fclose(file->out))
		bad = bad ? bad : errno;
	if (!bad && !err && file->part[0] && rename(file->part, file->name))
		bad = errno;
	/* an error that was seen before this one has taken its number with it */
	if (bad && !err)
		log_error("%s: %s", file->name ? file->name : "standard output", strerror(bad));
	if ((bad || err) && file->part[0])
		unlink(file->part);
	return err ? err : -bad;
}
