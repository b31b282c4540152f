/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the text of an argument to its value: numbers, sizes, words and lists.
 * Says what is wrong with it; knows no command and no option but by name.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cmd/options_private.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "resolve/fs_types.h"
#include "resolve/targets.h"
#include "row/schema.h"
#include "row/sockopt.h"

bool options_size(const char *text, uint64_t *bytes)
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

bool options_number(const char *text, uint64_t max, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return isdigit((unsigned char)text[0]) && !*end && !errno && *value <= max;
}

bool options_duration(const char *text, uint64_t unit_ns, uint64_t *ns)
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

bool options_seconds(const char *option, const char *text, uint64_t max, uint64_t *seconds)
{
	uint64_t ns;

	if (options_duration(text, NS_PER_S, &ns) && ns % NS_PER_S == 0 && ns / NS_PER_S <= max) {
		*seconds = ns / NS_PER_S;
		return true;
	}
	log_error("%s: invalid time '%s' (seconds, or e.g. 10s, 5m, 2h)", option, text);
	return false;
}

bool options_next_word(const char **list, char word[OPTIONS_WORD])
{
	size_t len;

	*list += strspn(*list, ",");
	len = strcspn(*list, ",");
	snprintf(word, OPTIONS_WORD, "%.*s", (int)len, *list);
	*list += len;
	return len > 0;
}

static void list_streams(char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	for (int i = 0; i < N_EVENT_STREAMS && n < size; i++)
		if (!schema_has(i, ALWAYS_RECORDED))
			n += snprintf(out + n, size - n, "%s%s", n ? ", " : "", streams[i].name);
}

bool options_streams(const char *text, bool chosen[N_STREAMS])
{
	char known[256], word[OPTIONS_WORD];
	bool first = true;

	while (options_next_word(&text, word)) {
		bool without = word[0] == '!';
		int id = schema_find(word + without);

		if (id < 0 || id >= N_EVENT_STREAMS || schema_has(id, ALWAYS_RECORDED)) {
			list_streams(known, sizeof(known));
			log_error("there is no stream '%s'; known are %s", word + without, known);
			return false;
		}
		/* a list names what is wanted; one that begins with '!' names what is not */
		if (first)
			for (int i = 0; i < N_EVENT_STREAMS; i++)
				chosen[i] = without;
		chosen[id] = !without;
		first = false;
	}
	if (first)
		log_error("-e needs the name of a stream");
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		chosen[i] = chosen[i] || schema_has(i, ALWAYS_RECORDED);
	return !first;
}

/* A number, or all processes of a name. How many there are, of which room were put there. */
static unsigned find_pids(const char *word, uint32_t *pids, unsigned room)
{
	uint64_t pid;

	if (!options_number(word, INT_MAX, &pid))
		return targets_named("/proc", word, pids, room);
	if (room)
		*pids = pid;
	return pid > 0;
}

bool options_pids(const char *text, struct trace_options *trace)
{
	char word[OPTIONS_WORD];

	while (options_next_word(&text, word)) {
		unsigned room = TRACE_MAX_PIDS - trace->n_pids;
		unsigned n = find_pids(word, trace->pids + trace->n_pids, room);

		if (n > room) {
			log_error("-p takes at most %d processes", TRACE_MAX_PIDS);
			return false;
		}
		if (n == 0) {
			log_error(
				"-p: there is no process '%s' (-c takes names of threads that may come later)",
				word);
			return false;
		}
		trace->n_pids += n;
	}
	if (!trace->n_pids)
		log_error("-p needs the number or the name of a process");
	return trace->n_pids > 0;
}

static bool add_comms(const char *option, const char *text, char comms[][16], unsigned *n)
{
	char word[OPTIONS_WORD];

	while (options_next_word(&text, word)) {
		if (*n == TRACE_MAX_COMMS) {
			log_error("%s takes at most %d names", option, TRACE_MAX_COMMS);
			return false;
		}
		/* the kernel keeps 15 bytes */
		snprintf(comms[(*n)++], 16, "%.15s", word);
	}
	if (!*n)
		log_error("%s needs the name of a thread", option);
	return *n > 0;
}

bool options_comms(const char *text, struct trace_options *trace)
{
	return add_comms("-c", text, trace->comms, &trace->n_comms);
}

bool options_not_comms(const char *text, struct trace_options *trace)
{
	return add_comms("--not-comm", text, trace->not_comms, &trace->n_not_comms);
}

bool options_fs_types(const char *text, struct fs_types *types, uint8_t rule)
{
	char word[OPTIONS_WORD], known[2048];
	unsigned n = 0;

	for (; options_next_word(&text, word); n++) {
		if (!fs_types_known("/proc", word, known, sizeof(known))) {
			log_error("this host has no file system type '%s'; it has %s", word, known);
			return false;
		}
		if (!fs_types_add(types, word, rule)) {
			log_error("--fs-type and --exclude-fs-type take at most %d types",
				  FS_TYPES_MAX);
			return false;
		}
	}
	if (!n)
		log_error("--fs-type and --exclude-fs-type need the name of a type");
	return n > 0;
}

bool options_user(const char *text, struct trace_options *trace)
{
	const struct passwd *user;
	uint64_t uid;

	trace->by_uid = true;
	if (options_number(text, UINT32_MAX - 1, &uid)) {
		trace->uid = uid;
		return true;
	}
	user = getpwnam(text);
	if (!user) {
		log_error("-u: there is no user '%s'", text);
		return false;
	}
	trace->uid = user->pw_uid;
	return true;
}

bool options_dev(const char *text, bool *partitions)
{
	*partitions = !strcmp(text, "partition");
	if (*partitions || !strcmp(text, "disk"))
		return true;
	log_error("--dev knows disk and partition, not '%s'", text);
	return false;
}

bool options_pages(const char *text, unsigned *pages)
{
	uint64_t n;

	if (!options_number(text, 1 << 20, &n) || !n || (n & (n - 1))) {
		log_error("-m wants a power of two, not '%s'", text);
		return false;
	}
	*pages = n;
	return true;
}

bool options_sample_rate(const char *text, uint32_t *rate)
{
	uint64_t n;

	if (!options_number(text, 1 << 20, &n) || !n) {
		log_error("--cache-sample-rate wants a number from 1 to 1048576, not '%s'", text);
		return false;
	}
	*rate = n;
	return true;
}

bool options_levels(const char *text, struct trace_options *trace)
{
	char word[OPTIONS_WORD];

	if (strcmp(text, "all") == 0) {
		trace->all_opt_levels = true;
		return true;
	}
	while (options_next_word(&text, word)) {
		if (trace->n_opt_levels == IOT_OPT_LEVELS) {
			log_error("--sockopt-levels takes at most %d levels, or all",
				  IOT_OPT_LEVELS);
			return false;
		}
		if (!sockopt_find_level(word, &trace->opt_levels[trace->n_opt_levels])) {
			log_error(
				"--sockopt-levels knows all, names such as SOL_SOCKET or IPPROTO_IPV6, and numbers, not '%s'",
				word);
			return false;
		}
		trace->n_opt_levels++;
	}
	if (!trace->n_opt_levels)
		log_error("--sockopt-levels needs a level");
	return trace->n_opt_levels > 0;
}
