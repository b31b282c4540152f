/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the text of an argument to its value: flags, numbers, sizes and times of
 * any command. Reports what it refuses under the option's name.
 */
#include "cmd/option_values.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "compat/host/layout_source.h"
#include "snapshot/snap.h"

bool parse_size(const char *text, uint64_t *bytes)
{
	static const char suffixes[] = "KMGT";
	char *end;
	const char *at;
	unsigned shift = 0;

	errno = 0;
	*bytes = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || errno)
		return false;
	if (*end) {
		at = strchr(suffixes, *end & ~0x20);
		if (!at || !*at)
			return false;
		shift = 10 * (at - suffixes + 1);
		end++;
		if ((*end & ~0x20) == 'I')
			end++;
		if ((*end & ~0x20) == 'B')
			end++;
	}
	if (*end || *bytes > UINT64_MAX >> shift)
		return false;
	*bytes <<= shift;
	return true;
}

bool parse_number(const char *text, uint64_t max, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return isdigit((unsigned char)text[0]) && !*end && !errno && *value <= max;
}

bool parse_time(const char *text, uint64_t unit_ns, uint64_t *ns)
{
	static const struct {
		const char *suffix;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
		{ "m", 60000000000 },
		{ "h", 3600000000000 },
		{ "d", 86400000000000 },
	};
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || errno)
		return false;
	for (size_t i = 0; *end && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].suffix)) {
			unit_ns = units[i].ns;
			end += strlen(end);
		}
	if (*end || (!unit_ns && n) || (unit_ns && n > UINT64_MAX / unit_ns))
		return false;
	*ns = n * unit_ns;
	return true;
}

bool next_word(const char **list, char word[OPTION_WORD])
{
	size_t len;

	*list += strspn(*list, ",");
	len = strcspn(*list, ",");
	snprintf(word, OPTION_WORD, "%.*s", (int)len, *list);
	*list += len;
	return len > 0;
}

/* ---- rows ---- */

bool option_flag(const struct option_row *row, const char *arg, void *target)
{
	(void)row;
	(void)arg;
	*(bool *)target = true;
	return true;
}

bool option_text(const struct option_row *row, const char *arg, void *target)
{
	(void)row;
	*(const char **)target = arg;
	return true;
}

bool option_directory(const struct option_row *row, const char *arg, void *target)
{
	*(const char **)target = arg;
	if (!arg[0])
		log_error("--%s needs the name of a directory", row->name);
	return arg[0] != '\0';
}

bool option_session_dir(const struct option_row *row, const char *arg, void *target)
{
	char(*dir)[4096] = target;

	if (!arg[0]) {
		log_error("--%s needs the name of a directory", row->name);
		return false;
	}
	if (snprintf(*dir, sizeof(*dir), "%s", arg) < (int)sizeof(*dir))
		return true;
	log_error("--%s: directory name too long (at most %zu bytes)", row->name, sizeof(*dir) - 1);
	return false;
}

bool option_size(const struct option_row *row, const char *arg, void *target)
{
	if (parse_size(arg, target))
		return true;
	log_error("--%s: invalid size '%s' (e.g. 100M, 1G)", row->name, arg);
	return false;
}

bool option_count(const struct option_row *row, const char *arg, void *target)
{
	if (parse_number(arg, UINT64_MAX, target))
		return true;
	log_error("--%s: invalid number '%s'", row->name, arg);
	return false;
}

bool option_seconds(const struct option_row *row, const char *arg, void *target)
{
	uint64_t ns;

	/* deadlines are ns in 64 bits */
	if (parse_time(arg, NS_PER_S, &ns) && ns % NS_PER_S == 0 && ns / NS_PER_S <= INT_MAX) {
		*(unsigned *)target = (unsigned)(ns / NS_PER_S);
		return true;
	}
	log_error("--%s: invalid time '%s' (seconds, or e.g. 10s, 5m, 2h)", row->name, arg);
	return false;
}

bool option_duration(const struct option_row *row, const char *arg, void *target)
{
	if (!option_seconds(row, arg, target))
		return false;
	if (!*(unsigned *)target)
		log_error("--%s: must be longer than 0 s", row->name);
	return *(unsigned *)target > 0;
}

bool option_packing(const struct option_row *row, const char *arg, void *target)
{
	enum packing *packing = target;

	for (int i = 0; i < N_PACKINGS; i++) {
		if (strcmp(arg, packings[i].name))
			continue;
		if (!packings[i].is_built_in)
			log_error("--%s: this iotracer was built without lib%s: use gz", row->name,
				  packings[i].name);
		*packing = (enum packing)i;
		return packings[i].is_built_in;
	}
	log_error("--%s: unknown format '%s' (none, gz, zstd)", row->name, arg);
	return false;
}

bool option_depth(const struct option_row *row, const char *arg, void *target)
{
	uint64_t number;

	if (!parse_number(arg, SNAP_MAX_DEPTH, &number)) {
		log_error("--%s: invalid depth '%s' (0 to %d)", row->name, arg, SNAP_MAX_DEPTH);
		return false;
	}
	*(unsigned *)target = (unsigned)number;
	return true;
}

bool option_layout(const struct option_row *row, const char *arg, void *target)
{
	enum layout_source source = layout_source_of(arg);

	if (source == LAYOUT_ANY) {
		log_error("--%s: unknown source '%s' (headers, kheaders, btf, learned, none)",
			  row->name, arg);
		return false;
	}
	*(enum layout_source *)target = source;
	return true;
}

bool option_no_layout(const struct option_row *row, const char *arg, void *target)
{
	(void)row;
	(void)arg;
	*(enum layout_source *)target = LAYOUT_NONE;
	return true;
}

bool option_word(const struct option_row *row, const char *arg, void *target)
{
	char all[256] = "", kind[16];
	unsigned len = 0, n = 0;

	for (const char *const *word = row->words; *word; word++) {
		if (!strcmp(arg, *word)) {
			*(unsigned *)target = (unsigned)(word - row->words);
			return true;
		}
		len += (unsigned)snprintf(all + len, sizeof(all) - len, "%s%s", len ? ", " : "",
					  *word);
	}
	for (; row->argument[n] && n < sizeof(kind) - 1; n++)
		kind[n] = (char)(row->argument[n] | 0x20);
	kind[n] = '\0';
	log_error("--%s: unknown %s '%s' (%s)", row->name, kind, arg, all);
	return false;
}

bool option_quiet(const struct option_row *row, const char *arg, void *target)
{
	(void)row;
	(void)arg;
	(void)target;
	log_set_level(LOG_QUIET);
	return true;
}

bool option_verbose(const struct option_row *row, const char *arg, void *target)
{
	(void)row;
	(void)arg;
	(void)target;
	log_set_level(LOG_VERBOSE);
	return true;
}
