/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operating system, kernel and its parameters, time zone. */
#include "snapshot/spec_os.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/json_text.h"
#include "compat/sys/root.h"
#include "row/anon.h"
#include "snapshot/spec.h"
#include "snapshot/spec_virt.h"

/* ---- /etc/os-release ---- */

/* The value of KEY=value or KEY="value"; os-release(5). */
static json_t *release_json(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *line = text; line && *line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		char value[256];

		if (strncmp(line, key, n) || line[n] != '=')
			continue;
		line += n + 1;
		if (*line == '"' || *line == '\'')
			snprintf(value, sizeof(value), "%.*s",
				 (int)strcspn(line + 1, *line == '"' ? "\"\n" : "'\n"), line + 1);
		else
			snprintf(value, sizeof(value), "%.*s", (int)strcspn(line, "\n"), line);
		return json_text(value);
	}
	return json_null();
}

static json_t *distribution_json(const struct spec *spec)
{
	size_t size;
	char *text = root_read(spec->root, "etc/os-release", &size);
	json_t *json;

	if (!text)
		text = root_read(spec->root, "usr/lib/os-release", &size);
	json = json_pack("{s:o, s:o, s:o, s:o}", "id", release_json(text, "ID"), "name",
			 release_json(text, "NAME"), "version", release_json(text, "VERSION_ID"),
			 "codename", release_json(text, "VERSION_CODENAME"));
	free(text);
	return json;
}

/* ---- where ---- */

/* "Europe/Berlin" behind zoneinfo/ in what /etc/localtime leads to, or the line of /etc/timezone. */
static void read_zone(const struct spec *spec, char *out, size_t size)
{
	char path[PATH_MAX], target[PATH_MAX], *at;
	ssize_t n;

	out[0] = '\0';
	snprintf(path, sizeof(path), "%.4000s/etc/localtime", spec->root);
	n = readlink(path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = '\0';
	at = strstr(target, "zoneinfo/");
	if (at)
		snprintf(out, size, "%s", at + strlen("zoneinfo/"));
	else
		spec_line(spec, out, size, "etc/timezone");
}

/* zone.tab has one country a zone: "DE\t+5230+01322\tEurope/Berlin\t…" */
static bool find_country(const struct spec *spec, const char *file, const char *zone, char out[3])
{
	size_t size;
	char *text = root_read(spec->root, file, &size), *rest = text, *line;
	bool found = false;

	while (!found && (line = spec_next_line(&rest))) {
		char *codes = strsep(&line, "\t"), *name;

		strsep(&line, "\t");
		name = strsep(&line, "\t");
		found = name && codes[0] != '#' && strlen(codes) >= 2 && !strcmp(name, zone);
		if (found)
			snprintf(out, 3, "%s", codes);
	}
	free(text);
	return found;
}

void spec_add_place(const struct spec *spec, json_t *os)
{
	static const char *const files[] = { "usr/share/zoneinfo/zone.tab",
					     "usr/share/zoneinfo/zone1970.tab" };
	char zone[256], country[3] = "";
	bool found = false;

	read_zone(spec, zone, sizeof(zone));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && zone[0] && !found; i++)
		found = find_country(spec, files[i], zone, country);
	json_object_set_new(os, "timezone", json_text(zone));
	json_object_set_new(os, "country", json_string(found ? country : "Unknown"));
}

/* ---- the whole ---- */

/* A saved host says its machine since 6.1. */
static json_t *machine_json(const struct spec *spec)
{
	struct utsname name;

	if (!spec->root[0] && !uname(&name))
		return json_text(name.machine);
	return spec_line_json(spec, "proc/sys/kernel/arch");
}

static json_t *hostname_json(const struct spec *spec)
{
	char name[256];

	spec_line(spec, name, sizeof(name), "proc/sys/kernel/hostname");
	return spec_secret(name);
}

static json_t *cmdline_json(const struct spec *spec)
{
	char line[8192];

	spec_line(spec, line, sizeof(line), "proc/cmdline");
	return spec_secret(line);
}

/* btime of /proc/stat: seconds since 1970 */
static json_t *boot_json(const struct spec *spec)
{
	size_t size;
	char *text = root_read(spec->root, "proc/stat", &size),
	     *at = text ? strstr(text, "\nbtime ") : NULL;
	json_t *json = at ? json_integer(strtoll(at + 7, NULL, 10)) : json_null();

	free(text);
	return json;
}

json_t *spec_os(const struct spec *spec)
{
	json_t *os = json_pack("{s:o, s:o, s:o, s:o, s:o}", "system",
			       spec_line_json(spec, "proc/sys/kernel/ostype"), "release",
			       spec_line_json(spec, "proc/sys/kernel/osrelease"), "version",
			       spec_line_json(spec, "proc/sys/kernel/version"), "machine",
			       machine_json(spec), "hostname", hostname_json(spec));
	char boot_id[64];

	if (!os)
		return NULL;
	spec_add_place(spec, os);
	json_object_set_new(os, "distribution", distribution_json(spec));
	spec_line(spec, boot_id, sizeof(boot_id), "proc/sys/kernel/random/boot_id");
	json_object_set_new(os, "boot_id", spec_secret(boot_id));
	/* to the second it is as good as the machine's number */
	json_object_set_new(os, "boot_time", anon_on() ? json_null() : boot_json(spec));
	json_object_set_new(os, "cmdline", cmdline_json(spec));
	spec_add_surroundings(spec, os);
	return os;
}
