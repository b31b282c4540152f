/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings in files of lines, which people write: where theirs are, and how what is wrong is reported. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Takes a line with its end, which it may change. NULL, or what is wrong with it. */
typedef const char *conf_line_fn(void *arg, char *line, size_t len);

/*
 * Each line of a file, up to one that is wrong. Returns 0 or -errno, reported with the file's name,
 * the line's number and the reason.
 */
int conf_read(const char *file, conf_line_fn *line, void *arg);
/* The same of an open file, which stays the caller's. */
int conf_parse(FILE *in, const char *name, conf_line_fn *line, void *arg);
/* ~/.config/iotracer/NAME; false: it is not there. */
bool conf_own(char path[PATH_MAX], const char *name);
