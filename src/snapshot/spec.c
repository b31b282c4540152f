/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns how small files of /proc and /sys are read, and how their texts become JSON. */
#include "snapshot/spec.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_text.h"
#include "compat/sys/root.h"
#include "row/anon.h"
#include "row/format.h"

#define LINE_SIZE 4096

/* An address is made another one as in rows, so that it is the same in both; any other text is a token. */
json_t *spec_secret(const char *text)
{
	unsigned char addr[16];
	char shown[64];
	int family;

	if (!anon_on() || !text)
		return json_text(text);
	for (family = AF_INET; inet_pton(family, text, addr) != 1; family = AF_INET6)
		if (family == AF_INET6)
			return anon_json_text(text);
	*put_ip(shown, family, addr) = '\0'; /* as in the streams */
	return json_string(shown);
}

json_t *spec_number(bool known, long long value)
{
	return known ? json_integer(value) : json_null();
}

/* Without blanks at either end; false where nothing is left. */
static bool read_line(const struct spec *spec, char *out, size_t size, const char *fmt, va_list ap)
{
	char path[PATH_MAX];
	size_t n;

	out[0] = '\0';
	if (vsnprintf(path, sizeof(path), fmt, ap) >= (int)sizeof(path) ||
	    root_read_line(spec->root, path, out, size))
		return false;
	for (n = strlen(out); n && isspace((unsigned char)out[n - 1]); n--)
		out[n - 1] = '\0';
	n = strspn(out, " \t");
	memmove(out, out + n, strlen(out + n) + 1);
	return out[0] != '\0';
}

bool spec_line(const struct spec *spec, char *out, size_t size, const char *fmt, ...)
{
	va_list ap;
	bool found;

	va_start(ap, fmt);
	found = read_line(spec, out, size, fmt, ap);
	va_end(ap);
	return found;
}

static bool read_value(const struct spec *spec, long long *value, const char *fmt, va_list ap)
{
	char line[128], *end;

	if (!read_line(spec, line, sizeof(line), fmt, ap))
		return false;
	/* by its form: identifiers of PCI and flags of interfaces are 0x… */
	*value = strtoll(line, &end, 0);
	return end != line;
}

bool spec_value(const struct spec *spec, long long *value, const char *fmt, ...)
{
	va_list ap;
	bool found;

	va_start(ap, fmt);
	found = read_value(spec, value, fmt, ap);
	va_end(ap);
	return found;
}

json_t *spec_line_json(const struct spec *spec, const char *fmt, ...)
{
	char line[LINE_SIZE];
	va_list ap;

	va_start(ap, fmt);
	read_line(spec, line, sizeof(line), fmt, ap);
	va_end(ap);
	/* where there is none, line is empty, which becomes null */
	return json_text(line);
}

json_t *spec_value_json(const struct spec *spec, const char *fmt, ...)
{
	long long value = 0;
	va_list ap;
	bool found;

	va_start(ap, fmt);
	found = read_value(spec, &value, fmt, ap);
	va_end(ap);
	return spec_number(found, value);
}

void spec_link(const struct spec *spec, char *out, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX], dir[PATH_MAX], *slash;
	va_list ap;
	ssize_t n;

	out[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	/* the way to the link may lead over others; the link itself is only read */
	slash = strrchr(path, '/');
	if (!slash)
		return;
	*slash = '\0';
	if (root_resolve(spec->root, path, dir) ||
	    strlen(dir) + strlen(slash + 1) + 2 > sizeof(dir))
		return;
	strcat(strcat(dir, "/"), slash + 1);
	n = readlink(dir, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	snprintf(out, size, "%s", slash ? slash + 1 : path);
}

/* sda2 before sda10 */
static int by_version(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

unsigned spec_each(const struct spec *spec, const char *dir,
		   void (*fn)(void *arg, const char *name), void *arg)
{
	struct dirent **names = NULL;
	char real[PATH_MAX];
	unsigned found = 0;
	int n = -1;

	if (!root_resolve(spec->root, dir, real))
		n = scandir(real, &names, NULL, by_version);
	for (int i = 0; i < n; i++) {
		if (names[i]->d_name[0] != '.') {
			fn(arg, names[i]->d_name);
			found++;
		}
		free(names[i]);
	}
	free(names);
	return found;
}

/* "model name\t: Xeon": as /proc/cpuinfo and others have them */
bool spec_key(const char *line, const char *word, const char **rest)
{
	size_t n = strlen(word);

	if (strncmp(line, word, n))
		return false;
	line += n;
	line += strspn(line, " \t");
	if (*line != ':')
		return false;
	*rest = line + 1 + strspn(line + 1, " \t");
	return true;
}

char *spec_next_line(char **text)
{
	char *line = *text, *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	*text = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	return line;
}
